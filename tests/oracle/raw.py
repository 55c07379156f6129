#!/usr/bin/env python3
"""raw.py - recordings taken apart, and decoded as bare traces with side-band: ptscript must
print what perf prints of the whole.

SPDX-License-Identifier: MIT

    raw.py --ptscript PROGRAM [MODULE...]   modules of tests/cases, after the captures

Of a recording with several buffers one is decoded at a time; perf is told its CPU.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import unwrap  # noqa: E402

TESTDATA = os.path.join(HERE, '..', '..', 'testdata')
CAPTURES = ('emu-mix', 'emu-sig', 'emu-thr', 'emu-ls')
LIMIT = 20  # seconds; perf 6.1 follows some loops for ever
SHOW = ['--show-task-events', '--show-mmap-events', '--show-switch-events']

# The names of events are left out: what was excluded a bare trace does not say.
OPTION_SETS = (
    ['--itrace=be', '-F', 'comm,pid,tid,cpu,time,ip,sym,symoff,dso,addr,flags,ipc'],
    ['--itrace=i0nse', '-F', 'comm,tid,cpu,time,ip,sym,insn,insnlen', '--ns'],
    ['--itrace=bxwpe', '-F-event'] + SHOW,
    ['--itrace=crei3i', '-F-event,+callindent,+flags'],
    ['--call-trace'],
)

# Not those about headers, samples, containers and several pieces of trace: they are not in a
# bare one.
MODULES = ('branches', 'columns', 'disasm', 'events', 'h1', 'h2', 'h3', 'quick', 'stacks', 'time')
SKIP = ('events.empty', 'events.no_psb')  # nothing to decode: refused


def run(argv):
    with tempfile.TemporaryDirectory() as home:
        try:
            done = subprocess.run(argv, capture_output=True, stdin=subprocess.DEVNULL,
                                  env=cases.environment(home), timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None, b''
    return done.returncode, done.stdout


def compare(name, program, path, common, more=()):
    """(equal, different) runs of one recording.  more: only for ptscript.  The clock is told,
    and told by a record where there is one."""
    equal = different = 0
    u = unwrap.Unwrapped(path)
    for cpu in u.trace:
        with tempfile.TemporaryDirectory() as tmp:
            files = u.write(tmp, cpu)
            for options in OPTION_SETS:
                words = common + (['-C', str(cpu)] if len(u.trace) > 1 else []) + options
                want = run(['perf', 'script', '-i', path] + words)
                if want[0] is None or want[0] < 0:
                    continue  # hangs, or crashes
                got = [run([program] + u.options(files, clock) + list(more) + words)
                       for clock in ([True, False] if u.has_clock else [True])]
                if all(want == g for g in got):
                    equal += 1
                    continue
                different += 1
                got = next(g for g in got if g != want)
                print('DIFF    %s cpu %d %s: exit %s %s' % (name, cpu, ' '.join(options),
                                                           want[0], got[0]))
                print(cases.difference(want[1], got[1]))
    return equal, different


def captures(program):
    symfs = os.path.join(TESTDATA, 'symfs')
    cache = os.path.join(symfs, '.debug')
    vdso = [os.path.join(folder, 'vdso') for folder, _, names in os.walk(cache)
            if 'vdso' in names][0]
    for name in CAPTURES:
        path = os.path.join(TESTDATA, name, 'perf.data')
        yield compare(name, program, path, ['--symfs', symfs], ['--pevent:vdso-x64', vdso])


def small(program, modules):
    """Recordings of the cases that can be taken apart."""
    for _, name, fn in cases.cases(modules):
        if fn.known or name in SKIP:
            continue
        with tempfile.TemporaryDirectory() as tmp:
            cases.make(fn, tmp)
            path = os.path.join(tmp, 'perf.data')
            try:
                unwrap.Unwrapped(path)
            except (ValueError, IsADirectoryError):
                continue
            yield compare(name, program, path, ['--symfs', os.path.join(tmp, 'symfs')])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('modules', nargs='*')
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    program = os.path.abspath(shutil.which(args.ptscript) or args.ptscript)
    total = [0, 0]
    if not args.modules:
        for counts in captures(program):
            total = [a + b for a, b in zip(total, counts)]
    for counts in small(program, args.modules or MODULES):
        total = [a + b for a, b in zip(total, counts)]
    print('bare traces: %d equal, %d different' % tuple(total))
    return total[1] != 0


if __name__ == '__main__':
    sys.exit(main())
