"""PEBS by way of the trace: its records become samples of the events that have AUX_OUTPUT."""
import mkfeat
import mkperf
from cases import case
from mkperf import PT_CONFIG
from mksample import ADDR, FREQ, PERIOD, REGS_INTR, TIME
from pebscase import BASE, BASIC, FIRST, GPRS, MEMORY, O, basic, begin, block, end, event


@case(*O, '--itrace=bep -F+flags', '-D', '--itrace=oi1i -F+insn,+insnlen,+flags', '--itrace=os1',
      '--itrace=qoibe', '--itrace=qqoibe', '--itrace=oZ --ns', '--itrace=obZ -F ip,time',
      '--itrace=oq --time ,641.259300', '-C 0', '-C 1', '--tid 1', '-S f', '-F+misc', '--itrace=o '
      '-F+ipc,+callindent', '--no-itrace', '--itrace=o --show-task-events --reltime',
      '--itrace=o --deltatime', '--itrace=e', '--itrace=ore', '--itrace=oce', '-F+xyz')
def one_event(c):
    """One event; one counter, or none that is told."""
    s = begin(c, event(ADDR | PERIOD))
    block(c, {BASIC: basic(c, s.f), MEMORY: {0: 0x1234}}, s.f)
    block(c, {BASIC: {0: s.f + 1}}, s.f + 1)
    block(c, {BASIC: basic(c, s._start + 5, 300, 0x4)})
    end(c, s)


@case(*O)
def no_event(c):
    """Nobody asked for the records."""
    s = begin(c)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    end(c, s)


@case(*O, '--itrace=o -F+flags')
def where(c):
    """The ip is that of the record, of its registers, or of the place in the trace."""
    s = begin(c, event(ADDR))
    block(c, {BASIC: {0: s.g}, GPRS: {1: s.f2}}, s.f)
    block(c, {BASIC: {2: c.t0 + 500}, GPRS: {1: s.f2}}, s.f)
    block(c, {BASIC: {2: c.t0 + 500}}, s.f)
    block(c, {MEMORY: {0: 7}})
    block(c, {BASIC: {0: 0, 2: 0}})
    block(c, {BASIC: {0: 2**64 - 1}})
    block(c, {BASIC: {0: 0xffffffff81000000, 2: 1}})
    end(c, s)


@case('--itrace=o -F ip,period,event', *O)
def periods(c):
    """Only a fixed period is known."""
    s = begin(c, event(PERIOD, flags=FREQ, period=4000))
    block(c, {BASIC: basic(c, s.f)}, s.f)
    end(c, s)


MANY = '', '--itrace=o -F event,ip,time', '--itrace=oes2 -F event,ip', \
    '--itrace=o -F event,ip,addr,iregs'


def many(c, *ids, counters=(1, 2, 4, 8, 3, 5, 7, 0, None)):
    """Three events and records for these counters."""
    s = begin(c, event(), event(ADDR, config=0xc0), event(REGS_INTR, config=0xd1,
                                                          sample_regs_intr=1 << 8, period=77))
    for event_number, hw_id in ids:
        c.data.aux_output_hw_id(hw_id, c.t0 - 500, id_=FIRST + event_number)
    for counter in counters:
        items = {0: s.f, 2: c.t0 + 50}
        if counter is not None:
            items[1] = counter
        block(c, {BASIC: items, GPRS: {1: s.f}, MEMORY: {0: 0x55}}, s.f)
    end(c, s)


@case(*MANY)
def many_events(c):
    many(c, (0, 0), (1, 1), (2, 2))


@case(*MANY)
def many_events_other_counters(c):
    many(c, (2, 0), (0, 7), (1, 2), counters=(1, 0x80, 4, 0x85, 0x185, 2**32 + 1))


@case(*MANY)
def many_events_no_ids(c):
    """A kernel before 5.16: all are taken for those of the first event."""
    many(c)


@case(*MANY)
def many_events_changing(c):
    """An event may move to another counter, and a counter to another event."""
    s = begin(c, event(), event(ADDR, config=0xc0))
    c.data.aux_output_hw_id(1, c.t0 - 500, id_=FIRST)
    for n in range(4):
        block(c, {BASIC: basic(c, s.f, counters=2)}, s.f)
        c.pt.tsc(c.t0 + 1000 * n + 1000)
    c.data.aux_output_hw_id(1, c.t0 + 1500, id_=FIRST + 1)
    c.data.aux_output_hw_id(0, c.t0 + 1500, id_=FIRST)
    end(c, s)


@case('', '--itrace=o')
def one_event_with_id(c):
    s = begin(c, event())
    c.data.aux_output_hw_id(3, c.t0 - 500, id_=FIRST)
    for counters in (8, 4, 12, 9):
        block(c, {BASIC: basic(c, s.f, counters=counters)}, s.f)
    end(c, s)


def hw_id(c, n=1, **ids):
    s = begin(c, event(), event(ADDR, config=0xc0))
    c.data.aux_output_hw_id(0, c.t0 - 600, id_=FIRST)
    c.data.aux_output_hw_id(n, c.t0 - 500, **{'id_': FIRST + 1} | ids)
    block(c, {BASIC: basic(c, s.f, counters=3 | 1 << 8 | 1 << 63), MEMORY: {0: 7}}, s.f)
    end(c, s)


for name, known, ids in (
        ('fixed', (), {'n': 8}), ('last', (), {'n': 63}), ('other', (), {'id_': 100}),
        ('beyond', (), {'n': 64}),
        ('far', [('*', ('goes on', 0), 'PEBS records')], {'n': 2**64 - 1}),
        ('none', [('*', ('goes on', 0), 'PEBS records')], {'id_': 0}),
        ('unknown', [('*', ('goes on', 234), 'Damaged files')], {'id_': 99})):
    globals()['hw_id_' + name] = case(*O, known=known)(lambda c, ids=ids: hw_id(c, **ids))


@case(*O, known=[('*', ('goes on', 0), 'PEBS records')])
def hw_id_without_trace(c):
    """A CPU whose counter is told, but which traced nothing."""
    s = begin(c, event())
    c.data.id_index([(300, 2, 2, -1)])
    c.data.attrs[2].ids.append(300)
    c.data.aux_output_hw_id(0, c.t0 - 600, id_=300, cpu=2)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    end(c, s)


@case(*O)
def no_branches(c):
    """branch=0: nothing is walked."""
    s = begin(c, event(ADDR), config=PT_CONFIG & ~mkperf.BRANCH)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    block(c, {MEMORY: {0: 5}}, s.g)
    block(c, {MEMORY: {0: 6}})
    c.pt.psb().mode_exec().tsc(c.t0 + 4000).cbr(20).psbend()
    block(c, {MEMORY: {0: 7}}, s.f)
    c.finish()


@case(*O, '--itrace=obei1i -F+flags', 'report', 'report --no-children', 'report -G -s sym', 'report -C 0', 'report --hierarchy --itrace=o')
def inside_walk(c):
    """Branches lie between a block and the FUP it waits for."""
    s = begin(c, event(ADDR))
    block(c, {BASIC: basic(c, s.f2), MEMORY: {0: 3}}, s.f + 1)
    end(c, s)


LED = tuple('report' + o for o in ('', ' --no-group -w 3,5,3', ' --group', ' -w 3,5,3', ' --no-skip-empty -g none', ' --itrace=o -n',
                                  ' --group-sort-idx 1 -g none')) + ('inject --itrace=e', 'inject -b', 'inject --itrace=i100us --strip')


def led(c, groups):
    """A trace that leads a group is taken out of it."""
    s = begin(c, event(ADDR), event(ADDR, kind=0, config=0))
    c.data.features['group_desc'] = mkfeat.Features(c.data.pack).group_desc(groups)
    c.data.aux_output_hw_id(0, c.t0 - 600, id_=FIRST)
    c.data.aux_output_hw_id(1, c.t0 - 600, id_=FIRST + 1)
    block(c, {BASIC: basic(c, s.f, counters=3), MEMORY: {0: s.g}}, s.f)
    block(c, {BASIC: basic(c, s.g, counters=1), MEMORY: {0: s.g}}, s.g)
    end(c, s)


@case(*LED)
def led_by_the_trace(c):
    led(c, [('{anon_group}', 0, 4)])


@case(*LED)
def led_by_the_trace_alone(c):
    led(c, [('both', 0, 2), ('{anon_group}', 2, 2)])


@case(*O)
def kernel(c):
    s = begin(c, event(ADDR), kernel=True)
    block(c, {BASIC: basic(c, 0xffffffff81000000)}, s.f)
    block(c, {BASIC: {2: c.t0}, GPRS: {1: 0xffffffffc0000000}}, s.f)
    end(c, s)


@case(*O, '--itrace=o -F ip,weight,iregs,addr,data_src,phys_addr')
def class_hardware(c):
    """An event that is printed as a branch, and one of another class."""
    s = begin(c, event(ADDR, kind=0, config=4, period=1), event(ADDR, kind=0, config=0))
    c.data.aux_output_hw_id(0, c.t0 - 600, id_=FIRST)
    c.data.aux_output_hw_id(1, c.t0 - 600, id_=FIRST + 1)
    block(c, {BASIC: basic(c, s.f, counters=3), MEMORY: {0: s.g}}, s.f)
    end(c, s)


@case('', '--itrace=o', '-F ip,time')
def no_times(c):
    """Untimed: only the record knows its time."""
    s = begin(c, event(), sample_type=BASE & ~TIME)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    block(c, {BASIC: {0: s.f}}, s.f)
    end(c, s)


@case('', '--itrace=o', '--itrace=beo')
def two_queues(c):
    """Each has counters of its own."""
    s = begin(c, event(), event(ADDR, config=0xc0))
    c.data.chunks.pop(1)  # its ID_INDEX
    ids = [(100, 0, 0, -1), (300, 1, 1, -1), (FIRST, 0, 0, -1), (FIRST + 1, 1, 1, -1)]
    c.data.attrs[0].ids.append(300)
    c.data.chunks.insert(1, b'')
    c.data.id_index(ids)
    c.data.aux_output_hw_id(0, c.t0 - 600, id_=FIRST, cpu=0)
    c.data.aux_output_hw_id(0, c.t0 - 600, id_=FIRST + 1)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    c.pt.tnt('T').tip(s.g).pgd()
    c.data.auxtrace(c.pt.bytes, cpu=0)
    c.finish()
