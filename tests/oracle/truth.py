#!/usr/bin/env python3
"""truth.py - what was decoded is what was executed, instruction by instruction.

SPDX-License-Identifier: MIT

    truth.py --ptscript PROGRAM [--quick]

Recordings from the emulator come with every executed address per thread (truth.bin.xz), the
one of a real processor with the addresses two other decoders agree on (ips.u64.zst).
"""
import argparse
import array
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import oracle  # noqa: E402


def executed(folder):
    """{thread: array of addresses}, thread None: any."""
    file = os.path.join(folder, 'truth.bin.xz')
    if os.path.exists(file):
        threads = {}
        for tid, ip in struct.iter_unpack('<IQ', lzma.open(file).read()):
            threads.setdefault(tid, array.array('Q')).append(ip)
        return threads
    file = os.path.join(folder, 'ips.u64.zst')
    if os.path.exists(file) and shutil.which('zstd'):
        ips = array.array('Q')
        ips.frombytes(subprocess.run(['zstd', '-dcq', file], capture_output=True,
                                     check=True).stdout)
        return {None: ips}
    return None


def decoded(program, capture, one_thread):
    argv = [program] + (['--buildid-dir', capture.buildid_dir]
                        if capture.buildid_dir else [])
    argv += capture.common() + ['--itrace=i0ns', '-F', 'ip' if one_thread else 'tid,ip']
    threads = {}
    line = re.compile(rb'^\s*(\d+)\s+([0-9a-f]+)\s*$')
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        for text in child.stdout:
            if one_thread:
                threads.setdefault(None, array.array('Q')).append(int(text, 16))
                continue
            m = line.match(text)
            threads.setdefault(int(m[1]), array.array('Q')).append(int(m[2], 16))
        err = child.stderr.read()
    if child.returncode:
        print('exit status %d: %s' % (child.returncode, err.decode(errors='replace')))
    return threads


def first_difference(want, got):
    for i, (a, b) in enumerate(zip(want, got)):
        if a != b:
            return 'instruction %d is %#x, not %#x' % (i, b, a)
    return '%d instructions, not %d' % (len(got), len(want))


def check(program, capture, want):
    got = decoded(program, capture, None in want)
    bad = 0
    for thread in sorted(set(want) | set(got), key=str):
        a, b = want.get(thread, array.array('Q')), got.get(thread, array.array('Q'))
        if a != b:
            bad += 1
            print('DIFF  %s thread %s: %s' % (capture.name, thread, first_difference(a, b)))
    if not bad:
        print('ok    %s: %d instructions in %d threads' % (
            capture.name, sum(map(len, want.values())), len(want)))
    return bad == 0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default=os.path.join(oracle.TOP, 'build/dev/ptscript'))
    ap.add_argument('--quick', action='store_true', help='only the bundled captures')
    args = ap.parse_args()
    passed = failed = 0
    for capture in oracle.captures():
        want = executed(os.path.dirname(capture.data))
        if want is None or (args.quick and 'testdata' not in capture.data):
            continue
        if check(args.ptscript, capture, want):
            passed += 1
        else:
            failed += 1
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0 or passed == 0


if __name__ == '__main__':
    sys.exit(main())
