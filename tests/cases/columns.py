"""Columns that only recorded samples fill: memory, registers, what BPF programs write."""
import mkperf
from cases import case
from mksample import (ADDR, CODE_PAGE_SIZE, CPU, DATA_PAGE_SIZE, DATA_SRC, PHYS_ADDR, RAW, REGS_INTR,
                      REGS_USER, WEIGHT, WEIGHT_STRUCT)
from reccase import SIDE, times

BASE = mkperf.IDENTIFIER | mkperf.IP | mkperf.TID | mkperf.TIME


def samples(c, fields, more, kind=4, config=0, **attr):
    """One event of type `kind` whose samples have these fields behind the usual."""
    event = mkperf.Attr(kind, config, mkperf.SAMPLE_ID_ALL, BASE | more, [100], **attr)
    d = c.perf(attrs=[event], sample_type=BASE | more)
    for i, f in enumerate(fields):
        d.sample(0x401000 + i, c.t0 + 100 * i, pid=7, **f)
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
    samples(c, [{'addr': 0x55555 + i, 'weight': 100 + i, 'data_src': v,
                 'phys_addr': 0x1234000 + i, 'data_page_size': 4096 << i % 20,
                 'code_page_size': 1 << 9 + i % 40} for i, v in enumerate(sources())],
            ADDR | WEIGHT | DATA_SRC | PHYS_ADDR | DATA_PAGE_SIZE | CODE_PAGE_SIZE)


@case('', '-F +ins_lat', '-F ip,weight,ins_lat')
def latency(c):
    samples(c, [{'weight': 100 + i, 'latency': (77 * i, 3)} for i in range(9)],
            WEIGHT_STRUCT)


@case('', '-F +iregs,+uregs', '-F ip,uregs')
def registers(c):
    mask = 0x00ff0fff
    n = bin(mask).count('1')
    fields = [{'regs_user': (2 if i % 3 else 0, range(1000 * i, 1000 * i + n)),
               'regs_intr': (1 + i % 2, range(2 ** 63, 2 ** 63 + n))} for i in range(7)]
    samples(c, fields, REGS_USER | REGS_INTR, sample_regs_user=mask, sample_regs_intr=mask)


@case('', '-F sw:ip,bpf-output', '-F -bpf-output')
def bpf_output(c):
    texts = [bytes(range(60)), b'hello world\0', b'abc\0', bytes(12), b'a' * 12,
             b'a\nb\0', b'ab\xff\0', b'ab\x80\0', b'ab\0c']
    samples(c, [{'raw': bytes(4), 'raw_size': 0}] + [{'raw': x} for x in texts], RAW, kind=1,
            config=10)


@case('-F time --itrace=Zx', '-F time --itrace=Zpw', '-F time --itrace=ZI', '-F+iregs --itrace=x',
      '-F time,ip --itrace=Zbi', '-F+iregs --itrace=xi', '-F+uregs --itrace=i',
      '-F+uregs --itrace=wp', '-F+tod --itrace=b', '-F hw:comm,tod --itrace=b', '-F hw:+tod --itrace=b --ns',
      '-F+brstackinsn --itrace=b')
def not_in_made_events(c):
    """Columns that no event made from the trace can fill."""
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).pgd()
    c.finish()


@case('', '-F cpu,ip', '-F period,ip', '-F addr,ip', '-F +cpu', '-F +iregs', '-F sw:+iregs', '-F sw:iregs', '-F sw:cpu,ip',
      '-F sw:tod', '-F tod', '-F +tod', '-F trace:ip', '-C 0')
def dummy_first(c):
    """What is looked at is the first event that has samples."""
    d = mkperf.Recording([mkperf.Attr(1, 9, SIDE, BASE | CPU, [100]), mkperf.Attr(1, 0, SIDE, BASE, [101])])
    d.from_attr, t = d.attrs[0], times()
    d.comm('prog', next(t)).mmap2('/bin/prog', tsc=next(t))
    for i in range(3):
        d.sample(0x401000 + i, next(t), attr=d.attrs[1])
    d.write(c.folder + '/perf.data')


@case('-F sw:tod', '-F hw:tod', '-F tod')
def dummy_alone(c):
    """A class of which there is only a dummy is looked at by nobody."""
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).pgd()
    c.finish()
