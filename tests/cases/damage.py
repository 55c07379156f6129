"""Runs that fail, in perf's words, and damaged records that do not end a run."""
import struct

from cases import case
import mkfeat
import mkperf
from mkperf import Attr, Recording
import mksample as ms
from reccase import recording

GOES_ON = [('*', ('goes on', 234), 'Damaged files')]
OPTIONS = ('', '-D', '--show-task-events', '--header')


def trace(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.finish()
    return c.data


def simple():
    d = recording()
    d.comm('t', 1000).sample(0x401000, 2000)
    return d


NO_FIELD = ('-F +weight', '-F comm,phys_addr', '--header -F +weight', '-F +addr,+data_src',
            '-F +brstack')


@case(*NO_FIELD)
def file_without_the_field(c):
    simple().write(c.folder + '/perf.data')


@case(*NO_FIELD, '-D -F +weight', '-D --header -F +weight',
      '--dump-unsorted-raw-trace -F +weight')
def pipe_without_the_field(c):
    """perf looks at each event as its record comes."""
    simple().write_pipe(c.folder + '/perf.data')


@case('-F +weight', '--header -F +weight', '--itrace=be -F +data_src', '-C 99', '-C 0',
      '-C 0,2 --time 5', '--time 5', '--time 10%', '--time 30%-60% -F +weight', '--itrace=Q')
def trace_in_a_pipe_that_fails(c):
    """Nothing is said of pipes before the trace is about to be decoded."""
    trace(c).write_pipe(c.folder + '/perf.data')


@case('evlist --trace-fields', 'evlist -v --trace-fields', known=[
    ('*-v*', ('reads', b'sample_id_all: 1, trace_fields: prev_comm,next_pid\n'), 'Header'),
    ('*', ('reads', b'unknown tracepoint: trace_fields: prev_comm,next_pid\n'
                    b'unknown tracepoint: (no trace field)\n'
                    b'cpu-clock:HG: (not a tracepoint)\n'), 'Header')])
def tracepoints_in_a_pipe(c):
    """D06.  perf has no formats to look into, and crashes."""
    kind = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.RAW
    d = Recording([Attr(2, i, ms.SAMPLE_ID_ALL, kind, [i]) for i in (314, 315)]
                  + [Attr(1, 0, ms.SAMPLE_ID_ALL, kind, [7])])
    f = mkfeat.Features()
    d.features['tracing_data'] = f.tracing_data({'sched': [
        f.trace_format('sched_switch', 314, ['char prev_comm[16]', 'pid_t next_pid']),
        f.trace_format('sched_none', 315, [])]})
    d.finished_round()
    d.write_pipe(c.folder + '/perf.data')


def damaged(c, kind, body, pipe=False):
    """A record that lies, and a sample behind it."""
    d = simple().record(kind, 0, body)
    d.sample(0x402000, 3000)
    (d.write_pipe if pipe else d.write)(c.folder + '/perf.data')


THREAD_MAP, CPU_MAP, FEATURE = 73, 74, 80
LIES = {  # U09, U12
    'thread_map_cut': (THREAD_MAP, bytes(4)),
    'thread_map_of_none': (THREAD_MAP, bytes(0)),
    'thread_map_count': (THREAD_MAP, struct.pack('<Q', 2**61) + bytes(24)),
    'cpu_map_type': (CPU_MAP, struct.pack('<HH', 9, 1) + bytes(4)),
    'cpu_map_of_none': (CPU_MAP, bytes(0))}
for _name, (_kind, _body) in LIES.items():
    globals()[_name] = case(*OPTIONS, known=GOES_ON)(
        lambda c, kind=_kind, body=_body: damaged(c, kind, body))

SECTIONS = {'short': struct.pack('<Q', 3) + bytes(2), 'none': bytes(4),
            'length': struct.pack('<QI', 3, 2**32 - 1) + b'host\0\0\0\0'}
for _name, _body in SECTIONS.items():
    globals()['feature_' + _name] = case(*OPTIONS, known=GOES_ON)(
        lambda c, body=_body: damaged(c, FEATURE, body, pipe=True))


@case(*OPTIONS)
def feature_of_a_newer_perf(c):
    """No damage: one of a number that perf does not know."""
    damaged(c, FEATURE, struct.pack('<Q', 99) + b'whatever', pipe=True)


class NoInfo(mkperf.PerfData):
    """Trace of which nothing says what it is, or that it is of a kind nobody knows."""
    kind = None

    def auxtrace_info(self, changes, kind=1):
        return super().auxtrace_info(changes, self.kind) if self.kind else self


def trace_without_info(c, kind):
    NoInfo.kind = kind
    c.program()
    d = NoInfo()
    d.comm('t', d.T0).auxtrace(bytes(range(200)))
    d.comm('later', d.T0 + 20)
    d.write(c.folder + '/perf.data')


NOT_PASSED_OVER = ('', '-D', '--show-task-events', '--no-itrace')


@case(*NOT_PASSED_OVER, known=[('*', ('goes on', 234), 'Damaged files')])
def trace_of_no_kind(c):
    trace_without_info(c, None)


@case(*NOT_PASSED_OVER, known=[('--no-itrace', ('goes on', 0), 'Damaged files'),
                               ('*', ('goes on', 234), 'Damaged files')])
def trace_of_unknown_kind(c):
    trace_without_info(c, 77)


# -- One place that is damaged, and trace behind it -------------------------------------------
AROUND = ('--itrace=be', '-D', '--show-task-events --show-mmap-events')


def two_pieces(c, between, index=True):
    """The usual trace, with records between its first and its second piece."""
    s = c.program()
    d = c.record()
    c.pt.start(c.t0).pge(s._start).tnt('T').pgd()
    size = d.auxtrace(c.pt.bytes)
    d.aux(0, size, c.t0 + 1000)
    between(d)
    first = len(c.pt.bytes)
    c.pt.start(c.t0 + 5000).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    d.aux(size, d.auxtrace(c.pt.bytes[first:]), c.t0 + 50000)
    d.switch(c.t0 + 60000, out=True).exit(c.t0 + 70000).finished_round()
    c.data = d
    d.write(c.folder + '/perf.data', index)


def stray(d, size, idx, cpu):
    """An AUXTRACE record that claims to be followed by `size` bytes."""
    d.chunks.append(d.pack('IHH', 71, 0, 48)
                    + d.pack('QQQIIII', size, 0, d.T0, idx, 2 ** 32 - 1, cpu, 0))


def after(text):
    """What must stand behind all that perf printed."""
    return [('--itrace=be', ('goes on', 234, text), 'Damaged files'),
            ('*', ('goes on', 234, b'PERF_RECORD_EXIT(4242:4242):(4242:4242)'), 'Damaged files')]


LAST_CALL = b'401025 g+0x0 (/build/t) =>           401023 f+0x0 (/build/t)'


@case(*AROUND, known=after(LAST_CALL))
def gap_before_trace(c):
    """A record of size 0: perf stops; behind it the index has a piece of trace."""
    two_pieces(c, lambda d: d.chunks.append(d.pack('IHH', 3, 0, 0) + bytes(24)))


@case(*AROUND, known=[('-D', ('goes on', 234, b'PERF_RECORD_AUXTRACE size: 0x10000000000  offset: 0',
                               b'PERF_RECORD_EXIT(4242:4242):(4242:4242)'), 'Damaged files'),
                      ('--itrace=be', ('goes on', 234), 'Damaged files')] + after(LAST_CALL)[1:])
def stray_trace(c):
    """It claims all that follows, and to be of another CPU's buffer.  The dump has it."""
    two_pieces(c, lambda d: stray(d, 1 << 40, 1, 3))


@case(*AROUND)
def trace_of_two_cpus(c):
    """Without an index the stray piece is found, and belongs to the queue that it names."""
    def between(d):
        stray(d, 16, 1, 3)
        d.chunks.append(bytes(16))
    two_pieces(c, between, index=False)


@case(*AROUND)
def trace_of_nothing(c):
    """A piece without a byte says nothing, not even of another CPU."""
    two_pieces(c, lambda d: stray(d, 0, 1, 3), index=False)


def change(c, at, fmt, value):
    with open(c.folder + '/perf.data', 'r+b') as f:
        f.seek(at)
        f.write(struct.pack(fmt, value))


@case(*AROUND, known=[('*', {rb'Failed to process auxtrace index\n': b''}, 'Damaged files')])
def data_size_too_small(c):
    """The data end inside the last piece of trace, which says better how long it is."""
    two_pieces(c, lambda d: None)
    with open(c.folder + '/perf.data', 'rb') as f:
        raw = f.read()
    at = raw.rindex(struct.pack('<IHH', 71, 0, 48))
    change(c, 48, '<Q', at + 48 + 16 - struct.unpack_from('<Q', raw, 40)[0])


@case('', 'report', 'report --stats', 'report -s comm --itrace=be', '--header-only', 'buildid-list', '-F trace', '--switch-on x')
def features_cut_off(c):
    """The header says that they are there, the end of the file is not."""
    two_pieces(c, lambda d: None)
    with open(c.folder + '/perf.data', 'r+b') as f:
        at, size = struct.unpack_from('<QQ', f.read(56), 40)
        f.truncate(at + size + 20)


@case(*AROUND, known=[('*', ('goes on', 234), 'Damaged files')])
def ids_outside(c):
    """The ids of the first event would lie behind the end of the file."""
    two_pieces(c, lambda d: None)
    with open(c.folder + '/perf.data', 'rb') as f:
        attrs, = struct.unpack_from('<Q', f.read(32), 24)
    change(c, attrs + 128, '<Q', 1 << 40)


@case(*OPTIONS, known=GOES_ON)
def attr_of_no_size(c):
    """In a pipe, an event's attributes that claim to be longer than their record."""
    simple().write_pipe(c.folder + '/perf.data')
    change(c, 16 + 8 + 4, '<I', 1 << 20)
