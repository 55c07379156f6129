"""Which samples are printed between two events, whether they are in order, and what is said of
options that find nothing: --switch-on, --switch-off, -d, --stitch-lbr, --per-event-dump."""
import mkfeat
import mkperf
from cases import case
from mkperf import CPU, IDENTIFIER, IP, SAMPLE_ID_ALL, TID, TIME
from mksample import BRANCH_STACK, CALLCHAIN, PERIOD


def with_samples(c, fields=IP | TID | TIME | CPU | PERIOD, switch=3, **attr):
    """Beside the trace an event whose samples have these fields."""
    flags = SAMPLE_ID_ALL | mkperf.EXCLUDE_HV
    st = IDENTIFIER | IP | TID | TIME | CPU
    side = flags | mkperf.MMAP | mkperf.COMM | mkperf.TASK | mkperf.CONTEXT_SWITCH
    event = mkperf.Attr(0, 0, flags, IDENTIFIER | fields, [102], **attr)
    pt = mkperf.Attr(6, mkperf.PT_CONFIG, flags | mkperf.EXCLUDE_KERNEL, st, [100])
    c.perf(attrs=[pt, event, mkperf.Attr(1, 9, side, st, [101])], sample_type=st,
           priv=dict(have_sched_switch=switch))
    c.record()
    return event


def events(c, named, **more):
    """Samples of another event while the trace runs."""
    s = c.program()
    first = with_samples(c, **more)
    p = c.pt.start(c.t0).pge(s._start).tip(s.f)
    for i in range(6):
        p.psb().tsc(c.t0 + 1000 * (i + 1)).fup(s.g).psbend()
        p.tip(s.f).mtc(i)
    for i in range(9):
        c.data.sample(s.f + i % 3, c.t0 + 700 * i + 300, first, period=7)
    if named:
        c.data.features['event_desc'] = mkfeat.Features().event_desc(
            [(a.bytes(c.data.pack), name, a.ids) for a, name in
             zip(c.data.attrs, ('intel_pt//', 'cycles:ku', 'dummy:ku'))])
    c.finish()


ON = ('--switch-on cycles:ku', '--switch-on cycles:ku --show-on-off-events',
      '--switch-off cycles:ku', '--switch-off cycles:ku --show-on-off-events',
      '--switch-on cycles:ku --switch-off cycles:ku',
      '--switch-on cycles:ku --switch-off cycles:ku --show-on-off-events --itrace=i3ie',
      '--switch-on=dummy:ku', '--switch-off dummy:ku',
      '--switch-on cycles:ku --switch-on dummy:ku', '--switch-off cycles:ku --no-switch-off',
      '--switch-on cycles:ku --no-switch-on --show-on-off-events',
      '--switch-on cycles:ku --tid 1', '--switch-on cycles:ku --itrace=be -S f',
      '--switch-on cycles:ku --time 641.257930,', '--switch-on cycles:ku -C 0',
      '--switch-on cycles:ku -D', '--switch-off cycles:ku --show-task-events',
      '--switch-on cycles:ku --call-trace',
      '--switch-on nowhere', '--switch-off nowhere', '--switch-on no --switch-off either',
      '--switch-on Cycles:ku', '--switch-on cycles', '--switch-on branches:uH --itrace=b',
      '--switch-on nowhere --header-only', '--switch-on nowhere --time 1',
      '--switch-on nowhere -C x', '--switch-on nowhere --stitch-lbr')
ORDER = ('-d', '-d --itrace=be', '--debug-mode --itrace=i1i', '-d --tid 1', '-d -C 0',
         '-d --time 641.257930,', '-d -D', '-d --show-task-events', '-d --no-debug-mode',
         '-d --itrace=i1ig --switch-on cycles:ku')


@case(*ON, *ORDER, '--stitch-lbr', '--stitch-lbr --no-stitch-lbr', '--stitch-lbr --itrace=i3ig',
      '--per-event-dump --switch-on nowhere')
def named(c):
    events(c, True)


@case('--switch-on cycles:ku', '--switch-off dummy:ku', '')
def unnamed(c):
    """Names that perf makes up are none yet when it looks for them."""
    events(c, False)


@case('', '--per-event-dump', '--per-event-dump --itrace=be', '--per-event-dump -D', 'report', 'report -q', 'report --stats --no-skip-empty')
def switchless(c):
    """No event tells of switches as the trace says: files of events were to be made before.  The name of
    PT's has slashes in it, and there is no such folder."""
    events(c, True, switch=1)


@case('-d', '-d --itrace=i1i', '-d --time 641.2,')
def out_of_order(c):
    """Samples of the trace that come behind later ones."""
    s = c.program()
    event = with_samples(c)
    c.pt.start(c.t0).pge(s._start).tip(s.f).tsc(c.t0 + 9000).tip(s.f).pgd()
    for at in (100, 900, 400, 2000, 1500):
        c.data.sample(s.f, c.t0 + at, event)
    c.finish()


@case('--stitch-lbr', '--stitch-lbr -F+brstack')
def call_stacks(c):
    """Call chains that the processor's branch records were made into."""
    s = c.program()
    event = with_samples(c, IP | TID | TIME | CPU | PERIOD | CALLCHAIN | BRANCH_STACK,
                         branch_sample_type=1 << 3 | 1 << 11)
    c.pt.start(c.t0).pge(s._start).pgd()
    c.finish()
