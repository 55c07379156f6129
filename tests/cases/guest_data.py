"""inject --guest-data (J09): what a guest recorded comes into the recording of its host."""
import os

import mkperf
from cases import case
from mkperf import CPU, IDENTIFIER, KERNEL, TID, TIME, USER, Attr
from mksample import ID, STREAM_ID

OFFSET = 0xffff_ff00_1234_5678 # of the guest's TSC
OOL, BPF = 2, 1                # of KSYMBOL
RUNNER = 4242
GUEST = 'inject --guest-data=guest.data,4242'
MOVED = GUEST + ',%#x' % OFFSET
KMAP = 0xffffffff81000000


class GuestClock(mkperf.Clock):
    shift, mult, zero = 30, 900000000, 12345

    def conv(self, recording):
        return recording.time_conv(self.shift, self.mult, self.zero, 0, 0)


def side_flags():
    return mkperf.PerfData().attrs[1].flags


def host(c, conv=True, init=True, names=('CPU 0/KVM', 'CPU 1/KVM'), trace=True, runs=True, **kw):
    """A machine that runs one with two processors, which change theirs."""
    s = c.program()
    d, t, clock = c.perf(pid=RUNNER, **kw), c.t0, mkperf.Clock
    d.build_id('[kernel.kallsyms]', bytes(range(20)), KERNEL)
    d.build_id(c.path, bytes(range(1, 21)))
    if conv:
        d.time_conv(clock.shift, clock.mult, clock.zero, 0, 0)
    d.comm('qemu', pid=RUNNER)
    for i, name in enumerate(names):
        d.comm(name, pid=RUNNER, tid=RUNNER + 1 + i)
    d.comm('CPU 7/KVM', pid=1)
    if init:
        d.finished_init()
    d.mmap2(c.path, tsc=t - 1000).itrace_start(t - 900).switch(t - 800)
    if runs:
        for i, cpu in enumerate((2, 3, 1)):
            d.switch(t + 100 + 1000 * i, other=(RUNNER, RUNNER + 1 + i % 2), cpu=cpu)
            d.switch(t + 600 + 1000 * i, other=(RUNNER, RUNNER + 2), cpu=cpu + 1, out=True)
    d.finished_round()
    d.comm('late', t + 700)
    d.switch(t + 2500, other=(RUNNER, RUNNER + 2), cpu=0)
    d.mmap('/some', 0x1000, 0x1000, tsc=t + 2600).fork(t + 2700, 4300).finished_round()
    if trace:
        c.pt.start(t).pge(s._start).tnt('T').pgd()
        d.aux(0, d.auxtrace(c.pt.bytes), t + 5000)
    d.throttle(t + 5100, 101).lost(101, 3, t + 5200).exit(t + 70000).finished_round()
    d.write(os.path.join(c.folder, 'perf.data'))
    return d


def own_kernel(d):
    d.mmap('[kernel.kallsyms]_text', KMAP, 0x1000, KMAP, pid=0xffffffff, misc=KERNEL)


def guest(c, name='guest.data', clock=GuestClock, sample_type=IDENTIFIER | TID | TIME | CPU,
          index=True, conv=True, events=(Attr(1, 9, 0, 0, [7, 8]), Attr(0, 0, 0, 0, [9, 10])), **kw):
    attrs = [Attr(e.type, e.config, side_flags(), sample_type, e.ids, **kw) for e in events]
    d, t = mkperf.Recording(attrs, 77, 0, clock()), c.t0 + OFFSET & (1 << 64) - 1
    d.from_attr = attrs[0]
    if conv and clock is GuestClock:
        d.clock.conv(d)
    if index:
        d.id_index([(i, 0, n % 2, 2**64 - 1) for n, i in
                    enumerate(i for a in attrs for i in a.ids)])
    d.build_id('[kernel.kallsyms]', bytes(range(5, 25)), KERNEL)
    d.build_id('[vdso]', bytes(range(6, 26)))
    d.build_id('/lib/modules/6.1/kernel/m.ko', bytes(range(7, 27)), KERNEL)
    d.build_id('/bin/x', bytes(range(8, 28)))
    own_kernel(d)
    d.comm('init', pid=1).mmap2('/bin/init', pid=1, misc=USER)
    d.comm('early', t - 5000).comm('x', t - 50, exec_=True).mmap2('/bin/x', tsc=t - 40, misc=USER)
    d.fork(t + 10, 78).switch(t + 150, tid=78).switch(t + 160, out=True)
    d.finished_round()
    d.ksymbol(KMAP, 64, 'bpf', t + 1200, BPF).ksymbol(KMAP, 64, 'ool', t + 1250, OOL)
    d.text_poke(KMAP, b'\x90', b'\xcc', t + 1300).lost(7, 4, t + 1400)
    d.kernel(15, USER, d.pack('II', 1, 1), t + 1150, cpu=1, id_=8)
    d.sample(0x401000, t + 1500).throttle(t + 1600, 7).namespaces(t + 1700).cgroup(1, '/', t + 1800)
    d.switch(t + 2650, other=None, cpu=1).finished_round()
    d.mmap('/lib/y', 0x2000, 0x1000, tsc=t + 5150, misc=3).exit(t + 80000)
    d.write(os.path.join(c.folder, name))
    return d


@case(GUEST, MOVED, MOVED + ',1', MOVED + ',0.5', MOVED + ',2', MOVED + ' --strip',
      MOVED + ' --itrace=b', MOVED + ' -b', MOVED + ' --buildid-all', MOVED + ' -j',
      MOVED + ' --itrace=be --strip', MOVED + ' -b -j', MOVED + ' --itrace=i1i -j', MOVED + ' --no-itrace',
      'inject --guest-data=none,1 --itrace=b', 'inject --guest-data=none,1 -j', GUEST + ',0x10,0',
      'inject --guest-data', 'inject --guest-data=guest.data', 'inject --guest-data=guest.data,',
      'inject --guest-data=guest.data,x', 'inject --guest-data=none,4242',
      'inject --guest-data=perf.data,4242', GUEST + ',,', GUEST + ',x,x',
      'inject --guest-data=guest.data,4243', 'inject --guest-data=,4242',
      MOVED + ' --no-guest-data', 'inject --guest-data=none,1 --guest-data=guest.data,4242,5')
def options(c):
    host(c)
    guest(c)


@case(GUEST, MOVED)
def without_conversion_of_host(c):
    host(c, conv=False)
    guest(c)


@case(GUEST, MOVED)
def without_conversion_of_guest(c):
    host(c)
    guest(c, conv=False)


@case(GUEST)
def same_clock(c):
    """Of kvm-clock, say."""
    host(c)
    guest(c, clock=mkperf.Clock)


@case(MOVED)
def without_init(c):
    """Nobody says where the guest's events could be put."""
    host(c, init=False)
    guest(c)


@case(MOVED)
def without_trace(c):
    host(c, trace=False)
    guest(c)


@case(MOVED)
def nobody_runs(c):
    host(c, runs=False)
    guest(c)


@case(MOVED)
def without_names(c):
    host(c, names=('qemu', 'CPU'))
    guest(c)


@case(MOVED)
def empty_name(c):
    host(c, names=('CPU 0/KVM', ''))
    guest(c)


@case(MOVED)
def same_processor_twice(c):
    host(c, names=('CPU 0/KVM', 'CPU 0/KVM'))
    guest(c)


@case(MOVED)
def odd_names(c):
    host(c, names=('CPU 00001', 'CPU\t0'))
    guest(c)


@case(MOVED)
def many_processors(c):
    host(c, names=('CPU 0/KVM', 'CPU 100/KVM', 'CPU 70/KVM', 'CPU 4294967295/KVM'))
    guest(c)


@case(MOVED)
def without_index(c):
    host(c)
    guest(c, index=False)


@case(MOVED)
def all_of_sample_id(c):
    host(c)
    guest(c, sample_type=IDENTIFIER | TID | TIME | CPU | ID | STREAM_ID)


@case(MOVED)
def id_in_front(c):
    """Without PERF_SAMPLE_IDENTIFIER, which the events get."""
    host(c)
    guest(c, sample_type=TID | TIME | CPU | ID)


@case(MOVED)
def no_processor(c):
    host(c)
    guest(c, sample_type=IDENTIFIER | TID | TIME)


@case(MOVED)
def no_time(c):
    host(c)
    guest(c, sample_type=IDENTIFIER | TID | CPU)


@case(MOVED)
def ids_in_use(c):
    """The guest's events get ids that the host's do not have."""
    host(c, attrs=[Attr(6, mkperf.PT_CONFIG, side_flags(), IDENTIFIER | TID | TIME | CPU, [50, 2**64 - 2]),
                   Attr(1, 9, side_flags(), IDENTIFIER | TID | TIME | CPU, [101, 1])])
    guest(c, events=(Attr(1, 9, 0, 0, [7, 8]), Attr(6, mkperf.PT_CONFIG, 0, 0, [9, 10]),
                     Attr(2, 5, 0, 0, [11]), Attr(1, 0, 0, 0, [12, 13], period=1000)))


@case(MOVED)
def no_ids(c):
    host(c)
    d = guest(c)
    for a in d.attrs:
        a.ids = []
    d.write(c.folder + '/guest.data')


@case(MOVED, known=[('*', {b'exit 242': b'exit 255', b'0x830 .*\nF': b'a damaged record: all others were used\nF', b'-14': b'-1'}, 'inject')])
def unknown_id(c):
    host(c)
    d = guest(c)
    d.kernel(3, 0, d.pack('II', 1, 1) + mkperf.zstr('who'), c.t0 + OFFSET & 2**64 - 1, id_=99)
    d.write(c.folder + '/guest.data')


@case(MOVED)
def processor_beyond(c):
    host(c)
    d = guest(c)
    d.kernel(3, 0, d.pack('II', 1, 1) + mkperf.zstr('far'), c.t0 + OFFSET & 2**64 - 1, cpu=64)
    d.write(c.folder + '/guest.data')


@case(MOVED)
def switch_of_a_task(c):
    """Not CPU-wide: perf takes what follows for the task."""
    d = host(c)
    guest(c)
    for i in range(4):
        d.switch(c.t0 + 120 + 500 * i, other=None, tid=RUNNER + 1 + i % 2, cpu=i, out=i == 3)
    d.write(c.folder + '/perf.data')


@case(MOVED + ' --guestmount x', MOVED + ' --guestmount mounted', MOVED + ' --guestmount x --itrace=b',
      known=[('*mount x', {b'exit 244': b'exit 255'}, 'inject')])
def mounted(c):
    host(c)
    guest(c)
    os.makedirs(c.folder + '/mounted/4242')


@case(*('inject --guest-data=guest,4242,%#x' % OFFSET + o
        for o in ('', ' --itrace=b', ' --itrace=b --strip', ' -b', ' -j')))
def with_its_kernel(c):
    """The guest's kernel comes along."""
    host(c)
    os.mkdir(c.folder + '/guest')
    guest(c, name='guest/data')
    os.mkdir(c.folder + '/guest/kcore_dir')
    for name in 'kallsyms', 'modules', 'kcore':
        with open(c.folder + '/guest/kcore_dir/' + name, 'w') as f:
            f.write(name)
