#!/usr/bin/env python3
"""record.py - what ptrecord records is what was executed.

SPDX-License-Identifier: MIT

    record.py --ptrecord PROGRAM [--only NAME,...] [--step N] [--no-perf]

Each program is recorded twice, at full speed and step by step (up to N instructions): both
must print the same, as without being recorded, and have executed the same instructions, thread
by thread.  Where perf is installed it must find just those instructions in the recording, and
no error.
"""
import argparse
import array
import errno
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, 'programs')
SECONDS = 300  # for one run

# name: command to build it (in the folder it is built in), command to run, options.
# {s} is the folder of the sources.  A program that cannot be built here is skipped.
OWN = {
    'static': ('gcc -O1 -static {s}/plain.c -o static', './static', ''),
    'static-pie': ('gcc -O1 -static-pie {s}/plain.c -o static-pie', './static-pie', ''),
    'recurse': ('gcc -O1 -static {s}/recurse.c -o recurse', './recurse', '--interrupts 3000'),
    'switch': ('gcc -O1 -static {s}/switch.c -o switch', './switch', '-e intel_pt/cyc/u'),
    'except': ('g++ -O1 -static {s}/except.cc -o except', './except', ''),
    'threads': ('gcc -O1 -static -pthread {s}/threads.c -o threads', './threads', '--slice 2000'),
    'signals': ('gcc -O1 -static {s}/signals.c -o signals', './signals', ''),
    'jumps': ('gcc -O1 -static {s}/jumps.c -o jumps', './jumps', '-e intel_pt/noretcomp/u'),
    'procs': ('gcc -O1 -static -pthread {s}/procs.c -o procs', './procs', ''),
    'dl': ('gcc -O1 {s}/dl.c -o dl && for n in 1 2; do '
           'gcc -O1 -shared -fPIC -DPLUGIN=$n {s}/plugin.c -o plugin$n.so; done',
           './dl ./plugin1.so ./plugin2.so', ''),
    'rep': ('gcc -O1 -static {s}/rep.c -o rep', './rep', '--interrupts 500'),
    'rough': ('gcc -O1 -static -pthread {s}/rough.c -o rough', './rough', ''),
    'branches': ('gcc -c {s}/branches.S -o branches.o && ld branches.o -o branches',
                 './branches', '--interrupts 50'),
    'branches32': ('gcc -m32 -c {s}/branches32.S -o branches32.o && '
                   'ld -m elf_i386 branches32.o -o branches32', './branches32', ''),
    'extra': ('gcc -O1 -static {s}/extra.c -o extra', './extra', '-e intel_pt/ptw,fup_on_ptw/u'),
    'jit': ('gcc -O1 -static {s}/jit.c -o jit', './jit', ''),
    'signals32': ('gcc -m32 -O1 -static {s}/signals.c -o signals32', './signals32', ''),
    'procs32': ('gcc -m32 -O1 -static -pthread {s}/procs.c -o procs32', './procs32', ''),
    'rep32': ('gcc -m32 -O1 -static {s}/rep.c -o rep32', './rep32', ''),
}
# Programs of the system: what they do with the clock and random numbers must not differ.
SYSTEM = {
    'ls': ('ls -l list', ''),
    'gzip': ('gzip -c data', '--max-insns 300000'),
    'xz': ('xz -c data', '--max-insns 300000'),
    'sqlite3': ('sqlite3 :memory: "create table t(a); insert into t values(1),(2); '
                'select sum(a) from t"', '--max-insns 300000'),
    'python3': ('/usr/bin/python3 -S -c "print(sum(range(100)))"', '--max-insns 300000'),
    'perl': ('perl -e "print join q( ), map { $_ * 2 } 1 .. 20"', '--max-insns 300000'),
    'bash': ('bash -c "cat data | wc -c; echo x | tr x y"', ''),
}
# Instructions that the processor may lack.
NOT_ALONE = {'extra'}
# Code that no file holds: perf cannot follow it.
UNFOLLOWED = {'jit'}
# Which system calls a signal interrupts is left to chance: no run is like another.
RACY = {'rough'}


def environment(home):
    return {'PATH': '/usr/bin:/bin', 'HOME': home, 'LC_ALL': 'C', 'PYTHONHASHSEED': '0',
            'PERL_HASH_SEED': '0'}


def threads_of(file):
    """{tid: array of addresses}, in the order in which the threads began."""
    threads = {}
    with open(file, 'rb') as f:
        for tid, ip in struct.iter_unpack('<IQ', f.read()):
            threads.setdefault(tid, array.array('Q')).append(ip)
    return threads


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    show = [[hex(v) for v in part[max(0, at - 2):at + 3]] for part in (a, b)]
    return 'at instruction %d of %d and %d: %s, %s' % (at, len(a), len(b), *show)


def cut_like(threads, other):
    """As much of each thread as OTHER has of it."""
    return [a[:len(b)] for a, b in zip(threads, other)]


def difference(one, other):
    """Of two lists of threads: a text, or None."""
    if len(one) != len(other):
        return '%d and %d threads' % (len(one), len(other))
    for n, (a, b) in enumerate(zip(one, other)):
        if a != b:
            return 'thread %d %s' % (n, first_difference(a, b))
    return None


class Recorder:
    def __init__(self, program, folder):
        self.program = os.path.abspath(program)
        self.folder = folder

    def record(self, name, command, options):
        """Standard output and exit status, and the threads that were recorded."""
        truth = os.path.join(self.folder, name + '.truth')
        argv = [self.program, '-q', '--no-vdso', '--truth', truth, '-o', name + '.data', '--symfs',
                os.path.join(self.folder, name + '.symfs')] + shlex.split(options) + ['--']
        done = subprocess.run(argv + shlex.split(command), cwd=self.folder, timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=environment(self.folder))
        if done.stderr:
            print('  %s' % done.stderr.decode(errors='replace').strip()[:300])
        return (done.stdout, done.returncode), threads_of(truth)

    def alone(self, command):
        """Standard output and exit status without ptrecord."""
        done = subprocess.run(shlex.split(command), cwd=self.folder, timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              env=environment(self.folder))
        status = done.returncode
        return done.stdout, status if status >= 0 else 128 - status

    def decoded(self, name):
        """What perf finds in the recording: threads by tid, and its errors."""
        symfs = os.path.join(self.folder, name + '.symfs')
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                ['perf', '--buildid-dir', symfs + '/.debug', 'script', '--symfs', symfs, '-f',
                 '-i', os.path.join(self.folder, name + '.data'), '--itrace=i1ie', '-F',
                 'tid,ip'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                env=environment(home))
        threads, errors = {}, []
        for line in done.stdout.decode(errors='replace').splitlines():
            m = re.match(r'\s*(\d+)\s+([0-9a-f]+)\s*$', line)
            if m:
                threads.setdefault(int(m[1]), array.array('Q')).append(int(m[2], 16))
            elif line.strip():
                errors.append(line.strip())
        return threads, errors

    def check_steps(self, name, command, options, steps, shown, fast):
        """Texts of what is wrong when the program is recorded step by step."""
        stepped, threads = self.record(name + '.step', command,
                                       '%s --single-step --max-insns %d' % (options, steps))
        slow = list(threads.values())
        total, count = sum(map(len, fast)), sum(map(len, slow))
        if total <= steps and shown != stepped:
            return ['stepped: other output: %.300r, %.300r' % (shown, stepped)]
        if name in RACY:
            return []
        if count != min(total, steps):
            return ['stepped: %d instructions of %d' % (count, total)]
        differs = difference(cut_like(fast, slow), slow)
        return ['stepped: ' + differs] if differs else []

    def check(self, name, command, options, steps, with_perf):
        """Texts of what is wrong."""
        shown, threads = self.record(name, command, options)
        wrong = []
        if not threads:
            wrong.append('nothing was executed')
        if name not in NOT_ALONE and '--max-insns' not in options:
            alone = self.alone(command)
            if alone != shown:
                wrong.append('other output than alone: %.300r, %.300r' % (alone, shown))
        if steps:
            wrong += self.check_steps(name, command, options, steps, shown,
                                      list(threads.values()))
        if with_perf and name not in UNFOLLOWED:
            found, errors = self.decoded(name)
            differs = difference([threads[t] for t in sorted(threads)],
                                 [found[t] for t in sorted(found)])
            if differs:
                wrong.append('perf: ' + differs)
            wrong += ['perf: ' + e for e in errors[:3]]
        print('%-12s %8d instructions, %d threads: %s' % (
            name, sum(map(len, threads.values())), len(threads), 'DIFFERS' if wrong else 'ok'),
            flush=True)
        return wrong


def starts(command, folder):
    """False: the machine does not run such programs: some virtual ones have no 32-bit code."""
    try:
        started = subprocess.Popen(shlex.split(command), cwd=folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=environment(folder))
    except OSError as e:
        return e.errno != errno.ENOEXEC
    started.kill()
    started.wait()
    return True


def programs(folder, only):
    """(name, command, options) of all that are there or can be built."""
    for name, (build, command, options) in OWN.items():
        if only and name not in only:
            continue
        done = subprocess.run(build.format(s=SOURCES), shell=True, cwd=folder,
                              stderr=subprocess.DEVNULL)
        if done.returncode:
            print('%-12s cannot be built here: skipped' % name)
        elif not starts(command, folder):
            print('%-12s cannot run here: skipped' % name)
        else:
            yield name, command, options
    for name, (command, options) in SYSTEM.items():
        if only and name not in only:
            continue
        if shutil.which(command.split()[0]):
            yield name, command, options
        else:
            print('%-12s is not installed: skipped' % name)


def make_input(folder):
    """The files that the programs of the system are given."""
    with open(os.path.join(folder, 'data'), 'wb') as f:
        f.write(b''.join(b'line %d %d\n' % (i, i * i % 977) for i in range(600)))
    os.mkdir(os.path.join(folder, 'list'))
    for i in range(12):
        with open(os.path.join(folder, 'list', 'file%d' % (i * 7 % 12)), 'w') as f:
            f.write('x' * i)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ptrecord', required=True)
    parser.add_argument('--only', type=lambda text: set(text.split(',')))
    parser.add_argument('--step', type=int, default=1 << 60)
    parser.add_argument('--no-perf', action='store_true')
    args = parser.parse_args()
    with_perf = not args.no_perf and bool(shutil.which('perf'))
    bad = count = 0
    with tempfile.TemporaryDirectory() as folder:
        make_input(folder)
        recorder = Recorder(args.ptrecord, folder)
        for name, command, options in programs(folder, args.only):
            wrong = recorder.check(name, command, options, args.step, with_perf)
            for text in wrong:
                print('  ' + text)
            bad += bool(wrong)
            count += 1
    print('%d programs, %d differ%s' % (count, bad, '' if with_perf else ' (without perf)'))
    return 1 if bad or not count else 0


if __name__ == '__main__':
    sys.exit(main())
