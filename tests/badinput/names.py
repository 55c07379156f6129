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
import mkelf  # noqa: E402
import mkperf  # noqa: E402

ESCAPE = 'x\x1b]0;y\x07\x7f\u009b\u00e9'
SHOWN = 'x\\x1b]0;y\\x07\\x7f\\xc2\\x9b\u00e9'


def on_terminal(argv):
    """What a program writes to its terminal."""
    leader, follower = pty.openpty()
    child = subprocess.Popen(argv, stdout=follower, stderr=follower, stdin=subprocess.DEVNULL,
                             env=dict(os.environ, PAGER='cat'))
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


def program_file(symbol, link=None):
    """An ELF file of code at 0x2000, with a symbol there or a debug link."""
    e = mkelf.Elf()
    e.section('.text', mkelf.PROGBITS, mkelf.ALLOC, 0x2000, bytes(0x400))
    if link:
        e.section('.gnu_debuglink', mkelf.PROGBITS, 0, 0, link.encode().ljust(20, b'\0') + b'crc!')
    else:
        e.symbols('.symtab', mkelf.SYMTAB, [(symbol, 2, 1, 0, 1, 0x2000, 0x400)])
    return e


def planted(program, folder):
    """A file called as a debug link says, in the working directory or where a link with a folder
    in it leads to, gives no symbols; one beside the program does."""
    d = mkperf.software()
    d.comm('t').mmap2('/lib/t', addr=0x400000, size=0x10000, pgoff=0, tsc=900)
    for ip in range(0x400000, 0x410000, 0x100):
        d.sample(ip, 1000)
    d.write(os.path.join(folder, 'perf.data'))
    os.makedirs(os.path.join(folder, 'symfs/lib/.debug'))
    program_file('planted').write(os.path.join(folder, 'evil.dbg'))
    there = os.path.join(folder, 'symfs/lib/.debug/evil.dbg')
    for link in ('evil.dbg', '../../evil.dbg', './evil.dbg'):
        program_file(None, link).write(os.path.join(folder, 'symfs/lib/t'))
        out = cases.run([program], '-F ip,sym', folder)[1]
        assert out and b'planted' not in out, link
        program_file('beside').write(there)
        out = cases.run([program], '-F ip,sym', folder)[1]
        assert (b'beside' in out) == (link == 'evil.dbg'), '%s: %r' % (link, out)
        os.remove(there)


def main():
    tests = escapes, upwards, planted
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(os.path.abspath(sys.argv[1]), folder)
    print('%d passed, 0 failed' % len(tests))


if __name__ == '__main__':
    main()
