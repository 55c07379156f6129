#!/usr/bin/env python3
"""inlined.py - functions inlined at an address, and their lines, against perf.

SPDX-License-Identifier: MIT

    inlined.py --ptscript PROGRAM [--step N] [FILE...]

perf shows them in what it unwinds, of which the first frame is where a sample was taken: so
each address is a sample with registers and an empty stack.  In order, and one after the other
as perf's answers may depend on those before.  Without FILE: programs made in several ways.
Exit status 77 (skipped) when perf or a compiler is missing.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib'), os.path.join(HERE, '..', 'badinput')]
import cases  # noqa: E402
import mksample as ms  # noqa: E402
import symbols  # noqa: E402
from mkperf import Attr, Recording  # noqa: E402
from reccase import SIDE  # noqa: E402

BUILDS = ('g++ -g -O2', 'clang++ -gdwarf-5 -O2')
OPTIONS = ('-F ip,sym,symoff,dso,srcline',)
REGS, BASE, STACK = 0x1ff, 0x10000000, 0x7ffc0000  # ax to ip; where things are mapped


def recording(path, offsets):
    d = Recording([Attr(1, 0, SIDE, ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.PERIOD
                        | ms.CALLCHAIN | ms.REGS_USER | ms.STACK_USER, [100],
                        sample_regs_user=REGS)])
    d.comm('t', 1000).mmap2(path, BASE, (max(offsets) | 0xfff) + 1, 0, tsc=2000)
    for i, at in enumerate(offsets):
        ip = BASE + at
        d.sample(ip, 10000 + i, chain=[ms.CHAIN_USER, ip], stack=bytes(64),
                 regs_user=(2, [0] * 7 + [STACK, ip]))
    return d


def offsets_of(path, step):
    code = [s for s in symbols.Elf(path).sections if s[2] & 4]  # SHF_EXECINSTR
    return [at for s in code for at in range(s[4], s[4] + s[5], step)]


def compare(ours, path, step):
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        recording(path, offsets_of(path, step)).write(os.path.join(tmp, 'perf.data'))
        for o in OPTIONS:
            want = cases.text_of(o, cases.run(cases.PERF, o, tmp, symfs='/'))
            got = cases.text_of(o, cases.run(ours, o, tmp, symfs='/'))
            print('%s: %d lines, %d inlined' % (path, want.count(b'\n'),
                                                want.count(b'(inlined)')))
            if not want.count(b'(inlined)') or not cases.agree(want, got):
                bad += 1
                print(cases.difference(want, got))
    return bad


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--step', type=int, default=47)
    ap.add_argument('files', nargs='*')
    args = ap.parse_args()
    if not shutil.which('perf') or not shutil.which('g++'):
        print('perf or g++ is not installed: skipped')
        return 77
    ours = [os.path.abspath(args.ptscript)]
    bad = sum(compare(ours, os.path.realpath(f), args.step) for f in args.files)
    for i, build in enumerate(() if args.files else BUILDS):
        with tempfile.TemporaryDirectory() as tmp:
            path = os.path.join(tmp, 'words%d' % i)
            made = shutil.which(build.split()[0]) and not subprocess.run(
                build.split() + ['-o', path, os.path.join(HERE, 'src', 'words.cc')],
                capture_output=True).returncode
            if made:
                bad += compare(ours, path, args.step)
            else:
                print('%s: not here' % build)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
