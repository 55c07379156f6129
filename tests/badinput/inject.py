#!/usr/bin/env python3
"""inject.py PROGRAM [COPIES] - inject of damaged recordings: of a host, its guest, with times of guests.

SPDX-License-Identifier: MIT

Some bytes are changed, or a file is cut, from a fixed seed.  A run ends with one of perf's statuses, with
words when that is not 0; then nothing is written, and nothing but what was asked for is left behind.
"""
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', name) for name in ('lib', 'cases')]
import cases  # noqa: E402

STATUSES = (0, 129, 234, 255)
OFFSET = '0xffffff0012345678'  # of the guest, in tests/cases/guest_data.py
GUEST = ['--guest-data=guest.data,4242,' + OFFSET]
VM = ['--vm-time-correlation', '-f']
# A case, the file that is damaged, and what is run; of VM the file itself is written.
WAYS = (('guest_data.options', 'guest.data', GUEST + ['-o', 'new']),
        ('guest_data.options', 'perf.data', GUEST + ['-o', 'new']),
        ('guest_data.options', 'perf.data', GUEST + ['--guestmount', '.', '--itrace=be', '-o', 'new']),
        ('vm_time.several_machines', 'perf.data', VM),
        ('vm_time.snapshots', 'perf.data', VM + ['--itrace=e']))


def damaged(data, r):
    if r.random() < 0.3:
        return data[:r.randrange(len(data))]
    new = bytearray(data)
    for _ in range(r.randrange(1, 6)):
        # Half of them near the front, where the structure is.
        new[r.randrange(len(data) if r.random() < 0.5 else min(len(data), 1200))] = r.randrange(256)
    return bytes(new)


def is_wrong(program, folder, file, words, data):
    """What is wrong with a run; None: nothing."""
    with open(os.path.join(folder, file), 'wb') as f:
        f.write(data)
    before = set(os.listdir(folder))
    try:
        done = subprocess.run([program, 'inject', '-i', 'perf.data', *words], cwd=folder,
                              capture_output=True, timeout=60, env={**os.environ, 'HOME': folder})
    except subprocess.TimeoutExpired:
        return 'hangs'
    new = set(os.listdir(folder)) - before
    with open(os.path.join(folder, file), 'rb') as f:
        changed = f.read() != data
    for name in new:
        os.unlink(os.path.join(folder, name))
    if done.returncode not in STATUSES:
        return 'ends with %d: %r' % (done.returncode, done.stderr[-2000:])
    if done.returncode and not done.stderr.strip():
        return 'ends with %d without a word' % done.returncode
    if done.returncode and (new or changed):
        return 'ends with %d and left %r' % (done.returncode, sorted(new))
    if new - {'new', 'perf.data.old'} or changed != ('perf.data.old' in new):
        return 'leaves %r' % sorted(new)
    return None


def main():
    program, copies = os.path.abspath(sys.argv[1]), int((sys.argv[2:] or [30])[0])
    made = {key: fn for _, key, fn in cases.cases(['guest_data', 'vm_time'])}
    bad = 0
    for way, (case, file, words) in enumerate(WAYS):
        with tempfile.TemporaryDirectory() as folder:
            cases.make(made[case], folder)
            with open(os.path.join(folder, file), 'rb') as f:
                data = f.read()
            assert not is_wrong(program, folder, file, words, data), 'undamaged'
            for n in range(copies):
                wrong = is_wrong(program, folder, file, words, damaged(data, random.Random(way * 100000 + n)))
                if wrong:
                    print('%s, copy %d of %s, %s: %s' % (case, n, file, ' '.join(words), wrong))
                    bad += 1
    print('%d runs, %d wrong' % (copies * len(WAYS), bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
