#!/usr/bin/env python3
"""long.py - recordings of some MB: threads help each other otherwise than in short ones (synth/run/team.c).

SPDX-License-Identifier: MIT

    long.py --ptscript PROGRAM --ptrecord PROGRAM

A program that does little but call is recorded, alone and with threads that take turns on few CPUs.  perf's text,
what it tells on standard error and its exit status must be those of one thread and of several.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import oracle  # noqa: E402

LEAST = 4 << 20  # bytes of a recording: BUSY_FROM of team.c
OPTIONS = ('--call-trace', '--call-ret-trace', '--itrace=be -F ip,addr,time', '--itrace=i100usge', '--itrace=i1000ie',
           'report --itrace=i10usge', 'report --itrace=b')
JOBS = ('1', '2', '3')
EVENT = ['-e', 'intel_pt/cyc,noretcomp/u']
RECORDINGS = (('alone', ['1', '27'], ['--cpus', '1']),
              ('turns', ['3', '25'], ['--cpus', '2', '--slice', '2000', '--interrupts', '5000']))


def record(ptrecord, program, name, arguments, how, folder):
    to = os.path.join(folder, name)
    os.makedirs(to)
    data, symfs = os.path.join(to, 'perf.data'), os.path.join(to, 'symfs')
    subprocess.run([ptrecord, '-q', '-o', data, '--symfs', symfs, *EVENT, *how, '--', program, *arguments], check=True)
    if os.path.getsize(data) < LEAST:
        sys.exit('%s: %d bytes, which is no long recording' % (name, os.path.getsize(data)))
    return oracle.Capture(name, data, symfs, os.path.join(symfs, '.debug'))


def without_tip(path):
    with open(path, 'rb') as f:
        lines = [line for line in f if not line.startswith(b'# (Tip: ')]
    with open(path, 'wb') as f:
        f.writelines(lines)


def differs(ptscript, perf, capture, options, folder):
    """The numbers of threads that print something else than perf."""
    want, status, _, said = perf.output(capture, options, folder)
    if options.startswith('report'):
        without_tip(want)
    if not os.path.getsize(want):
        return ['(perf prints nothing)']
    bad = []
    for jobs in JOBS:
        got, our_status, _, err = oracle.ours(ptscript, capture, options + ' --jobs ' + jobs, folder)
        if oracle.lines_equal(want, got) or status != our_status or oracle.without_own(err) != said:
            bad.append(jobs)
    return bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', required=True)
    ap.add_argument('--ptrecord', required=True)
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    perf, bad = oracle.Perf(None), 0
    with tempfile.TemporaryDirectory(prefix='long-') as folder:
        program = os.path.join(folder, 'calls')
        subprocess.run(['gcc', '-O1', '-pthread', '-fno-optimize-sibling-calls', '-o', program,
                        os.path.join(HERE, 'src', 'calls.c')], check=True)
        for name, arguments, how in RECORDINGS:
            capture = record(os.path.abspath(args.ptrecord), program, name, arguments, how, folder)
            for options in OPTIONS:
                for jobs in differs(os.path.abspath(args.ptscript), perf, capture, options, folder):
                    print('DIFF  %s %s --jobs %s' % (name, options, jobs))
                    bad += 1
    print('%d recordings, %d option sets each: %d differ' % (len(RECORDINGS), len(OPTIONS), bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
