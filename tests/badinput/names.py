#!/usr/bin/env python3
"""names.py PROGRAM - names in a recording that mean harm, to a terminal or to the files here.

SPDX-License-Identifier: MIT
"""
import os
import pty
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402

ESCAPE = 'x\x1b]0;y\x07\x7f\u009b\u00e9'
SHOWN = 'x\\x1b]0;y\\x07\\x7f\\xc2\\x9b\u00e9'


def on_terminal(argv):
    """What a program writes to its terminal."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(argv, stdout=follower, stderr=follower, stdin=subprocess.DEVNULL)
    os.close(follower)
    out = b''
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            piece = b''
        if not piece:
            break
        out += piece
    os.close(leader)
    child.wait()
    return out.decode()


def escapes(program, folder):
    c = cases.Case(folder)
    c.program()
    d = c.perf()
    d.comm(ESCAPE).exit(c.t0)
    d.write(os.path.join(folder, 'perf.data'))
    argv = [program, 'script', '-i', os.path.join(folder, 'perf.data'), '--show-task-events']
    assert SHOWN in on_terminal(argv), 'a terminal gets control characters'
    out = subprocess.run(argv, stdout=subprocess.PIPE, check=True).stdout.decode()
    assert ESCAPE in out, 'a pipe does not get the bytes as they are'


def upwards(program, folder):
    """A name that leads out of symfs finds nothing there; one that comes back does."""
    for path, found in (('/../out/t', False), ('/in/../in/t', True)):
        c = cases.Case(folder)
        c.path = path
        s = c.program()
        c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).pgd()
        c.finish()
        out = cases.run([program], '--itrace=b -F ip,sym', folder)[1]
        assert (b'_start' in out) == found, '%s: %r' % (path, out)


def main():
    for test in (escapes, upwards):
        with tempfile.TemporaryDirectory() as folder:
            test(os.path.abspath(sys.argv[1]), folder)
    print('2 passed, 0 failed')


if __name__ == '__main__':
    main()
