"""Every record that perf itself writes (rows U of the record tables), and how it is dumped."""
import struct

from cases import case
import mkperf
from mkperf import pad8, zstr
from reccase import finish, recording, times

OPTIONS = ('-D', '--dump-unsorted-raw-trace', '-D --no-itrace', '--show-round-events', '')


@case(*OPTIONS)
def event_type(c):
    """Obsolete: u64 id, char name[64]."""
    d = recording().record(65, 0, struct.pack('<Q64s', 5, b'cycles'))
    finish(c, d)


@case(*OPTIONS)
def build_id(c):
    """U03"""
    d = recording()
    for misc in (2, 1, 2 | 1 << 15):
        body = struct.pack('<i20sBBBB', -1, bytes(range(20)), 8, 0, 0, 0) + zstr('/bin/a')
        d.record(67, misc, body)
    d.mmap2('/bin/a', 0x401000, tsc=1000000)
    finish(c, d)


@case(*OPTIONS)
def rounds(c):
    """U04: records older than the round before are let go, in order of time."""
    d, t = recording(), times()
    late = [next(t) for _ in range(4)]
    d.comm('a', next(t)).comm('b', late[0]).finished_round().comm('c', late[1])
    d.comm('d', next(t)).finished_round().comm('too late', late[2]).finished_round()
    d.comm('e', next(t)).finished_init()
    finish(c, d)


@case(*OPTIONS)
def id_index(c):
    """U05"""
    d = recording()
    d.id_index([(100, 0, 0, -1), (101, 1, -1, 4242)])
    d.id_index([(100, 0, 2, 3), (101, -1, 4, 5)], [(77, 1), (0, -1)])
    d.id_index([])
    finish(c, d)


@case(*OPTIONS, known=[('*', ('goes on', 0), 'Records')])
def auxtrace_info(c):
    """U06: of other processors."""
    for kind in (0, 2, 7):
        d = recording().record(70, 0, struct.pack('<II4Q', kind, 0, 1, 2, 3, 4))
    finish(c, d)


@case(*OPTIONS, '--itrace=e',
      known=[('--show-round-events', ('goes on', 0), 'Options')])
def auxtrace_error(c):
    """U08"""
    s, t = c.program(), c.t0
    d = c.perf()
    d.auxtrace_error(3, t, 0, 'of no kind', 0)
    for fmt in range(4):
        for kind in (1, 2):
            d.auxtrace_error(7, t - 5000, 0xffff, 'Overflow', kind, 3, 5, 6, fmt, (77, 1))
    d.auxtrace_error(0, 0, 0, 'x' * 63).auxtrace_error(2**32 - 1, t, text='', guest=(0, 5), fmt=2)
    d.auxtrace_error(1, 2**60, 2**64 - 1, 'late', cpu=-1, pid=-1)
    c.record()
    c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.finish()


@case(*OPTIONS)
def thread_map(c):
    """U09"""
    d = recording().thread_map([(1, 'init')]).thread_map([(1, 'a'), (2, 'b'), (-1, 'c')])
    d.thread_map([]).thread_map([(2**40 + 5, '0123456789abcdef')])
    finish(c, d)


@case(*OPTIONS)
def cpu_map(c):
    """U09"""
    d = recording()
    for cpus in ([0], [0, 1, 2], [0, 2, 4, 5, 6, 9], [0xffff], [3, 2, 1], [5, 5], [1, 0xffff]):
        d.cpu_map(0, d.cpu_list(cpus))
    for width in (4, 8):
        for masks in ([1], [0xf0], [0, 5], [2 ** (8 * width) - 1] * 3, [6, 2 ** 31, 1]):
            d.cpu_map(1, d.cpu_masks(masks, width))
    finish(c, d)


@case(*OPTIONS)
def cpu_map_of_a_range(c):
    """U09: and words of a length that is neither 4 nor 8, which perf takes for 8."""
    d = recording()
    for any_cpu, first, last in ((0, 1, 3), (1, 1, 3), (0, 5, 5), (1, 0, 65535)):
        d.record(74, 0, struct.pack('<HBBHH', 2, any_cpu, 0, first, last))
    d.record(74, 0, struct.pack('<HHHIQ', 1, 1, 0, 0, 2**40 + 5))
    d.record(74, 0, struct.pack('<HH', 0, 0) + bytes(4))
    finish(c, d)


@case(*OPTIONS, known=[('*', ('goes on', 0), 'Records')])
def newer_records(c):
    """U15: BPF_METADATA, SCHEDSTAT_CPU, SCHEDSTAT_DOMAIN, and what comes after them."""
    d = recording()
    d.record(84, 0, struct.pack('<64sQ', b'prog', 2) + (b'k'.ljust(64, b'\0')
                                                       + b'v'.ljust(256, b'\0')) * 2)
    d.record(85, 0, struct.pack('<QIHH', 1000, 1, 17, 0) + bytes(40))
    d.record(86, 0, struct.pack('<QIHH', 1000, 1, 17, 3) + bytes(40))
    d.record(87, 0, bytes(8)).record(127, 0, b'')
    finish(c, d)


ANY_CPU = struct.pack('<HH', 1, 0xffff)


def stat_recording():
    d = recording(events=3).stat_config([(0, 1), (1, 1000), (2, 0)])
    d.event_update(1, 100, struct.pack('<d', 1e-6))
    return d


@case(*OPTIONS)
def stat_thread(c):
    """U09: perf stat record of a program."""
    d = stat_recording().thread_map([(77, 'true')]).cpu_map(0, ANY_CPU)
    for i in range(3):
        d.stat(100 + i, -1, 0, 5 * i, 6, 7)
    d.stat_round(1, 101453462)
    finish(c, d)


@case(*OPTIONS, 'report -D')
def stat_cpus(c):
    """U09: perf stat record -a -I, one event on other CPUs than the rest."""
    d = stat_recording()
    d.event_update(3, 102, struct.pack('<H', 0) + d.cpu_list([1]))
    d.cpu_map(0, d.cpu_list([0, 1, 3])).thread_map([(-1, '')])
    for n in range(3):
        for cpu in (0, 1, 3):
            d.stat(100, cpu, 0, 10**n + cpu, 2**64 - 1, 5).stat(101, cpu, 0, 7 * n, 8, 9)
        d.stat(102, 1, 0, n, n, n).stat_round(0 if n == 2 else 1, 10**9 * n)
    finish(c, d)


@case(*OPTIONS)
def stat_threads(c):
    """U09: perf stat record --per-thread."""
    d = stat_recording().thread_map([(7, 'a'), (8, 'b')]).cpu_map(0, ANY_CPU)
    for i in range(3):
        for thread in range(2):
            d.stat(100 + i, -1, thread, 5 * i, 6 + thread, 7)
    d.stat_round(1, 5)
    finish(c, d)


@case(*OPTIONS, known=[('*', ('goes on', 0), 'Records')])
def stat_stray(c):
    """U09: a counter that is not in the maps."""
    d = stat_recording().thread_map([(7, 'a')]).cpu_map(0, ANY_CPU)
    d.stat(100, 5, 0, 5, 6, 7).stat(100, -1, 0, 5, 6, 7).stat_round(0, 1000)
    finish(c, d)


@case(*OPTIONS, '--itrace=be', '--no-itrace', 'report -D', 'report -D --no-itrace -q',
      known=[('--show-round-events', ('goes on', 0), 'Options')])
def stat_of_trace(c):
    """Events that are made from a trace are listed, too, where it was known before the maps."""
    s, d = c.program(), c.perf()
    d.thread_map([(4242, 't')]).cpu_map(0, d.cpu_list([0, 1]))
    c.record().stat_round(1, 7)
    c.pt.start(c.t0).pge(s._start).tnt('T').pgd()
    c.finish()


@case(*OPTIONS, known=[('*', ('goes on', 0), 'Records')])
def event_update(c):
    """U10"""
    d = recording()
    d.event_update(0, 100, zstr('Joules')).event_update(1, 100, struct.pack('<d', 2.3283064e-10))
    d.event_update(2, 101, zstr('renamed')).event_update(3, 100, struct.pack('<H', 0)
                                                         + d.cpu_list([0, 1, 3]))
    d.event_update(2, 999, zstr('nobody'))
    d.event_update(3, 101, struct.pack('<H', 1) + d.cpu_masks([0xff]))
    finish(c, d)


@case(*OPTIONS)
def time_conv(c):
    """U11"""
    d = recording().time_conv(31, 1789569706, 2**64 - 1)
    d.time_conv(0, 0, 0, 5, 2**64 - 1).time_conv(1, 2, 3, 4, 0, (0, 1)).time_conv(1, 2, 3, 4, 0, (7, 9))
    finish(c, d)


@case(*OPTIONS)
def feature(c):
    """U12: of a pipe, but in a file."""
    d = recording().record(80, 0, struct.pack('<QI', 3, 8) + b'host\0\0\0\0' + bytes(4))
    finish(c, d)


@case(*OPTIONS)
def attr(c):
    """U01: of a pipe, but in a file."""
    d = recording()
    a = mkperf.Attr(1, 9, 0, d.attrs[0].sample_type, [200])
    d.record(64, 0, a.bytes(d.pack) + d.pack.words(a.ids))
    finish(c, d)


@case(*OPTIONS, known=[('*', ('goes on', 0), 'Records')])
def tracing_data(c):
    """U02: of a pipe, but in a file."""
    d = recording().record(66, 0, struct.pack('<II', 16, 0))
    d.chunks.append(pad8(b'\x17\x08\x44tracing0.6\0'))
    finish(c, d)
