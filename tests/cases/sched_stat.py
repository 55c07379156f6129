"""inject -s: how long a thread slept (sched_stat_*), as a sample of where it went to sleep (sched_switch)."""
import os

import mkfeat
import mkperf
from cases import case
from mkperf import Attr, PerfData, Recording
from mksample import (ADDR, BRANCH_HW_INDEX, BRANCH_STACK, CALLCHAIN, CPU, ID, IDENTIFIER, IP, PERIOD,
                      RAW, READ, REGS_USER, SAMPLE_ID_ALL, STACK_USER, STREAM_ID, TID, TIME, TRANSACTION, WEIGHT, branch)

BASE = IDENTIFIER | IP | TID | TIME | CPU | PERIOD | RAW
SLEEP, SWITCH, EXIT, WAIT, OTHER = range(300, 305)
# Where the field pid is, and its size; 0: there is none.
EVENTS = {SLEEP: ('sched_stat_sleep', 8, 4), SWITCH: ('sched_switch', 8, 4), EXIT: ('sched_process_exit', 8, 4),
          WAIT: ('sched_stat_wait', 16, 8), OTHER: ('sched_statistics', 0, 0)}
MODES = ('inject -s', 'cache=cache inject -s', 'inject -s --strip', 'inject -s -v')


def formats(pack, events):
    def one(id_):
        name, at, size = events[id_]
        return ('name: %s\nID: %d\nformat:\n'
                '\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
                '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n' % (name, id_)
                + ('\tfield:int pid;\toffset:%d;\tsize:%d;\tsigned:1;\n' % (at, size) if size else '')
                + '\tfield:u32 more;\toffset:24;\tsize:4;\tsigned:0;\n\nprint fmt: "%d", REC->more\n')
    return mkfeat.Features(pack).tracing_data({'sched': [one(i) for i in events]})


def recording(types=BASE, events=EVENTS, other=None, names='sched:%s', **attr):
    """Events of these kinds; `other`: types of the sample of some of them."""
    attrs = [Attr(2, i, SAMPLE_ID_ALL, (other or {}).get(i, types), [1000 + i], **attr) for i in events]
    d = Recording(attrs)
    d.features['tracing_data'] = formats(d.pack, events)
    d.features['event_desc'] = mkfeat.Features(d.pack).event_desc(
        [(a.bytes(d.pack), names % events[a.config][0], a.ids) for a in attrs])
    return d


def event(d, kind, tsc, tid, ip=0x401000, pid=None, **fields):
    """A sample of it; pid: whom it is about."""
    attr = [a for a in d.attrs if a.config == kind][0]
    at, size = EVENTS[kind][1:]
    raw = bytearray(d.pack('HHi', kind, 0, tid) + bytes(range(1, 21)))
    raw[at:at + size] = (tid if pid is None else pid).to_bytes(8, 'little')[:size]
    fields.setdefault('period', tsc - 900)
    d.sample(ip, tsc, attr=attr, tid=tid, raw=bytes(raw), **fields)


def told(d, **fields):
    """Two threads that sleep, one that is never heard of again, one that ends."""
    d.comm('t', 900).comm('u', 901, tid=4243)
    for i, name in enumerate('abc'):
        d.build_id('/lib/' + name, bytes(range(i, i + 20)))
    d.mmap2('/lib/a', 0x401000, tsc=902).mmap2('/lib/b', 0x501000, tsc=903).mmap2('/lib/c', 0x601000, tsc=904)
    event(d, SLEEP, 950, 4243, pid=4242, **fields)
    event(d, SWITCH, 1000, 4242, 0x401010, **fields)
    event(d, SWITCH, 1010, 4243, 0x501020, **fields)
    event(d, SLEEP, 1100, 4243, 0x601000, pid=4242, **fields)
    event(d, WAIT, 1110, 0, 0x601000, pid=4242, **fields)
    event(d, OTHER, 1120, 0, 0x401000, **fields)
    event(d, SLEEP, 1090, 0, 0x601000, pid=4243, **fields)
    d.finished_round()
    event(d, SWITCH, 1200, 4242, 0x401030, **fields)
    event(d, EXIT, 1250, 4243, **fields)
    event(d, SLEEP, 1300, 0, pid=4243, **fields)
    event(d, SLEEP, 1310, 4242, pid=4242, **fields)
    event(d, SWITCH, 1400, 4242, 0x401040, **fields)
    event(d, WAIT, 1500, 4242, pid=4242 | 1 << 32, **fields)
    d.lost(101, 3, 1600).exit(1700).finished_round()


def write(c, d):
    os.makedirs(c.folder + '/symfs', exist_ok=True)
    d.write(c.folder + '/perf.data')


@case(*MODES, 'inject -s -b', 'inject -s --buildid-all', 'inject -s -j', 'inject -s --itrace=be', '-F event,ip,period')
def plain(c):
    d = recording()
    told(d)
    write(c, d)


@case(*MODES)
def all_fields(c):
    d = recording(BASE | ADDR | ID | STREAM_ID | CALLCHAIN | WEIGHT)
    told(d, chain=(1, 2, 3), addr=77, stream=5, weight=9)
    write(c, d)


@case(*MODES)
def stack_dumps(c):
    """Of which a part is in use, and what is behind them."""
    d = recording(BASE | REGS_USER | STACK_USER | WEIGHT | TRANSACTION, sample_regs_user=3, sample_stack_user=64)
    told(d, regs_user=(2, (5, 6)), stack=bytes(range(64)), stack_used=24, weight=9, transaction=8)
    write(c, d)


@case(*MODES)
def other_types(c):
    """A sched_switch is read as the sched_stat_* would be."""
    d = recording(BASE, other={SWITCH: BASE | ADDR, EXIT: BASE & ~TID})
    told(d, addr=1)
    write(c, d)


@case(*MODES)
def a_wide_pid(c):
    d = recording(events={**EVENTS, SLEEP: ('sched_stat_sleep', 8, 2), WAIT: ('sched_stat_wait', 8, 3)})
    told(d)
    write(c, d)


@case('inject -s', 'inject -s -v')
def counters_read(c):
    d = recording(BASE | READ)
    d.comm('t', 900).mmap2('/lib/a', 0x401000, tsc=902)
    for i, kind in enumerate((SWITCH, SLEEP, OTHER, SLEEP)):
        event(d, kind, 1000 + 10 * i, 4242, read={'values': ((7 + i, 1000 + kind, 0),)})
    write(c, d)


@case(*MODES)
def without_cpu(c):
    d = recording(BASE & ~CPU)
    told(d)
    write(c, d)


@case(*MODES)
def without_period(c):
    d = recording(BASE & ~PERIOD)
    told(d)
    write(c, d)


@case(*MODES)
def without_raw(c):
    d = recording(BASE & ~RAW)
    d.comm('t', 900)
    event(d, SWITCH, 1000, 4242, 0x401010)
    write(c, d)


@case(*MODES)
def with_branches(c):
    d = recording(BASE | BRANCH_STACK | WEIGHT, branch_sample_type=BRANCH_HW_INDEX)
    told(d, branches=(branch(1, 2), branch(3, 4)), hw_idx=3, weight=9)
    write(c, d)


@case(*MODES)
def without_an_index_of_branches(c):
    d = recording(BASE | BRANCH_STACK | WEIGHT)
    told(d, branches=(branch(1, 2), branch(3, 4)), weight=9)
    write(c, d)


@case(*MODES, known=[('*', {b'set\\.@@@': b'set.\n@@@'}, 'inject')])
def without_tid(c):
    d = recording(BASE, other={SWITCH: BASE & ~TID})
    d.comm('t', 900)
    write(c, d)


@case(*MODES)
def other_names(c):
    d = recording(names='other:%s')
    told(d)
    write(c, d)


@case(*MODES)
def without_switches(c):
    d = recording(events={i: EVENTS[i] for i in (SLEEP, EXIT)})
    d.comm('t', 900)
    event(d, SLEEP, 1000, 4242)
    event(d, EXIT, 1001, 4242)
    write(c, d)


@case('stdin=perf.data inject -s')
def from_a_pipe(c):
    d = recording()
    told(d)
    del d.features['event_desc']
    d.write_pipe(c.folder + '/perf.data')


@case(*MODES, 'inject -s --itrace=be', 'inject -s --itrace=be --strip', 'inject -s -j', 'inject -s -b --itrace=b')
def beside_a_trace(c):
    """Which passes as it is."""
    s = c.program()
    attrs = [Attr(6, mkperf.PT_CONFIG, PerfData().attrs[0].flags, IDENTIFIER | IP | TID | TIME | CPU, [100])]
    attrs += recording().attrs
    d, t = c.perf(attrs=attrs), c.t0
    d.features['tracing_data'] = formats(d.pack, EVENTS)
    d.features['event_desc'] = mkfeat.Features(d.pack).event_desc(
        [(a.bytes(d.pack), 'sched:%s' % EVENTS[a.config][0] if a.config in EVENTS else 'intel_pt//u', a.ids) for a in attrs])
    d.comm('t').mmap2(c.path, tsc=t - 1000).itrace_start(t - 900).switch(t - 800)
    event(d, SWITCH, t + 100, 4242, s.f, period=1)
    event(d, SLEEP, t + 200, 0, s.g, pid=4242, period=20)
    c.pt.start(t).pge(s._start).tnt('T').tip(s.g).pgd()
    d.aux(0, d.auxtrace(c.pt.bytes, idx=0), t + 50000)
    write(c, d)


@case(*MODES)
def no_such_events(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).pgd()
    c.finish()
