#!/usr/bin/env python3
"""matrix.py - programs x ways to record them x option sets, each as perf prints it.

SPDX-License-Identifier: MIT

    matrix.py --ptscript PROGRAM --ptrecord PROGRAM [--quick] [--jobs N] [--keep DIR]
              [--programs PATTERNS] [--recordings PATTERNS] [OPTIONS]

Programs are those of tests/recorder/record.py, recordings those of recordings.txt, option
sets those of options.txt that are not about one capture.  Each recording is first checked
against the list of executed instructions (the truth): what perf makes of it must be that
list.  known.txt lists differences as PROGRAM/RECORDING.

Prints a line per recording, and the cells that differ.
"""
import argparse
import array
import collections
import concurrent.futures
import fnmatch
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402
sys.path.insert(0, os.path.join(oracle.TOP, 'tests', 'recorder'))
import record as programs  # noqa: E402

INSNS = {True: 60000, False: 300000}  # at most so many are recorded; quick or not
LIMIT = 300  # seconds for one recording

Program = collections.namedtuple('Program', 'name command')
Recording = collections.namedtuple('Recording', 'name truth quick options')


def recordings():
    with open(os.path.join(oracle.HERE, 'recordings.txt')) as f:
        return [Recording(*line.rstrip('\n').split('\t'))
                for line in f if line.strip() and not line.startswith('#')]


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns.split(','))


def option_sets(quick):
    """Those with a time or a thread of one capture in them say nothing elsewhere."""
    return [s for s in oracle.option_sets(quick) if not re.search(r'\b\d{5,}\.|--tid', s)]


class Failure(Exception):
    pass


# --- programs and recordings ---------------------------------------------------------------

def record(ptrecord, program, recording, folder, work, insns):
    """The capture, and how many faults were put into it."""
    data, symfs = os.path.join(folder, 'perf.data'), os.path.join(folder, 'symfs')
    argv = [ptrecord, '-o', data, '--symfs', symfs, '--truth', os.path.join(folder, 'truth'),
            '--max-insns', str(insns)] + shlex.split(recording.options)
    argv += ['--'] + shlex.split(program.command)
    try:
        done = subprocess.run(argv, cwd=work, env=programs.environment(work), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
                              errors='replace')
    except subprocess.TimeoutExpired:
        raise Failure('ptrecord hangs: ' + shlex.join(argv))
    if not os.path.exists(data):
        raise Failure('ptrecord: status %d: %s' % (done.returncode, done.stderr[-300:]))
    faults = re.search(r'^ptrecord: (\d+) faults', done.stderr, re.M)
    name = '%s/%s' % (program.name, recording.name)
    return oracle.Capture(name, data, symfs, os.path.join(symfs, '.debug')), \
        int(faults[1]) if faults else 0


# --- truth -----------------------------------------------------------------------------------

def executed(file, repeat):
    threads = {}
    with open(file, 'rb') as f:
        for tid, ip in struct.iter_unpack('<IQ', f.read()):
            threads.setdefault(tid, array.array('Q')).append(ip)
    span = max(threads) - min(threads) + 1 if threads else 0
    return {tid + k * span: ips for k in range(repeat) for tid, ips in threads.items()}


def decoded(perf, capture, tmp):
    out, status, _, _ = perf.output(capture, '--itrace=i0ns -F event,tid,ip', tmp)
    line = re.compile(rb'^\s*(\d+)\s+instructions\S*\s+([0-9a-f]+)\s*$')
    threads = {}
    with open(out, 'rb') as f:
        for m in filter(None, map(line.match, f)):
            threads.setdefault(int(m[1]), array.array('Q')).append(int(m[2], 16))
    return threads, status


def is_part(some, all_of):
    rest = iter(all_of)
    return all(any(ip == other for other in rest) for ip in some)


def truth_of(program, recording):
    """What must hold for this program."""
    kind, _, only = recording.truth.partition(':')
    if program.name in programs.UNFOLLOWED or (only and not matches(program.name, only)):
        return 'none'
    return kind


def check_truth(perf, capture, truth, recording, faults, tmp):
    """How many instructions perf finds; Failure when they are not the right ones."""
    if truth == 'none':
        return 0
    repeat = re.search(r'--repeat (\d+)', recording.options)
    want = executed(os.path.join(os.path.dirname(capture.data), 'truth'),
                    int(repeat[1]) if repeat else 1)
    got, status = decoded(perf, capture, tmp)
    out = perf.output(capture, '--itrace=e', tmp)[0]
    with open(out, 'rb') as f:
        errors = [e for e in f if b'instruction trace error' in e]
    if status or len(errors) != faults:
        raise Failure('perf: status %s, %d errors, not %d: %s' % (
            status, len(errors), faults, errors[:1]))
    if not got:
        raise Failure('perf finds nothing')
    for tid in sorted(set(want) | set(got)):
        a, b = want.get(tid, array.array('Q')), got.get(tid, array.array('Q'))
        if truth == 'exact' and a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                      min(len(a), len(b)))
            raise Failure('thread %d: perf finds %d instructions of %d, other at %d' % (
                tid, len(b), len(a), at))
        if truth != 'exact' and not is_part(b, a):
            raise Failure('thread %d: perf finds what was not executed' % tid)
    return sum(map(len, got.values()))


# --- cells -----------------------------------------------------------------------------------

def run(job, args, perf, sets, known, work):
    """(line, verdicts) of one recording."""
    program, recording = job
    count, lines = collections.Counter(), []
    name = '%s/%s' % (program.name, recording.name)
    with tempfile.TemporaryDirectory(prefix='matrix-') as folder:
        try:
            capture, faults = record(args.ptrecord, program, recording, folder, work,
                                     INSNS[args.quick])
            found = check_truth(perf, capture, truth_of(program, recording), recording,
                                faults, folder)
            for options in sets:
                cell = oracle.judge(perf, args.ptscript, capture, options, known, args.keep)
                count[cell.verdict] += 1
                if cell.verdict in ('DIFF', 'refused'):
                    lines.append(str(cell))
        except Failure as failure:
            count['DIFF'] += 1
            lines.append('FAIL  %s: %s' % (name, failure))
            found = 0
        if args.keep and count['DIFF']:
            shutil.copytree(folder, os.path.join(args.keep, name.replace('/', '_')),
                            dirs_exist_ok=True, symlinks=True)
    head = '%-5s %-24s %7d instructions, %s' % (
        'DIFF' if count['DIFF'] else 'ok', name, found,
        ', '.join('%d %s' % (n, v) for v, n in sorted(count.items())))
    return '\n'.join([head] + lines), count


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default=os.path.join(oracle.TOP, 'build/dev/ptscript'))
    ap.add_argument('--ptrecord', default=os.path.join(oracle.TOP, 'build/dev/ptrecord'))
    ap.add_argument('--quick', action='store_true', help='the short run')
    ap.add_argument('--jobs', type=int, default=os.cpu_count())
    ap.add_argument('--keep', help='copy what differs here')
    ap.add_argument('--programs', default='*')
    ap.add_argument('--recordings', default='*')
    args, rest = ap.parse_known_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    args.ptscript, args.ptrecord = map(os.path.abspath, (args.ptscript, args.ptrecord))
    sets = [shlex.join(rest)] if rest else option_sets(args.quick)
    perf, known, total = oracle.Perf(None), oracle.known_differences(), collections.Counter()
    with tempfile.TemporaryDirectory(prefix='matrix-') as work, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        programs.make_input(work)
        there = [Program(name, command) for name, command, _ in programs.programs(work, None)
                 if matches(name, args.programs)]
        jobs = [(p, r) for r in recordings() for p in there if matches(r.name, args.recordings)
                and (not args.quick or matches(p.name, r.quick))]
        print('%s; %d programs, %d recordings, %d option sets' % (
            perf.version, len(there), len(jobs), len(sets)), flush=True)
        for line, count in pool.map(
                lambda job: run(job, args, perf, sets, known, work), jobs):
            print(line, flush=True)
            total += count
    print('%d passed, %d failed, %d refused, %d known differences' % (
        total['ok'], total['DIFF'], total['refused'], total['known']))
    return total['DIFF'] + total['refused'] != 0 or not total['ok']


if __name__ == '__main__':
    sys.exit(main())
