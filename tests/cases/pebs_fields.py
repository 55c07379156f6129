"""PEBS by way of the trace: what its records hold, field by field."""
import mksample as ms
from cases import case
from mksample import (ADDR, BRANCH_STACK, CALLCHAIN, DATA_SRC, REGS_INTR, WEIGHT, WEIGHT_STRUCT)
from pebscase import (BASIC, GPRS, LBR, MEMORY, O, REGS, XMM, basic, begin, block, end, event)

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
    ('*', {rb' AX:0x65    IP:0x6e    R8:0x6e': b' IP:0x65    R8:0x6e'}, 'PEBS records')])
def registers_missing(c):
    """perf takes the values for those of the first registers that were asked for."""
    s = begin(c, event(REGS_INTR, sample_regs_intr=1 | 1 << 8 | 1 << 16))
    for there in (1, 2, 10), (1, 10):
        block(c, {BASIC: basic(c, s.f), GPRS: {i: 100 + i for i in there}}, s.f)
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


@case(*MEM, '--itrace=o -F+ins_lat,+weight', 'report --itrace=o -s local_weight,ins_lat,weight',
      'report --itrace=o -s transaction,sym', 'report --itrace=oi1i -s weight,comm')
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
