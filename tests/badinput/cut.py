#!/usr/bin/env python3
"""cut.py PROGRAM - files that lose their end while they are mapped.

SPDX-License-Identifier: MIT

The program stops at a full pipe, of which a bit has been read; then a file is cut, and all the
rest is read.  What it prints must be the beginning of what it would have printed, in whole lines,
and it must say which file it was, and where.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', '..', 'testdata')
LOADER = 'usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2'
PAGE = os.sysconf('SC_PAGESIZE')
FIRST = 100  # bytes that are read before


class Run:
    def __init__(self, program, folder):
        self.program = program
        self.recording = os.path.join(folder, 'perf.data')
        self.symfs = os.path.join(folder, 'symfs')
        shutil.copy(os.path.join(DATA, 'emu-ls', 'perf.data'), self.recording)
        shutil.copytree(os.path.join(DATA, 'symfs'), self.symfs, symlinks=True)

    def start(self, *options):
        return subprocess.Popen([self.program, '-f', '-i', self.recording, '--symfs', self.symfs,
                                 '--itrace=b', *options], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                bufsize=0)

    def cut(self, path, size, *options):
        """Standard output, messages and status when the file is cut to this size."""
        p = self.start(*options)
        out = p.stdout.read(FIRST)
        os.truncate(path, size)
        more, err = p.communicate(timeout=120)
        return out + more, err.decode(), p.returncode

    def whole(self, *options):
        out, _ = self.start(*options).communicate(timeout=120)
        return out


def check_beginning(out, whole):
    assert FIRST < len(out) < len(whole), 'nothing was lost: %d of %d' % (len(out), len(whole))
    assert whole.startswith(out) and out.endswith(b'\n'), out[-200:]


def recording(run):
    """At a page's end the system says so; all that was decoded before it is there."""
    whole = run.whole()
    for size in (2 * PAGE, 2 * PAGE + 100):
        shutil.copy(os.path.join(DATA, 'emu-ls', 'perf.data'), run.recording)
        out, err, status = run.cut(run.recording, size)
        assert status == 234, (size, status, err)
        where = -(-size // PAGE) * PAGE
        said = 'ptscript: %s: it was cut to %d bytes while it was read' % (run.recording, size)
        assert said in err and '(at offset %#x)' % where in err, err
        if size == where:
            check_beginning(out, whole)
            assert len(out) > len(whole) // 20, 'too little: %d' % len(out)


def dump(run):
    """Likewise where packets are only shown."""
    whole = run.whole('-D')
    out, err, status = run.cut(run.recording, 4 * PAGE, '-D')
    assert status == 234 and run.recording in err, (status, err)
    check_beginning(out, whole)


def last_page(run):
    """Within the last page nothing is noticed, but for its size."""
    size = os.path.getsize(run.recording) // PAGE * PAGE + 10
    _, err, status = run.cut(run.recording, size)
    assert status == 234, (status, err)
    assert '%s: it was cut while it was read' % run.recording in err, err
    assert '(at offset %#x)' % size in err, err


def code(run):
    whole = run.whole()
    path = os.path.join(run.symfs, LOADER)
    out, err, status = run.cut(path, PAGE)
    assert status == 234, (status, err)
    assert 'ptscript: %s: it was cut to %d bytes while it was read' % (path, PAGE) in err, err
    check_beginning(out, whole)


def code_in_its_last_page(run):
    path = os.path.join(run.symfs, LOADER)
    size = os.path.getsize(path) - 1
    _, err, status = run.cut(path, size)
    assert status == 234, (status, err)
    assert '%s: it was cut while it was read' % LOADER in err, err


def replaced(run):
    """Another file of the same name does no harm: the old one is still mapped."""
    whole = run.whole()
    p = run.start()
    out = p.stdout.read(FIRST)
    for path in (run.recording, os.path.join(run.symfs, LOADER)):
        with open(path + '.new', 'wb') as f:
            f.write(b'short')
        os.rename(path + '.new', path)
    more, _ = p.communicate(timeout=120)
    assert p.returncode == 0 and out + more == whole, p.returncode


def sent(run):
    """A signal that somebody sends ends it as ever."""
    p = run.start()
    p.stdout.read(FIRST)
    p.send_signal(signal.SIGBUS)
    _, err = p.communicate(timeout=120)
    assert p.returncode == -signal.SIGBUS and not err, (p.returncode, err)


def main():
    tests = (recording, dump, last_page, code, code_in_its_last_page, replaced, sent)
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(Run(os.path.abspath(sys.argv[1]), os.path.realpath(folder)))
    print('%d passed, 0 failed' % len(tests))


if __name__ == '__main__':
    main()
