#!/usr/bin/env python3
"""rows.py PROGRAM - a trace of millions of the same few packets takes no longer than one of others.

SPDX-License-Identifier: MIT

Some packets are understood by those that come behind them.  Where nothing that decides comes for long, to
look for it each time anew takes the square of the time.
"""
import itertools
import os
import subprocess
import sys
import tempfile

BYTES, LIMIT = 512 << 10, 10  # seconds
PSB = b'\x02\x82' * 8
START = PSB + b'\x99\x01\x7d\x00\x10\x00\x00\x00\x00\x02\x23'  # FUP 0x1000, PSBEND
FUP, PGD = b'\x3d\x01\x10', b'\x01'
MODE, CYC, MTC, PIP = b'\x99\x01', b'\x0b', b'\x59\x01', b'\x02\x43\x01' + bytes(5)
OVF, CBR, PTW, CFE = b'\x02\xf3', b'\x02\x03\x0a\x00', b'\x02\x92abcd', b'\x02\x13\x01\x00'
TSX, TMA, PWRE = b'\x99\x21', b'\x02\x73' + bytes(5), b'\x02\x22\x00\x00'
ROWS = [*map(b''.join, itertools.permutations((MODE, PIP, CYC, MTC, CFE), 2)), PIP, MODE, TSX + CYC,
        OVF + FUP, OVF + CYC, FUP + CBR, PTW + CYC, PTW + FUP, CFE + FUP, TMA + CYC + MTC, PWRE + MTC, PSB]
OPTIONS = (['--itrace=e'], ['--itrace=qe'], ['--itrace=e', '--strict-pt', '--cpu', '6/92/9'])


def wrong(program, folder, options):
    try:
        done = subprocess.run([program, 'script', '--pt', folder + '/pt', '--image',
                               folder + '/code:0x1000', *options], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=LIMIT, env={**os.environ, 'HOME': folder})
    except subprocess.TimeoutExpired:
        return f'more than {LIMIT} s'
    return None if done.returncode == 0 else f'exit status {done.returncode}, {done.stderr[-300:]}'


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/code', 'wb') as f:
            f.write(b'\x90' * 64)
        for row in ROWS:
            with open(folder + '/pt', 'wb') as f:
                f.write(START + row * (BYTES // len(row)) + PGD)
            for options in OPTIONS:
                why = wrong(program, folder, options)
                if why:
                    print(f'{row.hex()} {options}: {why}')
                    return 1
    print(len(ROWS) * len(OPTIONS), 'rows')
    return 0


sys.exit(main())
