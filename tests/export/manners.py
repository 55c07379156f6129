#!/usr/bin/env python3
"""manners.py PTSCRIPT - what export does to files: those that are there, full disks, ends by force;
and to names that are no text.

SPDX-License-Identifier: MIT

A database is whole when it has its name.
"""
import fcntl
import os
import resource
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '..', '..')
sys.path.insert(0, os.path.join(TOP, 'tests', 'lib'))
from mkperf import Attr, Recording  # noqa: E402
from mksample import IP, TID, TIME  # noqa: E402
from reccase import SIDE  # noqa: E402

CAPTURE = os.path.join(TOP, 'testdata/emu-mix/perf.data')
ALL = ['--to', 'sqlite', '-i', CAPTURE, '--symfs', os.path.join(TOP, 'testdata/symfs'),
       '--itrace=be', '--calls']
bad = 0


def check(what, holds):
    global bad
    if not holds:
        print('WRONG  ' + what)
        bad += 1


def command(folder, words):
    return {'args': [sys.argv[1], 'export', *words], 'cwd': folder, 'stdout': subprocess.PIPE,
            'stderr': subprocess.PIPE,
            'env': {'HOME': folder, 'LC_ALL': 'C', 'PATH': os.environ['PATH'],
                    **{k: v for k, v in os.environ.items() if k.endswith('SAN_OPTIONS')}}}


def export(folder, *words, most=None):
    def limit():
        if most:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return subprocess.run(timeout=60, preexec_fn=limit, **command(folder, words))


def rows(path, what='count(*) from samples'):
    db = sqlite3.connect(path)
    found = db.execute('select ' + what).fetchone()[0]
    db.close()
    return found


def what_is_there(d):
    """Is left alone, unless somebody asks for another."""
    with open(d + '/db', 'w') as f:
        f.write('mine')
    done = export(d, *ALL, '-o', 'db')
    check('is there', done.returncode == 255 and b'db already exists' in done.stderr)
    check('left alone', os.listdir(d) == ['db'] and open(d + '/db').read() == 'mine')
    check('replaced', export(d, *ALL, '-o', 'db', '--overwrite').returncode == 0)
    check('with rows', rows(d + '/db') > 10000 and os.listdir(d) == ['db'])
    os.mkfifo(d + '/fifo')
    done = export(d, *ALL, '-o', 'fifo', '--overwrite')
    check('no file', done.returncode == 255 and stat.S_ISFIFO(os.stat(d + '/fifo').st_mode))


def no_room(d):
    for most in 1 << 12, 1 << 16, 1 << 20:
        done = export(d, *ALL, '-o', 'db', most=most)
        check('no room for more than %d' % most, done.returncode == 255 and b'db: ' in done.stderr)
        check('nothing left', not os.listdir(d))
    done = export(d, *ALL, '-o', 'missing/db')
    check('no folder', done.returncode == 255 and b'No such file' in done.stderr)


def begun(folder):
    """Whether there is a file with something in it; one may go while it is looked at."""
    for name in os.listdir(folder):
        try:
            if os.path.getsize(folder + '/' + name):
                return True
        except FileNotFoundError:
            pass
    return False


def by_force(d):
    """SIGINT removes what was begun; what SIGKILL leaves under another name the next one does."""
    for sig in signal.SIGINT, signal.SIGKILL:
        p = subprocess.Popen(**command(d, [*ALL, '--itrace=i0nsb', '-o', 'db']))
        for _ in range(2000):
            if p.poll() is not None or begun(d):
                break
            time.sleep(0.005)
        p.send_signal(sig)
        p.communicate(timeout=60)
        check('ended by %d' % sig, p.returncode in (-sig, 0))
        check('no half file', not os.path.exists(d + '/db') or rows(d + '/db') > 10000)
        check('nothing behind', sig == signal.SIGKILL or os.listdir(d) in ([], ['db']))
        if os.path.exists(d + '/db'):
            os.unlink(d + '/db')
    check('and goes by the next', export(d, *ALL, '-o', 'db').returncode == 0 and os.listdir(d) == ['db'])


def what_is_left(d):
    """Only what nobody holds is cleared away, and only what can be ours."""
    kept = ['db.ptscript-held00', 'db.ptscript-longer0', 'db.sqlite', 'other.ptscript-000000']
    for name in kept + ['db.ptscript-000000']:
        with open(d + '/' + name, 'w') as f:
            f.write(name)
    os.symlink('db.sqlite', d + '/db.ptscript-linked')
    with open(d + '/' + kept[0]) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        check('one is held', export(d, *ALL, '-o', 'db').returncode == 0)
        check('others stay', sorted(os.listdir(d)) == sorted(kept + ['db', 'db.ptscript-linked']))
    check('it is free', export(d, *ALL, '-o', 'db', '--overwrite').returncode == 0)
    check('it went', sorted(os.listdir(d)) == sorted(kept[1:] + ['db', 'db.ptscript-linked']))


def names(d):
    """What is no UTF-8 becomes U+FFFD, each byte; quotes and line ends are as they are."""
    data = Recording([Attr(1, 2, SIDE, IP | TID | TIME, [100])])
    data.comm('name', 1000)
    data.sample(0x401000, 2000)
    data.write(d + '/perf.data')
    with open(d + '/perf.data', 'rb') as f:
        raw = f.read()
    with open(d + '/perf.data', 'wb') as f:
        f.write(raw.replace(b'name\0', b"'\n\xff\xc3\0"))
    done = export(d, '--to', 'sqlite', '-o', 'db')
    check('a name', done.returncode == 0)
    check('as text', rows(d + '/db', 'comm from comms where id = 1') == "'\n\ufffd\ufffd")


def options(d):
    for words, text in ((['-o', 'db'], b'--to'), (['--to', 'oracle', '-o', 'db'], b'oracle'),
                        (['--to', 'sqlite'], b'-o NAME'),
                        (['--to', 'sqlite', '-o', 'db', '--columns', 'x'], b'columns'),
                        (['--to', 'sqlite', '-o', 'db', 'word'], b'word')):
        done = export(d, '-i', CAPTURE, *words)
        check(' '.join(words), done.returncode == 129 and text in done.stderr)
    done = export(d, '--to', 'sqlite', '-o', 'db', '-i', 'missing')
    check('no recording', done.returncode == 255 and not os.listdir(d))


def main():
    for test in what_is_there, no_room, by_force, what_is_left, names, options:
        with tempfile.TemporaryDirectory() as d:
            test(d)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
