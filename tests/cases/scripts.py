"""Scripts in Python: what each function of theirs is given, and how they end.

X01, I27.  Of made events only those are shown byte for byte whose raw data perf fills to the end.
"""
import os
import sys

import ptasm
from cases import case

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pebs_fields  # noqa: E402
import stacks  # noqa: E402
import tracepoints  # noqa: E402
from mksample import CALLCHAIN, CHAIN_USER  # noqa: E402
from reccase import times  # noqa: E402

SHOW = '''
import perf_trace_context as c

def show(v):
    if isinstance(v, dict):
        inner = ["%r: %s" % (k, repr(v[k]) if k == "values" else show(v[k])) for k in v]
        return "{" + ", ".join(inner) + "}"
    return "<context>" if type(v).__name__ == "PyCapsule" else repr(v)

def sample(d):
    for k in d:
        print("   ", repr(k), len(d[k]) if k == "raw_buf" else show(d[k]))
    x = perf_script_context
    print("    insn", c.perf_sample_insn(x), c.common_pc(x), c.common_flags(x))

def function(name):
    def f(*a):
        print(name, len(a))
        for x in a:
            if isinstance(x, dict) and "sample" in x:
                sample(x)
            else:
                print("   ", show(x))
    return f

for n in ("trace_begin process_event trace_unhandled throttle unthrottle auxtrace_error "
          "context_switch trace_end define_flag_field define_flag_value "
          "define_symbolic_field define_symbolic_value").split():
    globals()[n] = function(n)
'''

ASKS = """
import perf_trace_context as c
def process_event(d):
    x = perf_script_context
    print(hex(d["sample"]["ip"]), %s)
"""

ENDS = {
    'raises.py': 'print("first")\nraise ValueError("no")\n',
    'syntax.py': 'def f(:\n',
    'leaves.py': 'import sys\ndef trace_begin():\n    print("in")\n    sys.exit(3)\n'
                 'def trace_end():\n    print("never")\n',
    'says.py': 'import sys\ndef trace_end():\n    sys.exit("that was it")\n',
    'plain.py': 'import sys\nprint(sys.argv[1:], __name__, __file__)\n',
    'asks.py': 'from perf_trace_context import *\nimport perf_trace_context as c\n'
               'def trace_begin():\n'
               '    print([perf_set_itrace_options(perf_script_context, o) for o in ("be", "i")])\n'
               'def process_event(d):\n    print(d["ev_name"])\n'
               'def trace_end():\n'
               '    for args in ((), (1,), (None,)):\n'
               '        try:\n            c.common_pc(*args)\n'
               '        except Exception as e:\n            print(type(e).__name__, e)\n',
    'wrong.py': 'from perf_trace_context import *\n'
                'def trace_begin():\n    print(perf_set_itrace_options(perf_script_context, "k"))\n',
    'export.txt': '',
    'late.py': 'print("first")\ndef process_event(d):\n    raise ValueError("no")\n',
    'words.pl': 'sub trace_begin { print "never\\n"; }\n',
}


def script(c, text=SHOW, name='show.py'):
    with open(os.path.join(c.folder, name), 'w') as f:
        f.write(text)


def traced(c):
    """Branches, and errors where the code is not there."""
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').tip(0x7f0000001000).pgd()
    c.finish()


@case('-s show.py', '--itrace=bi2igl -s show.py', '--itrace=i1ig --max-stack 1 -s show.py',
      '--itrace=be -C 1 -s show.py', '--no-itrace -s show.py', '-s py:show.py',
      '-s show.py --time 0,1', '--itrace=b -F ip -S f -s show.py')
def branches(c):
    script(c)
    traced(c)


@case('-s raises.py', '-s syntax.py', '-s leaves.py', '-s says.py', '-s plain.py',
      '-s plain.py a -i b', '-s plain.py -- --ns -- c', 'plain.py x', '-s none.py',
      '-s plain.py --itrace=k', '-s plain.py -F nothing', '-s asks.py', '--itrace=i -s asks.py',
      '-s wrong.py', '-s export.txt', '-s ruby:plain.py', '-s lang',
      '-s plain.py --time x', '-s words.pl', '-s perl:words.pl', '-s late.py', known=[
          ('-s *words.pl', 'refused', 'Not there yet'), ('-s late.py', ('goes on', 255), 'Scripts')])
def ends(c):
    for name, text in ENDS.items():
        script(c, text, name)
    traced(c)


@case(*('%s -s says_when.py' % o for o in (
    '--tid abc', '--pid 1,abc', '-S a,a', '-c x,x', '--dsos y,y', '--stop-bt q,q', '-C 99x', '-C 9999', '-C ,',
    '--tid x -C 9999', '--tid x --time z', '--header --tid x', '--time z', '-C 0', '--tid 1')))
def wrong_lists(c):
    """They end it before the script starts; a wrong time does behind trace_begin."""
    script(c, 'print("loaded")\ndef trace_begin():\n    print("begins")\ndef trace_end():\n    print("ends")\n',
           'says_when.py')
    traced(c)


@case('-s says_when.py', '--header -s says_when.py')
def no_formats(c):
    """perf opens no file that does not say what its tracepoints are: the script does not begin."""
    script(c, 'def trace_begin():\n    print("begins")\ndef trace_end():\n    print("ends")\n', 'says_when.py')
    tracepoints.formats(c, ['"%d", REC->i'], without=('tracing_data', 'event_desc'))


ROWS = '''
import sys
perf_db_export_mode = True
perf_db_export_calls = "calls" in sys.argv
perf_db_export_callchains = "callchains" in sys.argv

def function(name):
    def f(*a):
        # Of raw data perf does not fill the last bytes.
        print(name, *[len(x) if isinstance(x, bytes) else repr(x) for x in a])
    return f

for n in ("evsel machine thread comm comm_thread dso symbol branch_type sample call_path "
          "call_return context_switch").split():
    globals()[n + "_table"] = function(n)
for n in "trace_begin trace_end synth_data process_event auxtrace_error context_switch".split():
    globals()[n] = function(n)
'''


@case('-s rows.py', '--itrace=bep -s rows.py calls', '--itrace=bei2ig -s rows.py calls callchains',
      '--no-itrace -s rows.py', '-s rows.py -- calls', '-s ends.py')
def rows(c):
    """Rows of tables, for scripts that export to a database."""
    script(c, ROWS, 'rows.py')
    script(c, 'import sys\nperf_db_export_mode = 1\ndef sample_table(*a):\n    sys.exit(4)\n',
           'ends.py')
    traced(c)


@case('--itrace=be -s rows.py calls', '--itrace=cr -s rows.py calls')
def rows_of_a_gap(c):
    """The thread goes on at another CPU: calls that this ends stand before what the next branch leads
    to."""
    script(c, ROWS, 'rows.py')
    d, s = c.record(), c.program()
    for cpu, at, first in ((0, 20, s._start), (1, 100, s.g)):
        for when in (at, at + 200):
            trace = ptasm.Packets().start(c.t0 + 1000 * when).pge(first).fup(s.f).pgd()
            d.auxtrace(trace.bytes, cpu=cpu)
    for cpu, out, to in ((0, False, -1), (0, True, 60), (1, False, 70), (1, True, 160), (0, False, 180), (0, True, 260), (1, False, 270)):
        d.switch(c.t0 + 1000 * to, out=out, cpu=cpu)
    d.exit(c.t0 + 700000)
    d.write(os.path.join(c.folder, 'perf.data'))


LENGTHS = '''
def process_event(d):
    print(len(d.get('dso_bid', '')), len(d.get('addr_dso_bid', '')))
'''


@case('--itrace=be -s lengths.py', '--itrace=be -s rows.py')
def build_ids_of_files(c):
    """Of a file that was recorded without one, and that is on this machine."""
    script(c, LENGTHS, 'lengths.py')
    script(c, ROWS.replace('repr(x)', 'repr(x) if "/" not in repr(x) else "PATH"'), 'rows.py')
    c.path = os.path.join(c.folder, 'prog')
    traced(c)
    with open(c.path, 'wb') as f:
        f.write(c.code.elf())


@case('-s code.py', '-s line.py', '-s both.py')
def source_lines(c):
    """A file from which 123 look-ups brought nothing is not asked any more; here 100 do, in a
    place without symbols, and then there is a function."""
    script(c, ASKS % '(c.perf_sample_srccode(x),)', 'code.py')
    script(c, ASKS % '(c.perf_sample_srcline(x),)', 'line.py')
    script(c, ASKS % '(c.perf_sample_srcline(x), c.perf_sample_srccode(x))', 'both.py')
    c.program()
    d = stacks.recording(0)
    d.mmap2(c.path, tsc=2500)
    t = times()
    for i in range(100):
        d.sample(0x401800 + i, next(t))
    d.sample(0x401000, next(t))
    stacks.write(c, d)


@case('-s show.py')
def registers(c):
    script(c)
    pebs_fields.registers(c)


@case('-s show.py')
def weights(c):
    script(c)
    pebs_fields.weight(c)


@case('-s show.py')
def tracepoint_lists(c):
    script(c)
    tracepoints.numbers(c)


NAMED = '''
def test__e0(name, context, cpu, s, ns, pid, comm, chain, *fields):
    print(name, cpu, s, ns, pid, comm, chain, fields)
'''


@case('-s some.py')
def tracepoints_by_name(c):
    script(c, NAMED + 'def trace_unhandled(a, b, fields, sample):\n'
                      '    print(a, sorted(fields), sorted(sample))\n', 'some.py')
    tracepoints.heads(c)


@case('-s show.py', '-s show.py -G', 'config=callers -s show.py')
def recorded(c):
    """Samples of a counter, with call chains."""
    script(c)
    stacks.callchain(c)


STARTS = ('-g python', '-g Py -s none.py', '-g python -D --time x')
FAILED = [('*', {rb'libtraceevent: .*generated': b'generated'}, 'Tracepoints')]


@case(*STARTS, known=FAILED)
def started_by_lists(c):
    """-g: a script with a function for each tracepoint, which prints what perf's prints."""
    tracepoints.lists(c)


@case('-g python')
def started_by_numbers(c):
    tracepoints.numbers(c)


@case('-g python', known=FAILED)
def started_by_strings(c):
    tracepoints.strings(c)


@case('-g python')
def started_by_ftrace(c):
    tracepoints.of_ftrace(c)


@case(*STARTS, '-g ruby', '-g python -F nothing', '-g python --itrace=k')
def started_by_heads(c):
    tracepoints.heads(c)


@case('-g python', known=FAILED)
def started_by_damage(c):
    tracepoints.damaged_fields(c)


@case('-g python', '-g perl', known=[('-g perl', 'refused', 'Not there yet')])
def started_by_none(c):
    traced(c)


@case('-g python')
def started_by_callchains(c):
    c.program()
    tracepoints.formats(c, ['"%d", REC->i', '"%d", REC->h'], mapped=c.path,
                        types=tracepoints.TYPES | CALLCHAIN,
                        chain=(CHAIN_USER, 0x401000, 0x401003, 0x7f0000001000))


@case('-g python', known=[('*', ('reads', b'b, sb, from_, i,'), 'Scripts')])
def started_by_words(c):
    """Words of Python as names of fields, and an event's name that is none there."""
    tracepoints.formats(c, ['"%d", REC->i'] * 3,
                        changes=[('u16 h;', 'u16 from;'), ('u16 h;', 'u16 context;'),
                                 ('name: e2', 'name: e-2')])
