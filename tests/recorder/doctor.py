#!/usr/bin/env python3
"""doctor.py --ptrecord P --ptscript S - what ptscript doctor finds in recordings that lack something.

SPDX-License-Identifier: MIT
"""
import argparse
import ctypes
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = '#include <stdio.h>\nint main(void) { for (int i = 0; i < 400; i++) printf("%%d\\n", i * %d); }'


def check(good, text):
    if not good:
        print(text)
        sys.exit(1)


class Bench:
    def __init__(self, folder, args):
        self.folder, self.args = folder, args

    def run(self, *argv):
        env = {'PATH': '/usr/bin:/bin', 'HOME': self.folder, 'LC_ALL': 'C'}
        done = subprocess.run(argv, cwd=self.folder, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=100)
        return done.stdout.decode(), done.stderr.decode(), done.returncode

    def build(self, number):
        with open(os.path.join(self.folder, 'p.c'), 'w') as f:
            f.write(PROGRAM % number)
        check(self.run('gcc', '-O1', '-static', '-Wl,--build-id', 'p.c', '-o', 'p')[2] == 0, 'gcc')

    def record(self, *options):  # ptrecord tells of faults that it was asked for
        _, err, rc = self.run(self.args.ptrecord, '--no-vdso', '-o', 'data', *options, '--', './p')
        check(rc == 0, 'ptrecord: ' + err)

    def finds(self, status, *patterns):
        out, err, rc = self.run(self.args.ptscript, 'doctor', 'data')
        check(rc == status and not err, 'status %d: %s%s' % (rc, out, err))
        for p in patterns:
            check(re.search(p, out), 'no %s in:\n%s' % (p, out))
        return out


def fetch(build_id, words):
    """The next step, which is ptscript's own if it has its library."""
    try:
        ctypes.CDLL('libdebuginfod.so.1')
    except OSError:
        return 'debuginfod-find executable ' + build_id
    return 'ptscript buildid-list --store --debuginfod=URLS' + words


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ptrecord', required=True, type=os.path.abspath)
    parser.add_argument('--ptscript', required=True, type=os.path.abspath)
    args = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        b = Bench(folder, args)
        b.build(1)
        b.record()
        p = re.escape(os.path.join(folder, 'p'))
        out = b.finds(0, r'found: %s, build id \w{40}\n' % p, r'kernel     \S', r'config 0x\w+: pt,.*tsc',
                      'Result: nothing is wrong')
        was = re.search(r'build id (\w+)', out)[1]
        os.rename(folder + '/p', folder + '/p.1')
        b.finds(1, r'! missing: %s, build id %s\n' % (p, was), r'looked for: %s\n' % p,
                r'fetch it:   %s\n' % fetch(was, ' -i data'), r'\(code 5\) in %s\n' % p,
                r'Result: 2 findings, 1 error \(')
        # Where --store would put it; from a bundle it cannot be stored.
        out = b.run(args.ptscript, 'doctor', '--symfs', 'no', 'data')[0]
        check(re.search(fetch(was, ' --symfs no -i data') + '\n', out), out)
        b.run(args.ptscript, 'bundle', 'data', '-o', 'b.tar.zst')
        out = b.run(args.ptscript, 'doctor', 'b.tar.zst')[0]
        check('fetch it:   debuginfod-find executable %s\n' % was in out, out)
        err = b.run(args.ptscript, 'script', '-i', 'data', '--itrace=e')[1]
        check('ptscript: 1: Failed to get instruction\nptscript: the command doctor says' in err, err)
        b.build(2)
        b.finds(1, r'! another build: %s has build id (?!%s)\w{40}, recorded was %s\n' % (p, was, was))
        os.rename(folder + '/p.1', folder + '/p')
        b.record('--overflow', '2')
        b.finds(1, r'! \d+ times? the processor dropped packets', r'Overflow packet \(code 7\)')
        b.record('--truncate', '1')
        b.finds(1, r'! \d+ times? the trace buffer was full', r'Lost trace data \(code 8\)')
        check(b.run(args.ptscript, 'doctor', 'nothing')[2] == 255, 'no file')
        check(b.run(args.ptscript, 'doctor', 'data', 'data')[2] == 129, 'two files')
        with open(folder + '/data', 'r+b') as f:
            f.seek(0, 2)
            f.truncate(f.tell() // 2)
        out, _, rc = b.run(args.ptscript, 'doctor', 'data')
        check(rc == 234 and re.search(r'! the data end inside a record .* \(at offset 0x', out)
              and 'nothing is wrong' not in out, 'damaged: ' + out)
    finally:
        shutil.rmtree(folder)
    print('ok')
    return 0


if __name__ == '__main__':
    sys.exit(main())
