#!/usr/bin/env python3
"""bare.py - bare traces: what perf record never makes, so that no perf can say what is right.

SPDX-License-Identifier: MIT

    bare.py PTSCRIPT

What is expected follows from the code and the packets, and is written down here.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import mkperf  # noqa: E402
import ptasm  # noqa: E402

BASE = 0x1000
#             1000 nop  1001 mov eax,1   1006 je 100c     100c call 1011  1011 nop  1012 call *rax
CODE = bytes.fromhex('90' 'b801000000' '0f8400000000' 'e800000000' '90' 'ffd0')
PLACES = (0x1000, 0x1001, 0x1006, 0x100c, 0x1011, 0x1012)
INSNS = '--itrace=i0nse'


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder, self.files = program, folder, 0

    def put(self, data):
        self.files += 1
        path = os.path.join(self.folder, 'file%d' % self.files)
        with open(path, 'wb') as f:
            f.write(data)
        return path

    def run(self, packets, images, options, fields):
        """images: (bytes, address).  Lines of what is printed, in words."""
        argv = [self.program, '--pt', self.put(packets.bytes), '-F', fields] + options
        for data, at in images:
            argv += ['--image', '%s:%#x' % (self.put(data), at)]
        done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=cases.environment(self.folder))
        assert done.returncode == 0, (argv, done.stderr)
        return [line.split() for line in done.stdout.splitlines()]


def is_(got, want):
    assert got == want, 'got\n%s\nnot\n%s' % (got, want)


def turns(n=2):
    """n times through CODE."""
    p = ptasm.Packets().start(1000).pge(BASE)
    for _ in range(n - 1):
        p.tnt('N').tip(BASE)
    return p.tnt('N').pgd()


def pieces(data, *cuts):
    ends = list(cuts) + [len(data)]
    return [(data[a:b], BASE + a) for a, b in zip([0] + ends, ends)]


# --- Images ----------------------------------------------------------------------------------

def spans(b):
    """An instruction that goes over two images, or more, is read as in one; without the other
    half it is not."""
    whole = b.run(turns(), [(CODE, BASE)], [INSNS], 'ip,insn')
    is_([w[0] for w in whole], ['%x' % p for p in PLACES * 2])
    listed = b.run(turns(), [(CODE, BASE)], ['--itrace=i2il'], 'ip,brstackinsn')
    assert ['0000000000001001', 'insn:', 'b8', '01', '00', '00', '00'] in listed, listed
    cut = [pieces(CODE, n) for n in range(1, len(CODE))]
    cut.append(pieces(CODE, *range(1, len(CODE))))
    cut.append(pieces(CODE, 3, 4, 8, 13)[::-1])
    for images in cut:
        is_(b.run(turns(), images, [INSNS], 'ip,insn'), whole)
        is_(b.run(turns(), images, ['--itrace=e'], 'ip'), [])  # the way without branches
        is_(b.run(turns(), images, ['--itrace=bi3i'], 'ip,addr'),
            b.run(turns(), [(CODE, BASE)], ['--itrace=bi3i'], 'ip,addr'))
        is_(b.run(turns(), images, ['--itrace=i2il'], 'ip,brstackinsn'), listed)
    out = b.run(turns(), pieces(CODE, 3)[:1], [INSNS], 'ip')
    is_((out[0], out[1][-5:]), (['1000'], ['5:', 'Failed', 'to', 'get', 'instruction']))
    other = [(CODE[:3], BASE), (CODE[3:], BASE + 4)]  # not adjacent
    is_(b.run(turns(), other, [INSNS], 'ip')[1][-4:], ['Failed', 'to', 'get', 'instruction'])


def spans_segments(b):
    """Two segments of an ELF file that lie beside each other in memory and not in the file."""
    def phdr(off, at, n):
        return (0x500000001.to_bytes(8, 'little') + b''.join(
            x.to_bytes(8, 'little') for x in (off, at, at, n, n, 1)))
    head = (b'\x7fELF\2\1\1' + bytes(9) + bytes([2, 0, 62, 0, 1, 0, 0, 0])
            + BASE.to_bytes(8, 'little') + (64).to_bytes(8, 'little') + bytes(12)
            + bytes([64, 0, 56, 0, 2, 0, 64, 0, 0, 0, 0, 0]))
    cut = 7  # between the bytes of an opcode
    elf = (head + phdr(0x100, BASE, cut)
           + phdr(0x200, BASE + cut, len(CODE) - cut)).ljust(0x100, b'\0')
    elf = (elf + CODE[:cut]).ljust(0x200, b'\xcc') + CODE[cut:]
    argv = [b.program, '--pt', b.put(turns().bytes), '--image', b.put(elf), INSNS, '-F', 'ip']
    out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    is_(out.split(), ['%x' % p for p in PLACES * 2])


def guests(b):
    """Images are the code of guests, too: entered by PIP in a PSB+, left by one at a branch."""
    def trace(p, nr):
        p.psb().mode_exec().pip(0x5000, nr=nr).tsc(1000).cbr(20).psbend().pge(BASE).tnt('N')
        p.pip(0x6000, nr=1 - nr).tip(BASE).tnt('N')
        return p.pip(0x5000, nr=nr).tip(BASE).tnt('N').pgd()
    want = ['%x' % p for p in PLACES * 3]
    for nr in (0, 1):
        p = trace(ptasm.Packets(), nr)
        got = b.run(p, [(CODE, BASE)], [INSNS], 'ip')
        is_([w[0] for w in got], want)
        plain = b.run(turns(3), [(CODE, BASE)], ['--itrace=be'], 'ip,addr,flags')
        is_(b.run(p, [(CODE, BASE)], ['--itrace=be'], 'ip,addr,flags'), plain)
        is_(b.run(p, [(CODE, BASE)], ['--itrace=e'], 'ip'), [])
    # and an exit to the host is told as one (h)
    p = ptasm.Packets().psb().mode_exec().pip(0x5000, nr=1).tsc(1000).cbr(20).psbend().pge(BASE)
    p.fup(0x1006).pip(0x6000, nr=0).tip(BASE).tnt('N').pgd()
    out = b.run(p, [(CODE, BASE)], ['--itrace=be'], 'ip,addr,flags')
    is_(out[1], ['bcyh', '1006', '=>', '1000'])


# --- How it was set up -----------------------------------------------------------------------

def late_time(b):
    """The first TSC is behind the PSB+: nothing before it is lost, and time is there."""
    p = ptasm.Packets().psb().mode_exec().cbr(20).psbend().pge(BASE).tnt('N').tip(BASE)
    p.tsc(5000).tnt('N').tip(BASE).tnt('N').tip(BASE).tsc(9000).tnt('N').tip(BASE).tnt('N').pgd()
    out = b.run(p, [(CODE, BASE)], [INSNS], 'time,ip')
    is_([w[1] for w in out], ['%x' % place for place in PLACES * 5])
    is_([w[0] for w in out], ['0.000005:'] * 20 + ['0.000009:'] * 10)
    spans_ = (('0.000005,', 30), ('0.000006,', 10), (',0.000004', 0), ('0.000001,0.000006', 20))
    for span, count in spans_:
        is_(len(b.run(p, [(CODE, BASE)], [INSNS, '--time', span], 'ip')), count)
    # a second PSB+ has it, behind bytes that are no packet
    p = ptasm.Packets().psb().mode_exec().cbr(20).psbend().pge(BASE).tnt('N').pgd()
    p.raw(b'\xd9\xff\xff').start(7000).pge(BASE).tnt('N').pgd()
    out = b.run(p, [(CODE, BASE)], ['--itrace=i0ns'], 'time,ip')
    is_([w[1] for w in out], ['%x' % place for place in PLACES * 2])
    is_({w[0] for w in out}, {'0.000007:'})
    # and where there is none, there is no time
    p = ptasm.Packets().psb().mode_exec().cbr(20).psbend().pge(BASE).tnt('N').pgd()
    is_(b.run(p, [(CODE, BASE)], ['--itrace=i0ns'], 'ip'), [['%x' % place] for place in PLACES])


def cyc_threshold(b):
    """With a threshold cycles are known only directly behind a CYC packet."""
    p = ptasm.Packets().start(1000).pge(BASE).cyc(50).tnt('N').tip(BASE).tnt('N')
    p.cyc(70).tip(BASE).tnt('N').cyc(30).mtc(1).tip(BASE).tnt('N').pgd()

    def ipcs(*options):
        out = b.run(p, [(CODE, BASE)], ['--itrace=b', *options], 'ip,ipc')
        return [' '.join(w[2:]) for w in out if 'IPC:' in w]
    exact = ipcs()
    is_(ipcs('--cyc-thresh', '0'), exact)
    for n in ('1', '15'):
        got = ipcs('--cyc-thresh', n)
        assert got and len(got) < len(exact), (got, exact)


ONLY = ['--filter:addr0_cfg', '1', '--filter:addr0_a', '0x1000', '--filter:addr0_b', '0x1010']
STOP = ['--filter:addr3_cfg', '2', '--filter:addr3_a', '0x1011', '--filter:addr3_b', '0x1011']
OFF = ['--filter:addr0_cfg', '0', '--filter:addr0_a', '0x1000', '--filter:addr0_b', '0x1010']
WIDE = ['--filter:addr0_cfg', '1', '--filter:addr0_a', '0', '--filter:addr0_b',
        '0xffffffffffffffff']
#             1000 nop  1001 je 1004  1003 nop  1004 jmp 1000
LOOP = bytes.fromhex('90' '7401' '90' 'ebfa')


def filters(b):
    """TIP.PGD where a direct branch leaves the traced code, with an address and without."""
    start = ptasm.Packets().start(1000).pge(BASE).tnt('N').bytes
    at_call, at_end = ['100c', '=>', '1011'], ['1012', '=>', '0']

    def ends(options, pgd, code=CODE, begin=start):
        p = ptasm.Packets()
        p.raw(begin)
        p.pgd(*pgd)
        is_(b.run(p, [(code, BASE)], ['--itrace=e', *options], 'ip'), [])
        return b.run(p, [(code, BASE)], ['--itrace=be', *options], 'ip,addr')[-1]
    for options in (ONLY, STOP, ONLY + STOP, WIDE + STOP):
        is_(ends(options, ()), at_call)
        is_(ends(options, (0x1011,)), at_call)
    for options in (OFF, WIDE, []):
        is_(ends(options, ()), at_end)
    is_(ends([], (0x1011,)), at_call)  # the address alone tells it, too
    is_(ends(WIDE, (0x1011,)), ['1012', '=>', '1011'])
    # a conditional branch: taken, not taken
    begin = ptasm.Packets().start(1000).pge(BASE).bytes
    low = ['--filter:addr1_cfg', '1', '--filter:addr1_a', '0x1000', '--filter:addr1_b', '0x1003']
    is_(ends(low, (), LOOP, begin), ['1001', '=>', '1004'])
    is_(ends(low, (0x1004,), LOOP, begin), ['1001', '=>', '1004'])
    low[-1] = '0x1002'
    is_(ends(low, (0x1003,), LOOP, begin), ['1001', '=>', '1003'])
    is_(ends([], (0x1003,), LOOP, begin), ['1001', '=>', '1003'])
    p = ptasm.Packets()
    p.raw(begin)
    p.pgd(0x1003)
    is_(b.run(p, [(LOOP, BASE)], [INSNS, *low], 'ip'), [['1000'], ['1001']])


def wrong_filters(b):
    trace = b.put(turns().bytes)
    for options, text in (
            (ONLY[:2], "option `filter:addr0_cfg' needs --filter:addr0_a"),
            (ONLY[:4], "option `filter:addr0_cfg' needs --filter:addr0_b"),
            (ONLY[2:], "option `filter:addr0_a' needs --filter:addr0_cfg"),
            (ONLY[:-1] + ['0xfff'], 'its end 0xfff is before its start 0x1000'),
            (['--filter:addr1_cfg', '3'], "`filter:addr1_cfg' expects a number from 0 to 2"),
            (['--filter:addr4_cfg', '1'], "unknown option `filter:addr4_cfg'"),
            (['--cyc-thresh', '16'], "option `cyc-thresh' expects a number from 0 to 15")):
        done = subprocess.run([b.program, '--pt', trace] + options, capture_output=True, text=True)
        assert done.returncode == 129 and text in done.stderr, (options, done.stderr)


# --- Side-band -------------------------------------------------------------------------------

NO_CPU = mkperf.IDENTIFIER | mkperf.TID | mkperf.TIME


def switches(b):
    """Switches of several threads, on a CPU that nobody names: its trace is that of all."""
    for wide in (True, False):
        d = mkperf.PerfData(sample_type=NO_CPU)
        t = d.T0
        d.chunks.clear()
        files = {}
        for pid, name, code in ((7, 'one', CODE), (8, 'two', LOOP)):
            files[pid] = b.put(code)
            d.comm(name, pid=pid)
            d.mmap2(files[pid], addr=BASE, size=len(code), pgoff=0, tsc=t - 1000, pid=pid)
        other = (0, 0) if wide else None
        d.switch(t - 800, pid=7, other=other)
        d.switch(t + 5000, out=True, pid=7, other=(8, 8) if wide else None)
        d.switch(t + 5010, pid=8, other=other)
        elsewhere = mkperf.PerfData(sample_type=NO_CPU)
        elsewhere.chunks.clear()
        elsewhere.switch(t - 700, pid=8, other=other)  # on another CPU
        p = ptasm.Packets().start(t).pge(BASE).tnt('N').pgd()
        p.start(t + 9000).pge(BASE).tnt('T').tnt('N').tnt('T').pgd(0x1003)
        k = mkperf.Clock
        options = ['--pevent:primary', b.put(b''.join(d.chunks)),
                   '--pevent:secondary', b.put(b''.join(elsewhere.chunks)),
                   '--pevent:sample-type', hex(NO_CPU), '--pevent:time-shift', str(k.shift),
                   '--pevent:time-mult', str(k.mult), '--pevent:time-zero', str(k.zero), '-f']
        out = b.run(p, [], options + ['--itrace=be'], 'comm,tid,ip,addr')
        # in the place of the second thread: je, je, je to 1004 and back, at last not taken
        assert ['one', '7', '100c', '=>', '1011'] in out, out
        assert ['two', '8', '1004', '=>', '1000'] in out, out
        assert not any('error' in w for w in out), out


def main():
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(os.path.abspath(sys.argv[1]), folder)
        for test in (spans, spans_segments, guests, late_time, cyc_threshold, filters,
                     wrong_filters, switches):
            test(b)


if __name__ == '__main__':
    main()
