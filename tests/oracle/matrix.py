#!/usr/bin/env python3
"""matrix.py - programs x ways to record them x option sets, each as perf prints it.

SPDX-License-Identifier: MIT

    matrix.py --ptscript PROGRAM --ptrecord PROGRAM [--quick] [--jobs N] [--keep DIR]
              [--programs PATTERNS] [--recordings PATTERNS] [OPTIONS]

Programs are those of programs.txt, recordings those of recordings.txt, option sets those of
options.txt that are not about one capture.  Each recording is first checked against the list
of executed instructions (the truth): what perf makes of it must be that list.  known.txt
lists differences as PROGRAM/RECORDING.

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

SOURCES = os.path.join(oracle.TOP, 'tests', 'recorder', 'programs')
INSNS = {True: 60000, False: 300000}  # at most so many are recorded; quick or not
LIMIT = 300  # seconds for one recording

Program = collections.namedtuple('Program', 'name command build')
Recording = collections.namedtuple('Recording', 'name truth quick options')


def table(name, row):
    rows = []
    with open(os.path.join(oracle.HERE, name)) as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                rows.append(row(*line.rstrip('\n').split('\t')))
    return rows


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p) for p in patterns.split(','))


def option_sets(quick):
    """Those with a time or a thread of one capture in them say nothing elsewhere."""
    return [s for s in oracle.option_sets(quick) if not re.search(r'\b\d{5,}\.|--tid', s)]


class Failure(Exception):
    pass


# --- programs and recordings ---------------------------------------------------------------

def expand(text, binaries):
    return text.replace('$S', SOURCES).replace('$B', binaries)


def build(program, binaries):
    """True when the program is there; what cannot be built here is said."""
    if program.build == '-':
        there = shutil.which(shlex.split(program.command)[0])
        if not there:
            print('skip  %s: not installed' % program.name)
        return bool(there)
    done = subprocess.run(expand(program.build, binaries), shell=True, capture_output=True,
                          text=True)
    if done.returncode:
        print('skip  %s: cannot be built: %s' % (program.name, done.stderr.strip()[-200:]))
    return done.returncode == 0


def record(ptrecord, program, recording, folder, binaries, insns):
    """The capture, and how many faults were put into it."""
    data, symfs = os.path.join(folder, 'perf.data'), os.path.join(folder, 'symfs')
    argv = [ptrecord, '-o', data, '--symfs', symfs, '--truth', os.path.join(folder, 'truth'),
            '--max-insns', str(insns)] + shlex.split(recording.options)
    argv += ['--'] + shlex.split(expand(program.command, binaries))
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT, errors='replace')
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
    out, status, _ = perf.output(capture, '--itrace=i0ns -F event,tid,ip', tmp)
    line = re.compile(rb'^\s*(\d+)\s+instructions\S*\s+([0-9a-f]+)\s*$')
    threads = {}
    with open(out, 'rb') as f:
        for m in filter(None, map(line.match, f)):
            threads.setdefault(int(m[1]), array.array('Q')).append(int(m[2], 16))
    return threads, status


def is_part(some, all_of):
    rest = iter(all_of)
    return all(any(ip == other for other in rest) for ip in some)


def check_truth(perf, capture, recording, faults, tmp):
    """How many instructions perf finds; Failure when they are not the right ones."""
    if recording.truth == 'none':
        return 0
    repeat = re.search(r'--repeat (\d+)', recording.options)
    want = executed(os.path.join(os.path.dirname(capture.data), 'truth'),
                    int(repeat[1]) if repeat else 1)
    got, status = decoded(perf, capture, tmp)
    out, _, _ = perf.output(capture, '--itrace=e', tmp)
    with open(out, 'rb') as f:
        errors = [e for e in f if b'instruction trace error' in e]
    if status or len(errors) != faults:
        raise Failure('perf: status %s, %d errors, not %d: %s' % (
            status, len(errors), faults, errors[:1]))
    for tid in sorted(set(want) | set(got)):
        a, b = want.get(tid, array.array('Q')), got.get(tid, array.array('Q'))
        if recording.truth == 'exact' and a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y),
                      min(len(a), len(b)))
            raise Failure('thread %d: perf finds %d instructions of %d, other at %d' % (
                tid, len(b), len(a), at))
        if recording.truth != 'exact' and not is_part(b, a):
            raise Failure('thread %d: perf finds what was not executed' % tid)
    return sum(map(len, got.values()))


# --- cells -----------------------------------------------------------------------------------

def run(job, args, perf, sets, known, binaries):
    """(line, verdicts) of one recording."""
    program, recording = job
    count, lines = collections.Counter(), []
    name = '%s/%s' % job_names(job)
    with tempfile.TemporaryDirectory(prefix='matrix-') as folder:
        try:
            capture, faults = record(args.ptrecord, program, recording, folder, binaries,
                                     INSNS[args.quick])
            found = check_truth(perf, capture, recording, faults, folder)
            for options in sets:
                cell = oracle.judge(perf, args.ptscript, capture, options, known, args.keep)
                count[cell.verdict] += 1
                if cell.verdict == 'DIFF':
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


def job_names(job):
    return job[0].name, job[1].name


def jobs_wanted(args, programs):
    return [(p, r) for r in table('recordings.txt', Recording) for p in programs
            if matches(r.name, args.recordings)
            and (not args.quick or matches(p.name, r.quick))]


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
    with tempfile.TemporaryDirectory(prefix='matrix-') as binaries, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        programs = [p for p in table('programs.txt', Program)
                    if matches(p.name, args.programs) and build(p, binaries)]
        jobs = jobs_wanted(args, programs)
        print('%s; %d programs, %d recordings, %d option sets' % (
            perf.version, len(programs), len(jobs), len(sets)), flush=True)
        for line, count in pool.map(
                lambda job: run(job, args, perf, sets, known, binaries), jobs):
            print(line, flush=True)
            total += count
    print('%d passed, %d failed, %d known differences' % (
        total['ok'], total['DIFF'], total['known']))
    return total['DIFF'] != 0 or not total['ok']


if __name__ == '__main__':
    sys.exit(main())
