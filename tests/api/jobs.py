#!/usr/bin/env python3
"""jobs.py PTSCRIPT - any number of threads prints the same (I8).

SPDX-License-Identifier: MIT

Recordings whose trace is long enough for several: those of the kernel, and one of a processor
where shared/traces is beside the checkout.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import kernelcase  # noqa: E402

MRUBY = os.path.join(HERE, '..', '..', '..', 'shared', 'traces', 'real-mruby')
OPTIONS = (['--itrace=e'], ['--itrace=i1usbe', '-F+insn,+callindent,+symoff'],
           ['--itrace=crewp', '-F+flags,+ipc'], ['--itrace=i20us'],
           ['--itrace=i10usge'], ['--itrace=i1000ie'], ['--itrace=bel', '--reltime'],
           ['--insn-trace', '--show-task-events', '--show-switch-events'],
           ['--itrace=bepx', '-F-event,+brstacksym', '--show-mmap-events'], ['--itrace=i20used+o'])
REPORTS = (['report', '--itrace=i20usge'], ['report', '--itrace=b'], ['report', '--itrace=i20usl', '-s', 'symbol_from,symbol_to'])
TIMES = (('e', (.2, .7)), ('i20us', (.2, .7)), ('crew', (.1, .2), (.4, .41), (.6, .9)))
JOBS = ('2', '5')
EVERY = int(os.environ.get('PTS_JOBS_EVERY', 1))  # CI: each second is run, under a sanitizer each third
WRONG = ('x', '-1', '2000', '2x', '')


def run(ptscript, args, jobs):
    r = subprocess.run([ptscript] + args + ['--jobs', jobs], capture_output=True)
    return r.stdout, r.stderr, r.returncode


def timed(ptscript, data):
    """Options with parts of the recording's time."""
    said = subprocess.run([ptscript, 'time', '-i', data], capture_output=True).stdout.decode()
    trace = re.search(r'^trace +(\S+),(\S+)', said, re.M)
    if not trace:  # without times
        return
    begin, end = map(float, trace.groups())
    for letters, *parts in TIMES:
        at = [','.join('%.9f' % (begin + p * (end - begin)) for p in part) for part in parts]
        yield ['--itrace=' + letters, '--time', ' '.join(at)]


def differs(ptscript, args, jobs):
    """The numbers of threads whose output is another than that of one."""
    alone = run(ptscript, args, '1')
    if alone[2] or (args[0] == 'report' and not alone[0]):  # a key that is none prints nothing, and ends with 0
        return ['1']
    return [n for n in jobs if run(ptscript, args, n) != alone]


def recordings(folder):
    for name in kernelcase.NAMES:
        to = os.path.join(folder, name)
        data = kernelcase.unpack(name, to)
        yield name, ['-i', data, '--symfs', os.path.join(to, 'symfs')]
    if os.path.exists(MRUBY):
        yield 'real-mruby', ['-i', MRUBY + '/perf.data', '--symfs', MRUBY + '/symfs']
    else:
        print('shared/traces is not there: without real-mruby')


def main():
    ptscript = sys.argv[1]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ['HOME'] = folder
        for at, (name, args) in enumerate(recordings(folder)):
            for row, options in enumerate((*OPTIONS, *REPORTS, *timed(ptscript, args[1]))):
                if (at + row) % EVERY:
                    continue
                # of the first all, of the others in turns: it takes long under a sanitizer
                jobs = JOBS[(at + row) % 2:][:1] if at else JOBS
                for n in differs(ptscript, options + args, jobs):
                    print('%s %s: --jobs %s differs' % (name, ' '.join(options), n))
                    bad += 1
    for n in WRONG:
        out = run(ptscript, ['-i', kernelcase.TESTDATA + '/emu-ls/perf.data'], n)
        if out[2] != 129 or b'jobs' not in out[1]:
            print('--jobs %r is not refused: %r' % (n, out))
            bad += 1
    sys.exit(bad != 0)


if __name__ == '__main__':
    main()
