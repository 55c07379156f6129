#!/usr/bin/env python3
"""unwind.py - call chains from stack dumps that perf record makes here and now, against perf.

SPDX-License-Identifier: MIT

    unwind.py [--ptscript PROGRAM]

Programs with all kinds of frames are built and recorded; what they map is copied below symfs, so
that the kernel's symbols, which would be those of this machine, stay out.  The process has run other
programs before, so that files are mapped several times.  Exit status 77
(skipped) when perf or a compiler is missing or nothing may be recorded.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import cases  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BUILDS = {'O0': 'gcc -g -O0', 'O2': 'gcc -g -O2', 'fp': 'gcc -O2 -fno-omit-frame-pointer',
          'stripped': 'gcc -O2 -s', 'static': 'gcc -O1 -static', 'no-pie': 'gcc -O1 -no-pie',
          'no-tables': 'gcc -O1 -fno-asynchronous-unwind-tables'}
OPTIONS = ('', '--no-inline', '-F +srcline --no-inline', '--full-source-path -F +srcline', '--max-stack 3', '--max-stack 0', '-F ip,sym,symoff,dso', '-F comm,tid,ip', '-F +srcline', '-D',
           '--hide-call-graph', '--stop-bt qsort', '-F -ip')
RECORD = ('--call-graph dwarf', '--call-graph dwarf,1024', '-g --user-regs=ip,sp')


def record(folder, build, how):
    """Whether it could be built and recorded."""
    program = os.path.join(folder, 'frames')
    made = subprocess.run(build.split() + ['-o', program, os.path.join(HERE, 'src', 'frames.c')],
                          capture_output=True)
    if made.returncode:
        return False
    done = subprocess.run(['perf', 'record', '-F', '997', '-e', 'cpu-clock', '-o', 'perf.data',
                           *how.split(), 'env', 'env', program], cwd=folder, env=cases.environment(folder),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    if done.returncode:
        return False
    shown = subprocess.run(['perf', 'script', '-i', 'perf.data', '--show-mmap-events', '-F', 'ip'],
                           cwd=folder, env=cases.environment(folder), capture_output=True)
    for line in shown.stdout.decode(errors='replace').splitlines():
        path = line.split()[-1] if 'PERF_RECORD_MMAP' in line else ''
        where = os.path.join(folder, 'symfs') + path
        if path.startswith('/') and os.path.isfile(path) and not os.path.exists(where):
            os.makedirs(os.path.dirname(where), exist_ok=True)
            shutil.copy(path, where)
    return True


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    args = ap.parse_args()
    if not shutil.which('perf') or not shutil.which('gcc'):
        print('perf or gcc is not installed: skipped')
        return 77
    ours = [os.path.abspath(args.ptscript)]
    same = bad = made = 0
    for how in RECORD:
        for name, build in BUILDS.items():
            with tempfile.TemporaryDirectory() as tmp:
                if not record(tmp, build, how):
                    print('%s, %s: cannot be recorded here' % (name, how))
                    continue
                made += 1
                for o in cases.sample(OPTIONS, made):
                    want = cases.text_of(o, cases.run(cases.PERF, o, tmp))
                    got = cases.text_of(o, cases.run(ours, o, tmp))
                    same += cases.agree(want, got)
                    if not cases.agree(want, got):
                        bad += 1
                        print('%s, %s: %s' % (name, how, o))
                        print(cases.difference(want, got))
    print('%d recordings, %d outputs equal, %d differ' % (made, same, bad))
    return 77 if not made else bad != 0


if __name__ == '__main__':
    sys.exit(main())
