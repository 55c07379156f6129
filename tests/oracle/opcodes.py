#!/usr/bin/env python3
"""opcodes.py - which opcodes are instructions, and how long they are, against perf.

SPDX-License-Identifier: MIT

    opcodes.py --ptscript PROGRAM

Each is walked over in a piece of trace of its own: all of one byte and those behind 0f, 0f38, 0f3a, alone and with
the prefixes that choose others, behind VEX and EVEX, with each ModRM.reg; and each byte behind a REX.  What is not as
in perf must be in LATER.
Exit status 77 (skipped) when perf is missing.
"""
import argparse
import collections
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import ptasm  # noqa: E402

BASE, SLOT, SLOTS = 0x401000, 32, 4096
JMP_RAX = b'\xff\xe0'
ERROR = re.compile(r' ip 0x([0-9a-f]+) code ')
INSN = re.compile(r'\s*([0-9a-f]+)\s+insn: ([0-9a-f ]+?)\s*$')
PREFIXES = ([], [0x66], [0xf3], [0xf2])
ESCAPES = ([], [0x0f], [0x0f, 0x38], [0x0f, 0x3a])

# Later than perf 6.1, or of AMD: by kind, map and prefix.
FMA4 = [*range(0x5c, 0x60), *range(0x68, 0x70), *range(0x78, 0x80)]
LATER = {('VEX', 2, 0): [0x50, 0x51, 0x6c, 0xb0, 0xd2, 0xd3, 0xda],
         ('VEX', 2, 1): [0x4a, 0x6c, 0xb0, 0xb1, 0xb4, 0xb5, 0xd2, 0xd3, 0xda, *range(0xe0, 0xf0)],
         ('VEX', 2, 2): [0x50, 0x51, 0x72, 0xb0, 0xb1, 0xd2, 0xd3, 0xda],
         ('VEX', 2, 3): [0x4a, 0x50, 0x51, 0x5c, 0xb0, 0xcb, 0xcc, 0xcd, 0xda],
         ('VEX', 3, 1): [0x48, 0x49, 0xde] + FMA4,
         **{('VEX', 5, p): [0xf8, 0xf9, 0xfd] for p in range(4)},
         **{('VEX', 7, p): [0xf6, 0xf8] for p in range(4)},
         **{('plain', 2, p): [0xfc] for p in range(4)},  # aadd and kin
         ('plain', 2, 2): [0xd8, 0xdc, 0xdd, 0xde, 0xdf, 0xfa, 0xfb, 0xfc]}  # Key Locker


def all_of_them():
    """((kind, map, prefix, opcode), bytes)"""
    for op, reg in itertools.product(range(256), range(8)):
        modrm = 0xc0 | reg << 3
        for p, m in itertools.product(range(4), range(4)):
            if m == 1 and op in ESCAPES[2][1:] + ESCAPES[3][1:]:
                continue
            yield ('plain', m, p, op), [*PREFIXES[p], *ESCAPES[m], op, modrm]
        for p in range(4):
            yield ('VEX', 1, p, op), [0xc5, 0xf8 | p, op, modrm]
            for m in range(8):
                yield ('VEX', m, p, op), [0xc4, 0xe0 | m, 0x78 | p, op, modrm]
                yield ('EVEX', m, p, op), [0x62, 0xf0 | m, 0x7c | p, 0x08, op, modrm]
        for p, rex in enumerate((0x40, 0x48)):
            yield ('REX', 0, p, op), [rex, op, modrm]
            yield ('66 REX', 0, p, op), [0x66, rex, op, modrm]


def recording(folder, codes):
    c = cases.Case(folder)
    code = ptasm.Code(BASE).func('_start')
    for some in codes:
        code.raw(*bytes(some).ljust(SLOT - 2, b'\x90'), *JMP_RAX)
    c.program(code)
    c.record(size=len(codes) * SLOT)
    c.pt.start(c.t0)
    for i in range(len(codes)):
        at = BASE + i * SLOT
        c.pt.pge(at).tip(at + SLOT - 2).pgd()
    c.finish()


def lengths(program, folder):
    """Of the first instruction of each slot; 0: it is none."""
    done = subprocess.run([program, 'script', '-i', 'perf.data', '--symfs', 'symfs', '--itrace=i1ie',
                           '-F', 'ip,insn'], cwd=folder, env=cases.environment(folder),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    found = {}
    for line in done.stdout.decode('latin-1').splitlines():
        m = ERROR.search(line) or INSN.match(line)
        if not m:
            continue
        slot, off = divmod(int(m[1], 16) - BASE, SLOT)
        if not off:
            found[slot] = 0 if m.re is ERROR else len(m[2].split())
    return found


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--ptscript', required=True)
    ours = os.path.abspath(args.parse_args().ptscript)
    if not shutil.which('perf'):
        print('skipped: perf is not installed')
        return 77
    everything, wrong, seen = list(all_of_them()), collections.Counter(), 0
    for first in range(0, len(everything), SLOTS):
        some = everything[first:first + SLOTS]
        with tempfile.TemporaryDirectory() as folder:
            recording(folder, [code for _, code in some])
            want, got = lengths('perf', folder), lengths(ours, folder)
        for i, (key, _) in enumerate(some):
            seen += want[i] > 0
            if want[i] != got[i] and not (got[i] and key[3] in LATER.get(key[:3], ())):
                wrong[key, want[i], got[i]] += 1
    for (key, perf, pts), _ in sorted(wrong.items())[:40]:
        print('DIFF  %s map %d prefix %d opcode %02x: perf %d bytes, ptscript %d' % (*key, perf, pts))
    print('%d of %d are instructions to perf, %d differ' % (seen, len(everything), len(wrong)))
    return bool(wrong) or not seen


if __name__ == '__main__':
    sys.exit(main())
