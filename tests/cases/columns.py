"""Columns that only recorded samples fill: memory, registers, what BPF programs write."""
import struct

import mkperf
from cases import case

ADDR, WEIGHT, DATA_SRC, PHYS, DATA_PAGE, CODE_PAGE = (8, 1 << 14, 1 << 15, 1 << 19, 1 << 22,
                                                      1 << 23)
RAW, REGS_USER, REGS_INTR, WEIGHT_STRUCT = 1 << 10, 1 << 12, 1 << 18, 1 << 24
BASE = mkperf.IDENTIFIER | mkperf.IP | mkperf.TID | mkperf.TIME


def samples(c, bodies, more, kind=4, config=0, regs=0):
    """One event of type `kind` whose samples have these bodies behind the usual."""
    attr = mkperf.Attr(kind, config, mkperf.SAMPLE_ID_ALL, BASE | more, [100])
    attr.raw = (attr.raw[:80] + struct.pack('<QIiQ', regs, 0, 0, regs)
                + attr.raw[104:])
    d = c.perf(attrs=[attr], sample_type=BASE | more)
    for i, body in enumerate(bodies):
        t = d.clock.ns(c.t0 + 100 * i)
        d.record(9, mkperf.USER, struct.pack('<QQIIQ', 100, 0x401000 + i, 7, 7, t) + body)
    d.write(c.folder + '/perf.data')


def sources():
    yield from (0, 1 << 5, 0x68100142, 0x68100182)
    for low, width in ((0, 5), (5, 14), (19, 5), (24, 2), (26, 7), (33, 5), (38, 2), (40, 3)):
        yield from (1 << low + i for i in range(width))
        yield (1 << width) - 1 << low
    yield from (n << 33 for n in range(16))
    yield from (h << 43 | 1 << 37 | 3 << 33 | 1 << 8 | 1 << 6 for h in range(8))


@case('', '-F +phys_addr', '-F ip,data_src', '-F ip,addr,weight,ins_lat')
def memory(c):
    samples(c, [struct.pack('<QQQQQQ', 0x55555 + i, 100 + i, v, 0x1234000 + i,
                            4096 << i % 20, 1 << 9 + i % 40)
                for i, v in enumerate(sources())],
            ADDR | WEIGHT | DATA_SRC | PHYS | DATA_PAGE | CODE_PAGE)


@case('', '-F +ins_lat', '-F ip,weight,ins_lat')
def latency(c):
    samples(c, [struct.pack('<IHH', 100 + i, 77 * i, 3) for i in range(9)], WEIGHT_STRUCT)


@case('', '-F +iregs,+uregs', '-F ip,uregs')
def registers(c):
    mask = 0x00ff0fff
    n = bin(mask).count('1')
    bodies = []
    for i in range(7):
        user = struct.pack('<%dQ' % (n + 1), 2, *range(1000 * i, 1000 * i + n))
        bodies.append((user if i % 3 else bytes(8))
                      + struct.pack('<%dQ' % (n + 1), 1 + i % 2, *range(2 ** 63, 2 ** 63 + n)))
    samples(c, bodies, REGS_USER | REGS_INTR, regs=mask)


@case('', '-F sw:ip,bpf-output', '-F -bpf-output')
def bpf_output(c):
    texts = [bytes(range(60)), b'hello world\0', b'abc\0', bytes(12), b'a' * 12,
             b'a\nb\0', b'ab\xff\0', b'ab\x80\0', b'ab\0c']
    samples(c, [struct.pack('<I', 0) + bytes(4)]
            + [struct.pack('<I', len(x)) + x for x in texts], RAW, kind=1, config=10)
