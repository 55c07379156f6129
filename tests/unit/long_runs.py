#!/usr/bin/env python3
"""long_runs.py PTSCRIPT SHIM - what users see of a run that takes long, and how they end it.

SPDX-License-Identifier: MIT

A run lasts as long as its reader wants: the text is longer than a pipe holds.
"""
import fcntl
import functools
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', '..', 'testdata')
LS = ['-f', '-i', os.path.join(DATA, 'emu-ls/perf.data'), '--symfs', os.path.join(DATA, 'symfs')]
FAR = r'(?:the text ends at (\d+\.\d{9}), )?after \d+\.\d of \d+\.\d MB of trace \(\d+%\)'
SANITIZED = False  # a sanitizer takes memory and time of its own


def start(program, *argv, **how):
    how = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **how}
    return subprocess.Popen([program, *LS, *argv], bufsize=0, **how)


def run(program, *argv):
    p = start(program, *argv)
    out, err = p.communicate(timeout=120)
    return p.returncode, out, err.decode()


def beginning(out, whole):
    assert whole.startswith(out) and out.endswith(b'\n') and len(out) < len(whole), out[-200:]


def interrupted(program):
    """SIGINT ends as in perf, with 0; SIGTERM as ever; both with what there is, in whole lines."""
    whole = run(program, '--itrace=b')[1]
    for sig, status in ((signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)):
        p = start(program, '--itrace=b')
        out = p.stdout.read(100)
        p.send_signal(sig)
        more, err = p.communicate(timeout=60)
        assert p.returncode == status, (sig, p.returncode, err)
        beginning(out + more, whole)
        said = re.fullmatch('ptscript: interrupted: ' + FAR + '\n', err.decode())
        assert said, err
        # The time is that of the last line.
        assert said.group(1)[:-3] in (out + more).splitlines()[-1].decode(), said.group(1)


def interrupted_with_nothing_said(program):
    """A decode of which nothing is printed, and a dump."""
    p = start(program, '-D')
    out = p.stdout.read(100)
    p.send_signal(signal.SIGINT)
    more, err = p.communicate(timeout=60)
    assert p.returncode == 0 and b'interrupted: after ' in err, (p.returncode, err)
    assert (out + more).endswith(b'\n')
    # As much may be in the pipe; all of it is 3 MB.
    assert len(out + more) < 3 << 19, 'a dump went on: %d' % len(more)


def nobody_reads(program):
    """A pipe that is full keeps nobody who was told to end."""
    p = start(program, '--itrace=b')
    p.stdout.read(100)
    time.sleep(0.2)
    p.send_signal(signal.SIGTERM)
    p.wait(timeout=20)
    assert p.returncode == -signal.SIGTERM, p.returncode
    p.communicate()


def nobody_reads_from_then_on(program, shim):
    """The signal comes right before a call that then waits for a reader."""
    for sig, status in ((signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)):
        env = dict(os.environ, LD_PRELOAD=shim, FAULT_KIND='write', FAULT_AT='1',
                   FAULT_SIGNAL=str(int(sig)))
        ours, theirs = os.pipe()
        fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
        p = start(program, '--itrace=b', stdout=theirs, env=env)
        os.close(theirs)
        err = p.communicate(timeout=20)[1]
        assert p.returncode == status and b'interrupted: ' in err, (p.returncode, err)
        assert len(os.read(ours, 1 << 16)) == 4096, 'it was not kept'
        os.close(ours)


def twice(program):
    """The second signal does not ask."""
    p = start(program, '--itrace=b')
    p.stdout.read(100)
    time.sleep(0.2)
    p.send_signal(signal.SIGINT)
    time.sleep(0.1)
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=20)
    assert p.returncode == -signal.SIGINT, p.returncode


def other_commands(program):
    """A doctor who was interrupted found nothing out: the status says so."""
    fifo = os.pipe()
    p = subprocess.Popen([program, 'doctor', '-i', '-'], stdin=fifo[0], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    os.close(fifo[0])
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=20)
    os.close(fifo[1])
    assert p.returncode == -signal.SIGINT, p.returncode


def limited(program):
    whole = run(program, '--itrace=be')[1]
    for n in (1, 7, 128, 129, 5000):
        status, out, err = run(program, '--itrace=be', '--limit', str(n))
        assert status == 0 and out == b''.join(whole.splitlines(True)[:n]), (n, status)
        assert re.fullmatch(r'ptscript: the text ends where --limit says, \d+\.\d of '
                            r'\d+\.\d MB of trace were decoded\n', err), err
    status, out, err = run(program, '--itrace=be', '--limit', '1000000')
    assert (status, out) == (0, whole) and '--limit' not in err, err
    assert run(program, '--itrace=be', '--limit=1', '--no-limit')[1] == whole
    # A sample with its call chain is one, as is a record with what it brings.
    chains = run(program, '--itrace=gi100i', '--limit', '3')[1]
    assert chains.count(b'\n\n') == 3, chains
    dump = run(program, '-D')[1].decode().split('\n\n')
    text = run(program, '-D', '--limit', '2')[1].decode()
    assert text.count(': PERF_RECORD_') == 2, text
    assert '\n\n'.join(dump).startswith(text)
    for bad in ('0', '-3', '5x', ''):
        status, out, err = run(program, '--limit=' + bad)
        assert status == 129 and not out, (bad, status)


def limited_at_once(program):
    """What comes behind is not decoded."""
    err = run(program, '--itrace=b', '--limit=1')[2]
    assert ', 0.0 of ' in err, err


def on_a_terminal(program, argv, seconds, env):
    """Standard error of a run that is read slowly, with standard error on a terminal."""
    ours, theirs = pty.openpty()
    begun = time.monotonic()
    p = start(program, '--itrace=b', *argv, stderr=theirs, env=env)
    os.close(theirs)
    p.stdout.read(100)
    time.sleep(seconds)
    text = b''.join(iter(lambda: p.stdout.read(1 << 16), b''))
    p.wait(timeout=60)
    said = b''
    try:
        while True:
            said += os.read(ours, 4096)
    except OSError:  # closed
        pass
    os.close(ours)
    on_a_terminal.took = time.monotonic() - begun
    return len(text), said.decode()


def progress(program):
    env = dict(os.environ, TERM='vt100')
    size, said = on_a_terminal(program, [], 1.15, env)
    lines = re.findall(r'\r(\d+\.\d of \d+\.\d MB of trace \(\d+%\)(, \d+\.\d MB/s, \d+ (s|min) '
                       r'left)?)\x1b\[K', said)
    assert lines, repr(said)
    # Not before a second, and four in each that follows, however slow the machine is.
    assert len(lines) <= 1 + (on_a_terminal.took - 1) * 4, 'too often: %d' % len(lines)
    assert said.endswith('\r\x1b[K'), repr(said[-60:])
    assert on_a_terminal(program, ['--no-progress'], 1.15, env) == (size, '')
    assert on_a_terminal(program, [], 1.15, dict(env, TERM='dumb')) == (size, '')
    # A note stands alone.
    said = on_a_terminal(program, ['--limit=20000'], 1.15, env)[1]
    assert re.search(r'(^|\x1b\[K)ptscript: the text ends', said), repr(said)
    p = start(program, '--itrace=b')
    p.stdout.read(100)
    time.sleep(1.15)
    assert p.communicate()[1] == b'', 'progress on what is no terminal'


def bounded(program):
    status, out, err = run(program, '--itrace=b', '--mem=16M', '--limit=3')
    assert status == 0 and out.count(b'\n') == 3, (status, err)
    for bad in ('', 'x', '5', '1M', '16', '99999999999999999G', '20M5'):
        assert run(program, '--mem=' + bad)[0] == 129, bad


def hinted(program):
    """perf's words, and what may have been meant."""
    rows = ((['perf.data'], None), ([LS[2]], 'did you mean -i %s?' % LS[2]),
            (['--itrace', 'b'], 'did you mean --itrace=b?'),
            (['--itraec=be'], 'did you mean --itrace=be?'), (['--tme', '1,2'], 'did you mean --time?'),
            (['--zzzzzz'], None), (['--itrace=bj'], 'the letters of --itrace are '),
            (['-F', 'comm,foo'], 'the fields of -F are comm '), (['--time', 'x'], '--time is START,STOP'),
            (['-C', 'x'], '-C is a list'), (['-C', '77'], 'the recording is of a machine with 4 CPUs'),
            (['repotr'], 'did you mean the command report?'), (['record'], 'ptrecord records'),
            (['help', 'evlits'], 'did you mean the command evlist?'), (['--tid', '7'], 'no sample passed the filters --tid\n'),
            (['--time', '1,2', '-C', '0'], 'no sample passed the filters --time -C'),
            (['--comms', 'ls', '--itrace=b'], None), (['--tid', '7', '--itrace=e'], None))
    for argv, hint in rows:
        err = run(program, *argv)[2]
        hints = [line for line in err.splitlines(True) if line.startswith('ptscript: ')]
        assert len(hints) == (hint is not None), (argv, err)
        assert not hint or hints[0].startswith('ptscript: ' + hint), (argv, err)
    for argv, shown in ((['help'], b'Usage: ptscript [script]'),
                        (['help', 'evlist'], b'Usage: ptscript evlist'), (['version'], b'ptscript ')):
        done = subprocess.run([program, *argv], capture_output=True, check=True)
        assert done.stdout.startswith(shown), (argv, done.stdout)
    with tempfile.TemporaryDirectory() as nothing_here:
        for argv in ([], ['report'], ['evlist'], ['buildid-list']):
            err = subprocess.run([program, *argv], cwd=nothing_here, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True).stderr.splitlines()
            assert err[0].endswith("  (try 'perf record' first)") and len(err) == 2, err
            assert 'ptscript --help' in err[1] and 'ptrecord' in err[1], err


def nothing_there(program):
    """An empty report may be a slip of the pen, as may --itrace of what has no trace."""
    def notes(*argv):
        err = subprocess.run([program, *argv], capture_output=True, text=True, check=False).stderr
        return [line for line in err.splitlines() if line.startswith('ptscript: ')]

    assert 'ptscript: no row is left by --dsos --comms' in notes('report', *LS, '-d', 'nosuch', '-c', 'none')
    assert not any('no row is left' in line for line in notes('report', *LS, '-c', 'ls'))
    assert any('the letters of --itrace are ' in line for line in notes('inject', *LS, '--itrace=k', '-o', 'nosuch/x'))
    with tempfile.TemporaryDirectory() as tmp:
        bare = os.path.join(tmp, 'bare.data')
        notes('inject', *LS, '--itrace=i1000i', '-o', bare)
        for argv in (['script'], ['report'], ['inject', '-o', os.path.join(tmp, 'again')]):
            said = [line for line in notes(*argv, '-i', bare, '--itrace=b') if 'there is no trace' in line]
            assert len(said) == 1, (argv, said)
        assert not any('there is no trace' in line for line in notes('script', '-i', bare))


def main(program, shim):
    global SANITIZED
    with open(program, 'rb') as f:
        image = f.read()
    SANITIZED = b'__asan_init' in image or b'__tsan_init' in image
    tests = [interrupted, interrupted_with_nothing_said, nobody_reads, twice, other_commands, limited,
             limited_at_once, progress, hinted, nothing_there]
    late = functools.partial(nobody_reads_from_then_on, shim=shim)
    tests += [] if SANITIZED else [bounded, late]
    for test in tests:
        test(program)
    print('%d passed, 0 failed' % len(tests))


if __name__ == '__main__':
    main(*map(os.path.abspath, sys.argv[1:]))
