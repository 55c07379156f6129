#!/usr/bin/env python3
"""kernel.py - recordings of a whole system: what is decoded is what was executed.

SPDX-License-Identifier: MIT

    kernel.py --ptscript PROGRAM           the recordings of testdata/kernel
    kernel.py --ptscript PROGRAM --shared  those that lie beside this tree, and against perf

The text of all instructions is compared, thread by address, in the order of their CPU.
"""
import argparse
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import kernelcase  # noqa: E402
import mkkernel  # noqa: E402

SHARED = os.path.join(HERE, '..', '..', '..', 'shared', 'traces', 'kernel')
SKIPPED = 77

# perf takes seconds for all of a recording, so it gets slices of time.
ALL = '-F+flags,+addr,+sym,+symoff,+dso --ns'
SLICES = {
    'k1': ('--itrace=i100us', '--itrace=be %s --time 3.6,3.605' % ALL,
           '--itrace=i1000ig16xe --time 3.7,3.71', '--itrace=i5000i --show-text-poke-events'),
    'k7': ('--itrace=i100us', '--itrace=be %s --time 3.6,3.605' % ALL,
           '--itrace=cr --show-switch-events --time 3.7,3.71'),
    'k9': ('--itrace=i100us', '--itrace=be %s --time 3.8,3.805' % ALL,
           '--itrace=i1000ig16xe --time 3.82,3.83'),
    'k13': ('--itrace=i100us', '--itrace=be %s --time 3.6,3.605' % ALL,
            '--itrace=cr --time 3.7,3.71'),
    'k16': ('--itrace=i100us', '--itrace=be %s --time 3.6,3.605' % ALL,
            '--itrace=e --time 3.6,3.7'),
}


def options(folder, name):
    """What comes before `script`, and behind it."""
    if name == 'k16':
        return ['--buildid-dir', os.path.join(folder, 'cache')], ['-i', 'k16/perf.data']
    return [], ['-i', name + '/perf.dir', '--symfs', name + '/symfs']


def decode(program, folder, name, fields):
    before, behind = options(folder, name)
    return subprocess.Popen([program] + before + ['script'] + behind
                            + ['--itrace=i0nse', '-F', fields], cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def compare(name, got, want):
    """want: the same lines, as pieces of text or as their digests."""
    at = 0
    for i, chunk in enumerate(want):
        text = got.read(len(chunk) if isinstance(chunk, bytes)
                        else mkkernel.CHUNK * mkkernel.WIDTH)
        found = text if isinstance(chunk, bytes) else hashlib.sha256(text).hexdigest()
        if found != chunk:
            print('DIFF  %s: among the %d lines from %d on' % (name, mkkernel.CHUNK, at))
            if isinstance(chunk, bytes):
                pairs = zip(chunk.splitlines(), text.splitlines())
                print('      %r' % (next(((i, p) for i, p in enumerate(pairs) if p[0] != p[1]),
                                         'it ends'),))
            return False
        at += mkkernel.CHUNK
    if got.read(1):
        print('DIFF  %s: there is more' % name)
        return False
    return True


def check(name, child, want):
    with child:
        ok = compare(name, child.stdout, want)
        if not ok:
            child.kill()
        err = child.stderr.read()
    if ok and (child.returncode or err):
        print('DIFF  %s: exit status %d: %s' % (name, child.returncode, err.decode()))
        ok = False
    if ok:
        print('ok    %s' % name)
    return ok


def own(program, folder):
    good = True
    for name in kernelcase.NAMES:
        kernelcase.unpack(name, os.path.join(folder, name))
        good &= check(name, decode(program, folder, name, 'tid,ip'), kernelcase.expected(name))
    return good & own_kinds(program, os.path.join(folder, 'kinds'))


def own_kinds(program, folder):
    """Those whose threads the trace tells right."""
    good = True
    kernelcase.kinds(folder)
    for name in kernelcase.kind_names(folder, '.ips'):
        child = subprocess.Popen([program, 'script', '-i', name + '.dir', '--symfs', 'symfs',
                                  '--itrace=i0nse', '-F', 'tid,ip'], cwd=folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(os.path.join(folder, name + '.ips')) as f:
            good &= check(name, child, f.read().split())
    return good


def texts(folder, name, with_tid):
    """The lines of what was executed, CHUNK at a time."""
    with open(os.path.join(folder, name, 'truth.cpu0.bin'), 'rb') as f:
        data = f.read()
    known, size = {}, struct.calcsize('<IQ')
    for at in range(0, len(data), size * mkkernel.CHUNK):
        end = min(len(data), at + size * mkkernel.CHUNK)
        lines = []
        for i in range(at, end, size):
            key = data[i:i + size]
            line = known.get(key)
            if line is None:
                tid, ip = struct.unpack('<IQ', key)
                line = known[key] = mkkernel.line(tid if with_tid else None, ip)
            lines.append(line)
        yield b''.join(lines)


def against_perf(program, folder, name):
    good = True
    before, behind = options(folder, name)
    for o in SLICES[name]:
        said = []
        for command in ('perf', program):
            with tempfile.TemporaryDirectory() as home:
                done = subprocess.run([command] + before + ['script'] + behind + o.split(),
                                      cwd=folder, env=cases.environment(home),
                                      capture_output=True, stdin=subprocess.DEVNULL)
            err = [line for line in done.stderr.splitlines(True)
                   if not line.startswith(b'ptscript: ')]
            said.append((done.returncode, done.stdout, b''.join(err)))
        if said[0] != said[1]:
            good = False
            print('DIFF  %s %s' % (name, o))
            print(cases.difference(*(cases.text_of(o, s) for s in said)))
    return good


def shared(program, folder):
    good = True
    subprocess.run(['bash', os.path.join(SHARED, 'unpack.sh'), folder], check=True,
                   stdout=subprocess.DEVNULL)
    for name in SLICES:
        with_tid = name != 'k13'  # perf has no switch to wait for there
        good &= check(name, decode(program, folder, name, 'tid,ip' if with_tid else 'ip'),
                      texts(folder, name, with_tid))
        if shutil.which('perf'):
            good &= against_perf(program, folder, name)
    return good


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--shared', action='store_true')
    args = ap.parse_args()
    if args.shared and not (os.path.exists(SHARED) and shutil.which('xz')):
        print('no such recordings here: skipped')
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        run = shared if args.shared else own
        return not run(os.path.abspath(args.ptscript), folder)


if __name__ == '__main__':
    sys.exit(main())
