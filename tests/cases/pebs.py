"""PEBS by way of the trace: its records become samples of the events that have AUX_OUTPUT."""
import mkperf
import mksample as ms
import ptasm
from cases import case
from mkperf import PT_CONFIG, Attr
from mksample import (ADDR, AUX_OUTPUT, BRANCH_STACK, CALLCHAIN, CPU, DATA_SRC, EXCLUDE_HV,
                      EXCLUDE_KERNEL, FREQ, IDENTIFIER, IP, PERIOD, REGS_INTR, SAMPLE_ID_ALL, TID,
                      TIME, WEIGHT, WEIGHT_STRUCT)

BASE = IDENTIFIER | IP | TID | TIME | CPU
USER = EXCLUDE_HV | EXCLUDE_KERNEL | SAMPLE_ID_ALL
SIDE = USER | ms.MMAP | ms.COMM | ms.TASK | ms.MMAP2 | ms.COMM_EXEC | ms.CONTEXT_SWITCH
RAW = 4  # PERF_TYPE_RAW
GPRS, BASIC, MEMORY, LBR, XMM = 1, 4, 5, 8, 16
REGS = 0xff03ff  # those that PEBS has
FIRST, INDEX = 200, 1  # id of the first PEBS event; the queue of CPU 1
WHERE = '-F comm,tid,cpu,time,event,ip,sym,addr,period'
O = ('', '--itrace=o', '--itrace=beo %s --ns' % WHERE)


def event(sample_type=0, kind=RAW, config=0x3c, flags=0, period=1000, **kw):
    return dict(kind=kind, config=config, flags=USER | AUX_OUTPUT | flags,
                sample_type=BASE | sample_type, period=period, **kw)


def begin(c, *events, config=PT_CONFIG, cpuid=None, sample_type=BASE, kernel=False, **kw):
    """The trace (id 100), the side-band (101), PEBS events (200 ...), and code."""
    flags = USER & ~EXCLUDE_KERNEL if kernel else USER
    side = Attr(1, 9, SIDE, sample_type, [101])
    attrs = [Attr(6, config, flags, sample_type, [100]), side]
    attrs += [Attr(ids=[FIRST + i], **e) for i, e in enumerate(events)]
    s = c.program()
    d = c.perf(attrs=attrs, **kw)
    d.from_attr = side
    if cpuid:
        d.features['cpuid'] = d.pack('I', 64) + cpuid.encode().ljust(64, b'\0')
    d.id_index([(i, INDEX, 1, -1) for a in attrs for i in a.ids])
    c.record()
    c.pt.start(c.t0).pge(s._start)
    return s


def block(c, groups, ip=None, four=()):
    """groups: {type: {item: value}}; ip: of the FUP behind it, None for none."""
    for kind, items in groups.items():
        c.pt.bbp(kind, kind in four)
        for item, value in items.items():
            c.pt.bip(item, value % 2**64, 4 if kind in four else 8)
    c.pt.bep(ip is not None)
    if ip is not None:
        c.pt.fup(ip)


def basic(c, ip, after=100, counters=1):
    return {0: ip, 1: counters, 2: c.t0 + after}


def end(c, s):
    c.pt.tnt('T').tip(s.g).pgd()
    c.finish()


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


REGISTERS = '--itrace=o -F ip,iregs', '--itrace=o -F+iregs,+uregs'


@case(*REGISTERS, '')
def registers(c):
    s = begin(c, event(REGS_INTR, sample_regs_intr=REGS))
    values = {i: 0x1111111111111111 * (i % 15 + 1) for i in range(18)}
    block(c, {BASIC: basic(c, s.f), GPRS: values}, s.f)
    block(c, {BASIC: basic(c, s.f), GPRS: values}, s.f + 1, four=[GPRS])
    block(c, {BASIC: basic(c, s.f)})  # none
    block(c, {GPRS: values | {20: 5, 31: 6}, BASIC: basic(c, s.f)})
    end(c, s)


@case(*REGISTERS)
def registers_few(c):
    """Fewer are asked for than are there."""
    s = begin(c, event(REGS_INTR, sample_regs_intr=1 << 8 | 1 << 7 | 1 << 16))
    block(c, {BASIC: basic(c, s.f), GPRS: {i: 100 + i for i in range(18)}}, s.f)
    end(c, s)


@case(*REGISTERS)
def registers_xmm(c):
    s = begin(c, event(REGS_INTR, sample_regs_intr=REGS | 0xffffffff << 32))
    values = {i: 100 + i for i in range(18)}
    halves = {i: 2**64 - 1 - i for i in range(32)}
    block(c, {BASIC: basic(c, s.f), GPRS: values, XMM: halves}, s.f)
    block(c, {XMM: halves, GPRS: values, BASIC: basic(c, s.f)}, s.f, four=[XMM, GPRS])
    end(c, s)


@case(*REGISTERS)
def registers_xmm_alone(c):
    s = begin(c, event(REGS_INTR, sample_regs_intr=0xffffffff << 32))
    block(c, {BASIC: basic(c, s.f), XMM: {i: i for i in range(32)}}, s.f)
    end(c, s)


@case('--itrace=o -F ip,iregs', known=[
    ('*', ('reads', b'ABI:2    AX:0x66    IP:0x65    R8:0x6e \n'), 'PEBS records')])
def registers_missing(c):
    """perf takes the values for those of the first registers that were asked for."""
    s = begin(c, event(REGS_INTR, sample_regs_intr=REGS | 0xf << 12))
    block(c, {BASIC: basic(c, s.f), GPRS: {i: 100 + i for i in (1, 2, 10)}}, s.f)
    end(c, s)


MEM = '--itrace=o -F ip,addr,weight,data_src,phys_addr', '--itrace=o -F+weight,+addr', ''


def memory(c, *events, **kw):
    s = begin(c, *events, **kw)
    for n, latency in enumerate((0, 5, 2**32 - 1, 7 << 32 | 9, 0x12345 << 32 | 0x45678, 2**63)):
        block(c, {BASIC: basic(c, s.f, n), MEMORY: {0: 0x7000 + n, 1: n, 2: latency}}, s.f)
    block(c, {BASIC: basic(c, s.f), MEMORY: {3: 2**40 + 77}}, s.f)
    block(c, {BASIC: basic(c, s.f), MEMORY: {2: 0, 3: 2**40 + 78}}, s.f)
    block(c, {BASIC: basic(c, s.f), MEMORY: {2: 3, 3: 4}}, s.f)
    block(c, {BASIC: basic(c, s.f), MEMORY: {0: 2**32 + 5, 2: 2**32 + 7}}, s.f, four=[MEMORY])
    block(c, {BASIC: basic(c, s.f)})
    end(c, s)


@case(*MEM)
def weight(c):
    memory(c, event(ADDR | WEIGHT | DATA_SRC))


@case(*MEM, '--itrace=o -F+ins_lat,+weight')
def weight_struct(c):
    memory(c, event(ADDR | WEIGHT_STRUCT | DATA_SRC))


@case(*MEM)
def weight_not_asked(c):
    memory(c, event())


def sources(c, cpuid, config):
    s = begin(c, event(DATA_SRC | ADDR, config=config), cpuid=cpuid)
    for word in (*range(16), *range(16, 256, 21), 2**32 + 0x73, 2**64 - 1):
        block(c, {BASIC: basic(c, s.f), MEMORY: {1: word}}, s.f)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    end(c, s)


SOURCES = '--itrace=o -F ip,data_src', '--itrace=o'


@case(*SOURCES)
def source_gracemont(c):
    sources(c, 'GenuineIntel,6,190,0', 0x3005d0)


@case(*SOURCES)
def source_crestmont(c):
    sources(c, 'GenuineIntel,6,175,3', 0x6d0)


@case(*SOURCES)
def source_grand_ridge(c):
    sources(c, 'GenuineIntel,6,182,0', 0x5d0)


@case(*SOURCES)
def source_other_event(c):
    sources(c, 'GenuineIntel,6,190,0', 0xd0)


@case(*SOURCES)
def source_other_cpu(c):
    sources(c, 'GenuineIntel,6,19,0', 0x5d0)


@case(*SOURCES, known=[('*', ('goes on', 0), 'PEBS records')])
def source_unknown_cpu(c):
    """Without the feature CPUID perf ends."""
    s = begin(c, event(DATA_SRC, config=0x5d0))
    del c.data.features['cpuid']
    block(c, {BASIC: basic(c, s.f), MEMORY: {1: 5}}, s.f)
    end(c, s)


STACK = tuple('--itrace=%s -F ip,%s' % (letters, field) for letters in ('o', 'ol', 'ol2', 'bol')
              for field in ('brstack', 'brstacksym', 'brstackoff'))


def lbrs(s, n, first=0):
    flags = (0, 1 << 63, 1 << 62 | 5, 1 << 61 | 0xffff, 7 << 61 | 0x1fffff)
    words = []
    for i in range(first, first + n):
        words += [s._start + i % 8, s.f + i % 4, flags[i % 5]]
    return dict(enumerate(words))


@case(*STACK, '--itrace=o -F+brstackinsn', '--itrace=o -F+brstackinsnlen,+brstack', '')
def branch_stacks(c):
    """Of each length, in one group, two, three."""
    s = begin(c, event(BRANCH_STACK, branch_sample_type=1 << 3))
    for n in (0, 1, 2, 9, 10):
        block(c, {BASIC: basic(c, s.f), LBR: lbrs(s, n)}, s.f)
    block(c, {BASIC: basic(c, s.f), LBR: lbrs(s, 10), LBR + 1: lbrs(s, 3, 10)}, s.f)
    block(c, {BASIC: basic(c, s.f), LBR: lbrs(s, 10), LBR + 1: lbrs(s, 10, 10),
              LBR + 2: lbrs(s, 10, 20)}, s.f)
    block(c, {BASIC: basic(c, s.f), LBR + 2: lbrs(s, 1), LBR: lbrs(s, 2, 3)}, s.f)
    end(c, s)


@case(*STACK)
def branch_stacks_odd(c):
    """Entries that lack a word are left out; a group may be of 4-byte items."""
    s = begin(c, event(BRANCH_STACK, branch_sample_type=1 << 3))
    full = lbrs(s, 10)
    for missing in (0, 4, 8, 29):
        block(c, {BASIC: basic(c, s.f), LBR: {k: v for k, v in full.items() if k != missing}}, s.f)
    block(c, {BASIC: basic(c, s.f), LBR: full | {30: 1, 31: 2}}, s.f)
    block(c, {BASIC: basic(c, s.f), LBR: full}, s.f, four=[LBR])
    block(c, {BASIC: basic(c, s.f), LBR: {30: 1}}, s.f)
    end(c, s)


CHAIN = '--itrace=og', '--itrace=og1', '--itrace=og2', '--itrace=og3', '--itrace=bog4l', \
    '--itrace=oG', '--itrace=ogG4', '--itrace=o'


@case(*CHAIN, '--itrace=og -F ip,sym', '--itrace=og --max-stack 2', '--itrace=og -G',
      '--itrace=og -F ip,brstack', '--itrace=ogl -F+brstack')
def call_chains(c):
    s = begin(c, event(CALLCHAIN | BRANCH_STACK, branch_sample_type=1 << 3))
    c.pt.tnt('T').tip(s.g)
    block(c, {BASIC: basic(c, s.g)}, s.g)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    block(c, {BASIC: basic(c, 0xffffffff81000000)}, s.f + 1)
    c.pt.tnt('TT').pgd()
    c.finish()


@case(*CHAIN, '--itrace=og --max-stack 2', '--itrace=ogl4', '--itrace=og -F ip,brstack')
def call_chains_by_branches(c):
    """perf record --call-graph lbr: the user part is that of the branches."""
    s = begin(c, event(CALLCHAIN | BRANCH_STACK, branch_sample_type=1 << 3 | ms.BRANCH_CALL_STACK))
    c.pt.tnt('T').tip(s.g)
    block(c, {BASIC: basic(c, s.g), LBR: lbrs(s, 5)}, s.g)
    block(c, {BASIC: basic(c, 0xffffffff81000000), LBR: lbrs(s, 10), LBR + 1: lbrs(s, 10)}, s.f + 1)
    c.pt.tnt('TT').pgd()
    c.finish()


@case('--itrace=og', known=[
    ('*', {rb'\t +1023 f\+0x0 \(/build/t\)\n\n\Z': b'\n'}, 'PEBS records')])
def call_chains_by_no_branches(c):
    s = begin(c, event(CALLCHAIN | BRANCH_STACK, branch_sample_type=1 << 3 | ms.BRANCH_CALL_STACK))
    block(c, {BASIC: basic(c, s.f), LBR: lbrs(s, 1)}, s.f)
    block(c, {BASIC: basic(c, s.f)}, s.f)
    end(c, s)


@case(*CHAIN)
def call_chains_not_asked(c):
    s = begin(c, event())
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


ODD = O + ('--itrace=obeip -F+flags,+addr,+iregs', '-D')


def odd(*options):
    """A case of a trace that no processor writes."""
    def mark(fn):
        def make(c):
            s = begin(c, event(ADDR | REGS_INTR, sample_regs_intr=1 << 8 | 1 << 9))
            fn(c, s)
            end(c, s)
        return case(*(options or ODD))(make)
    return mark


@odd()
def bep_alone(c, s):
    c.pt.bep().bep(ip=True).fup(s.f)


@odd()
def bep_twice(c, s):
    """The second one tells what the first did."""
    block(c, {BASIC: basic(c, s.f), MEMORY: {0: 5}}, s.f)
    c.pt.bep().tnt('T').bep(ip=True).fup(s._start + 5)


@odd()
def bep_without_fup(c, s):
    block(c, {BASIC: basic(c, s.f)})
    c.pt.bep(ip=True).tnt('T').bep(ip=True).bep()


@odd()
def cut_by_tnt(c, s):
    """What follows is no item, and the next group begins a new record."""
    c.pt.bbp(BASIC).bip(0, s.f).tnt('T').bbp(MEMORY).bip(0, 5).bep()


@odd()
def cut_by_tip(c, s):
    c.pt.tnt('T').bbp(BASIC).bip(0, s.f).tip(s.g).bbp(MEMORY).bip(0, 5).bep(ip=True).fup(s.g)
    c.pt.tnt('T')


@odd()
def cut_by_psb(c, s):
    c.pt.bbp(BASIC).bip(0, s.f).bip(2, c.t0)
    c.pt.psb().mode_exec().tsc(c.t0 + 4000).cbr(20).fup(s.f).psbend()
    c.pt.bbp(GPRS).bip(1, s.f + 1).bip(0, 9).bep()


@odd()
def cut_by_overflow(c, s):
    c.pt.bbp(BASIC).bip(0, s.f).ovf().fup(s.f).bbp(MEMORY).bip(0, 9).bep().bep()


@odd()
def cut_by_bad_packet(c, s):
    c.pt.bbp(BASIC).bip(0, s.f).raw(b'\x02\x00').bip(2, c.t0 + 9).bep()


@odd()
def packets_inside(c, s):
    """Those that may stand in a block."""
    c.pt.bbp(BASIC).bip(0, s.f).pad(3).tsc(c.t0 + 700).cbr(0x22).mtc(9).cyc(5).bip(1, 1)
    c.pt.mnt(5).exstop().pwrx(1, 1, 1).fup(s.f).bip(2, c.t0 + 3).bep()


@odd()
def other_groups(c, s):
    """Groups that are not known, and a group twice."""
    for kind in (0, 2, 3, 6, 7, 11, 15, 17, 31):
        c.pt.bbp(kind).bip(0, 0x999).bip(31, 0x999)
    c.pt.bbp(BASIC).bip(0, s.g).bip(0, s.f).bbp(MEMORY).bip(0, 1).bip(5, 2).bbp(BASIC).bip(2, c.t0)
    c.pt.bbp(GPRS, four=True).bip(0, 2**32 - 1, size=4).bbp(GPRS).bip(1, 2**63 - 1).bep()


@odd()
def item_outside(c, s):
    """Without a group before it an item is a TNT."""
    c.pt.bip(0, 0).bep()


@case(*O)
def cut_by_end(c):
    s = begin(c, event())
    c.pt.bbp(BASIC).bip(0, s.f).raw([2 << 3 | 4, 1, 2])
    c.finish()


@case(*O)
def cut_by_buffer(c):
    """A block that goes on in the next buffer."""
    s = begin(c, event(ADDR))
    c.pt.tnt('T').bbp(BASIC).bip(0, s.f).bip(1, 1)
    c.data.auxtrace(c.pt.bytes + b'\0' * (-len(c.pt.bytes) % 8))
    c.pt = ptasm.Packets()
    c.pt.bip(2, c.t0 + 10).bbp(MEMORY).bip(0, 5).bep().tip(s.g).pgd()
    c.finish()


@case(*O, '--itrace=obei1i -F+flags')
def inside_walk(c):
    """Branches lie between a block and the FUP it waits for."""
    s = begin(c, event(ADDR))
    block(c, {BASIC: basic(c, s.f2), MEMORY: {0: 3}}, s.f + 1)
    end(c, s)


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


@case('--itrace=o', known=[('*', ('goes on', 0), 'PEBS records')])
def reads_counters(c):
    """PERF_SAMPLE_READ: no record has counters' values."""
    s = begin(c, event(ms.READ))
    block(c, {BASIC: basic(c, s.f)}, s.f)
    end(c, s)


@case(*O, known=[('*', ('goes on', 0), 'PEBS records')])
def reads_group(c):
    s = begin(c, event(ms.READ, read_format=ms.FORMAT_ID | ms.GROUP))
    block(c, {BASIC: basic(c, s.f)}, s.f)
    end(c, s)


@case(*O, '--itrace=o -F ip,sym,uregs,phys_addr,code_page_size,data_page_size')
def all_other_fields(c):
    """What a block never has."""
    s = begin(c, event(ms.REGS_USER | ms.STACK_USER | ms.PHYS_ADDR | ms.CGROUP | ms.DATA_PAGE_SIZE
                       | ms.CODE_PAGE_SIZE | ms.AUX | ms.RAW | ms.TRANSACTION | ms.STREAM_ID,
                       sample_regs_user=REGS, sample_stack_user=64))
    block(c, {BASIC: basic(c, s.f), GPRS: {1: 5}, MEMORY: {3: 2**33}}, s.f)
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
