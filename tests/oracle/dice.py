#!/usr/bin/env python3
"""dice.py - programs, ways to record them and options, all by chance.

SPDX-License-Identifier: MIT

    dice.py --ptscript PROGRAM --ptrecord PROGRAM [--seconds N] [--seed N] [--keep DIR]
            [--captures] [--sets N]

What matrix.py tries is chosen; here nobody chose it.  Each round records a program in some
way (or takes a capture of testdata/ and the folder beside the checkout: --captures) and
compares the output of perf under some option sets.  The same seed makes the same rounds.
"""
import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import matrix  # noqa: E402
import oracle  # noqa: E402
from matrix import programs  # noqa: E402

LETTERS = 'bcrxwpoeIqqAZ'
PERIODS = ('', '0ns', '1t', '7i', '100i', '1001i', '33t', '4096t', '1us', '3us', '10us', '100us',
           '1ms', '64')
COLUMNS = ('comm', 'tid', 'pid', 'time', 'cpu', 'event', 'ip', 'sym', 'symoff', 'dso', 'addr',
           'flags', 'period', 'insn', 'insnlen', 'ipc', 'synth', 'srcline', 'callindent',
           'iregs', 'weight', 'data_src', 'phys_addr', 'misc')
STACKS = ('brstack', 'brstacksym', 'brstackoff', 'brstackinsn', 'brstackinsnlen')
OTHER = ('--ns', '--reltime', '--deltatime', '--show-task-events', '--show-mmap-events',
         '--show-switch-events', '--show-lost-events', '-L', '--hide-call-graph', '-f',
         '--full-source-path', '--pad-dso', '-S main,_start,free', '--dsos libc.so.6',
         '--comms ls,sh,bash,jit,python3', '--stop-bt main', '--graph-function main,f',
         '--max-blocks 2')
TERMS = ('cyc', 'cyc,cyc_thresh=3', 'noretcomp', 'mtc=0', 'mtc_period=0', 'mtc_period=6',
         'psb_period=0', 'psb_period=5', 'tsc=0,mtc=0', 'ptw', 'ptw,fup_on_ptw', 'pwr_evt',
         'event')


def letters(dice):
    """An argument of --itrace."""
    text = ''.join(dice.sample(LETTERS, dice.randint(0, 5)))
    if dice.random() < .7:
        text += 'i' + dice.choice(PERIODS)
    for letter in 'gGlL':
        if dice.random() < .12:
            text += letter + dice.choice(('', '2', '5', '16', '64'))
    if dice.random() < .1:
        text += 's' + str(dice.choice((1, 10, 1000)))
    return text or 'be'


def fields(dice):
    if dice.random() < .5:
        return '-F' + ','.join('+' + c for c in dice.sample(COLUMNS + STACKS, dice.randint(1, 4)))
    return '-F ' + ','.join(dice.sample(COLUMNS, dice.randint(2, 8)))


def span(dice):
    a, b, c, d = sorted(dice.sample(range(101), 4))
    return dice.choice(('--time %d%%-%d%%' % (a, d), '--time 0%%-%d%%' % b,
                        '--time %d%%-%d%%,%d%%-%d%%' % (a, b, c, d),
                        '--time %d%%/%d' % (max(1, 100 // (1 + a % 4) // 2), 1 + a % 2)))


def options(dice):
    words = ['--itrace=' + letters(dice)]
    if dice.random() < .1:
        words = [dice.choice(('', '-D', '--insn-trace', '--call-trace', '--call-ret-trace'))]
    if dice.random() < .5:
        words.append(fields(dice))
    if dice.random() < .4:
        words.append(span(dice))
    if dice.random() < .15 and '-D' not in words:  # see "The dump" in docs/compat.md
        words.append(dice.choice(('-C 0', '-C 1,3', '-C 0-2')))
    if dice.random() < .1:
        words.append('--max-stack %d' % dice.choice((1, 2, 7, 200)))
    return ' '.join(w for w in words + dice.sample(OTHER, dice.randint(0, 2)) if w)


def recorder(dice):
    """Options of ptrecord that are no faults and make no samples that perf cannot read."""
    terms = [t for t in TERMS if dice.random() < .25]
    words = ['-e', 'intel_pt/%s/u' % ','.join(terms)] if terms else []
    words += ['--seed', str(dice.randint(1, 999)), '--cpus', str(dice.randint(1, 6)),
              '--slice', str(dice.choice((300, 1000, 5000, 20000))),
              '--interrupts', str(dice.choice((0, 200, 3000, 100000)))]
    kind = dice.choice(('--snapshot', '--aux-sample', '--pebs', '--pebs --pebs-lbr --pebs-xmm')
                       + ('',) * 6)
    pieces = kind in ('--snapshot', '--aux-sample')
    some = ['--buildid-mmap', '--overflow 3', '--repeat 2',
            '--aux-bytes 8192' if pieces else '--truncate 3']
    if dice.random() < .12:
        words.append('--per-thread')
    elif 'tsc=0,mtc=0' not in terms:
        some += ['--own-switches', '--lost 3']
    words += [kind] + [word for word in some if dice.random() < .12]
    name = 'events-dice' if 'pwr_evt' in terms else 'dice'  # as known.txt names them
    return matrix.Recording(name, 'none', '-', ' '.join(w for w in words if w))


def one_capture(dice, args, there, work, folder):
    if args.captures:
        return dice.choice(there), ''
    program, how = dice.choice(there), recorder(dice)
    insns = dice.choice((2000, 20000, 60000))
    capture, _ = matrix.record(args.ptrecord, program, how, folder, work, insns)
    return capture, '%s --max-insns %d -- %s' % (how.options, insns, program.command)


def round_of(dice, args, perf, known, there, work):
    count = collections.Counter()
    with tempfile.TemporaryDirectory(prefix='dice-') as folder:
        sets = [options(dice) for _ in range(args.sets)]
        try:
            capture, how = one_capture(dice, args, there, work, folder)
        except matrix.Failure as failure:
            print('FAIL ', failure, flush=True)
            return collections.Counter(DIFF=1)
        for text in sets:
            if capture.name.startswith('jit/') and 'src' in text:
                continue  # perf dies, or not, by chance: docs/compat.md, "Source lines"
            cell = oracle.judge(perf, args.ptscript, capture, text, known, args.keep)
            count[cell.verdict] += 1
            if cell.verdict == 'DIFF':
                print('%s\n      %s' % (cell, how), flush=True)
        if args.keep and count['DIFF'] and not args.captures:
            shutil.copytree(folder, os.path.join(args.keep, os.path.basename(folder)),
                            symlinks=True)
            print('      kept as', os.path.basename(folder), flush=True)
    return count


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default=os.path.join(oracle.TOP, 'build/dev/ptscript'))
    ap.add_argument('--ptrecord', default=os.path.join(oracle.TOP, 'build/dev/ptrecord'))
    ap.add_argument('--seconds', type=int, default=60)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--sets', type=int, default=20, help='option sets for each recording')
    ap.add_argument('--captures', action='store_true', help='captures, not new recordings')
    ap.add_argument('--keep', help='copy what differs here')
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    args.ptscript, args.ptrecord = map(os.path.abspath, (args.ptscript, args.ptrecord))
    dice, end = random.Random(args.seed), time.monotonic() + args.seconds
    perf, known, total = oracle.Perf(None), oracle.known_differences(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix='dice-') as work:
        programs.make_input(work)
        there = oracle.captures() if args.captures else [
            matrix.Program(name, command) for name, command, _ in programs.programs(work, None)]
        while time.monotonic() < end:
            total += round_of(dice, args, perf, known, there, work)
    print('seed %d: %d passed, %d failed, %d refused by both, %d known differences' % (
        args.seed, total['ok'], total['DIFF'], total['refused'], total['known']))
    return total['DIFF'] != 0 or not total['ok']


if __name__ == '__main__':
    sys.exit(main())
