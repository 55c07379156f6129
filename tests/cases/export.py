"""export: tables of a database, in the words of exported.py."""
import mkperf
from cases import case
from mkperf import KERNEL, Attr
from mksample import (ADDR, CALLCHAIN, CHAIN_KERNEL, CHAIN_USER, CPU, IDENTIFIER, IP, PERIOD, TID,
                      TIME)
from reccase import SIDE

K = 0xffffffffb960d300


@case('export branches --itrace=be', 'export branches calls --itrace=be',
      'export all --itrace=i0nsb', 'export all calls --itrace=cr', 'export branches calls',
      'export branches calls --itrace=be --no-demangle', 'export branches --no-itrace',
      'export branches calls callchains --itrace=i0nsgb', 'export all --itrace=qb')
def threads(c):
    """Two threads of a process, names before and after exec(2), one that nobody names."""
    c.program()
    s = c.code.asm()[1]
    d, t = c.perf(), c.t0
    d.comm('one', t - 3000).fork(t - 2900, 4243).comm('two', t - 2800, exec_=True)
    d.comm('o\'n"e\nä', t - 2000, pid=d.pid, tid=4243)
    d.mmap2(c.path, tsc=t - 1000).itrace_start(t - 900).switch(t - 800, other=(d.pid, 4243))
    c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    size = d.auxtrace(c.pt.bytes)
    d.aux(0, size, t + 50000)
    d.switch(t + 60000, out=True, other=(d.pid, 4243), preempt=True)
    d.switch(t + 61000, other=(77, 78)).switch(t + 62000, out=True, other=(0, 0))
    d.exit(t + 70000).finished_round()
    d.write(c.folder + '/perf.data')


@case('export all --itrace=bepwx', 'export branches --itrace=p', 'export branches calls --itrace=I')
def power(c):
    """What made samples carry has tables of its own."""
    d = c.perf(kernel=True, pid=3174, cpu=0)
    d.mmap('[kernel.kallsyms]_text', 0xffffffffb9600000, 0x6cf0000, 0xffffffffb9600000,
           pid=-1, misc=KERNEL)
    d.comm('echo').itrace_start(c.t0 - 900).switch(c.t0 - 800)
    p = c.pt
    p.start(c.t0).ptw(0x12345678, size=4).ptw(0x6f6c6c6548, ip=True).fup(K)
    p.mwait(0x60, 1).exstop(ip=True).fup(K + 0x20).pwrx(2, 2, 4).cbr(16)
    c.finish()


@case('export branches calls --itrace=be', 'export branches calls --itrace=cr')
def gaps(c):
    """The trace is interrupted, goes on elsewhere, returns to nobody."""
    c.program()
    s = c.code.asm()[1]
    p = c.pt
    p.start(c.t0).pge(s.f).tnt('T').tip(s._start + 5)
    p.pgd(s._start).pge(s.g).tnt('T').pgd()
    p.ovf().pge(s.f2).tnt('T').pgd()
    c.finish()


@case('export all', 'export branches calls')
def recorded(c):
    """Samples of a counter, with call chains that are not asked for."""
    c.program()
    d = mkperf.Recording([Attr(1, 2, SIDE,
                               IDENTIFIER | IP | TID | TIME | CPU | PERIOD | ADDR | CALLCHAIN,
                               [100])])
    d.comm('prog', 1000).mmap2(c.path, tsc=2000)
    for i, ip in enumerate((0x401000, 0x401005, 0x500000, 0x401000)):
        d.sample(ip, 3000 + i, addr=0x401010, chain=[CHAIN_USER, ip, CHAIN_KERNEL, K])
    d.write(c.folder + '/perf.data')
