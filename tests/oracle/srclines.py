# srclines.py - compares our source lines with those of perf script, address by address.
#
# SPDX-License-Identifier: MIT
#
# srclines.py SYM_PRINT [--step N] [--shuffle SEED] [--full-source-path | --srccode] FILE...
#
# Every N-th address of the executable sections of each file, in order or not: what perf
# answers may depend on what it was asked before.
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import symbols  # noqa: E402

BASE = symbols.BASE


def offsets_of(path, step):
    elf = symbols.Elf(path)
    found = set()
    for s in elf.sections:
        if s[2] & 4:
            found.update(range(s[4] - 2, s[4] + s[5] + 2, step))
    return sorted(found)


def perf_answers(path, offsets, options, code):
    w = symbols.recording(path, BASE, offsets)
    with tempfile.TemporaryDirectory() as tmp:
        w.write(tmp + '/perf.data')
        env = dict(os.environ, HOME=tmp, LC_ALL='C', PAGER='cat')
        out = subprocess.run(['perf', 'script', '-i', tmp + '/perf.data', '-F',
                              'ip,' + ('srccode' if code else 'srcline')] + options,
                             env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    got, at = [], -1
    for line in out.stdout.decode('latin-1').split('\n')[:-1]:
        ip = line.strip(' ')
        if at + 1 < len(offsets) and ip == '%x' % (BASE + offsets[at + 1]):
            at += 1
            got.append('')
        else:
            got[at] += line if code else line[2:]
    if len(got) != len(offsets):
        raise SystemExit('perf answered %d of %d samples of %s' % (len(got), len(offsets), path))
    return got


def our_answers(program, path, offsets, option):
    text = ''.join('%x\n' % a for a in offsets)
    out = subprocess.run([program, option, path], input=text.encode(), stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=True)
    return out.stdout.decode('latin-1').split('\n')[:-1]


def compare(program, path, option, offsets):
    code = option == '--srccode'
    theirs = perf_answers(path, offsets, [option] if option.startswith('--full') else [], code)
    ours = our_answers(program, path, offsets, option)
    bad = [(a, t, o) for a, t, o in zip(offsets, theirs, ours) if t != o]
    for a, t, o in bad[:5]:
        print('%s %#x: perf "%s", we "%s"' % (path, a, t, o))
    return len(offsets), len(bad)


def main():
    args = sys.argv[1:]
    program, step, seed, option, total, bad = args.pop(0), 1, 0, '--srcline', 0, 0
    while args:
        a = args.pop(0)
        if a == '--step':
            step = int(args.pop(0))
        elif a == '--shuffle':
            seed = int(args.pop(0))
        elif a.startswith('--'):
            option = a
        elif os.path.exists(a):
            offsets = offsets_of(a, step)
            if seed:
                random.Random(seed).shuffle(offsets)
            n, b = compare(program, os.path.realpath(a), option, offsets)
            print('%s %s: %d addresses, %d differences' % (a, option, n, b))
            total, bad = total + n, bad + b
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
