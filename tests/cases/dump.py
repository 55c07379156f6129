"""The dump of trace (rows D): any bytes may stand in an AUXTRACE record, and need not be packets.

The dump does not look for a PSB and does not start anew after a bad byte.
"""
import random

from cases import case
import mkperf

OPTIONS = ('-D',)


def write(c, *buffers, **kw):
    """Each of buffers as a record of its own."""
    d = c.perf(**kw)
    d.comm('t')
    for data in buffers:
        d.auxtrace(data)
    d.write(c.folder + '/perf.data')


PAYLOAD = bytes((0x11, 0x82, 0xf3, 0x04, 0x75, 0x96, 0x27, 0x58))


@case(*OPTIONS)
def every_first_byte(c):
    """D01: each of 256 with a payload behind it, and zeros, which look like padding."""
    write(c, b''.join(bytes((b,)) + PAYLOAD[:b % 9] + bytes(b % 8) for b in range(256)))


@case(*OPTIONS)
def every_extended_opcode(c):
    """D01: 02 and any second byte."""
    write(c, b''.join(bytes((2, b)) + PAYLOAD[:b % 9] + bytes(b % 7) for b in range(256)))


@case(*OPTIONS)
def every_third_opcode(c):
    """D01: 02 c3 (MNT) and a third byte."""
    write(c, b''.join(bytes((2, 0xc3, b)) + PAYLOAD + bytes(b % 3) for b in range(0x80, 0x90)))


@case(*OPTIONS)
def branch_bits(c):
    """D01: TNT of every length, short and long; one without a stop bit."""
    short = b''.join(bytes((1 << n | (0x55 & (1 << n) - 1) & ~1,)) + b'\x19' for n in range(2, 8))
    long = b''.join(b'\x02\xa3' + (1 << n | 0x2aaaaaaaaaaa & (1 << n) - 1).to_bytes(6, 'little')
                    for n in range(48))
    write(c, short + long + b'\x02\xa3' + bytes(6))


@case(*OPTIONS)
def addresses(c):
    """D01: TIP, TIP.PGE, TIP.PGD and FUP with every compression of the address."""
    write(c, b''.join(bytes((n << 5 | op,)) + PAYLOAD[:size]
                      for op in (0xd, 0x11, 0x1, 0x1d)
                      for n, size in enumerate((0, 2, 4, 6, 6, 0, 8, 0))))


@case(*OPTIONS)
def modes(c):
    """D01: MODE with every payload."""
    write(c, b''.join(bytes((0x99, b)) for b in range(256)))


@case(*OPTIONS)
def blocks(c):
    """D01: BIP belongs to the block before it: what it is at all depends on that."""
    bip = bytes((0x0c,)) + PAYLOAD
    write(c, bip + b'\x02\x63\x04' + bip * 2 + b'\x02\x63\x84' + bip[:5] * 2 + b'\x02\x33' + bip
          + b'\x02\x63\x01' + bip + b'\x02\xb3' + bip, bip + b'\x02\x63\xff')


@case(*OPTIONS)
def cycles(c):
    """D01: CYC of every length, and longer than there can be."""
    write(c, b''.join(b'\xff' + b'\xff' * n + b'\xfe' + b'\x19' for n in range(12)) + b'\x03\x07\x06')


@case(*OPTIONS)
def padding(c):
    """D01: zeros belong to a packet as long as it is shorter than 8 bytes."""
    write(c, b''.join(b'\x02\x23' + bytes(n) + b'\x71' + PAYLOAD[:6] + bytes(n) for n in range(12)),
          bytes(5), bytes(8), bytes(100))


LONGEST = (b'\x02\x82' * 8, b'\x19' + PAYLOAD, b'\x02\x73' + PAYLOAD, b'\x02\xd3' + PAYLOAD,
           b'\x02\x52' + PAYLOAD, b'\x02\xc3\x88' + PAYLOAD, b'\x02\xa3' + PAYLOAD,
           b'\xcd' + PAYLOAD, b'\xff' * 10)


@case(*OPTIONS)
def cut_short(c):
    """D01: buffers that end inside each of the longest packets."""
    write(c, *(b'\x19' + p[:n] for p in LONGEST for n in range(1, len(p))))


@case(*OPTIONS)
def anything(c):
    """D01"""
    rng = random.Random(1)
    write(c, bytes(rng.choice((rng.randrange(256), 2, 0)) for _ in range(1000)))


@case('-D', '-D --no-itrace', '-D --itrace=e', '--dump-unsorted-raw-trace')
def of_two_processors(c):
    """D03: without trace, the rest stays."""
    d = c.perf()
    d.comm('t')
    for cpu in (0, 1):
        d.auxtrace(c.pt.start(c.t0).pgd().bytes, cpu=cpu)
    d.auxtrace(b'')
    d.write(c.folder + '/perf.data')


FILTER = b'filter 0x1023/0x2@/build/t'


def info(words, text):
    @case('-D', '-D --no-itrace')
    def fn(c):
        """D05: AUXTRACE_INFO as long as older and newer perf wrote it."""
        k = mkperf.Clock
        raw = mkperf.pad8(text + b'\0') if text else b''
        order = {'<': 'little', '>': 'big'}[mkperf.Recording.usual_order]
        priv = [6, k.shift, k.mult, k.zero, 1, 0x400, 0x800, 3, 0, 1, 0x200, 0x3c000, 100, 2, 2,
                12, len(text)]
        priv += [int.from_bytes(raw[i:i + 8], order) for i in range(0, len(raw), 8)] + [1, 77]
        write(c, b'', priv=priv[:words + len(raw) // 8])
    return fn


for _words in (10, 11, 12, 14, 15, 16, 17, 18, 19):
    globals()['info_of_%d_words' % _words] = info(_words, b'')
for _words in (17, 18, 19):
    globals()['info_of_%d_words_and_a_filter' % _words] = info(_words, FILTER)


@case('-D')
def trace_of_no_size(c):
    """U07: with numbers of every size in it."""
    d = c.perf()
    d.comm('t')
    for ref, tid in ((0, 0), (2**64 - 1, -1), (5, 2**31 - 1)):
        d.record(71, 0, d.pack('Q', 0) + d.pack.words((2**64 - 1, ref))
                 + d.pack('IiiI', 3, tid, -1, 0))
    d.write(c.folder + '/perf.data')
