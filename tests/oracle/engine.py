#!/usr/bin/env python3
"""engine.py - a piece of node, which writes a jitdump, decoded as by perf after perf inject -j.

SPDX-License-Identifier: MIT

    engine.py --ptscript PROGRAM

testdata/engine has what perf prints as digests; with perf installed they are made anew, and what
was executed is compared with them in any case: the first set of options.
"""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import kernelcase  # noqa: E402

TESTDATA = os.path.join(HERE, '..', '..', 'testdata', 'engine')
OPTIONS = ('--itrace=i0nse -F ip', '--itrace=be --ns', '--itrace=i100us --ns -F+symoff',
           '--itrace=i1000ig16xe', '--call-ret-trace --ns', '--itrace=crewp', '--itrace=i500il8 -F+brstacksym',
           '--insn-trace -F+insn', '--itrace=i20usi -F+srcline', '--itrace=e --show-task-events')


def unpack(archive, folder):
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    top = os.path.join(folder, 'cache')
    os.mkdir(top + '/.build-id')
    for where, _, there in os.walk(top):
        if 'elf' in there:
            name, ident = os.path.split(os.path.relpath(where, top))
            kernelcase.link(top, name, ident)


def run(program, folder, *words):
    env = {'PATH': '/usr/bin:/bin', 'HOME': folder + '/home', 'LC_ALL': 'C', 'TZ': 'UTC', 'PAGER': 'cat'}
    done = subprocess.run([program, '--buildid-dir', 'cache'] + list(words), cwd=folder, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200)
    if done.returncode:
        raise SystemExit('%s %s: status %d\n%s' % (program, ' '.join(words), done.returncode,
                                                  done.stderr.decode('latin-1')))
    return done.stdout


def sums(program, folder, recording):
    return ['%s  %s\n' % (hashlib.sha256(run(program, folder, 'script', '-i', recording,
                                             *options.split())).hexdigest(), options)
            for options in OPTIONS]


def of_perf(folder):
    run('perf', folder, 'inject', '-j', '-i', 'data', '-o', 'injected')
    return sums('perf', folder, 'injected')


def write_sums(out):
    with tempfile.TemporaryDirectory() as folder:
        unpack(out + '/node.tar.xz', folder)
        with open(out + '/node.sums', 'w') as f:
            f.writelines(of_perf(folder))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', required=True, type=os.path.abspath)
    args = ap.parse_args()
    with open(TESTDATA + '/node.sums') as f:
        stored = f.readlines()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        unpack(TESTDATA + '/node.tar.xz', folder)
        both = [('ptscript', sums(args.ptscript, folder, 'data'))]
        if shutil.which('perf'):
            both.append(('perf', of_perf(folder)))
        for who, got in both:
            for want, line in zip(stored, got):
                if want != line:
                    print('%s: not what is stored: %s' % (who, line.split('  ', 1)[1].strip()))
                    bad += 1
    print('%d of %d sets of options: as stored' % (len(both) * len(OPTIONS) - bad, len(both) * len(OPTIONS)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
