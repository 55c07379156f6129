#!/usr/bin/env python3
"""kallsyms.py - the name of every function of a kernel, against perf's.

SPDX-License-Identifier: MIT

    kallsyms.py --ptscript PROGRAM           the kernels of testdata/kernel
    kallsyms.py --ptscript PROGRAM --shared  the whole ones that lie beside this tree

A recording is made of samples at the first, middle and last byte of each symbol, and the byte in
front of it.  Names are taken from a copy of the kernel's memory, and from the list alone, where it
was and moved (KASLR).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import kernelcase  # noqa: E402
import mkperf  # noqa: E402

SHARED = os.path.join(HERE, '..', '..', '..', 'shared', 'traces', 'kernel')
SKIPPED = 77
ANY = 0xffffffff  # the pid in records of the kernel's own maps
KERNEL_ID = bytes(range(20))  # nobody runs that one
KASLR = 0x1e00000
FIELDS = ['-F', 'ip,sym,symoff,dso']


class Kernel:
    """A kcore_dir."""

    def __init__(self, folder):
        self.folder = folder
        with open(folder + '/kallsyms', encoding='ascii') as f:
            lines = [line.split() for line in f]
        self.text = next(int(at, 16) for at, _, name, *_ in lines if name in ('_text', '_stext'))
        self.ref = '_text' if any(line[2] == '_text' for line in lines) else '_stext'
        # below are numbers, not addresses: of variables of each CPU
        self.starts = sorted({int(line[0], 16) for line in lines if int(line[0], 16) >> 63})
        with open(folder + '/modules', encoding='ascii') as f:
            self.modules = [re.match(r'(\S+) (\d+) .* 0x([0-9a-f]+)', line).groups() for line in f]

    def addresses(self):
        found = set()
        for at, behind in zip(self.starts, self.starts[1:] + [self.starts[-1] + 0x3000]):
            found.update((at - 1, at, (at + behind) // 2, behind - 1))
        return sorted(found)

    def write(self, path, moved=0):
        w = mkperf.software()
        w.mmap('[kernel.kallsyms]' + self.ref, self.text + moved, 0x4000000, self.text + moved,
               None, ANY, mkperf.KERNEL)
        w.build_id('[kernel.kallsyms]', KERNEL_ID, mkperf.KERNEL)
        for name, size, at in self.modules:
            w.mmap('[%s]' % name, int(at, 16), int(size), 0, None, ANY, mkperf.KERNEL)
        w.comm('t', 1000)
        modules = min(int(at, 16) for _, _, at in self.modules)
        for t, at in enumerate(self.addresses()):
            w.sample(at + (moved if at < modules else 0), 3000 + t, misc=mkperf.KERNEL)
        w.write(path)


def said(program, folder, options):
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([program, 'script'] + options + FIELDS, cwd=folder,
                              env=cases.environment(home), capture_output=True,
                              stdin=subprocess.DEVNULL)
    err = [line for line in done.stderr.splitlines(True) if not line.startswith(b'ptscript: ')]
    return done.returncode, done.stdout, b''.join(err)


def compare(program, folder, name, options):
    theirs, ours = (said(p, folder, options) for p in ('perf', program))
    named = sum(b'[unknown]' not in line for line in theirs[1].splitlines())
    if theirs != ours:
        print('DIFF  %s %s' % (name, ' '.join(options)))
        print(cases.difference(*(cases.text_of('', s) for s in (theirs, ours))))
    else:
        print('same  %s %s: %d addresses, %d with names'
              % (name, ' '.join(options), theirs[1].count(b'\n'), named))
    return theirs == ours and named > 1000


def check(program, name, kcore_dir):
    kernel = Kernel(kcore_dir)
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + '/perf.dir')
        kernel.write(folder + '/perf.dir/data')
        kernel.write(folder + '/moved', KASLR)
        os.symlink(os.path.abspath(kcore_dir), folder + '/perf.dir/kcore_dir')
        shutil.copyfile(kcore_dir + '/kallsyms', folder + '/list')
        good = True
        for options in (['-i', 'perf.dir'], ['-i', 'perf.dir/data', '--kallsyms', 'list'],
                        ['-i', 'moved', '--kallsyms', 'list']):
            good &= compare(program, folder, name, options)
    return good


def own(program, folder):
    good = True
    for name in kernelcase.NAMES:
        kernelcase.extract(name, folder + '/' + name)
        good &= check(program, name, '%s/%s/perf.dir/kcore_dir' % (folder, name))
    return good


def shared(program, folder):
    subprocess.run(['tar', 'xJf', SHARED + '/kcore.tar.xz'], cwd=folder, check=True)
    good = True
    for name in sorted(os.listdir(folder + '/kcore')):
        good &= check(program, name, folder + '/kcore/' + name)
    return good


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--shared', action='store_true')
    args = ap.parse_args()
    if not shutil.which('perf') or (args.shared and not os.path.exists(SHARED)):
        print('no perf, or no such kernels here: skipped')
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        return not (shared if args.shared else own)(os.path.abspath(args.ptscript), folder)


if __name__ == '__main__':
    sys.exit(main())
