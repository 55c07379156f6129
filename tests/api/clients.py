#!/usr/bin/env python3
"""clients.py - docs/examples/branches.c and branches.py count what perf script prints.

SPDX-License-Identifier: MIT

    clients.py ptscript PROGRAM LIBRARY PTSCRIPT   against the text of ptscript
    clients.py perf PROGRAM LIBRARY                against perf itself
"""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(TOP, 'testdata')
EXAMPLE = os.path.join(TOP, 'docs', 'examples', 'branches.py')
LIMIT = 120  # seconds


def output(argv, **kw):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                          timeout=LIMIT, **kw).stdout.decode()


def told(argv):
    """{function: branches} as a client prints it."""
    return {name: int(n) for n, name in
            (line.split(' ', 1) for line in output(argv).splitlines())}


def printed(argv, recording, symfs, home):
    text = output([*argv, 'script', '-f', '--symfs', symfs, '-i', recording, '--itrace=b',
                   '-F', 'ip,sym'], env={'HOME': home, 'PATH': os.environ['PATH']})
    names = (line.split(None, 1)[1:] for line in text.splitlines())
    return dict(collections.Counter(n[0] if n else '' for n in names))


def main():
    what, program, library, *ours = sys.argv[1:]
    if what == 'perf' and not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as home:
        for name in sorted(os.listdir(DATA)):
            recording = os.path.join(DATA, name, 'perf.data')
            if not name.startswith('emu-') or not os.path.exists(recording):
                continue
            symfs = os.path.join(DATA, 'symfs')
            want = printed(ours or ['perf'], recording, symfs, home)
            got = [told([program, recording, symfs]),
                   told([sys.executable, EXAMPLE, library, recording, symfs])]
            same = got == [want, want] and len(want) > 1
            bad += not same
            print('%s: %d functions: %s' % (name, len(want), 'the same' if same else 'DIFFER'))
            if not same:
                print(want, *got, sep='\n')
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
