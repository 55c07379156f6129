#!/usr/bin/env python3
# sideband.py - threads, names and maps of made-up recordings against those of perf.
#
# SPDX-License-Identifier: MIT
#
#     sideband.py SBDUMP [COUNT [SEED]]     COUNT random recordings
#     sideband.py SBDUMP FILE...            recordings: whose record it is
#
# A recording has samples at random addresses between random MMAP, MMAP2, COMM, FORK and
# EXIT records; what perf script prints for each must be what sbdump prints.
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import mkperf  # noqa: E402
from mkperf import KERNEL, USER  # noqa: E402

NAMES = ['/bin/a', '/bin/b', '/usr/lib/c.so', '/c.so', '//anon', '[heap]', '[stack]', '[stack:7]',
         '/dev/zero (deleted)', '/SYSV00000000 (deleted)', '[vdso]', '[vsyscall]', '[uprobes]',
         'anon_inode:[x]', '/memfd:m (deleted)', '/anon_hugepage (deleted)', '/tmp/perf-77.map']
MODULES = ['/lib/modules/6.1/kernel/my-mod.ko', '/lib/modules/6.1/kernel/y.ko.xz', '[zmod]',
           '[z-z]', '/lib/modules/6.1/plain.so', '/lib/modules/6.1/noext']


class Random:
    """A recording of random records."""

    def __init__(self, rng):
        self.rng = rng
        self.time = 1000
        self.data = mkperf.software()
        self.done = set()
        self.pids = [rng.choice([1, 2, 3, 10, 11, 77, 4000]) for _ in range(4)] + [0]
        self.tids = self.pids + [20, 21, 22]

    def now(self):
        self.time += self.rng.choice([0, 1, 1000])
        return self.time

    def who(self):
        pid = self.rng.choice(self.pids)
        return (pid, pid) if self.rng.random() < .6 else (pid, self.rng.choice(self.tids))

    def mmap(self):
        rng = self.rng
        pid, tid = self.who()
        start, length = rng.randrange(64) << 12, rng.randrange(1, 9) << 12
        pgoff, name = rng.randrange(16) << 12, rng.choice(NAMES)
        if rng.random() < .2:
            misc = USER | rng.choice([0, mkperf.MMAP_DATA])
            self.data.mmap(name, start, length, pgoff, self.now(), pid, misc, tid)
            return
        inode = {'inode': rng.randrange(3), 'generation': rng.randrange(2)}
        prot, flags = rng.choice([1, 3, 5, 7]), rng.choice([2, 2, 2, 0x40002])
        self.data.mmap2(name, start, length, pgoff, self.now(), pid, prot, flags=flags, tid=tid,
                        **inode)

    def kernel(self):
        rng = self.rng
        base = 0xffffffff81000000
        if rng.random() < .3:
            start, length, name = base, 0x10000, '[kernel.kallsyms]_text'
        else:
            i = rng.randrange(len(MODULES))
            start, length, name = base + 0x100000 + 0x10000 * i, 0x8000, MODULES[i]
            if name in self.done:
                return
            self.done.add(name)
        self.data.mmap(name, start, length, 0, self.now(), -1, KERNEL)

    def comm(self):
        pid, tid = self.who()
        name = self.rng.choice(['sh', 'ls', 'a b', 'worker/3'])
        exec_ = self.rng.choice([False, True])
        self.data.comm(name, self.now(), pid, tid, exec_)

    def task(self, exit_):
        pid, tid = self.who()
        ppid, ptid = self.who()
        if tid != pid or pid == 0:
            # A thread's parent is of its process; otherwise perf gets overlapping maps,
            # in which it finds one or the other, and may never come back.
            ppid, ptid = pid, pid
        misc = mkperf.FORK_EXEC if self.rng.random() < .2 else 0
        self.data.fork(self.now(), tid, pid, ppid, ptid, exit_, misc)

    def sample(self):
        rng = self.rng
        pid, tid = self.who()
        if rng.random() < .1:
            pid = -1
        mode, ip = USER, rng.randrange(80 << 12)
        if rng.random() < .2:
            mode, ip = KERNEL, 0xffffffff81000000 + rng.randrange(0x180000)
        self.data.sample(ip, self.now(), misc=mode, pid=pid, tid=tid)

    def fill(self, count):
        for name in NAMES[:4] + MODULES[:3] + ['[kernel.kallsyms]']:
            if self.rng.random() < .2:
                self.data.build_id(name, b'\1' * 20, USER if name in NAMES else KERNEL)
        for _ in range(count):
            what = self.rng.choices([self.mmap, self.kernel, self.comm, lambda: self.task(False),
                                     lambda: self.task(True), self.sample],
                                    [6, 1, 1, 2, 1, 12])[0]
            what()


def run(*args):
    return subprocess.run(('timeout', '20') + args, capture_output=True, text=True, env={
        **os.environ, 'LC_ALL': 'C', 'PAGER': 'cat', 'HOME': tempfile.gettempdir()}).stdout


def perf_samples(path):
    out = []
    for line in run('perf', 'script', '-i', path, '--no-itrace', '-F',
                    'comm,pid,tid,ip,sym,dso', '--symfs', '/nowhere').splitlines():
        m = re.match(r' *(.*?) +(-?\d+)/(-?\d+) +([0-9a-f]+) \[unknown\] \((.*)\)$', line)
        out.append('%s %s/%s %s (%s)' % m.groups() if m else line)
    return out


KINDS = {'MMAP': 1, 'COMM': 3, 'EXIT': 4, 'FORK': 7, 'MMAP2': 10, 'SWITCH': 14,
         'SWITCH_CPU_WIDE': 15}


def perf_records(path):
    out = []
    for line in run('perf', 'script', '-i', path, '--no-itrace', '--show-task-events',
                    '--show-mmap-events', '--show-switch-events', '-F',
                    'comm,pid,tid').splitlines():
        m = re.match(r' *(.*?) +(-?\d+)/(-?\d+) +PERF_RECORD_(\w+)', line)
        if m:
            out.append('%s %s/%s %d' % (m[1], m[2], m[3], KINDS[m[4]]))
    return out


def compare(what, want, got):
    if want == got:
        return True
    bad = [i for i in range(max(len(want), len(got))) if want[i:i + 1] != got[i:i + 1]]
    print('%s: %d of %d differ' % (what, len(bad), len(want)))
    for i in bad[:5]:
        print('  %d\n    perf %s\n    ours %s' % (i, want[i:i + 1], got[i:i + 1]))
    return False


def check_random(program, count, seed):
    good = 0
    with tempfile.TemporaryDirectory() as tmp:
        for n in range(seed, seed + count):
            path = os.path.join(tmp, 'perf.data')
            recording = Random(random.Random(n))
            recording.fill(600)
            recording.data.write(path)
            good += compare('seed %d' % n, perf_samples(path), run(program, path).splitlines())
    print('%d of %d recordings agree' % (good, count))
    return good == count


def check_file(program, path):
    shown = {str(kind) for kind in KINDS.values()}
    got = [line for line in run(program, '-r', path).splitlines()
           if line.rsplit(' ', 1)[1] in shown]
    want = perf_records(path)
    if len(want) < len(got):
        print('%s: perf gives up after %d of %d' % (path, len(want), len(got)))
    return compare(path, want, got[:len(want)])


def main():
    program, rest = sys.argv[1], sys.argv[2:]
    if rest and not rest[0].isdigit():
        sys.exit(0 if all([check_file(program, path) for path in rest]) else 1)
    numbers = [int(word) for word in rest] + [10, 1][len(rest):]
    sys.exit(0 if check_random(program, *numbers) else 1)


main()
