#!/usr/bin/env python3
"""jitdump.py --ptrecord P --ptscript S - code of a jitdump, decoded against the truth and perf.

SPDX-License-Identifier: MIT

programs/jitdump.c writes, replaces and moves functions and tells of it in a jitdump. Times in
it are put to those of the recording, as ticks or as nanoseconds, of either byte order; then
ptscript must find the instructions that were executed, and print what perf script prints of what
perf inject -j makes. And a dump that is missing, cut, a link or below --symfs.
"""
import argparse
import array
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import mkjit  # noqa: E402
import mkperf  # noqa: E402

FORMS = [['--itrace=i0nse', '-F', 'comm,tid,time,ip,sym,symoff,dso', '--ns'], ['--itrace=be'],
         ['--insn-trace'], ['--itrace=i50nsge', '-F', '+addr'], ['--call-ret-trace']]
SECOND = 4  # record in the dump: the second function, beside the first


class Failed(Exception):
    pass


def check(good, text):
    if not good:
        raise Failed(text)


def run(argv, folder):
    env = {'PATH': '/usr/bin:/bin', 'HOME': folder, 'LC_ALL': 'C', 'TZ': 'UTC', 'PAGER': 'cat'}
    done = subprocess.run(argv, cwd=folder, env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=100)
    return done.stdout.decode('latin-1'), done.stderr.decode('latin-1'), done.returncode


def clock_of(data):
    """shift, mult, zero of AUXTRACE_INFO."""
    at, size = struct.unpack_from('<QQ', data, 40)
    end = at + size
    while at < end:
        kind, _, n = struct.unpack_from('<IHH', data, at)
        if kind == 70:
            return struct.unpack_from('<QQQ', data, at + 24)
        at += n + (struct.unpack_from('<Q', data, at + 8)[0] if kind == 71 else 0)
    raise Failed('no AUXTRACE_INFO')


def ticks_of(ns, shift, mult, zero):
    whole, rest = divmod(ns - zero, mult)
    return (whole << shift) + (rest << shift) // mult


def turned(dump):
    """The same in the other byte order."""
    out = bytearray(dump)

    def swap(at, sizes):
        for n in sizes:
            out[at:at + n] = out[at:at + n][::-1]
            at += n
        return at

    swap(0, [4] * 6 + [8] * 2)
    at = mkjit.HEADER
    while at + 16 <= len(out):
        kind, size = struct.unpack_from('<II', dump, at)
        swap(at, [4, 4, 8])
        if kind == mkjit.LOAD:
            swap(at + 16, [4, 4] + [8] * 4)
        elif kind == mkjit.MOVE:
            swap(at + 16, [4, 4] + [8] * 5)
        elif kind == mkjit.UNWIND:
            swap(at + 16, [8] * 3)
        elif kind == mkjit.DEBUG:
            swap(at + 16, [8, 8])
            entry = at + 32
            while entry < at + size:
                swap(entry, [8, 4, 4])
                entry = dump.index(b'\0', entry + 16) + 1
        at += size
    return bytes(out)


class Case:
    def __init__(self, folder, args):
        self.folder, self.args = folder, args
        build = ['gcc', '-O1', '-static', os.path.join(HERE, 'programs/jitdump.c'), '-o', 'jitdump']
        check(run(build, folder)[2] == 0, 'cannot be built')
        record = [args.ptrecord, '--no-vdso', '--truth', 'truth', '-o', 'data', '--symfs', 'symfs',
                  '--', './jitdump']
        _, text, rc = run(record, folder)
        check(rc == 0, 'ptrecord: ' + text)
        self.name = os.path.basename(glob.glob(folder + '/jit-*.dump')[0])
        self.path = os.path.join(folder, self.name)
        self.below = os.path.join(folder, 'symfs') + self.path
        with open(self.path, 'rb') as f:
            self.dump = f.read()
        with open(self.below, 'rb') as f:
            check(f.read() == self.dump, '--symfs: the dump as it was when it was mapped')
        with open(os.path.join(folder, 'data'), 'rb') as f:
            self.clock = clock_of(f.read())
        text = self.script('--no-itrace', '--show-task-events', '--ns')[0]
        self.times = {int(n): int(s) * 10**9 + int(ns) for s, ns, n in
                      re.findall(r'(\d+)\.(\d{9}): PERF_RECORD_COMM: jit:(\d+)', text)}
        with open(os.path.join(folder, 'truth'), 'rb') as f:
            self.truth = array.array('Q', (ip for _, ip in struct.iter_unpack('<IQ', f.read())))

    def script(self, *options):
        return run([self.args.ptscript, 'script', '-i', 'data'] + list(options), self.folder)

    def put(self, data, path=None):
        with open(path or self.path, 'wb') as f:
            f.write(data)

    def ticks(self):
        return mkjit.stamped(self.dump, {n: ticks_of(t, *self.clock) for n, t in
                                         self.times.items()})

    def decodes(self, what, *options, notes=''):
        out, err, _ = self.script('--itrace=i0nse', '-F', 'ip', *options)
        check('error' not in out, '%s: %s' % (what, re.findall('.*error.*', out)[:1]))
        check(array.array('Q', (int(line, 16) for line in out.split())) == self.truth,
              what + ': not what was executed')
        check(re.fullmatch(notes, err), '%s: %s' % (what, err))

    def says(self, what, text):
        err = self.script('--itrace=e')[1]
        check(re.search(text, err), '%s: %s' % (what, err))


def against_perf(c):
    """perf has no use for a name of one byte, 0xff, that stands for the one before."""
    shown = os.path.join(c.folder, 'injected')
    _, err, rc = run(['perf', 'inject', '-j', '-i', 'data', '-o', shown], c.folder)
    check(rc == 0, 'perf inject: ' + err)
    for form in FORMS:
        theirs = run(['perf', 'script', '-i', shown] + form, c.folder)
        check('error' not in theirs[0], 'perf has errors')
        check(theirs == c.script(*form), 'not as perf: ' + ' '.join(form))


def lines(c):
    out = c.script('--itrace=i0nse', '-F', 'ip,sym,srcline')[0]
    found = re.findall(r' first\n  (\S+)', out)
    once = ['first.js:10'] * 2 + ['first.js:12'] * 9 + ['second.js:20']
    check(found == once * 2 and not re.search(r' second one\n  \S', out), 'lines: %s' % found)


def another_clock(c):
    """Its header was written 100 ns before it was mapped."""
    text = c.script('--no-itrace', '--show-mmap-events', '--ns')[0]
    sec, ns = re.search(r'(\d+)\.(\d{9}): PERF_RECORD_MMAP2 .*' + c.name, text).groups()
    mapped = int(sec) * 10**9 + int(ns)
    late = {**c.times, SECOND: c.times[SECOND + 1] - 1}
    for what, times in (('another clock', c.times), ('a new function that seems late', late)):
        other = mkjit.stamped(c.dump, {n: t - mapped + 5000 for n, t in times.items()})
        c.put(other[:24] + struct.pack('<QQ', 4900, 0) + other[40:])
        c.decodes(what, notes='ptscript: .*: its clock is not the recording\'s: .*\n')


def odd_files(c, good):
    os.remove(c.path)
    c.says('missing', r'jit-\d+\.dump: code made at run time by process \d+ .* put it back')
    c.put(good, c.below)
    c.decodes('below symfs', '--symfs', os.path.join(c.folder, 'symfs'))
    os.symlink(c.below, c.path)
    c.says('a link', r'jit-\d+\.dump: .*: a link, or ')
    os.remove(c.path)
    c.put(b'text' * 20)
    c.says('none', 'it is no jitdump')
    c.put(good[:4] + b'\2' + good[5:])
    c.says('another version', 'a jitdump of an unknown version')
    c.put(good[:400])
    c.says('cut', 'it ends inside a record: all before was used')


def map_files(args, folder):
    """Names of memory: the map file is used, missing, or somebody else's."""
    w = mkperf.software().comm('t', 1000)
    w.mmap2('//anon', 0x1000, 0x3000, 0, 2000)
    w.sample(0x1005, 3000)
    w.write(os.path.join(folder, 'map.data'))
    path = os.path.join(folder, 'maps/tmp/perf-4242.map')
    os.makedirs(os.path.dirname(path))
    script = [args.ptscript, 'script', '-i', 'map.data', '-F', 'ip,sym', '--symfs', 'maps']
    if not os.path.exists('/tmp/perf-4242.map'):
        out, err, _ = run(script, folder)
        check('[unknown]' in out and re.search('no names for memory of process 4242.*perf-4242', err),
              'no map file: ' + err)
    with open(path, 'w') as f:
        f.write('1000 10 made\n')
    out, err, _ = run(script, folder)
    check(out.split() == ['1005', 'made'] and not err, 'map file: ' + out + err)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
        out, err, _ = run(script, folder)
        check('[unknown]' in out and 'its names were not used (use -f' in err, 'other owner: ' + err)
        check('made' in run(script + ['-f'], folder)[0], '-f')


def run_all(folder, args):
    map_files(args, folder)
    c = Case(folder, args)
    good = c.ticks()
    c.put(good)
    c.decodes('ticks')
    lines(c)
    if shutil.which('perf'):
        against_perf(c)
    c.put(turned(good))
    c.decodes('other byte order')
    lines(c)
    another_clock(c)
    odd_files(c, good)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ptrecord', required=True, type=os.path.abspath)
    parser.add_argument('--ptscript', required=True, type=os.path.abspath)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            run_all(folder, args)
        except Failed as why:
            print(why)
            return 1
    print('ok' if shutil.which('perf') else 'ok (without perf)')
    return 0


if __name__ == '__main__':
    sys.exit(main())
