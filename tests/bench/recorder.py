#!/usr/bin/env python3
"""recorder.py PTRECORD REPORT - instructions a second that ptrecord records, added to REPORT.

SPDX-License-Identifier: MIT

With the list of executed instructions, from which they are counted; medians of RUNS runs.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = int(os.environ.get('PTS_BENCH_RUNS', '5'))
ENTRY = 12  # bytes of an instruction in the list
JOBS = [('xz', ['xz', '-2', '-c', 'data']),
        ('python3', ['/usr/bin/python3', '-S', '-c', 'print(sum(i * i for i in range(50000)))'])]


def record(ptrecord, command, folder):
    """(instructions, seconds, bytes of the recording)"""
    start = time.monotonic()
    subprocess.run([ptrecord, '-o', 'perf.data', '--truth', 'truth', '--'] + command, cwd=folder,
                   check=True, stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - start
    size = [os.path.getsize(os.path.join(folder, name)) for name in ('truth', 'perf.data')]
    return size[0] // ENTRY, seconds, size[1]


def row(ptrecord, name, command, folder):
    runs = [record(ptrecord, command, folder) for _ in range(RUNS)]
    seconds = statistics.median(r[1] for r in runs)
    insns, _, size = runs[-1]
    return '| %s | %.1f million | %.2f s | %.2f million | %.1f MB |' % (
        name, insns / 1e6, seconds, insns / seconds / 1e6, size / 1e6)


def main():
    ptrecord, report = os.path.abspath(sys.argv[1]), sys.argv[2]
    lines = ['', '## ptrecord', '', 'Programs recorded with `--truth`; medians of %d runs.' % RUNS,
             '', '| program | instructions | wall | instructions a second | recording |',
             '|---|---|---|---|---|']
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'data'), 'wb') as f:
            f.write(b''.join(b'line %d %d\n' % (i, i * i % 977) for i in range(4000)))
        for name, command in JOBS:
            if shutil.which(command[0]):
                lines.append(row(ptrecord, name, command, folder))
                print(lines[-1], flush=True)
    with open(report, 'a') as f:
        f.write('\n'.join(lines) + '\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
