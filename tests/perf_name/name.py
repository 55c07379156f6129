#!/usr/bin/env python3
"""name.py - ptscript called by the name of perf: its manners, and programs that run perf.

SPDX-License-Identifier: MIT

    name.py --ptscript PROGRAM --ptrecord PTRECORD

What stands before the command is compared with perf, where that is installed.  perf2bolt and
llvm-profgen run with a PATH that has no other perf than ours, and then with perf itself: what
they write must be the same.  create_gcov, which reads recordings itself, makes a profile of one.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

LLVM = '/usr/lib/llvm-16/bin'
PROGRAM = r'''
#include <stdio.h>
static __attribute__((noinline)) unsigned mix(unsigned x)
{
    return x & 1 ? x * 3 + 1 : x / 2;
}
int main(void)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 2000; i++)
        s += mix(i ^ s) % 7 ? 1 : i;
    printf("%u\n", s);
    return 0;
}
'''
# Of these standard output may be another; of the first ones nothing may.
SAME = [['evlist', '-i', 'rec.data'], ['--no-pager', 'evlist', '-i', 'rec.data'],
        ['--buildid-dir', 'none', '--no-pager', 'buildid-list', '-i', 'rec.data'],
        ['--buildid-dir', 'none', 'script', '-i', 'rec.data', '--itrace=b', '-F', 'comm,ip'],
        ['--buildid-dir=none', 'script'], ['--buildid-dir'], ['nowhere'], ['--nowhere'], ['--no-pager', 'nowhere'], ['-x', 'script'],
        ['script', '-i', 'missing']]
STATUS = [[], ['--no-pager'], ['--version'], ['-v'], ['version'], ['-h'], ['--help'], ['help'],
          ['--no-pager', 'version'], ['--list-cmds']]


def run(path, words, folder):
    env = dict(os.environ, PATH=path, HOME=folder, LC_ALL='C', PAGER='cat')
    env.pop('PERF_CONFIG', None)
    got = subprocess.run(words, cwd=folder, env=env, capture_output=True, timeout=60)
    told = b'\n'.join(line for line in got.stderr.split(b'\n')
                      if not line.startswith(b'ptscript: '))
    return got.returncode, got.stdout, told


def path_with(folder, name, perf):
    """A PATH with this perf, and what the tools need besides."""
    where = os.path.join(folder, name)
    os.mkdir(where)
    os.symlink(perf, os.path.join(where, 'perf'))
    for tool in 'sh', 'readelf', 'nm', 'objdump':
        if shutil.which(tool):
            os.symlink(shutil.which(tool), os.path.join(where, tool))
    return where


def prepare(folder, a):
    """A program, and its recording with samples in place of the trace."""
    with open(os.path.join(folder, 'p.c'), 'w') as f:
        f.write(PROGRAM)
    for words in (['gcc', '-O1', '-g', '-no-pie', '-Wl,-q', 'p.c', '-o', 'prog'],
                  [os.path.abspath(a.ptrecord), '-o', 'rec.data', '--', './prog'],
                  [os.path.abspath(a.ptscript), 'inject', '-i', 'rec.data', '-o', 'inj.data',
                   '--itrace=i100il16', '--strip']):
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def manners(folder, ours, perf):
    bad = 0
    for words in SAME + STATUS:
        got = run(ours, ['perf'] + words, folder)
        want = run(perf, ['perf'] + words, folder)
        if got[0] != want[0] or got[2] != want[2] or (words in SAME and got != want):
            print('perf %s: %r, not %r' % (' '.join(words), got, want))
            bad += 1
    return bad


def others(folder, ours):
    """Commands that are not there are told apart from those that nobody has."""
    status, _, _ = run(ours, ['perf', 'record', 'ls'], folder)
    raw = subprocess.run([os.path.join(ours, 'perf'), 'record', 'ls'], capture_output=True)
    if status != 1 or b'in perf only' not in raw.stderr:
        print('perf record: %d, %r' % (status, raw.stderr))
        return 1
    return 0


def clients(folder, paths):
    """What both tools make of the recording, by each perf."""
    bad, made = 0, []
    for number, path in enumerate(paths):
        out = [os.path.join(folder, '%s%d' % (name, number)) for name in ('fdata', 'profile')]
        for words in ([LLVM + '/perf2bolt', '-p', 'inj.data', '-o', out[0], './prog'],
                      [LLVM + '/llvm-profgen', '--perfdata=inj.data', '--binary=./prog',
                       '--format=text', '-o', out[1]]):
            status, _, told = run(path, words, folder)
            if status:
                print('%s: %d, %r' % (words[0], status, told))
                return 1
        made.append([open(name, 'rb').read() for name in out])
    for name, word in zip(made[0], (b'mix', b'mix')):
        if word not in name:
            print('a profile without the function that ran: %r' % name[:200])
            bad += 1
    if any(m != made[0] for m in made):
        print('with perf itself other profiles come out')
        bad += 1
    return bad


def autofdo(folder, a):
    """create_gcov reads a recording itself; what it makes is a profile for gcc-11."""
    for words in (['gcc', '-O1', '-gdwarf-4', '-no-pie', 'p.c', '-o', 'fdo'],
                  [os.path.abspath(a.ptrecord), '-q', '-o', 'fdo.data', '--', './fdo'],
                  [os.path.abspath(a.ptscript), 'inject', '-i', 'fdo.data', '-o', 'fdo.inj',
                   '--itrace=i100il16', '--strip', '--no-hw-idx']):
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    steps = [['create_gcov', '--binary=./fdo', '--profile=fdo.inj', '--gcov=fdo.gcov', '-gcov_version=1'],
             ['dump_gcov', 'fdo.gcov', '-gcov_version=1']]
    if shutil.which('gcc-11'):
        steps.append(['gcc-11', '-O2', '-g', '-fauto-profile=fdo.gcov', '-Werror', 'p.c', '-o', 'fast'])
    for words in steps:
        got = subprocess.run(words, cwd=folder, capture_output=True, timeout=60)
        if got.returncode or (words[0] == 'dump_gcov' and b'mix total:' not in got.stdout):
            print('%s: %d, %r, %r' % (words[0], got.returncode, got.stdout[:300], got.stderr[-300:]))
            return 1
    return 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--ptscript', required=True)
    p.add_argument('--ptrecord', required=True)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, a)
        ours = path_with(folder, 'ours', os.path.abspath(a.ptscript))
        real = shutil.which('perf')
        theirs = path_with(folder, 'theirs', real) if real else None
        bad = others(folder, ours)
        if real:
            bad += manners(folder, ours, theirs)
        if os.path.exists(LLVM + '/perf2bolt') and os.path.exists(LLVM + '/llvm-profgen'):
            bad += clients(folder, [ours, theirs] if real else [ours])
        else:
            print('no perf2bolt and llvm-profgen here: not run')
        if shutil.which('create_gcov') and shutil.which('dump_gcov'):
            bad += autofdo(folder, a)
        else:
            print('no create_gcov here: not run')
        return bad != 0


if __name__ == '__main__':
    sys.exit(main())
