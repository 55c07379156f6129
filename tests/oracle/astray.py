#!/usr/bin/env python3
"""astray.py - recordings whose maps or trace are wrong, so that code is walked that never ran, against perf.

SPDX-License-Identifier: MIT

    astray.py --ptscript PROGRAM [--count N] [--seed N] [--keep DIR] [FILE...]

Each round takes a recording (FILE with symfs beside it; else the captures of testdata), puts some maps
elsewhere in their file, or leaves them out, and damages some of the trace.  Both programs print it under some
options, ptscript with one thread or several: text, what is told on standard error and the exit status must be the
same.  The same seed makes the same rounds.  Noise has no TRIG packets (docs/compat.md), but where
the trace is out of step perf may see one as a bad packet, and what was made a MODE.Exec of 32 bits is followed
by ptscript alone (docs/compat.md): such a round differs.
"""
import argparse
import collections
import os
import random
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import dice as options_by_chance  # noqa: E402
import oracle  # noqa: E402
import perfedit  # noqa: E402

MMAP2, TRIG, PAGE = 10, 0xd9, 0x1000
LONGEST, SETS = 60, 4  # seconds of a run; option sets of a round
BROKEN = (139, -11, 'hangs')
FAILS = BROKEN + (153, -25)  # of perf: it crashes, or follows a loop for ever
LIMITED = ['bash', '-c', 'ulimit -f 300000; exec "$@"', 'bash']  # KB of output
OPTIONS = ('--itrace=be', '--itrace=e', '--itrace=i0nse -F tid,ip,insn', '--itrace=i100us', '--itrace=cre -F+callindent',
           '--itrace=i1000ig16', '--itrace=i500il16 -F+brstack', '--call-trace', '--itrace=qe', '--itrace=Zbe',
           '--itrace=i7ie -F+ipc', '--itrace=ew -F+insn', '--itrace=Ai100ie -F+ipc', 'report --itrace=i100us',
           'report --itrace=il4 -s dso_from,dso_to,symbol_to', 'report --itrace=b', 'report --itrace=i100usg -s +srcline',
           'report -s +srcfile --no-children')
PIECES = (b'\x02\xf3', b'\x02\x82' * 8, b'\x02\x23', b'\x01', b'\x02\x83', b'\x99\x01', b'\x59\x10', b'\x03',
          b'\x02\x03\x20\x00', b'\x77\x11')  # OVF, PSB, PSBEND, TIP.PGD, TraceStop, MODE, MTC, CYC, CBR, FUP


# --- Maps: address, size and offset in the file are words 1 to 3 of the record -----------------
def map_elsewhere(dice, rec, _):
    by = dice.choice((1, 2, 3, 5, 0x10, 0x123, PAGE, 0x2345, -1, -7, -PAGE))
    rec.put(24, 'Q', max(0, rec.get(24, 'Q') + by))


def map_shorter(dice, rec, _):
    rec.put(16, 'Q', max(PAGE, rec.get(16, 'Q') >> dice.randint(1, 4) & -PAGE))


def map_swapped(dice, rec, file):
    other = dice.choice([r for r in file.records if r.kind == MMAP2])
    a, b = rec.get(24, 'Q'), other.get(24, 'Q')
    rec.put(24, 'Q', b)
    other.put(24, 'Q', a)


def map_missing(_, rec, file):
    file.records.remove(rec)


# --- The trace: bytes, of the same length afterwards -------------------------------------------
def some(dice):
    return dice.choice((1, 1, 1, 2, 4, 16, 100, 1000))


def bits(dice, old, _):
    new = bytearray(old)
    for _ in range(dice.choice((1, 1, 3, 20))):
        at, bit = dice.randrange(len(new)), 1 << dice.randrange(8)
        new[at] ^= bit if new[at] ^ bit != TRIG else 0
    return new


def noise(dice, old, _):
    n = some(dice)
    return with_piece(dice, old, bytes(dice.choice([b for b in range(256) if b != TRIG]) for _ in range(n)))


def cut(dice, old, _):
    at, n = dice.randrange(len(old)), some(dice)
    return (old[:at] + old[at + n:]).ljust(len(old), b'\0')


def packet(dice, old, _):
    return with_piece(dice, old, dice.choice(PIECES))


def of_another(dice, old, others):
    other = dice.choice(others)
    at = dice.randrange(len(other))
    return with_piece(dice, old, other[at:at + 4 * some(dice)])


def with_piece(dice, old, piece):
    at = dice.randrange(len(old))
    return (old[:at] + piece + old[at + len(piece):])[:len(old)]


MAPS = (map_elsewhere, map_elsewhere, map_shorter, map_swapped, map_missing)
TRACE = (bits, bits, noise, cut, packet, of_another)


def damage(dice, path, to):
    """Writes another recording; what was done."""
    file, did = perfedit.File(path), []
    for _ in range(dice.randint(1, 4)):
        maps = [r for r in file.records if r.kind == MMAP2]
        traces = [r for r in file.records if r.trace]
        if maps and (dice.random() < .5 or not traces):
            way = dice.choice(MAPS)
            way(dice, dice.choice(maps), file)
        elif traces:
            way, rec = dice.choice(TRACE), dice.choice(traces)
            rec.trace = bytes(way(dice, rec.trace, [r.trace for r in traces]))
        did.append(way.__name__)
    file.write(to)
    return ', '.join(did)


def without_tip(path):
    """perf report ends with another one each time."""
    with open(path, 'r+b') as f:
        text = re.sub(rb'^# \(Tip: .*\n', b'', f.read(), flags=re.M)
        f.seek(0)
        f.truncate()
        f.write(text)


def compare(args, capture, text, jobs, folder):
    """(verdict, what differs)"""
    outs = [os.path.join(folder, p) for p in ('perf', 'ptscript')]
    words = capture.command(text)
    want, _, want_err = oracle.run(LIMITED + ['perf'] + words, outs[0])
    got, _, err = oracle.run(LIMITED + [args.ptscript] + words + ['--jobs', str(jobs)], outs[1])
    without_tip(outs[0])
    if got in BROKEN or (got in FAILS and want not in FAILS):
        return 'differ', 'status %s and %s' % (want, got)
    if want in FAILS:
        return 'nothing to compare: perf failed', ''
    if got == want == oracle.USAGE:
        return 'refused by both', ''
    first = oracle.lines_equal(*outs)
    if got == want and not first and oracle.without_own(err) == want_err:
        return 'same', ''
    return 'differ', 'status %s and %s, line %s\n%r\n%r' % (want, got, first, want_err[-300:], err[-300:])


def one_more(dice):
    """An option set by chance, but without source lines: perf's addr2line may end it."""
    while 'src' in (text := options_by_chance.options(dice)):
        pass
    return text


def round_of(dice, args, captures, count):
    from_ = dice.choice(captures)
    with tempfile.TemporaryDirectory(prefix='astray-') as folder:
        did = damage(dice, from_.data, os.path.join(folder, 'perf.data'))
        capture = oracle.Capture(from_.name, os.path.join(folder, 'perf.data'), from_.symfs, from_.buildid_dir)
        bad = False
        for text in dice.sample(OPTIONS, SETS - 1) + [one_more(dice)]:
            jobs = dice.choice((1, 2, 5))
            verdict, said = compare(args, capture, text, jobs, folder)
            count[verdict] += 1
            if verdict == 'differ':
                bad = True
                print('DIFF  %s (%s) %s --jobs %d: %s' % (from_.name, did, text, jobs, said), flush=True)
        if bad and args.keep:
            shutil.copytree(folder, os.path.join(args.keep, os.path.basename(folder)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default=os.path.join(oracle.TOP, 'build/dev/ptscript'))
    ap.add_argument('--count', type=int, default=20)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--keep', help='copy what differs here')
    ap.add_argument('files', nargs='*')
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    args.ptscript, oracle.LIMIT = os.path.abspath(args.ptscript), LONGEST
    there = [oracle.Capture(os.path.basename(f), f, os.path.join(os.path.dirname(f), 'symfs'), None)
             for f in map(os.path.abspath, args.files)]
    there = there or [c for c in oracle.captures() if 'testdata/emu' in c.data]
    dice, count = random.Random(args.seed), collections.Counter()
    for _ in range(args.count):
        round_of(dice, args, there, count)
    print('seed %d: %s' % (args.seed, ', '.join('%d %s' % (n, v) for v, n in sorted(count.items()))))
    return count['differ'] != 0 or count['same'] < args.count * SETS / 2


if __name__ == '__main__':
    sys.exit(main())
