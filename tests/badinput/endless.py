#!/usr/bin/env python3
"""endless.py PROGRAM - input that never ends, or is no recording.

SPDX-License-Identifier: MIT

It is refused as soon as its first bytes are there; a recording with an endless something behind
it is read as far as it goes; one that is endless itself ends with the room for it.
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib'), os.path.join(HERE, '..', 'cases')]
import containers  # noqa: E402

LIMIT = 20  # seconds
SPOOLED = 100 << 20  # of bytes in a temporary file
NO_FORMAT = b'incompatible file format (rerun with -v to learn more)\n'
PIPE_HEADER = b'PERFILE2' + (16).to_bytes(8, 'little')
FILE_HEADER = b'PERFILE2' + (104).to_bytes(8, 'little')


# Records of a type that is passed over, 128 bytes each.
FOREVER = r'''import os
while True:
    os.write(1, 512 * (b"\x50\0\0\0\0\0\x80\0" + bytes(120)))'''


def feed(front, then):
    """A process that writes these bytes, and then what the command prints for ever."""
    code = 'cat %s -; exec %s' % (front or '/dev/null', then)
    return subprocess.Popen(['sh', '-c', code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL,
                            preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))


def run(program, options, source, folder, **how):
    done = subprocess.run([program] + options, stdin=source.stdout if source else None,
                          capture_output=True, timeout=LIMIT,
                          env={'LC_ALL': 'C', 'TMPDIR': folder, 'HOME': folder}, **how)
    if source:
        source.stdout.close()
        source.wait(timeout=LIMIT)
    return done


def refused(program, folder):
    """No more than the first bytes is read: what is piped is no recording."""
    def written(name, data):
        path = os.path.join(folder, name)
        with open(path, 'wb') as f:
            f.write(data)
        return path
    short = written('short', FILE_HEADER)
    for front, then in ((None, 'yes'), (None, 'cat /dev/zero'), (short, 'cat /dev/zero'),
                        (short, 'yes')):
        for options in ([], ['-i', '-'], ['script', '-D', '-i', '-'], ['evlist', '-i', '-'],
                        ['--header-only', '-i', '-']):
            done = run(program, options, feed(front, then), folder)
            assert done.returncode == 255, (then, options, done)
            assert done.stderr.startswith(NO_FORMAT) and not done.stdout, (then, options, done)


def refused_by_name(program, folder):
    """The same of what has a name, but is no file."""
    fifo = os.path.join(folder, 'fifo')
    os.mkfifo(fifo)
    writer = subprocess.Popen(['sh', '-c', 'exec yes > "$0"', fifo], stderr=subprocess.DEVNULL,
                              preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL))
    for path in (fifo, '/dev/zero'):
        done = run(program, ['-i', path], None, folder)
        assert done.returncode == 255 and done.stderr.startswith(NO_FORMAT), (path, done)
    assert writer.wait(timeout=LIMIT) == -signal.SIGPIPE


def more_behind(program, folder):
    """All of a recording is printed, though the pipe goes on."""
    path = os.path.join(folder, 'perf.data')
    d = containers.samples(containers.simple(), 1000, 5, 100).finished_round()
    options = ['-F', 'comm,tid,cpu,time,ip', '-i']
    d.write(path)
    plain = run(program, options + [path], None, folder)
    assert plain.returncode == 0 and plain.stdout.count(b'\n') == 5, plain
    done = run(program, options + ['-'], feed(path, 'cat /dev/zero'), folder)
    assert (done.returncode, done.stdout) == (0, plain.stdout), done
    # Zeros are no record, so a pipe ends there, and says so.
    d.write_pipe(path)
    done = run(program, options + ['-'], feed(path, 'cat /dev/zero'), folder)
    assert (done.returncode, done.stdout) == (234, plain.stdout), done
    assert b'at offset' in done.stderr and b'impossible size' in done.stderr, done


def endless_itself(program, folder):
    """One record after the other: the end is that of the room for them."""
    path = os.path.join(folder, 'perf.data')
    containers.simple().write_pipe(path)
    source = feed(path, "%s -c '%s'" % (sys.executable, FOREVER))

    def bound():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (SPOOLED, SPOOLED))
    done = run(program, ['-i', '-'], source, folder, preexec_fn=bound)
    assert done.returncode == 255, done
    assert b'no room for - in a temporary file in ' in done.stderr, done
    assert os.listdir(folder).count('perf.data') == 1 and not [
        name for name in os.listdir(folder) if name.startswith('ptscript-')]


def main():
    tests = (refused, refused_by_name, more_behind, endless_itself)
    for test in tests:
        with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:
            test(os.path.abspath(sys.argv[1]), folder)
    print('%d passed, 0 failed' % len(tests))


if __name__ == '__main__':
    main()
