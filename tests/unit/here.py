#!/usr/bin/env python3
"""here.py PTSCRIPT - what is taken from the machine: names of its vdso, and what --symfs / means.

SPDX-License-Identifier: MIT

A recording of samples in [vdso], without a build id: its names are those of the vdso that runs if
host and release in the header are ours.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import mkperf  # noqa: E402

BASE, STEP = 0x7fff00000000, 16


def own_vdso():
    with open('/proc/self/maps', encoding='ascii') as f:
        line = next((line for line in f if line.rstrip().endswith('[vdso]')), None)
    if not line:
        return b''
    start, end = (int(x, 16) for x in line.split()[0].split('-'))
    with open('/proc/self/mem', 'rb') as f:
        f.seek(start)
        return f.read(end - start)


def text(word):
    word = word.encode() + b'\0'
    word += bytes(-len(word) % 4)
    return len(word).to_bytes(4, 'little') + word


def write(path, size, host, release):
    w = mkperf.software()
    w.features.update(hostname=text(host), osrelease=text(release))
    w.comm('t', 1000)
    w.mmap2('[vdso]', addr=BASE, size=size, pgoff=0, tsc=2000)
    for i in range(0, size, STEP):
        w.sample(BASE + i, 3000 + i)
    w.write(path)


def names(program, path, home, *options):
    out = subprocess.run([program, 'script', '-i', path, '-F', 'ip,sym,symoff,dso', *options],
                         check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                         env=dict(os.environ, HOME=home)).stdout
    return out.splitlines()


def main():
    program, vdso, here = os.path.abspath(sys.argv[1]), own_vdso(), os.uname()
    if not vdso:
        print('this kernel gives no vdso: nothing to be seen')
        return 0
    with tempfile.TemporaryDirectory() as tmp:
        symfs, path = os.path.join(tmp, 'symfs'), os.path.join(tmp, 'perf.data')
        os.mkdir(symfs)
        with open(os.path.join(symfs, '[vdso]'), 'wb') as f:
            f.write(vdso)
        write(path, len(vdso), here.nodename, here.release)
        named = names(program, path, tmp, '--symfs', symfs)
        assert any('[unknown]' not in line for line in named), named[:20]
        for options in ((), ('--symfs', '/'), ('--symfs', '/usr/..')):
            assert names(program, path, tmp, *options) == named, options
        os.remove(os.path.join(symfs, '[vdso]'))
        strange = names(program, path, tmp, '--symfs', symfs)
        assert all('[unknown]' in line for line in strange), strange[:20]
        for host, release in (('elsewhere', here.release), (here.nodename, '1.0')):
            write(path, len(vdso), host, release)
            assert names(program, path, tmp) == strange, (host, release)
    return 0


if __name__ == '__main__':
    sys.exit(main())
