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
import struct
import subprocess
import sys
import tempfile

from perfdata import SAMPLE_TYPE, padded, record

USER, KERNEL = 2, 1
NAMES = ['/bin/a', '/bin/b', '/usr/lib/c.so', '/c.so', '//anon', '[heap]', '[stack]', '[stack:7]',
         '/dev/zero (deleted)', '/SYSV00000000 (deleted)', '[vdso]', '[vsyscall]', '[uprobes]',
         'anon_inode:[x]', '/memfd:m (deleted)', '/anon_hugepage (deleted)', '/tmp/perf-77.map']
MODULES = ['/lib/modules/6.1/kernel/my-mod.ko', '/lib/modules/6.1/kernel/y.ko.xz', '[zmod]',
           '[z-z]', '/lib/modules/6.1/plain.so', '/lib/modules/6.1/noext']


class Recording:
    def __init__(self, rng):
        self.rng = rng
        self.time = 1000
        self.records = []
        self.build_ids = []
        self.pids = [rng.choice([1, 2, 3, 10, 11, 77, 4000]) for _ in range(4)] + [0]
        self.tids = self.pids + [20, 21, 22]

    def add(self, kind, misc, body, pid, tid):
        self.time += self.rng.choice([0, 1, 1000])
        self.records.append(record(kind, misc, body + struct.pack(
            '<IIQQ', pid % 2**32, tid % 2**32, self.time, 1)))

    def who(self):
        pid = self.rng.choice(self.pids)
        return (pid, pid) if self.rng.random() < .6 else (pid, self.rng.choice(self.tids))

    def mmap(self):
        rng = self.rng
        pid, tid = self.who()
        start, length = rng.randrange(64) << 12, rng.randrange(1, 9) << 12
        head = struct.pack('<IIQQQ', pid, tid, start, length, rng.randrange(16) << 12)
        name = padded(rng.choice(NAMES).encode())
        if rng.random() < .2:
            self.add(1, USER | rng.choice([0, 1 << 13]), head + name, pid, tid)
            return
        ids = struct.pack('<IIQQ', 8, 1, rng.randrange(3), rng.randrange(2))
        prot, flags = rng.choice([1, 3, 5, 7]), rng.choice([2, 2, 2, 0x40002])
        self.add(10, USER, head + ids + struct.pack('<II', prot, flags) + name, pid, tid)

    def kernel(self):
        rng = self.rng
        base = 0xffffffff81000000
        if rng.random() < .3:
            start, length, name = base, 0x10000, '[kernel.kallsyms]_text'
        else:
            i = rng.randrange(len(MODULES))
            start, length, name = base + 0x100000 + 0x10000 * i, 0x8000, MODULES[i]
            if not self.once(name):
                return
        head = struct.pack('<IIQQQ', 2**32 - 1, 0, start, length, 0)
        self.add(1, KERNEL, head + padded(name.encode()), 0, 0)

    def once(self, name):
        new = name not in self.__dict__.setdefault('done', set())
        self.done.add(name)
        return new

    def comm(self):
        pid, tid = self.who()
        name = self.rng.choice(['sh', 'ls', 'a b', 'worker/3'])
        self.add(3, self.rng.choice([0, 1 << 13]), struct.pack('<II', pid, tid) +
                 padded(name.encode()), pid, tid)

    def task(self, kind):
        pid, tid = self.who()
        ppid, ptid = self.who()
        if tid != pid or pid == 0:
            # A thread's parent is of its process; otherwise perf gets overlapping maps,
            # in which it finds one or the other, and may never come back.
            ppid, ptid = pid, pid
        misc = 1 << 13 if self.rng.random() < .2 else 0
        self.add(kind, misc, struct.pack('<IIIIQ', pid, ppid, tid, ptid, self.time), ppid, ptid)

    def sample(self):
        rng = self.rng
        pid, tid = self.who()
        if rng.random() < .1:
            pid = -1
        mode, ip = USER, rng.randrange(80 << 12)
        if rng.random() < .2:
            mode, ip = KERNEL, 0xffffffff81000000 + rng.randrange(0x180000)
        self.time += rng.choice([0, 1, 1000])
        self.records.append(record(9, mode, struct.pack(
            '<QQIIQ', 1, ip, pid % 2**32, tid % 2**32, self.time)))

    def fill(self, count):
        for name in NAMES[:4] + MODULES[:3] + ['[kernel.kallsyms]']:
            if self.rng.random() < .2:
                misc = USER if name in NAMES else KERNEL
                self.build_ids.append(record(67, misc, struct.pack('<i20sI', -1, b'\1' * 20, 0) +
                                             padded(name.encode())))
        for _ in range(count):
            what = self.rng.choices([self.mmap, self.kernel, self.comm, lambda: self.task(7),
                                     lambda: self.task(4), self.sample], [6, 1, 1, 2, 1, 12])[0]
            what()

    def write(self, path):
        flags = 1 << 18 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23
        attr = struct.pack('<IIQQQQQ', 1, 128, 0, 1, SAMPLE_TYPE, 4, flags).ljust(128, b'\0')
        data, ids = b''.join(self.records), b''.join(self.build_ids)
        data_at = 112 + 144
        ids_at = data_at + len(data) + 16
        head = b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, 144, 112, 144, data_at, len(data), 0, 0)
        with open(path, 'wb') as out:
            out.write(head + struct.pack('<QQQQ', 1 << 2 if ids else 0, 0, 0, 0))
            out.write(struct.pack('<Q', 1) + attr + struct.pack('<QQ', 104, 8) + data)
            if ids:
                out.write(struct.pack('<QQ', ids_at, len(ids)) + ids)


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
            recording = Recording(random.Random(n))
            recording.fill(600)
            recording.write(path)
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
