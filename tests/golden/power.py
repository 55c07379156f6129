"""Power events, ptwrite and event trace in the kernel, where there is no code to walk."""
from cases import case
import mkperf

K = 0xffffffffb960d300


def side_band(c):
    d = c.perf(kernel=True, pid=3174, cpu=0)
    d.mmap('[kernel.kallsyms]_text', 0xffffffffb9600000, 0x6cf0000, 0xffffffffb9600000,
           pid=-1, misc=mkperf.KERNEL)
    d.comm('echo')
    d.itrace_start(c.t0 - 900)
    d.switch(c.t0 - 800)


@case('--itrace=bewpI -F+flags,+addr --ns', '--itrace=wp -F+synth', '--itrace=I --ns',
      '--itrace=p', '-D', '',
      known=[('*', {rb'(pwre:.*?pwre:[^\n]*)hw: 0 cstate: 2 sub-cstate: 0':
                    rb'\1hw: 1 cstate: 3 sub-cstate: 4'}, 'Power events')])
def power(c):
    side_band(c)
    p = c.pt
    p.start(c.t0)
    p.ptw(0x12345678, size=4)
    p.ptw(0x6f6c6c6548, ip=True).fup(K)
    p.mwait(0x60, 1).pwre(2, 0).fup(K + 0x10)
    p.pwre(3, 4, hw=1)
    p.exstop(ip=True).fup(K + 0x20)
    p.pwrx(2, 2, 4)
    p.cbr(16)
    p.evd(0, 0x8877665544332211).evd(1, 0x11).evd(5, 7).cfe(1, 14, ip=True).fup(K + 0x30)
    p.cfe(30, 5)
    c.finish()
