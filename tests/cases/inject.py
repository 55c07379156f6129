"""inject: a recording as another one (J01-J05, J10), in the words of injected.py."""
import os

import mkperf
from cases import case
from mkperf import KERNEL, Attr, PerfData
from mksample import ADDR, CALLCHAIN, CPU, ID, IDENTIFIER, IP, PERIOD, RAW, TID, TIME
from pebscase import BASIC, basic, begin, block, end, event

MODES = tuple(('cache=cache inject ' + o).strip() for o in (
    '', '-b', '--buildid-all', '--itrace', '--itrace=be', '--itrace=i1igl --strip', '--itrace=',
    '--no-itrace', '-b --itrace=bl', '--buildid-all -b', '--itrace=crewp --strip',
    '--itrace=i0nsL', '--itrace=bZ'))


def keep(c, program):
    """Puts the program into a build-id cache, as perf files it, and says its id."""
    c.program(program)
    image = c.code.elf()
    id_ = image[image.index(b'GNU\0') + 4:][:20]
    folder = os.path.join(c.folder, 'cache', 'prog', id_.hex())
    link = os.path.join(c.folder, 'cache', '.build-id', id_.hex()[:2])
    os.makedirs(folder)
    os.makedirs(link)
    with open(os.path.join(folder, 'elf'), 'wb') as f:
        f.write(image)
    os.symlink('../../prog/' + id_.hex(), os.path.join(link, id_.hex()[2:]))
    return id_


def traced(c, attrs=None, ids=True, vdso=True, **kw):
    """Side-band of many kinds around a trace, and samples of a counter beside it."""
    id_ = keep(c, None)
    s = c.code.asm()[1]
    d, t = c.perf(attrs=attrs, **kw), c.t0
    if ids:
        d.build_id('[kernel.kallsyms]', bytes(range(20)), KERNEL)
        d.build_id('[vdso]', bytes(range(3, 23)))
        d.build_id('/lib/other', bytes(range(4, 24)))
        d.build_id(c.path, id_)
    d.finished_init().comm('t').mmap2(c.path, tsc=t - 1000)
    d.mmap2('//anon', 0x7000000, tsc=t - 950)
    if vdso:
        d.mmap2('[vdso]', 0x8000000, tsc=t - 940)
    d.itrace_start(t - 900)
    if d.cpu >= 0:
        d.switch(t - 800)
    d.finished_round()
    return s


def finish(c, s):
    d, t = c.data, c.t0
    c.pt.start(t).pge(s._start).tnt('T').ptw(0x1234).tip(s.g).tnt('TTTTNT')
    c.pt.mwait(0x20, 1).cbr(9).pgd()
    size = d.auxtrace(c.pt.bytes, idx=0)
    d.fork(t + 40000, 4243).aux(0, size, t + 50000)
    if d.cpu >= 0:
        d.switch(t + 60000, out=True)
    d.lost(101, 3, t + 65000).exit(t + 70000).finished_round()
    d.comm('late', t + 100)
    d.write(os.path.join(c.folder, 'perf.data'))


@case(*MODES, 'inject -v', 'inject -v -b --itrace=i1i')
def by_cpu(c):
    finish(c, traced(c))


@case(*(m for m in MODES if '--no-itrace' not in m))
def by_thread(c):
    finish(c, traced(c, cpu=-1, sample_type=IDENTIFIER | IP | TID | TIME,
                     priv={'per_cpu': 0, 'have_sched_switch': 2}))


@case(*MODES)
def without_ids(c):
    """There are no files of these names to read them from."""
    finish(c, traced(c, ids=False, vdso=False))


@case(*MODES, *('cache=cache inject --itrace=i1i ' + o for o in ('--strip -b', '--buildid-all', '--strip --buildid-all -b', '-b')), *('cache=cache inject -b --known-build-ids ' + o for o in (
    '"0102 /build/t"', '"0 /build/t, 0102 /build/t,zz00 /build/t,nonsense"', '"0203  /build/t,0102 /build/t,0102 /lib/a" --buildid-all',
    '"00112233445566778899aabbccddeeff00112233 /build/t,0102 [vdso]"', '"0001020304050607080910111213141516171819ff /build/t"',
    '"0102 /build/t" --itrace=i1i --strip', '""')), 'cache=cache inject --known-build-ids "0102 /build/t"')
def samples_beside(c):
    """Recorded ones pass, but not their pieces of trace; their events are first."""
    base = IDENTIFIER | IP | TID | TIME | CPU
    attrs = [Attr(6, mkperf.PT_CONFIG, PerfData().attrs[0].flags, base, [100]),
             Attr(0, 0, PerfData().attrs[1].flags, base | PERIOD | CALLCHAIN | ID | ADDR,
                  [101, 102, 103], period=1000)]
    s = traced(c, attrs)
    for i in range(5):
        c.data.sample(s.f + i % 2, c.t0 + 20 * i, addr=i, period=1000, id_=101 + i % 3,
                      chain=[2**64 - 512, s.f, s._start], misc=2 if i else KERNEL)
    finish(c, s)


@case(*MODES)
def with_ids_in_maps(c):
    """perf record --buildid-mmap: such maps need no id in front."""
    id_ = keep(c, None)
    s = c.code.asm()[1]
    c.perf().comm('t').mmap2(c.path, tsc=c.t0 - 1000, build_id=id_)
    c.data.mmap2('/lib/a', 0x7000000, tsc=c.t0 - 990, build_id=bytes(range(7, 27)))
    c.data.itrace_start(c.t0 - 900).switch(c.t0 - 800)
    c.data.build_id('[vdso]', bytes(range(3, 23)))
    finish(c, s)


@case('cache=cache inject --itrace=o', 'cache=cache inject --itrace=obe --strip')
def pebs(c):
    """They are samples of the events that were recorded."""
    id_ = keep(c, None)
    s = begin(c, event(ADDR | PERIOD | RAW))
    c.data.build_id(c.path, id_)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    block(c, {BASIC: {0: s.f + 1}}, s.f + 1)
    end(c, s)


@case(*('inject --strip --itrace=' + i for i in ('qil4', 'qG4il4', 'qg4il4', 'qZil4', 'qZG4il4', 'qZL4il4', 'qZG4L4il4', 'qZG4bl4', 'qZG4i')))
def idle_branches(c):
    """Last branches of the idle task are there only where call stacks are kept, also by letter G."""
    s = c.program()
    c.perf().comm('t').mmap2(c.path, tsc=c.t0 - 1000).switch(c.t0 - 800, pid=0, tid=0)
    p = c.pt.start(c.t0).pge(s._start)
    for _ in range(3):
        p.tip(s.g).tip(s.f)
    p.pgd()
    size = c.data.auxtrace(p.bytes, idx=0)
    c.data.aux(0, size, c.t0 + 50000).finished_round().write(os.path.join(c.folder, 'perf.data'))


@case('stdin=perf.data inject', 'stdin=perf.data inject -b')
def from_a_pipe(c):
    """What came through a pipe goes as for a pipe."""
    d = mkperf.Recording([Attr(1, 0, PerfData().attrs[1].flags, IDENTIFIER | IP | TID | TIME,
                               [100])])
    d.comm('t').mmap2('/none', tsc=1000)
    for i in range(5):
        d.sample(0x401000 + i, 2000 - i)
    d.finished_round().write_pipe(c.folder + '/perf.data')


@case('inject --strip', 'inject --itrace=Q', 'inject --no-such', 'inject -i none',
      'inject --itrace=i0ns4')
def refused(c):
    traced(c)
    finish(c, c.code.asm()[1])


@case('inject', 'inject -b', 'inject -j', 'inject -b -j', 'inject --buildid-all', 'inject --itrace',
      'inject --itrace=i1i -j', 'inject --itrace=b -b')
def without_sample_id_all(c):
    """Of some events only, which perf refuses."""
    d = mkperf.Recording([Attr(1, 0, 0, IDENTIFIER | IP | TID | TIME, [100]),
                          Attr(1, 1, mkperf.SAMPLE_ID_ALL, IDENTIFIER | IP | TID | TIME, [101])])
    c.program()
    d.comm('t').mmap2('/none')
    for i in range(6):
        d.sample(0x401000 + i, 2000 - i, attr=d.attrs[i % 2])
    d.mmap2('/other', 0x7000000)
    d.finished_round().sample(0x7000001, 1000)
    d.sample(0x7000002, 1500, attr=d.attrs[1])
    d.finished_round().write(c.folder + '/perf.data')


@case('inject', 'inject -b', 'inject -j', 'inject --buildid-all', 'inject --itrace=b -b', 'inject -b -j',
      'inject --itrace=be', known=[('*=be', ('goes on', 0), 'inject')])
def trace_without_sample_id_all(c):
    base = IDENTIFIER | IP | TID | TIME | CPU
    c.program()
    c.perf(attrs=[Attr(a.type, a.config, a.flags & ~mkperf.SAMPLE_ID_ALL, base, [100 + i])
                  for i, a in enumerate(PerfData().attrs)])
    s = c.code.asm()[1]
    c.record()
    for i in range(4):
        c.data.sample(s.f + i % 2, c.t0 + 2000 - 20 * i, attr=c.data.attrs[1])
    c.data.finished_round()
    c.data.sample(s.f, c.t0 + 30, attr=c.data.attrs[1])
    finish(c, s)
