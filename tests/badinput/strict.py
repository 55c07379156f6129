#!/usr/bin/env python3
"""strict.py PROGRAM - --strict-pt on the command line, and the note without it.

SPDX-License-Identifier: MIT

What is decoded where is tested in tests/unit/test_strict.c; here it is what users see.
"""
import os
import subprocess
import sys
import tempfile

PSB = b'\x02\x82' * 8
START = PSB + b'\x99\x01\x7d\x00\x10\x00\x00\x00\x00\x02\x23'  # FUP 0x1000, PSBEND


def fup(low):
    return bytes((0x3d, low, 0x10))


def tip(low):
    return bytes((0x2d, low, 0x10))


# sti nop nop call *%rax nop nop hlt: an interrupt at the first nop
STI = (b'\xfb\x90\x90\xff\xd0\x90\x90\xf4',
       START + b'\x99\x05' + fup(1) + fup(1) + tip(5) + fup(6) + b'\x01')
# nop vmlaunch nop: the trace ends there, with a FUP on some processors
VM = (b'\x90\x0f\x01\xc2\x90', START + fup(1) + b'\x01')
# a nop with a REX before its prefix, call *%rax, two nops: perf sees an instruction more
REX = (b'\x48\x66\x90\xff\xd0\x90\x90', START + tip(5) + fup(6) + b'\x01')
# nop nop call *%rax nop: nothing unusual
PLAIN = (b'\x90\x90\xff\xd0\x90\x90', START + tip(4) + fup(5) + b'\x01')

STI_SAYS = 'an interrupt right behind STI or POPF'
VM_SAYS = 'a VM entry with a FUP (erratum SKD022)'
BY_PERF = "ptscript: decoded as perf does, against the processor's manual (--strict-pt): "
BY_MANUAL = "ptscript: decoded as the processor's manual says, not as perf does: "

# what is decoded, options, addresses of instructions, what is noted
SEEN = [
    (STI, ['--strict-pt'], '1000 1005', BY_MANUAL + STI_SAYS),
    (STI, [], '1000 1001 1002 1005', BY_PERF + STI_SAYS),
    (STI, ['--strict-pt', '--no-strict-pt'], '1000 1001 1002 1005', BY_PERF + STI_SAYS),
    (VM, ['--strict-pt', '--cpu', '6/78/3'], '1000 1001', BY_MANUAL + VM_SAYS),
    (VM, ['--cpu', '6/78/3'], '1000', BY_PERF + VM_SAYS),
    (VM, ['--strict-pt', '--cpu', '6/61/4'], '1000', None),
    (VM, ['--strict-pt'], '1000', None),
    (REX, [], '1000 1002 1003 1005', None),
    (REX, ['--strict-pt'], '1000 1003 1005', None),
    (REX, ['--cpu', '6/78/3'], '1000 1002 1003 1005', None),
    (REX, ['--cpu', '19/1/0'], '1000 1003 1005', None),
    (PLAIN, [], '1000 1001 1002 1004', None),
    (PLAIN, ['--strict-pt'], '1000 1001 1002 1004', None),
]


def run(program, folder, case, options):
    for name, data in zip(('code', 'pt'), case):
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(data)
    return subprocess.run(
        [program, 'script', '--pt', folder + '/pt', '--image', folder + '/code:0x1000',
         '--itrace=i1i', '-F', 'ip', *options], capture_output=True, text=True)


def check(program, folder, case, options, insns, noted):
    done = run(program, folder, case, options)
    # with one column a line holds nothing but an address
    got = ' '.join(line.split()[0] for line in done.stdout.splitlines() if line.strip())
    said = [line for line in done.stderr.splitlines() if 'manual' in line]
    assert done.returncode == 0 and got == insns, (options, done)
    assert said == ([noted] if noted else []), (options, said)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for row in SEEN:
            check(program, folder, *row)
        # perf's names stay what they are: ours is never shortened
        done = run(program, folder, PLAIN, ['--strict'])
        assert done.returncode == 129 and 'unknown option' in done.stderr, done
    print('%d passed, 0 failed' % (len(SEEN) + 1))


if __name__ == '__main__':
    main()
