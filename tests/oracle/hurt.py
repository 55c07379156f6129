#!/usr/bin/env python3
"""hurt.py - recordings damaged in one place: what perf still prints and ptscript does not.

SPDX-License-Identifier: MIT

    hurt.py --ptscript PROGRAM [--count N] [--seed N] [--only TEXT] [--keep DIR] [--show]
            [--own]

Each round damages the recording of a case (tests/cases, tests/golden) or a capture in one place
and runs both on it.  Lines that only perf printed need a reason on ptscript's standard error;
without one the round is a fault, as are crashes and runs without an end.  The same seed makes
the same rounds.  --keep keeps the files of faults; --show also tells the rounds with a reason;
--own takes no capture that is beside the checkout.
"""
import argparse
import collections
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import cases  # noqa: E402
import oracle  # noqa: E402

LIMIT, PERFS = 30, 3  # seconds for one run; perf 6.1 can hang on damaged input
VALUES = (0, 1, 2, 7, 8, 0x7f, 0xff, 0xffff, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1)
TYPES = list(range(0, 24)) + list(range(64, 84))
HEADER = 104  # bytes of the file header
WANTED = ('--itrace=be', '-D', '', '--itrace=i0ns', '--show-task-events --show-mmap-events',
          '--header')
AUXTRACE = 71


class Seed:
    """A recording to damage, and how both programs are called on it."""

    def __init__(self, name, folder, file, symfs, options):
        self.name, self.folder, self.file, self.symfs = name, folder, file, symfs
        self.options = options
        with open(file, 'rb') as f:
            self.bytes = f.read()
        self.records = list(records(self.bytes))


def records(data):
    """(offset, size) of each record of a file or a pipe of this byte order."""
    if data[:8] != b'PERFILE2' or len(data) < 16:
        return
    size, = struct.unpack_from('<Q', data, 8)
    at, end = 16, len(data)
    if size == HEADER:
        at, length = struct.unpack_from('<QQ', data, 40)
        end = min(at + length, len(data))
    while at + 8 <= end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        if size < 8:
            return
        yield at, size
        if kind == AUXTRACE and size >= 16:
            at += struct.unpack_from('<Q', data, at + 8)[0]
        at += size


# -- One place ----------------------------------------------------------------------------
def place(dice, seed):
    """An offset: in the header and what it points to, in a record's head or body, anywhere."""
    size = len(seed.bytes)
    way = dice.random()
    if seed.records and way < .7:
        at, length = dice.choice(seed.records)
        return min(at + (dice.randrange(8) if way < .25 else dice.randrange(length)), size - 1)
    if way < .8:
        return dice.randrange(min(size, 512))
    return dice.randrange(size)


def put(seed, at, new):
    return seed.bytes[:at] + new + seed.bytes[at + len(new):]


def hurt_byte(dice, seed):
    at = place(dice, seed)
    return put(seed, at, bytes([dice.randrange(256)])), 'byte at %#x' % at


def hurt_bit(dice, seed):
    at = place(dice, seed)
    return put(seed, at, bytes([seed.bytes[at] ^ 1 << dice.randrange(8)])), 'bit at %#x' % at


def hurt_word(dice, seed):
    width = dice.choice((2, 4, 8))
    at = place(dice, seed) & -width
    value = dice.choice(VALUES + (dice.getrandbits(64),)) & (1 << 8 * width) - 1
    return (put(seed, at, value.to_bytes(width, 'little')),
            'word of %d at %#x is %#x' % (width, at, value))


def hurt_type(dice, seed):
    at, kind = dice.choice(seed.records)[0], dice.choice(TYPES)
    return put(seed, at, struct.pack('<I', kind)), 'record at %#x is of type %d' % (at, kind)


def hurt_size(dice, seed):
    at, size = dice.choice(seed.records)
    new = max(0, size + dice.choice((-16, -8, -1, 1, 8, 16, 64))) & 0xffff
    return put(seed, at + 6, struct.pack('<H', new)), 'record at %#x has size %d' % (at, new)


def hurt_zero(dice, seed):
    at, n = place(dice, seed), dice.choice((8, 64, 512, 4096))
    return put(seed, at, bytes(min(n, len(seed.bytes) - at))), '%d zeros at %#x' % (n, at)


def hurt_cut(dice, seed):
    at = place(dice, seed)
    return seed.bytes[:at], 'cut at %#x' % at


def hurt_drop(dice, seed):
    at, n = dice.choice(seed.records)
    return seed.bytes[:at] + seed.bytes[at + n:], 'record at %#x left out' % at


def hurt_twice(dice, seed):
    at, n = dice.choice(seed.records)
    return seed.bytes[:at + n] + seed.bytes[at:], 'record at %#x twice' % at


def hurt_order(dice, seed):
    """Two records of one size change places, so that all else stays where it is."""
    at, n = dice.choice(seed.records)
    to, _ = dice.choice([r for r in seed.records if r[1] == n])
    a, b = seed.bytes[at:at + n], seed.bytes[to:to + n]
    whole = bytearray(seed.bytes)
    whole[at:at + n], whole[to:to + n] = b, a
    return bytes(whole), 'records at %#x and %#x changed places' % (at, to)


HURTS = (hurt_byte, hurt_bit, hurt_word, hurt_word, hurt_word, hurt_type, hurt_size, hurt_zero,
         hurt_cut, hurt_drop, hurt_twice, hurt_order)
NEED_RECORDS = (hurt_type, hurt_size, hurt_drop, hurt_twice, hurt_order)


# -- Both programs ------------------------------------------------------------------------
def run(program, seed, options, folder):
    """(exit status, or what else became of it; standard output; standard error)"""
    home = os.path.join(folder, 'home')
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home)
    symfs = ['--symfs', seed.symfs] if seed.symfs else []
    try:
        done = subprocess.run(
            [program, 'script', '-f', *symfs, '-i', os.path.join(folder, 'hurt.data'),
             *options.split()], env=cases.environment(home), cwd=folder,
            timeout=PERFS if program == 'perf' else LIMIT,
            stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return 'hangs', b'', b''
    if done.returncode < 0 or done.returncode == 99:
        return 'crashes', done.stdout, done.stderr
    return done.returncode, done.stdout, done.stderr


def lacking(want, got):
    """How many lines of perf's ptscript did not print."""
    a, b = (collections.Counter(text.splitlines()) for text in (want, got))
    return sum((a - b).values())


def reason(err):
    """The first line that names a cause, without what differs from file to file."""
    lines = err.decode('utf-8', 'replace').splitlines()
    for line in lines:
        if line.startswith(('ptscript: ', 'Error', 'WARNING')) or len(lines) == 1:
            line = re.sub(r'\S*hurt\.data', 'FILE', line)
            return re.sub(r'0x[0-9a-f]+|\d+', 'N', line)[:110]
    return re.sub(r'0x[0-9a-f]+|\d+', 'N', lines[0])[:110] if lines else ''


def has_trigger(program, seed, folder):
    """Whether the damage made a TRIG, where perf has a bad packet (docs/compat.md)."""
    dump = run(program, seed, '-D', folder)[1]
    return re.search(rb'\n\.  [0-9a-f]+:  d9  +Bad packet!\n', dump)


def judge(perf, ours):
    """What the two runs say: (verdict, lines lacking)."""
    if ours[0] in ('hangs', 'crashes'):
        return ours[0], 0
    if perf[0] in ('hangs', 'crashes'):
        return 'perf ' + perf[0], 0
    less = lacking(perf[1], ours[1])
    if not less:
        return 'same' if perf[1] == ours[1] else 'more', 0
    if len(ours[1].splitlines()) >= len(perf[1].splitlines()):
        return 'other', less
    return ('told' if ours[2].strip() else 'silent'), less


# -- All rounds ---------------------------------------------------------------------------
def seeds(top, only, own):
    found = []
    for capture in oracle.captures():
        beside = not capture.data.startswith(os.path.join(oracle.TOP, 'testdata'))
        if own and beside:
            continue
        if only in capture.name and os.path.getsize(capture.data) < 1 << 20:
            found.append(Seed(capture.name, None, capture.data, capture.symfs, WANTED))
    for _, name, fn in cases.cases([]):
        if only not in name or name.startswith(('damage.', 'kernel.', 'kernel_kinds.')):
            continue
        folder = os.path.join(top, name)
        os.mkdir(folder)
        cases.make(fn, folder)
        for file in ('perf.data', 'pipe.data'):
            path = os.path.join(folder, file)
            if os.path.isfile(path) and os.path.getsize(path) < 1 << 20:
                symfs = os.path.join(folder, 'symfs')
                found.append(Seed('%s/%s' % (name, file), folder, path,
                                  symfs if os.path.isdir(symfs) else None, WANTED))
    return found


def one_round(dice, seed, ptscript, folder):
    hurt = dice.choice([h for h in HURTS if seed.records or h not in NEED_RECORDS])
    data, what = hurt(dice, seed)
    options = dice.choice(seed.options)
    path = os.path.join(folder, 'hurt.data')
    with open(path, 'wb') as f:
        f.write(data)
    os.utime(path, (10 ** 9, 10 ** 9))
    perf = run('perf', seed, options, folder)
    ours = run(ptscript, seed, options, folder)
    return what, options, perf, ours


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--ptscript', required=True)
    args.add_argument('--count', type=int, default=5000)
    args.add_argument('--seed', type=int, default=1)
    args.add_argument('--only', default='')
    args.add_argument('--keep')
    args.add_argument('--show', action='store_true')
    args.add_argument('--own', action='store_true')
    args = args.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: nothing to compare with')
        return 77
    program = os.path.abspath(args.ptscript)
    dice = random.Random(args.seed)
    verdicts, reasons = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as top:
        all_seeds = seeds(top, args.only, args.own)
        captured = [s for s in all_seeds if s.folder is None]
        folder = os.path.join(top, 'round')
        os.mkdir(folder)
        for i in range(args.count):
            few = captured and dice.random() < .4
            seed = dice.choice(captured if few else all_seeds)
            what, options, perf, ours = one_round(dice, seed, program, folder)
            verdict, less = judge(perf, ours)
            if verdict == 'silent' and has_trigger(program, seed, folder):
                verdict = 'TRIG'
            verdicts[verdict] += 1
            if verdict == 'told':
                reasons[reason(ours[2])] += 1
            bad = verdict in ('silent', 'hangs', 'crashes')
            if bad or (args.show and verdict in ('told', 'other')):
                print('%-7s %d: %s [%s] %s: perf %s %d lines, ours %s %d, lacking %d; %s' % (
                    verdict, i, seed.name, options, what, perf[0], perf[1].count(b'\n'), ours[0],
                    ours[1].count(b'\n'), less, reason(ours[2])), flush=True)
                if args.keep:
                    shutil.copy(os.path.join(folder, 'hurt.data'),
                                os.path.join(args.keep, '%d.data' % i))
    for text, n in reasons.most_common():
        print('%6d %s' % (n, text))
    print(', '.join('%d %s' % (n, v) for v, n in verdicts.most_common()))
    bad = sum(verdicts[v] for v in ('silent', 'hangs', 'crashes'))
    print('%d passed, %d failed' % (args.count - bad, bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
