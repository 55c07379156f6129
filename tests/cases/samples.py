"""Every field of a sample (PERF_SAMPLE_*): its dump and its columns.

K20 all of them; K22 data_src; K23 registers; K24 transaction; D02, D04.  K21, branches, and call
chains are in stacks.py.
"""
from cases import case
from mkperf import KERNEL, USER, Attr, Recording
import mksample as ms
from reccase import SIDE, times

BASE = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.PERIOD
DUMP = ('-D', '--dump-unsorted-raw-trace', '')


def recording(more, base=BASE, kind=1, config=0, **attr):
    d = Recording([Attr(kind, config, SIDE, base | more, [100], **attr)])
    d.comm('prog', 1000).mmap2('/bin/prog', tsc=2000)
    return d


def write(c, d):
    d.write(c.folder + '/perf.data')


def each(c, samples, more, **kw):
    d, t = recording(more, **kw), times()
    for i, s in enumerate(samples):
        d.sample(0x401000 + i, next(t), **s)
    write(c, d)


@case(*DUMP, '-F ip', '-F comm,pid,tid,cpu,time,event,ip,period,misc', '--ns', '-F +misc')
def plain(c):
    """Who, when and where, with every cpumode."""
    d, t = recording(ms.ADDR | ms.ID | ms.STREAM_ID), times()
    for misc in (*range(8), USER | 1 << 14, KERNEL | 1 << 13, USER | 3 << 12):
        d.sample(0x401000 + misc, next(t), misc=misc, addr=misc, stream=7, period=10 ** misc % 2**32)
    for pid, tid, cpu in ((0, 0, 0), (1, 2, 3), (-1, -1, -1), (4242, 4243, 1000), (2**31, 5, 0)):
        d.sample(0x402000, next(t), pid=pid, tid=tid, cpu=cpu, period=2**64 - 1)
    d.sample(2**64 - 1, next(t)).sample(0, next(t)).sample(0xffffffff81000000, next(t), misc=KERNEL)
    write(c, d)


@case('', '--ns', '--reltime', '--deltatime', '-F tid,time,ip', '--time 0,1', '--time 1,', '-C 0,0')
def times_of_some(c):
    """The second event has none, where the first decides which columns there are."""
    d, t = recording(0), times()
    d.attrs.append(Attr(1, 3, SIDE, BASE & ~ms.TIME, [200]))
    for i in range(4):
        d.sample(0x401000 + i, next(t), attr=d.attrs[i % 2])
    write(c, d)


@case('-F comm,tod,ip', '-F +tod', '-F tod,time --ns', '-F +tod --show-task-events --reltime')
def time_of_day(c):
    """With the clock's relation to the time of day (CLOCK_DATA)."""
    d, t = recording(0), times(10**9 + 1)
    d.features['clock_data'] = d.pack('IIQQ', 1, 1, 1700000000123456789, 500)
    for _ in range(3):
        d.sample(0x401000, next(t))
    d.sample(0x401000, 2**63).comm('x', next(t))
    write(c, d)


def base_only(c, bits):
    each(c, [{'addr': 0x1234, 'period': 77, 'stream': 5}] * 2, 0, base=bits)


for name, bits in (('ip', ms.IP), ('tid', ms.IP | ms.TID), ('time', ms.IP | ms.TIME),
                   ('cpu', ms.IP | ms.CPU), ('addr', ms.ADDR), ('id', ms.IP | ms.ID),
                   ('stream', ms.IP | ms.STREAM_ID), ('period', ms.IP | ms.PERIOD),
                   ('identifier', ms.IDENTIFIER | ms.IP), ('nothing', 0)):
    globals()['only_' + name] = case(*DUMP)(lambda c, bits=bits: base_only(c, bits))


READ_OPTIONS = ('-D', '', '-F event,ip,period')


def reads(c, format_):
    group = format_ & ms.GROUP
    attrs = [Attr(1, i, SIDE, BASE | ms.READ, [100 + i, 200 + i], read_format=format_)
             for i in range(3)]
    d, t = Recording(attrs), times()
    for n in range(4):
        values = [(1000 * n * (i + 1), 100 + i, 3 + n) for i in range(3 if group else 1)]
        d.sample(0x401000 + n, next(t), attr=attrs[0], read={
            'values': values, 'enabled': 2**64 - n, 'running': 500})
    values = [(7777, 201, 1), (8888, 999, 2)] if group else [(7777, 999, 1)]
    d.sample(0x402000, next(t), attr=attrs[0], read={'values': values})
    d.sample(0x402000, next(t), attr=attrs[0], read={'values': values}, tid=77)
    write(c, d)


for number in range(32):
    has_id = number & ms.FORMAT_ID
    globals()['read_%d' % number] = case(
        *READ_OPTIONS, known=() if has_id else [('*', ('goes on', 0), 'Records')])(
            lambda c, f=number: reads(c, f))


@case(*DUMP, '-F ip,raw', '-F ip,bpf-output')
def raw(c):
    each(c, [{'raw': bytes(range(4 + 8 * i))} for i in range(4)], ms.RAW)


def registers(c, mask):
    n = bin(mask).count('1')
    samples = [{'regs_user': (abi, range(0x1000 * i, 0x1000 * i + n)),
                'regs_intr': (2 - abi % 3, range(2**64 - n, 2**64))}
               for i, abi in enumerate((0, 1, 2, 3, 2))]
    each(c, samples, ms.REGS_USER | ms.REGS_INTR, sample_regs_user=mask, sample_regs_intr=mask)


@case(*DUMP, '-F ip,iregs', '-F ip,uregs', '-F +iregs,+uregs')
def registers_general(c):
    registers(c, 0xffffff)


@case('-D', '-F ip,uregs')
def registers_few(c):
    registers(c, 1 << 8 | 1 << 6 | 1)


@case('-D', '-F ip,iregs')
def registers_xmm(c):
    registers(c, 2**64 - 1)


@case('-D', '-F ip,iregs')
def registers_none(c):
    registers(c, 0)


@case(*DUMP)
def stack(c):
    each(c, [{'stack': b''}, {'stack': bytes(64)}, {'stack': bytes(range(128)), 'stack_used': 5},
             {'stack': bytes(16), 'stack_used': 16}], ms.STACK_USER, sample_stack_user=4096)


@case(*DUMP, '-F ip,weight', '-F +weight')
def weight(c):
    each(c, [{'weight': w} for w in (0, 1, 2**32 + 7, 2**64 - 1)], ms.WEIGHT)


@case(*DUMP, '-F ip,weight,ins_lat', '-F +ins_lat', '-F +retire_lat')
def weight_struct(c):
    each(c, [{'weight': w, 'latency': (w & 0xffff, w + 1 & 0xffff)} for w in (0, 1, 2**32 - 1)],
         ms.WEIGHT_STRUCT)


@case(*DUMP, '-F ip,data_src', '-F +data_src,+addr')
def data_src(c):
    each(c, [{'data_src': v, 'addr': 5} for v in (0, 1, 0x68100142, 2**64 - 1)],
         ms.DATA_SRC | ms.ADDR)


@case('-F ip,data_src')
def data_src_fields(c):
    """K22: each bit, and all numbers of the levels, near and far, with every hop."""
    values = [1 << i for i in range(64)] + [
        level << 33 | remote << 37 | hops << 43
        for level in range(16) for remote in (0, 1) for hops in range(8)]
    each(c, [{'data_src': v} for v in values], ms.DATA_SRC)


@case(*DUMP)
def transaction(c):
    each(c, [{'transaction': 1 << i | i << 32} for i in range(0, 32, 3)], ms.TRANSACTION)


@case(*DUMP, '-F ip,phys_addr', '-F +phys_addr')
def phys_addr(c):
    each(c, [{'phys_addr': v} for v in (0, 0x1234000, 2**64 - 1)], ms.PHYS_ADDR)


@case(*DUMP, '-F +cgroup')
def cgroup(c):
    d, t = recording(ms.CGROUP), times()
    d.cgroup(77, '/user.slice', next(t))
    for v in (0, 77, 78, 2**64 - 1):
        d.sample(0x401000, next(t), cgroup=v)
    write(c, d)


@case(*DUMP, '-F ip,data_page_size,code_page_size', '-F +code_page_size')
def page_sizes(c):
    each(c, [{'data_page_size': v, 'code_page_size': v * 3}
             for v in (0, 1, 512, 1023, 1024, 2048, 4096, 2**21, 2**30, 2**40, 2**63)],
         ms.DATA_PAGE_SIZE | ms.CODE_PAGE_SIZE)


@case(*DUMP)
def aux(c):
    """Without AUXTRACE_INFO there is nobody to show them."""
    each(c, [{'aux': b'\x02\x82' * n} for n in (0, 8, 12)], ms.AUX)


@case('-D', '-D --no-itrace', '--dump-unsorted-raw-trace', '-D -C 1', '-D --itrace=b')
def aux_packets(c):
    """Samples with a piece of trace: D04."""
    flags = SIDE | ms.EXCLUDE_KERNEL
    d = c.perf(attrs=[Attr(6, 0x300e601, flags, BASE, [100], aux_sample_size=0),
                      Attr(1, 0, flags, BASE | ms.AUX, [101], aux_sample_size=64)])
    d.comm('prog', c.t0).mmap2('/bin/prog', tsc=c.t0)
    packets = c.pt.start(c.t0).pge(0x401000).tnt('TNT').mtc(7).pgd().bytes
    for n, piece in enumerate((packets, b'', packets[:20], b'\xd9\xff\0\0', bytes(40))):
        d.sample(0x401000 + n, c.t0 + n, aux=piece + bytes(-len(piece) % 8), cpu=n % 2)
    d.auxtrace(packets)
    write(c, d)


@case('-D', '-D --no-itrace')
def aux_output(c):
    """PEBS events whose records go into the trace: AUX_OUTPUT and its ids."""
    flags = SIDE | ms.EXCLUDE_KERNEL
    d = c.perf(attrs=[Attr(6, 0x300e601, flags, BASE, [100]),
                      Attr(0, 0, flags | ms.AUX_OUTPUT, BASE, [101])])
    d.comm('prog', c.t0)
    d.aux_output_hw_id(3, c.t0 + 5).sample(0x401000, c.t0 + 10)
    write(c, d)
