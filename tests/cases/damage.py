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
