#!/usr/bin/env python3
"""smoke.py --ptscript P --ptcount P [--ipt-block P] - that the benchmark works; no speed.

SPDX-License-Identifier: MIT

On one small recording of testdata: branches and instructions are counted as ptscript and libipt
do, rows have all their cells, another output is seen, and compare.py finds what became slower.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTDATA = os.path.join(HERE, '..', '..', 'testdata')
sys.path.insert(0, HERE)
import apart  # noqa: E402
import bench  # noqa: E402
import compare  # noqa: E402
import files  # noqa: E402
import inputs  # noqa: E402
import measure  # noqa: E402

SKIPPED = 77
OLD = '''## a
| job | options | ratio |
|---|---|---|
| same | `x` | 4.00 |
| slower | `y` | 4.00 |
| gone | `z` | 4.00 |
| differs now | `z` | 4.00 |
'''


def check(good, text):
    if not good:
        sys.exit('FAILED: ' + text)


def small(tmp, args):
    """A folder as data.py makes them."""
    folder = os.path.join(tmp, 'emu-ls')
    os.makedirs(folder)
    shutil.copy(os.path.join(TESTDATA, 'emu-ls', 'perf.data'), folder + '/full.data')
    os.symlink(os.path.realpath(os.path.join(TESTDATA, 'symfs')), folder + '/symfs')
    traces = apart.write(folder + '/full.data', folder + '/trace')
    with open(folder + '/images', 'w') as f:
        f.writelines(apart.images(folder + '/full.data', folder + '/symfs'))
    done = subprocess.run([args.ptcount] + traces, capture_output=True, text=True, check=True)
    info = {'pt': sum(map(os.path.getsize, traces)), 'branches': int(done.stdout)}
    with open(folder + '/info.json', 'w') as f:
        json.dump({'full': info}, f)
    return inputs.made(folder)


def counts(args, recording):
    dump = subprocess.run([args.ptscript, '-D', '-i', recording.files['full'].data],
                          capture_output=True, text=True, check=True).stdout
    bits = sum(len(m) for m in re.findall(r' TNT ([TN]+) ', dump))
    tips = len(re.findall(r' TIP (?:0x|no ip)', dump))
    check(recording.files['full'].branches == bits + tips > 0, 'ptcount: %s, not %d' %
          (recording.files['full'].branches, bits + tips))


def instructions(args, recording):
    listed = subprocess.run(recording.command(args.ptscript, 'full', '--itrace=i0ns -F ip'),
                            capture_output=True, text=True, check=True).stdout
    row = bench.Bench(args).ipt_row(recording)
    said = '%d instructions, ' % listed.count('\n')
    check(row[1].startswith(said) and row[1].endswith(' 0 errors'), 'libipt: %s, not %s' %
          (row[1], said))
    check(len(row) == len(bench.COLUMNS), 'cells of the row of libipt: %s' % row)


def rows(args, recording):
    b = bench.Bench(args)
    for options in ('--itrace=e', '--itrace=be'):
        row = b.row(recording, bench.Job('job', options, 'full'), cold=[recording.symfs])
        check(len(row) == len(bench.COLUMNS) and all(row), 'cells of %s: %s' % (options, row))
    for job in filter(files.usable, files.JOBS[1:]):  # perf inject takes no --symfs
        job = job._replace(length='full')
        row = b.file_row(recording, job)
        check(len(row) == len(bench.COLUMNS) and all(row), 'cells of %s: %s' % (job.name, row))
    b.other = '/bin/echo'
    check(b.row(recording, bench.JOBS[0])[4] == 'differs', 'another output')


def tables(tmp):
    old, new = (os.path.join(tmp, n) for n in ('old.md', 'new.md'))
    with open(old, 'w') as f:
        f.write(OLD)
    with open(new, 'w') as f:
        f.write(OLD.replace('slower | `y` | 4.00', 'slower | `y` | 3.70')
                .replace('gone', 'another').replace('now | `z` | 4.00', 'now | `z` | differs'))
    check(not list(compare.worse(compare.rows(old), compare.rows(old))), 'compare: the same')
    found = [line.split(':')[0] for line in compare.worse(compare.rows(old), compare.rows(new))]
    check(found == ['a, slower', 'a, gone', 'a, differs now'], 'compare: %s' % found)


def main():
    ap = argparse.ArgumentParser()
    for program in ('ptscript', 'ptcount', 'ipt-block', 'base'):
        ap.add_argument('--' + program, type=os.path.abspath)
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        tables(tmp)
        recording = small(tmp, args)
        counts(args, recording)
        if args.ipt_block:
            instructions(args, recording)
        if not (shutil.which('perf') and os.path.exists('/usr/bin/time')):
            print('perf or time is not installed: no rows')
            return SKIPPED
        measure.RUNS = 1
        rows(args, recording)
    print('passed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
