#!/usr/bin/env python3
"""fault.py - calls of the system that fail: nothing is lost without a word.

SPDX-License-Identifier: MIT

    fault.py --shim LIBRARY --ptscript PROGRAM --rows PROGRAM --records PROGRAM
             --ptrecord PROGRAM [--each N] [--only TEXT] [--jobs N]

Each way to use a program (scenes.py) is run once to count its calls, then again with one of
them failing, the Nth, or all from the Nth on.  Right is

    the same output and status as without a fault, or
    a status that is not 0 and a message; what was printed is a beginning of the output.

Calls that fail are spread over all; --each N takes every Nth (make faults: each one).
"""
import argparse
import collections
import concurrent.futures
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import scenes  # noqa: E402

LIMIT = 60  # seconds
PART = -1
# kind, errors that are failures, errors that are none (and must change nothing)
KINDS = (('alloc', (errno.ENOMEM,), ()),
         ('map', (errno.ENOMEM,), ()),
         ('open', (errno.EIO, errno.EMFILE), (errno.EINTR,)),
         ('stat', (errno.EIO,), ()),
         ('read', (errno.EIO,), (errno.EINTR, PART)),
         ('write', (errno.EIO, errno.ENOSPC), (errno.EINTR, PART)),
         ('pread', (errno.EIO,), (errno.EINTR, PART)),
         ('pwrite', (errno.EIO,), (errno.EINTR,)),
         ('load', (errno.ENOENT,), ()))
POINTS = {'alloc': 20}  # calls of a kind that fail in a scene, of each error
OTHER_POINTS = 6
# Where a library ends the program itself (docs/invariants.md, I13): libdw 0.188 asserts that
# there is memory for a larger table; without any the C library has no other words for it.
CUT_STATUS, CUT_SAID = 234, b'bytes while it was read: the text ends here'
KNOWN_ENDS = (b"Assertion `htab->table' failed", b'Unexpected error.')
Fault = collections.namedtuple('Fault', 'kind at error on')


class Bench:
    def __init__(self, shim, folder):
        self.shim, self.folder = shim, folder
        with open(os.path.join(folder, '.perfconfig'), 'w', encoding='ascii') as f:
            f.write('[intel-pt]\nmispred-all = yes\n')

    def run(self, scene, fault=None, count=None):
        env = {'HOME': self.folder, 'LC_ALL': 'C', 'TZ': 'Europe/Berlin', 'TMPDIR': self.folder,
               'PATH': os.environ.get('PATH', '/usr/bin:/bin'), 'LD_PRELOAD': self.shim}
        if fault:
            env.update(FAULT_KIND=fault.kind, FAULT_AT=str(fault.at),
                       FAULT_ERROR=str(fault.error))
            if fault.on:
                env['FAULT_ON'] = '1'
        if count:
            env['FAULT_COUNT'] = count
        if scene.spare:
            env['FAULT_SPARE'] = scene.spare
        source = open(scene.stdin, 'rb') if scene.stdin else None
        pipe = subprocess.Popen(['cat'], stdin=source, stdout=subprocess.PIPE) if source else None
        with tempfile.TemporaryDirectory(dir=self.folder) as out:
            argv = [a.replace('{out}', out) for a in scene.argv]
            if scene.copied:
                shutil.copy(scene.copied, out)
            if scene.cut:
                env['FAULT_CUT'] = shutil.copy(scene.cut, out)
            try:
                done = subprocess.run(argv, capture_output=True, timeout=LIMIT, env=env,
                                      stdin=pipe.stdout if pipe else subprocess.DEVNULL,
                                      cwd=scene.folder)
                made = scene.made(out) if scene.made else b''
            except subprocess.TimeoutExpired:
                return 'hangs', b'', b''
            finally:
                if pipe:
                    pipe.stdout.close()
                    pipe.wait()
                    source.close()
        return done.returncode, done.stdout + made, done.stderr


def judge_cut(good, bad, fault):
    """The same of a run that a file's end was taken from.  How far it came is not in our hands,
    but lines are whole, and no failure takes it back or the word that it is not all."""
    status, out, err = bad
    if status == 0 and not fault.on and fault.kind == 'map' and out.startswith(good[1]):
        return None  # it was read, not mapped
    if status == 'hangs' or status < 0 or status in (0, 134, 139):
        return 'ends with %s' % status
    if not err.strip() or (status == good[0] and b'ptscript: ' not in err):
        return 'status %s without a word' % status
    if out and not out.endswith(b'\n') and fault.kind != 'write':
        return 'a line is not whole'
    if fault.error in (errno.EINTR, PART) and (status != good[0] or not out):
        return 'is no failure, but the output differs (status %s)' % status
    short, long = sorted((out, good[1]), key=len)
    return None if long.startswith(short) else 'status %s, but other output' % status


def judge(good, bad, fault, sums):
    """What is wrong with a run; None: nothing."""
    status, out, err = bad
    if status == -signal.SIGABRT and any(known in err for known in KNOWN_ENDS):
        return None
    if status == 'hangs' or status < 0 or status in (134, 139):
        return 'ends with %s' % status
    if (status, out) == good[:2]:
        return None
    if fault.error in (errno.EINTR, PART):
        return 'is no failure, but the output differs (status %s)' % status
    if status == good[0]:
        return 'status %s, but other output' % status
    if not set(err.strip().splitlines()) - set(good[2].strip().splitlines()):
        return 'status %s without a word' % status
    if not sums and not good[1].startswith(out):
        return 'status %s, and the output is no beginning' % status
    return None


def spread(n, points, each):
    """Which of n calls fail."""
    if each:
        return range(1, n + 1, each)
    if n <= points:
        return range(1, n + 1)
    return sorted({1 + round(i * (n - 1) / (points - 1)) for i in range(points)})


def faults_of(scene, counts, each):
    for kind, errors, harmless in KINDS:
        errors = (scene.errors or {}).get(kind, errors)
        points = POINTS.get(kind, OTHER_POINTS)
        for error in errors + harmless:
            for at in spread(counts[kind], points, each):
                yield Fault(kind, at, error, False)
        for at in spread(counts[kind] if errors else 0, 3, each and 7 * each):
            yield Fault(kind, at, errors[0], True)


def check_scene(bench, scene, each, pool):
    """(faults, what was wrong) of one scene."""
    count = os.path.join(bench.folder, 'count')
    bare = bench.run(scene, count=count)
    with open(count, encoding='ascii') as f:
        counts = {k: int(n) for k, n in (line.split() for line in f)}
    assert bare[0] == (CUT_STATUS if scene.cut else 0), '%s: %s' % (scene.name, bare[2])
    assert not scene.cut or CUT_SAID in bare[2], '%s: %s' % (scene.name, bare[2])
    assert scene.shows in bare[1], '%s: not what it is made for' % scene.name
    faults = list(faults_of(scene, counts, each))
    wrong = []
    for fault, done in zip(faults, pool.map(lambda f: bench.run(scene, f), faults)):
        problem = (judge_cut(bare, done, fault) if scene.cut
                   else judge(bare, done, fault, scene.sums))
        # A recording also tells of the moments at which the system interrupted the program.
        if problem and scene.made:
            done = bench.run(scene, fault)
            problem = judge(bare, done, fault, scene.sums)
        if problem:
            wrong.append((fault, problem, done[2]))
    return counts, len(faults), wrong


def main():
    ap = argparse.ArgumentParser()
    for name in ('shim', 'ptscript', 'rows', 'records', 'ptrecord'):
        ap.add_argument('--' + name, required=True, type=os.path.abspath)
    ap.add_argument('--each', type=int)
    ap.add_argument('--filter', help='a compiled filter, of tests/dlfilter')
    ap.add_argument('--only', default='')
    ap.add_argument('--jobs', type=int, default=2)
    args = ap.parse_args()
    with open(args.ptscript, 'rb') as f:
        if b'__asan_init' in f.read():
            print('a sanitizer has an allocator of its own: skipped')
            return 77
    total = failed = 0
    with tempfile.TemporaryDirectory(dir='/var/tmp') as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        bench = Bench(args.shim, folder)
        for scene in scenes.all_of(args, folder):
            if args.only not in scene.name:
                continue
            counts, n, wrong = check_scene(bench, scene, args.each, pool)
            total, failed = total + n, failed + len(wrong)
            print('%-12s %5d faults, %4d wrong  (%s)' % (
                scene.name, n, len(wrong), ', '.join('%d %s' % (c, k) for k, c in counts.items())))
            for fault, problem, err in wrong[:12]:
                print('    %s %d%s, %s: %s: %s' % (
                    fault.kind, fault.at, ' and on' if fault.on else '',
                    'a part' if fault.error == PART else errno.errorcode[fault.error], problem,
                    err[-150:].decode(errors='replace').strip().replace('\n', ' | ')))
            sys.stdout.flush()
    print('%d passed, %d failed' % (total - failed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
