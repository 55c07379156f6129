#!/usr/bin/env python3
"""time.py PTSCRIPT - when a recording has trace; its index.

SPDX-License-Identifier: MIT

What ptscript time says of recordings that are made here and of testdata: all that was traced lies
within its windows.  With an index nothing changes but the time that it takes; one that is not of
use is told and not used, and nothing else is written over.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', '..', 'testdata')
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import mkperf  # noqa: E402
import cases  # noqa: E402

PTSCRIPT = os.path.abspath(sys.argv[1])
LONG = 100000000  # ticks: more than a millisecond, and than a hundredth of what is made here
WINDOW = re.compile(r'^(?:cpu|tid) \d+ +(\d+\.\d{9},\d+\.\d{9}) ', re.M)
BAD = []


def check(what, ok, *more):
    if not ok:
        BAD.append(what)
        print(what, *more)


def run(*argv, **kw):
    done = subprocess.run([PTSCRIPT, *argv], capture_output=True, timeout=60, **kw)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def time(*argv, **kw):
    return run('time', *argv, **kw)


def rounds(c, n, step=1000, cpu=0):
    """The program n times, a PSB+ before each, in pieces of two rounds."""
    s, d, at = c.code.asm()[1], c.data, 0
    for i in range(n):
        c.pt.psb().mode_exec().tsc(c.t0 + step * i).psbend()
        c.pt.pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
        if i % 2:
            end = len(c.pt.bytes)
            d.auxtrace(c.pt.bytes[at:end], ref=c.t0 + step * (i + 1), cpu=cpu)
            at = end


def made(folder, *cpus, step=1000, lost=False):
    """A recording in folder, with trace of these CPUs."""
    c = cases.Case(folder)
    c.program()
    d = c.record()
    for cpu in cpus:
        c.pt.bytes = type(c.pt.bytes)()
        rounds(c, 40, step, cpu)
    if lost:
        d.lost(100, 7, c.t0 + 20).aux(0, 64, c.t0 + 30, flags=1)
    d.switch(c.t0 + 60000, out=True).exit(c.t0 + 40 * step + 70000).finished_round()
    path = os.path.join(folder, 'perf.data')
    d.write(path)
    return path, c


# --- What it says ---

def of_testdata(name):
    path = os.path.join(DATA, name, 'perf.data')
    symfs = ('--symfs', os.path.join(DATA, 'symfs'))
    status, text, said = time(path)
    check(name, status == 0 and not said, status, said)
    branches = ('-i', path, *symfs, '--itrace=b', '-F', 'cpu,tid,time,ip,addr', '--ns')
    whole = sorted(run(*branches)[1].splitlines())
    windows = [run(*branches, '--time', w, '-C', cpu)[1] for cpu, w in
               re.findall(r'^cpu (\d+) +(\S+,\S+) ', text, re.M)]
    check(name + ': all branches are in windows',
          whole and sorted(''.join(windows).splitlines()) == whole, text)
    with open(path, 'rb') as f:
        status, piped, said = time(stdin=f)
    with open(path, 'rb') as f:
        cat = subprocess.Popen(['cat', path], stdout=subprocess.PIPE)
        piped = time('-', stdin=cat.stdout)
        cat.wait()
    check(name + ' by a pipe', piped == (0, text.replace(path + ':', '-:', 1), ''), piped)


def of_gaps(tmp):
    path, c = made(tmp, 0, 3, step=LONG, lost=True)
    status, text, said = time(path)
    ns = c.data.clock.ns
    check('a loss is a status', status == 1 and not said, status, said)
    check('gaps', len(WINDOW.findall(text)) == 80, text)
    first = ns(c.t0)
    check('the first time', '%d.%09d,' % (first // 10**9, first % 10**9) in text, text)
    check('losses', ' 7 records\n' in text and 'buffer was full' in text, text)
    check('a longer gap', len(WINDOW.findall(time('--gap', '100000', path)[1])) == 2)


def of_nothing(tmp):
    path = os.path.join(tmp, 'none')
    d = mkperf.software()
    d.comm('x', 5).sample(0x1000, 10)
    d.write(path)
    for argv in (), ('--gap', '1'):
        status, text, _ = time(*argv, path)
        check('no trace', status == 0 and 'no trace of Intel PT' in text, argv, status, text)


def of_cut_files(tmp, path):
    with open(path, 'rb') as f:
        data = f.read()
    for n in list(range(0, 400, 40)) + list(range(400, len(data), max(1, len(data) // 60))):
        cut = os.path.join(tmp, 'cut')
        with open(cut, 'wb') as f:
            f.write(data[:n])
        status, text, said = time(cut)
        check('cut at %d' % n, status in (0, 1, 234, 255), status)
        check('the end is lost', ('data end inside a record' in said) == ('which cannot be read' in text), n, text, said)


# --- The index ---

def windows_of(path, symfs):
    """What is printed of some selected times."""
    return [run('-i', path, '--symfs', symfs, '--itrace=be', '-F', 'cpu,time,ip,addr', '--ns',
                '--time', t) for t in times_of(path)]


def times_of(path):
    text = time(path)[1]
    start, end = (float(x) for x in re.search(r'^trace +(\S+),(\S+) ', text, re.M).groups())
    at = ['%.9f' % (start + (end - start) * i / 10) for i in range(11)]
    return ['%s,%s' % (at[i], at[i + 1]) for i in range(10)] + [
        ' '.join('%s,%s' % (at[i], at[i + 1]) for i in (1, 4, 8)), at[7] + ',', ',' + at[2]]


def with_index(tmp):
    path, _ = made(tmp, 0, 1, 2)
    symfs, index = os.path.join(tmp, 'symfs'), path + '.ptidx'
    text, want = time(path), windows_of(path, symfs)
    check('windows have branches', sum(len(w[1]) for w in want) > 1000)
    check('no index by itself', not os.path.exists(index))
    check('making one', time('--index', path) == text)
    check('one is there', os.path.exists(index))
    check('nothing else is', not [f for f in os.listdir(tmp) if f.startswith('.')])
    check('time by it', time(path) == text, time(path))
    check('windows by it', windows_of(path, symfs) == want)
    check('making it again', time('--index', path) == text)
    return path, text, want


def by_script(path, text, want):
    """A run that keeps one: the same output, and it is there, and left alone then."""
    symfs, index = os.path.join(os.path.dirname(path), 'symfs'), path + '.ptidx'
    argv = ('-i', path, '--symfs', symfs, '--itrace=be', '-F', 'cpu,time,ip,addr', '--ns')
    with open(index, 'rb') as f:
        good = f.read()
    for what, data in (('none', None), ('stale', good[:-9]), ('there', good)):
        os.remove(index)
        if data:
            with open(index, 'wb') as f:
                f.write(data)
        before = os.lstat(index).st_ino if data == good else 0
        got = run(*argv, '--index', '--time', times_of(path)[3])
        check('script --index, ' + what, got == want[3], got)
        with open(index, 'rb') as f:
            check('it is written, ' + what, f.read() == good)
        check('it is left alone', not before or before == os.lstat(index).st_ino)
    check('of all', run(*argv, '--index') == run(*argv))
    os.remove(index)
    with open(index, 'w') as f:
        f.write('precious')
    status, out, said = run(*argv, '--index')
    check('script --index over others', status == 255 and 'left alone' in said, status, said)
    with open(index, 'wb') as f:
        f.write(good)
    with open(path, 'rb') as f:
        cat = subprocess.Popen(['cat', path], stdout=subprocess.PIPE)
        status, _, said = run('-i', '-', '--itrace=e', '--index', stdin=cat.stdout)
        cat.wait()
    check('script --index of a pipe', status == 129 and 'one file' in said, status, said)


def useless(path, text, want, what):
    """One that is not of use: told, and all else is as without."""
    symfs = os.path.join(os.path.dirname(path), 'symfs')
    status, out, said = time(path)
    check(what, (status, out) == text[:2], out)
    check(what + ', told', 'perf.data.ptidx is not used: ' in said, said)
    check(what + ', windows', [w[:2] for w in windows_of(path, symfs)] == [w[:2] for w in want])


def damaged(path, text, want):
    index = path + '.ptidx'
    with open(index, 'rb') as f:
        good = f.read()
    for what, data in (('cut', good[:-9]), ('longer', good + b'x'), ('empty', b''),
                       ('changed', good[:200] + bytes([good[200] ^ 1]) + good[201:]),
                       ('text', b'hello, world\n')):
        with open(index, 'wb') as f:
            f.write(data)
        useless(path, text, want, what)
    with open(index, 'wb') as f:
        f.write(good)


def stale(tmp, path):
    """The recording is made anew: the same size, other times."""
    index = path + '.ptidx'
    shutil.copy(index, os.path.join(tmp, 'kept'))
    path, _ = made(tmp, 0, 1, 2, step=1024)
    os.remove(index)
    text, want = time(path), windows_of(path, os.path.join(tmp, 'symfs'))
    shutil.copy(os.path.join(tmp, 'kept'), index)
    useless(path, text, want, 'stale')
    check('anew', time('--index', path) == text)
    check('anew, windows', windows_of(path, os.path.join(tmp, 'symfs')) == want)


def not_over_others(path):
    index = path + '.ptidx'
    os.remove(index)
    target = index + '.target'
    for what, make in (('a file', lambda: open(index, 'w').write('precious\n')),
                       ('an empty file', lambda: open(index, 'w').close()),
                       ('a link', lambda: os.symlink(target, index)),
                       ('a directory', lambda: os.mkdir(index))):
        make()
        before = os.lstat(index)
        status, out, said = time('--index', path)
        after = os.lstat(index)
        check('not over ' + what, status == 255 and 'left alone' in said, status, out, said)
        check(what + ' is the same', (before.st_ino, before.st_size, before.st_mtime_ns) ==
              (after.st_ino, after.st_size, after.st_mtime_ns) and not os.path.exists(target))
        (os.rmdir if what == 'a directory' else os.remove)(index)
    with open(path, 'rb') as f:
        cat = subprocess.Popen(['cat', path], stdout=subprocess.PIPE)
        status, _, said = time('--index', '-', stdin=cat.stdout)
        cat.wait()
    check('none of a pipe', status == 129 and 'one file' in said, status, said)


def main():
    for name in ('emu-ls', 'emu-mix', 'emu-sig', 'emu-thr'):
        of_testdata(name)
    with tempfile.TemporaryDirectory() as tmp:
        of_gaps(tmp)
    with tempfile.TemporaryDirectory() as tmp:
        of_nothing(tmp)
        path, text, want = with_index(tmp)
        of_cut_files(tmp, path)
        by_script(path, text, want)
        damaged(path, text, want)
        stale(tmp, path)
        not_over_others(path)
    print('%d bad' % len(BAD))
    return bool(BAD)


sys.exit(main())
