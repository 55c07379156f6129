#!/usr/bin/env python3
"""opcodes.py - which opcodes behind 0f and VEX are instructions, and how long they are, against perf.

SPDX-License-Identifier: MIT

    opcodes.py --ptscript PROGRAM

Each is walked over in a trace of its own.  What only ptscript takes for an instruction must be in LATER,
what is of another length to perf in LONGER.
Exit status 77 (skipped) when perf is missing.
"""
import argparse
import collections
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

BASE, SLOT, SLOTS = 0x401000, 32, 120  # in one page
JMP_RAX = b'\xff\xe0'
ERROR = re.compile(r' ip 0x([0-9a-f]+) code ')
INSN = re.compile(r'\s*([0-9a-f]+)\s+insn: ([0-9a-f ]+?)\s*$')

# Later than perf 6.1, or of AMD: map and prefix, opcodes.
FMA4 = [*range(0x5c, 0x60), *range(0x68, 0x70), *range(0x78, 0x80)]
LATER = {(2, 0): [0x50, 0x51, 0x6c, 0xb0, 0xd2, 0xd3, 0xda],
         (2, 1): [0x4a, 0x6c, 0xb0, 0xb1, 0xb4, 0xb5, 0xd2, 0xd3, 0xda, *range(0xe0, 0xf0)],
         (2, 2): [0x50, 0x51, 0x72, 0xb0, 0xb1, 0xd2, 0xd3, 0xda],
         (2, 3): [0x4a, 0x50, 0x51, 0x5c, 0xb0, 0xcb, 0xcc, 0xcd, 0xda],
         (3, 1): [0x48, 0x49, 0xde] + FMA4,
         **{(5, p): [0xf8, 0xf9, 0xfd] for p in range(4)},
         **{(7, p): [0xf6, 0xf8] for p in range(4)}}
# Without VEX, where perf sees an opcode alone: reserved for NOPs, test registers, UD0, or instructions with
# another prefix or another ModRM.reg.
LONGER = {0x19, 0x1d, 0x24, 0x26, 0xff, 0x6c, 0x6d, 0x71, 0x72, 0x73, 0x7c, 0x7d, 0xb8, 0xd0, 0xd6, 0xe6, 0xf0}
PLAIN = 0  # in place of the map


def all_of_them():
    """((map, prefix, opcode), bytes)"""
    for op in set(range(256)) - {0x38, 0x3a}:  # escapes
        for reg in range(8):
            yield (PLAIN, 0, op), [0x0f, op, 0xc0 | reg << 3]
    for p in range(4):
        for op in range(256):
            for reg in range(8):
                modrm = 0xc0 | reg << 3
                yield (1, p, op), [0xc5, 0xf8 | p, op, modrm]
                for m in range(1, 8):
                    yield (m, p, op), [0xc4, 0xe0 | m, 0x78 | p, op, modrm]


def recording(folder, codes):
    c = cases.Case(folder)
    code = ptasm.Code(BASE).func('_start')
    for some in codes:
        code.raw(*bytes(some).ljust(SLOT - 2, b'\x90'), *JMP_RAX)
    c.program(code)
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
            later = key[2] in LATER.get(key[:2], ()) and not want[i]
            seen += want[i] > 0
            longer = key[0] == PLAIN and key[2] in LONGER and got[i] > want[i]
            if want[i] != got[i] and not longer and not (later and got[i]):
                wrong[key, want[i], got[i]] += 1
    for (key, perf, pts), _ in sorted(wrong.items())[:40]:
        print('DIFF  map %d prefix %d opcode %02x: perf %d bytes, ptscript %d' % (*key, perf, pts))
    print('%d of %d are instructions to perf, %d differ' % (seen, len(everything), len(wrong)))
    return bool(wrong) or not seen


if __name__ == '__main__':
    sys.exit(main())
