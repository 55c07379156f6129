#!/usr/bin/env python3
"""debuginfo.py PTSCRIPT [SEED [RUNS]] - damaged symbols, lines and inlined functions.

SPDX-License-Identifier: MIT

A program's debug sections get wrong bytes, and their headers wrong places and sizes; then lines
and functions are asked for all over its code.  No run may crash or take long; what is wrong with
a file is no failure of the run.  Exit status 77 (skipped) when a compiler is missing.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', name) for name in ('oracle', 'lib')]
import inlined  # noqa: E402
import symbols  # noqa: E402

BUILDS = ('gcc -g -O2', 'clang -gdwarf-5 -O2', 'gcc -gdwarf-4 -O1', 'gcc -g -O1')
PACKED = BUILDS[3]  # by zstd, where objcopy can
LIES = (0, 1, 0x7f, 0x80, 0xff, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1)
SECONDS = 20


def damage(data, elf, dice):
    """Some bytes of sections, or a word of their headers."""
    found = [i for i, s in enumerate(elf.sections)
             if elf.name(s).startswith('.debug_') or elf.name(s) in ('.symtab', '.strtab')]
    for _ in range(dice.choice((1, 1, 2, 5, 30))):
        i = dice.choice(found)
        _, _, _, _, off, size = elf.sections[i][:6]
        at, width = off + dice.randrange(max(size, 1)), dice.choice((1, 1, 2, 4, 8))
        if dice.random() < 0.15:
            head = struct.unpack_from('<Q', data, 40)[0] + 64 * i
            at, width = head + dice.choice((8, 16, 24, 32, 40, 48, 56)), 8
        word = dice.choice(LIES + (dice.getrandbits(64), len(data))) & (1 << 8 * width) - 1
        if at + width <= len(data):
            data[at:at + width] = word.to_bytes(width, 'little')
    return data


def runs(program, path, tmp, dice, count):
    """How many runs ended badly."""
    with open(path, 'rb') as f:
        whole = f.read()
    elf, bad = symbols.Elf(path), 0
    inlined.recording('/t', inlined.offsets_of(path, 7)[:400]).write(tmp + '/perf.data')
    for i in range(count):
        with open(tmp + '/symfs/t', 'wb') as f:
            f.write(damage(bytearray(whole), elf, dice))
        try:
            done = subprocess.run([program, '-i', tmp + '/perf.data', '--symfs', tmp + '/symfs',
                                   '-F', 'ip,sym,srcline'], capture_output=True, timeout=SECONDS)
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = 'hangs'
        if status:
            bad += 1
            print('%s, damage %d: %s' % (path, i, status))
    return bad


def main():
    program = os.path.abspath(sys.argv[1])
    seed, count = (int(a) for a in (sys.argv[2:] + ['1', '40'][len(sys.argv) - 2:])[:2])
    bad = made = 0
    dice = random.Random(seed)
    for build in BUILDS:
        with tempfile.TemporaryDirectory() as tmp:
            os.mkdir(tmp + '/symfs')
            if not shutil.which(build.split()[0]) or subprocess.run(
                    build.split() + ['-o', tmp + '/t', 'main.c', 'sub/other.c'],
                    cwd=os.path.join(HERE, '..', 'oracle', 'src'), capture_output=True).returncode:
                print('%s: not here' % build)
                continue
            made += 1
            if build == PACKED:
                subprocess.run(['objcopy', '--compress-debug-sections=zstd', tmp + '/t'],
                               capture_output=True, check=False)
            bad += runs(program, tmp + '/t', tmp, dice, count)
    print('%d builds, %d runs each, %d bad' % (made, count, bad))
    return 77 if not made else bad != 0


if __name__ == '__main__':
    sys.exit(main())
