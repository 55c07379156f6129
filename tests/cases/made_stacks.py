"""Call chains and last branches: g and l of what is made from the trace, G and L of what was
recorded, and those that were recorded with a sample."""
import mkperf
import mksample
import ptasm
from cases import case
from mkperf import CPU, IDENTIFIER, IP, SAMPLE_ID_ALL, TID, TIME
from mksample import (BRANCH_STACK, CALLCHAIN, CHAIN_HV, CHAIN_KERNEL, CHAIN_USER, PERIOD,
                      branch)

KERNEL_IP = 0xffffffffb960d310
CHAINS = ('--itrace=i1ig4', '--itrace=i1ig1', '--itrace=i1ig2', '--itrace=i1ibepxwg3 -F+flags',
          '--itrace=i3ig -F+addr,+insn,+ipc,+srcline')
BRANCHES = ('--itrace=i1il4 -F+brstack', '--itrace=i2ibepxwl3 -F+brstack,-dso',
            '--itrace=i1il5 -F+brstacksym', '--itrace=i5il64 -F+brstackoff',
            '--itrace=i1il -F+brstackinsn', '--itrace=i2il8pe -F+brstackinsnlen')


def deep_program():
    """Calls in calls, a tail call, a call of the next instruction, a longjmp."""
    c = ptasm.Code()
    c.func('_start').call('a').call('a').nop().syscall()
    c.func('a').nop().call('b').nop().ret()
    c.func('b').call('c').jmp('tail')
    c.func('c').call('next').label('next').raw(0x58).call('d').ret()
    c.func('d').nop(2).lea_rax('b').call_rax().ret()
    c.func('tail').nop().ret()
    return c


@case(*CHAINS, '--itrace=i1ig64 --stop-bt a', '--itrace=i1ig64 --stop-bt tail,b',
      '--itrace=i1ig4 --max-stack 2', '--itrace=i1ig4 --max-stack 0', '--itrace=i1ig -G',
      '--itrace=i1ig9 --max-blocks 1', '-F tid --itrace=i4ig4', '-F tid --itrace=bi4ig4',
      '-F tid --itrace=i4il4', '-F tid,ip -F -sym --itrace=i4ig4', '--itrace=i4ig4 -F-ip',
      '--itrace=i4ig4 -F-symoff,-dso', '--itrace=i2ig -S a,d', '--itrace=i2ig --no-inline',
      '--itrace=i2ig --Latency', '--itrace=g4 --call-trace', '--itrace=i3ig4 --call-ret-trace',
      '--itrace=i3ig4 --itrace=bg2', '--itrace=Zi3ig4', '--itrace=i3ig4s4',
      '--itrace=i1ig8 --show-task-events --show-switch-events',
      '--itrace=i3iG --show-task-events --show-switch-events')
def chains(c):
    s = c.program(deep_program())
    p = c.pt.start(c.t0).pge(s._start)
    p.tip(s.b).cbr(20).ptw(5).tnt('TTTT').tip(s.a + 1).tnt('TT')  # d calls b, then a longjmp
    c.finish()


@case(*('--itrace=%s -F event,time,ip,sym --ns' % o for o in ('pi1usgs6', 'pi1uss6', 'pi50igs8')))
def frequency_told_late(c):
    """Behind samples that are skipped the frequency is told with the next branch, also with a call that
    returns before anything else happens."""
    code = ptasm.Code()
    code.func('_start')
    for _ in range(100):
        code.call('a')
    code.nop().syscall()
    code.func('a').nop(2).call('b').nop().ret()
    code.func('b').nop().ret()
    s = c.program(code)
    p = c.pt.start(c.t0).pge(s._start)
    for i in range(16):
        p.tnt('TTTTTT').tnt('TTTTTT').mtc(0x48 + i)
    p.pgd()
    c.finish()


@case(*('--itrace=%s -F tid,cpu,event,time,ip,sym --ns --show-switch-events' % o
        for o in ('i1ig', 'i2ig', 'i3ig', 'i5ig', 'i7ig', 'i100nsg', 'i1usg', 'bi3ig', 'i3ie')))
def switched_to_in_the_middle(c):
    """A trace that began before the record of who runs: of what was called where that thread was
    before, nothing is left behind the first branch that it takes, also where that is a jump."""
    code = ptasm.Code()
    code.func('_start').call('a').nop().syscall()
    code.func('a').nop(2).call('b').nop().ret()
    code.func('b').nop(3).ret()
    code.func('x').nop(5).jmp_rax()
    code.func('y').nop(5).jmp_rax()
    s, t, d = c.program(code), c.t0, c.perf()
    for pid, name in ((4242, 'one'), (5000, 'two')):
        d.comm(name, pid=pid).mmap2(c.path, tsc=t - 1000, pid=pid)
    d.switch(t - 800, cpu=1).switch(t - 790, pid=5000, cpu=0)
    here, there = type(c.pt)(), type(c.pt)()
    here.start(t).pge(s._start).mtc(0x48).fup(s.b + 1).pgd()
    there.start(t + 9000).pge(s.x)
    for i in range(5):
        there.mtc(0x48 + i).tip(s.y).tip(s.y)
    there.tip(s.x).pgd()
    sizes = [d.auxtrace(p.bytes, cpu=cpu) for cpu, p in enumerate((here, there))]
    d.aux(0, sizes[0], t + 8000, cpu=0).switch(t + 8100, out=True, pid=5000, cpu=0)
    d.switch(t + 9200, other=(4242, 4242), pid=5000, cpu=1)
    d.aux(0, sizes[1], t + 50000, cpu=1)
    d.exit(t + 60000).exit(t + 60010, pid=5000)
    d.finished_round()
    d.write(c.folder + '/perf.data')


@case(*BRANCHES, '--itrace=i1il4 -F+brstackinsn --max-blocks 1',
      '--itrace=i1il4 -F+brstackinsn,+brstacksym,+brstackoff --max-blocks 2',
      '--itrace=i3ig4l4 -F+brstackinsn,+brstack', '--itrace=i3il4 -F+brstackinsn,+srcline',
      '--itrace=be -F+brstackinsn,+brstack', '--itrace=i3i -F+brstackinsn,+brstack',
      '--itrace=qi1il4 -F+brstackinsn', '--itrace=Zi3il4 -F+brstack')
def branches(c):
    s = c.program(deep_program())
    p = c.pt.start(c.t0).pge(s._start).tip(s.b).mode_tsx(intx=1).fup(s.c).ptw(7)
    p.mode_tsx(abort=1).fup(s.next).tip(s.tail).ptw(8).tnt('T').fup(s.b + 5).pgd()
    p.pge(s.tail).fup(s.tail).tip(s.d).tip(s.b).tip(s.a).pgd()
    c.finish()


@case(*CHAINS, *BRANCHES)
def kernel(c):
    """Chains that cross the border: interrupts, and events while in the kernel."""
    s = c.program(deep_program())
    c.perf(kernel=True)
    p = c.pt.start(c.t0).pge(s._start).tip(s.b).fup(s.c).tip(KERNEL_IP).cbr(20).ptw(1)
    p.psb().tsc(c.t0 + 3000).fup(KERNEL_IP).psbend().fup(KERNEL_IP).tip(KERNEL_IP + 0x1000)
    p.ptw(2).cbr(21).fup(KERNEL_IP + 0x1000).tip(s.c).ptw(3).tnt('TT').pgd()
    c.finish()


@case('--itrace=qi1ig4', '--itrace=qi1il4 -F+brstack', '--itrace=qi1ig4l4 -F+brstack',
      '--itrace=qi1il4 -F+brstack,+callindent')
def idle(c):
    """The idle task has a stack for each CPU; without calls perf keeps no branches of it."""
    s = c.program(deep_program())
    c.perf(pid=0, kernel=True)
    c.pt.start(c.t0).pge(s._start).fup(s.a).tip(s.b).fup(s.b).tip(KERNEL_IP).tip(s.c).pgd()
    c.finish()


@case('--itrace=i1ig4', '--itrace=bi2il4 -F+brstack', '--itrace=bi2il4g2 -F+brstack',
      '--itrace=be -F+callindent')
def idle_without_cpu(c):
    s, t = c.program(deep_program()), c.t0
    d = c.perf(sample_type=IDENTIFIER | IP | TID | TIME,
               priv=dict(have_sched_switch=0, per_cpu=0), pid=0)
    d.comm('t').mmap2(c.path, tsc=t - 1000).itrace_start(t - 900)
    c.pt.start(t).pge(s._start).tip(s.b).fup(s.a).tip(s.b).tip(s.c).pgd()
    d.auxtrace(c.pt.bytes, cpu=-1, tid=0, idx=0)
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


@case('--itrace=i2ig8l4 -F+brstack', '--itrace=ei7ig', '--itrace=bi3il8 -F+brstack,+flags')
def broken(c):
    """Faults do not empty the stacks; a buffer that does not continue the last one would."""
    s = c.program(deep_program())
    p = c.pt.start(c.t0).pge(s._start).tip(s.b).ovf().fup(s.d).tip(s.a).raw(b'\x02\x00')
    p.tip(s.tail).tnt('T').pgd().pge(s.tail).tnt('T').pgd(s.b).psb().mode_exec()
    p.tsc(c.t0 + 5000).fup(s.tail).psbend().tnt('T').tip(s.a).pgd()
    c.finish()


def with_samples(c, fields=IP | TID | TIME | CPU | PERIOD, kernel=False, **attr):
    """Beside the trace an event whose samples have these fields."""
    flags = SAMPLE_ID_ALL | mkperf.EXCLUDE_HV
    st = IDENTIFIER | IP | TID | TIME | CPU
    side = flags | mkperf.MMAP | mkperf.COMM | mkperf.TASK | mkperf.CONTEXT_SWITCH
    event = mkperf.Attr(0, 0, flags, IDENTIFIER | fields, [102], **attr)
    pt = mkperf.Attr(6, mkperf.PT_CONFIG, flags if kernel else flags | mkperf.EXCLUDE_KERNEL,
                     st, [100])
    c.perf(attrs=[pt, event, mkperf.Attr(1, 9, side, st, [101])], sample_type=st)
    c.record()
    return event


LATE = ('', '--itrace=', '--itrace=G', '--itrace=G2', '--itrace=L -F+brstack',
        '--itrace=L2 -F+brstack', '--itrace=GL4 -F+brstackinsn', '--itrace=i2iG3L2 -F+brstack',
        '--itrace=i2ig3L2 -F+brstack', '--itrace=i2il3G -F+brstack', '--itrace=G -G',
        '--itrace=Gi4ig2 -F tid', '--itrace=G -F ip --max-stack 2', '--itrace=G --no-itrace',
        '--itrace=beG -F+flags', '--itrace=iG --no-itrace -F+brstack')


@case(*LATE)
def late(c):
    """Samples that were recorded while the trace ran."""
    s = c.program(deep_program())
    event = with_samples(c)
    p = c.pt.start(c.t0).pge(s._start).tip(s.b)
    for i in range(6):
        p.psb().tsc(c.t0 + 1000 * (i + 1)).fup(s.d + 5).psbend()
        p.tip(s.b).mtc(i)
    c.data.sample(s.d, c.t0 - 50, event)
    for i in range(7):
        c.data.sample(s.d + i % 3, c.t0 + 1000 * i + 500, event, period=7)
    c.data.sample(KERNEL_IP, c.t0 + 4600, event, misc=mkperf.KERNEL)
    c.data.sample(s.d, c.t0 + 4700, event, tid=77)
    c.finish()


@case(*LATE)
def late_in_kernel(c):
    """The code that wrote the sample was traced, too."""
    s = c.program(deep_program())
    event = with_samples(c, kernel=True)
    p = c.pt.start(c.t0).pge(s._start).tip(s.b)
    p.fup(s.c).tip(KERNEL_IP).psb().tsc(c.t0 + 1000).fup(KERNEL_IP).psbend()
    p.fup(KERNEL_IP).tip(KERNEL_IP + 0x100).fup(KERNEL_IP + 0x100).tip(KERNEL_IP + 0x200)
    p.psb().tsc(c.t0 + 2000).fup(KERNEL_IP + 0x200).psbend()
    for i, ip in enumerate([s.c, KERNEL_IP, KERNEL_IP + 0x100, KERNEL_IP + 0x50,
                            KERNEL_IP + 0x300]):
        c.data.sample(ip, c.t0 + 1500 + 10 * i, event,
                      misc=mkperf.KERNEL if ip >= KERNEL_IP else mkperf.USER)
        c.data.sample(ip, c.t0 + 2500 + 10 * i, event,
                      misc=mkperf.KERNEL if ip >= KERNEL_IP else mkperf.USER)
    c.finish()


@case('', '--itrace=GL -F+brstack', '--itrace=G -G', '-G', '-F+brstacksym', '-F+brstackinsn',
      '--itrace=i1ig2l3 -F+brstack', '--no-itrace', '--max-stack 1', '-D')
def late_with_own(c):
    """Samples that have a chain and a branch stack of their own keep them."""
    s = c.program(deep_program())
    event = with_samples(c, IP | TID | TIME | CPU | CALLCHAIN | BRANCH_STACK)
    c.pt.start(c.t0).pge(s._start).tip(s.b).psb().tsc(c.t0 + 1000).fup(s.d + 5).psbend()
    c.data.sample(s.d, c.t0 + 2000, event, chain=[CHAIN_USER, s.d, s.c + 6, s.a + 6],
                  branches=[branch(s.c + 1, s.d, predicted=1), branch(s.b, s.c, mispred=1)])
    c.data.sample(s.d, c.t0 + 2100, event)
    c.finish()


ALONE = ('', '-F ip,sym', '-F tid', '-F comm,tid,ip,sym,dso,symoff', '-G', '--max-stack 3',
         '--stop-bt f', '-F+brstack', '-F+brstacksym,-dso', '-F+brstackoff', '-F+brstackinsn',
         '-F+brstackinsn,+brstackinsnlen --max-blocks 1', '-F -ip', '--show-mmap-events', '-D',
         '--itrace --max-stack 3', '--itrace=e --max-stack 3', '--itrace=g5 --max-stack 3')


def alone(c, fields, **attr):
    """No trace at all."""
    st = IP | TID | TIME | fields
    d = mkperf.Recording([mkperf.Attr(0, 0, SAMPLE_ID_ALL, st, [1], **attr)])
    c.data = d
    d.features = {'arch': d.pack('I', 8) + b'x86_64\0\0'}
    d.comm('t').mmap2(c.path)
    return d


@case(*ALONE, 'report -s sym')
def recorded_chains(c):
    s = c.program()
    d = alone(c, CALLCHAIN)
    d.sample(s.f, 1000, chain=[CHAIN_USER, s.f, s.g + 5, s._start + 15])
    d.sample(s.f, 1100, chain=[CHAIN_KERNEL, KERNEL_IP, CHAIN_USER, s.f, s.g + 5])
    d.sample(s.f, 1200)
    d.sample(s.f, 1300, chain=[s.f, s.g, 0x1234, CHAIN_HV, 5, CHAIN_USER, s.g])
    d.sample(s.f, 1400, chain=[CHAIN_USER, s.f, -1000, s.g])
    d.sample(s.f, 1500, chain=[CHAIN_USER] + [s.f, s.g] * 70)
    d.sample(s.f, 1600, pid=5, chain=[CHAIN_USER, s.f, s.g])
    d.write(c.folder + '/perf.data')


@case(*ALONE, '-F+brstackinsn,+srccode,+brstacksym', 'report --itrace=i1il')
def recorded_branches(c):
    s = c.program()
    d = alone(c, BRANCH_STACK, branch_sample_type=1 << 3)
    kinds = [branch(s._start, s.f, type_=i, cycles=i) for i in range(16)]
    d.sample(s.f, 1000, branches=[branch(s.f + 1, s._start + 5, predicted=1, cycles=3),
                                  branch(s._start, s.f, mispred=1, cycles=70000)])
    d.sample(s._start + 9, 1100, branches=[branch(s._start + 7, s._start + 12, in_tx=1),
                                           branch(s.f + 1, s._start + 5, abort=1)])
    d.sample(s.f, 1200, branches=kinds)
    d.sample(s.f, 1250, branches=[branch(s._start, s.f, type_=15, new_type=i)
                                  for i in range(16)])
    d.sample(s.f, 1300)
    d.sample(s.g, 1400, branches=[branch(KERNEL_IP, s.g), branch(s.f + 1, KERNEL_IP),
                                  branch(s._start, s.f)])
    d.sample(s.f, 1500, branches=[branch(0x1234, s.g, abort=1), branch(s.f + 1, 0x9999),
                                  branch(s.g, s.f)])
    d.sample(s._start, 1600, branches=[branch(s.f + 1, s.g), branch(s.g, s.f)])
    d.write(c.folder + '/perf.data')


@case(*ALONE)
def recorded_both(c):
    s = c.program()
    d = alone(c, CALLCHAIN | BRANCH_STACK, branch_sample_type=1 << 3 | mksample.BRANCH_HW_INDEX)
    d.sample(s.f, 1000, chain=[CHAIN_USER, s.f, s.g + 5], hw_idx=3,
             branches=[branch(s.g, s.f, predicted=1), branch(s._start + 12, s.g, mispred=1)])
    d.write(c.folder + '/perf.data')
