"""inject -j: functions of jitdumps as files and maps (J06), in the words of injected.py."""
import os
import random

import mkjit
from cases import case
from mkperf import KERNEL, Attr, PerfData, Recording
from mksample import CPU, IDENTIFIER, IP, PERIOD, TID, TIME

DUMP = './jit-4242.dump'  # in the folder that is worked in; perf demands the slash
MONOTONIC = 1 << 25
BASE = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
MODES = 'inject -j', 'inject -j -b', 'inject -j --buildid-all'


def recorded(c, maps=1, conv=None, flags=MONOTONIC, ids=True, sample_type=BASE, name=DUMP):
    """Maps of the dump, of files and of memory, and samples in all of them."""
    d = Recording([Attr(1, 0, PerfData().attrs[1].flags | flags, sample_type, [100], clockid=1)])
    if conv:
        d.time_conv(*conv)
    if ids:
        d.build_id('[kernel.kallsyms]', bytes(range(20)), KERNEL)
        d.build_id('/lib/other', bytes(range(4, 24)))
    d.comm('t', 900).mmap2('/none/a', 0x400000, 0x8000, 0, tsc=950)
    for i in range(maps):
        d.mmap2(name, 0x7f0000000000 + i * 0x1000, 0x1000, 0, tsc=1000 + i)
    for i, m in enumerate(('//anon', '[anon:v8]', '/memfd:x', '[heap]', '/dev/zero')):
        d.mmap2(m, 0x500000 + 0x100000 * i, 0x10000, 0, tsc=1010)
    d.mmap2('//anon', 0x600000, 0x10000, 0, tsc=1020, pid=4300, tid=4300)
    d.fork(1960, 4300)
    for i, at in enumerate((0x500000, 0x400001, 0x700000, 0x900000)):
        d.sample(at, 2000 + 100 * i, period=100)
    d.finished_round().exit(5000).finished_round()
    d.write(os.path.join(c.folder, 'perf.data'))


def entries(r, addr):
    line, out = r.randrange(1, 500), []
    for _ in range(r.randrange(40)):
        out.append((addr, line, r.choice(['a.c', 'a.c', '/long/' * r.randrange(1, 60) + 'b.c',
                                          '\u00e9 \'"\n.c', None])))
        addr += r.choice([0, 1, 1, 2, 70, 300, 20000])
        line = max(0, line + r.choice([-5, -6, 0, 1, 2, 100, 236, 237, -100, 70000]))
    return out


def functions(c, seed, order='<', ticks=False, again=True):
    """Loads, moves, lines and tables in all mixtures; an index may come again."""
    r = random.Random(seed)
    j = mkjit.Jitdump(4242, ticks=ticks, order=order, time=990)
    for i in range(30):
        addr, time, index = 0x500000 + i * 0x200, 1100 + i * 10, i
        if order == '<' and r.random() < .6:  # perf turns lines of the other order wrong
            j.lines(time - 1, addr, entries(r, addr))
        if r.random() < .4:
            hdr, table = r.choice([8, 12, 16, 20]), r.choice([8, 16, 24, 40])
            j.record(mkjit.UNWIND, time - 1,
                     j.pack('QQQ', hdr + table, hdr, r.choice([0, hdr + table, 4096]))
                     + r.randbytes(hdr + table) + bytes(r.choice([0, 8])))
        if again and r.random() < .1:
            index = 2
        j.load(time, addr, r.randbytes(r.randrange(1, 400)),
               r.choice(['f', 'f g()', 'x' * r.randrange(1, 900), '"\n\'']), index)
        if index == i and r.random() < .2:
            j.move(time + 3, addr, addr + 0x100000, 1, i)
    return j.close(9000).data


def dump(c, data):
    with open(os.path.join(c.folder, DUMP), 'wb') as f:
        f.write(data)


@case(*MODES)
def functions_of_all_kinds(c):
    recorded(c)
    dump(c, functions(c, 1))


@case('inject -j')
def mapped_twice(c):
    recorded(c, maps=2)
    dump(c, functions(c, 2))


@case('inject -j')
def by_the_processors_clock(c):
    recorded(c, conv=(10, 700, 5), flags=0, ids=False)
    dump(c, functions(c, 3, ticks=True))


@case('inject -j')
def other_byte_order(c):
    recorded(c, sample_type=IP | TID | TIME)
    dump(c, functions(c, 4, order='>'))


@case('inject -j')
def cut(c):
    recorded(c)
    data = functions(c, 5)
    dump(c, data[:len(data) * 2 // 3])


@case('inject -j')
def wrong_clock(c):
    recorded(c, flags=0)
    dump(c, functions(c, 6))


@case('inject -j')
def no_clock(c):
    recorded(c)
    dump(c, functions(c, 7, ticks=True))


@case(*MODES, 'inject -j --itrace=be')
def traced(c):
    """The trace passes, with an index of where it is."""
    c.program(None)
    s = c.code.asm()[1]
    d, t = c.perf(), c.t0
    d.time_conv(d.clock.shift, d.clock.mult, d.clock.zero)
    d.build_id('/lib/other', bytes(range(4, 24)))
    d.finished_init().comm('t').mmap2(c.path, tsc=t - 1000).mmap2(DUMP, 0x7000000, tsc=t - 950)
    d.mmap2('//anon', 0x500000, 0x10000, 0, tsc=t - 940)
    d.itrace_start(t - 900).switch(t - 800).finished_round()
    c.pt.start(t).pge(s._start).tnt('T').pgd()
    d.aux(0, d.auxtrace(c.pt.bytes), t + 50000)
    d.write(os.path.join(c.folder, 'perf.data'))
    times = mkjit.Jitdump(4242, time=t - 930).load(t - 920, 0x500000, b'\x90\xc3', 'one', 1)
    dump(c, times.load(t + 920, 0x500800, b'\xc3', 'two', 2).data)
