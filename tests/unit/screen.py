#!/usr/bin/env python3
"""screen.py PTSCRIPT - text on a terminal: by the page and in colours, and only there.

SPDX-License-Identifier: MIT
"""
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402

DATA = os.path.join(HERE, '..', '..', 'testdata')
MIX = ['-f', '-i', os.path.join(DATA, 'emu-mix/perf.data'), '--symfs', os.path.join(DATA, 'symfs')]
COLOUR = re.compile(r'\x1b\[(?:3[12])?m')
PAGED = 'sed s/^/P:/'  # a pager that shows that it ran


class Screen:
    def __init__(self, program, home):
        self.program, self.home = program, home

    def environment(self, **more):
        env = {k: v for k, v in os.environ.items()
               if k not in ('PAGER', 'PERF_PAGER', 'NO_COLOR', 'PERF_CONFIG')}
        return {**env, 'HOME': self.home, 'TERM': 'xterm', 'LC_ALL': 'C', **more}

    def piped(self, *words):
        return subprocess.run([self.program, *words], env=self.environment(), check=True,
                              stdin=subprocess.DEVNULL, capture_output=True).stdout.decode()

    def shown(self, *words, interrupt=False, **env):
        """What stands on a terminal, and the exit status."""
        leader, follower = pty.openpty()
        child = subprocess.Popen([self.program, *words], stdout=follower, stderr=follower,
                                 stdin=subprocess.DEVNULL, start_new_session=True,
                                 env=self.environment(**env))
        os.close(follower)
        out = b''
        while True:
            try:
                piece = os.read(leader, 1 << 16)
            except OSError:  # the other end is closed
                break
            if interrupt and not out:
                os.killpg(child.pid, signal.SIGINT)
            out += piece
        os.close(leader)
        return out.decode().replace('\r\n', '\n'), child.wait(timeout=60)


def pages(s):
    words = ['script', *MIX, '--itrace=cr']
    text = s.piped(*words)
    by_page = ''.join('P:' + line for line in text.splitlines(True))
    assert s.shown(*words, PAGER=PAGED) == (by_page, 0)
    assert s.shown(*words, PAGER='nobody-is-called-so', PERF_PAGER=PAGED) == (by_page, 0)
    for plain in {'PAGER': 'cat'}, {'PAGER': ''}, {'PAGER': PAGED, 'PERF_PAGER': 'cat'}:
        assert s.shown(*words, **plain) == (text, 0), plain
    assert s.shown(*words, '--no-pager', PAGER=PAGED) == (text, 0)
    assert s.shown('evlist', *MIX[1:3], PAGER=PAGED)[0] == s.piped('evlist', *MIX[1:3])
    config = os.path.join(s.home, '.perfconfig')
    for value, want in (('false', text), ('true', by_page), ('sed s/^/C:/', by_page.replace('P:', 'C:'))):
        with open(config, 'w') as f:
            f.write('[pager]\n\tscript = %s\n' % value)
        assert s.shown(*words, PAGER=PAGED) == (want, 0), value
    os.remove(config)


def ends(s):
    """The pager goes first, or has its say last; the status is ours."""
    out, status = s.shown('script', *MIX, '--itrace=zz', PAGER=PAGED)
    assert status == 129 and "\nP:Bad Instruction Tracing options 'zz'\n" in out, out
    out, status = s.shown('script', *MIX, '--itrace=i0ns', PAGER='head -n 3')
    assert status == -signal.SIGPIPE and out == ''.join(
        s.piped('script', *MIX, '--itrace=i0ns', '--limit', '3').splitlines(True)[:3]), (status, out)
    slow = 'trap "" INT; cat; echo seen'
    out, status = s.shown('script', *MIX, '--itrace=i0ns', PAGER=slow, interrupt=True)
    assert status == 0 and out.endswith('of trace (%s%%)\nseen\n' % out.rpartition('(')[2].partition('%')[0]), \
        (status, out[-200:])
    assert '\nptscript: interrupted: ' in out


def colours(s):
    words = ['report', *MIX]
    text = s.piped(*words)
    assert not COLOUR.search(text)
    always = s.piped(*words, '--stdio-color', 'always')
    assert COLOUR.search(always) and COLOUR.sub('', always).split() == text.split()
    for more, env, want in ((), {}, always), (('--stdio-color', 'auto'), {}, always), \
                           (('--stdio-color', 'never'), {}, text), (('--no-stdio-color',), {}, text), \
                           ((), {'NO_COLOR': '1'}, text), ((), {'NO_COLOR': ''}, always), \
                           ((), {'TERM': 'dumb'}, text), \
                           (('--stdio-color', 'always'), {'NO_COLOR': '1'}, always):
        for pager in 'cat', 'tee /dev/null':
            assert s.shown(*words, *more, PAGER=pager, **env) == (want, 0), (more, env, pager)


def harmless(s):
    """What a name must not do to a terminal it must not do to a pager's, either."""
    c = cases.Case(s.home)
    c.program()
    c.perf().comm('x\x1b]0;y\x07').exit(c.t0).write(os.path.join(s.home, 'perf.data'))
    out, _ = s.shown('script', '-i', os.path.join(s.home, 'perf.data'), '--show-task-events',
                     PAGER='tee /dev/null')
    assert 'x\\x1b]0;y\\x07' in out and '\x1b' not in out, out


def main():
    tests = pages, ends, colours, harmless
    for test in tests:
        with tempfile.TemporaryDirectory() as home:
            test(Screen(os.path.abspath(sys.argv[1]), home))
    print('%d passed, 0 failed' % len(tests))


if __name__ == '__main__':
    main()
