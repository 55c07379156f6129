#!/usr/bin/env python3
"""memory.py PTSCRIPT - recordings larger than the memory that may be used.

SPDX-License-Identifier: MIT

The limit is on private memory (RLIMIT_DATA): pages of the recording, or of the temporary file
that keeps a pipe, do not count, as the system can drop them and read them again.  Nearly all
of each recording is a hole in its file, so that making it takes no time and no disk.
"""
import os
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import mkperf  # noqa: E402
import ptasm  # noqa: E402

MIB = 1 << 20
FILE_LIMIT = 32 * MIB
PIPE_LIMIT = 150 * MIB  # the first 64 MiB of a pipe stay in memory, twice while they grow
AUXTRACE = struct.pack('<IHH', 71, 0, 48)


def recording(path, pipe, more):
    """A trace of `more` zeros (padding), then a PSB+; and a record behind it."""
    d = mkperf.PerfData()
    t = d.T0
    d.comm('t').mmap2('/build/t', tsc=t - 1000).itrace_start(t - 900).switch(t - 800)
    packets = ptasm.Packets().start(t).bytes
    d.auxtrace(packets + bytes(-len(packets) % 8))
    d.comm('the last', t + 5000)
    (d.write_pipe if pipe else lambda p: d.write(p, index=False))(path)
    with open(path, 'rb') as f:
        raw = bytearray(f.read())
    at = raw.index(AUXTRACE)
    raw[at + 8:at + 16] = struct.pack('<Q', struct.unpack_from('<Q', raw, at + 8)[0] + more)
    if not pipe:  # the data section is longer
        raw[48:56] = struct.pack('<Q', struct.unpack_from('<Q', raw, 48)[0] + more)
    with open(path, 'wb') as f:
        f.write(raw[:at + 48])
        f.seek(at + 48 + more)
        f.write(raw[at + 48:])


def bare_trace(path, more):
    """Packets, `more` zeros (padding), and packets."""
    with open(path, 'wb') as f:
        f.write(ptasm.Packets().start(mkperf.PerfData.T0).bytes)
        f.seek(more, os.SEEK_CUR)
        f.write(ptasm.Packets().start(mkperf.PerfData.T0 + 1000, cbr=30).bytes)


def run(program, path, options, limit, piped, tmp, how='-i'):
    def bound():
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    source = subprocess.Popen(['cat', path], stdout=subprocess.PIPE) if piped else None
    argv = [program, how, '-' if piped else path] + options
    done = subprocess.run(argv, stdin=source.stdout if piped else subprocess.DEVNULL,
                          preexec_fn=bound, capture_output=True, timeout=120,
                          env={'HOME': tmp, 'LC_ALL': 'C', 'TMPDIR': tmp})
    if source:
        source.stdout.close()
        source.wait()
    return done


ROWS = (  # pipe format, through a pipe, MiB, limit, options, what must be there
    (False, False, 3000, FILE_LIMIT, ['-D', '--no-itrace'], b': the last:4242/4242'),
    (False, False, 200, FILE_LIMIT, [], b'cbr: 29 freq'),
    (True, False, 3000, FILE_LIMIT, ['-D', '--no-itrace'], b': the last:4242/4242'),
    (True, True, 500, PIPE_LIMIT, ['-D', '--no-itrace'], b': the last:4242/4242'),
    (True, True, 200, PIPE_LIMIT, [], b'cbr: 29 freq'),
    (False, True, 200, PIPE_LIMIT, ['--show-task-events'], b': the last:4242/4242'))

BARE_ROWS = ((False, 200, FILE_LIMIT), (True, 200, PIPE_LIMIT))  # through a pipe, MiB, limit


def in_pieces(path, count):
    """`count` pieces of trace of 1 MiB, nearly all of it padding."""
    recording(path, False, MIB)
    with open(path, 'rb') as f:
        raw = bytearray(f.read())
    at = raw.index(AUXTRACE)
    last = raw.index(b'the last') - 16
    packets = raw[at + 48 + MIB:last]
    raw[48:56] = struct.pack('<Q', struct.unpack_from('<Q', raw, 48)[0] + (last - at) * (count - 1))
    with open(path, 'wb') as f:
        f.write(raw[:at])
        for _ in range(count):
            f.write(raw[at:at + 48] + packets)
            f.seek(MIB, os.SEEK_CUR)
        f.write(raw[last:])


def resident(words):
    """KiB that were in memory at once, pages of files included; and the exit status."""
    p = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(p.pid, 0)
    return used.ru_maxrss, status


READERS = (['script', '--itrace=ep'], ['time'], ['time', '--index'], ['inject', '-b', '-o', 'new'])


def check_resident(program, tmp):
    """Nor does what is in memory grow with a recording."""
    path, failed = os.path.join(tmp, 'recording'), 0
    seen = {}
    for size in (20, 200):
        in_pieces(path, size)
        for i, words in enumerate(READERS):
            words = [os.path.join(tmp, w) if w == 'new' else w for w in words]
            seen[size, i] = resident([program, *words, '-i', path])
        os.remove(path)
        os.remove(path + '.ptidx')
    for i, words in enumerate(READERS):
        (small, done), (large, _) = seen[20, i], seen[200, i]
        if large > small + 4096 or done:
            print('FAILED: %s: %d KiB of 20 MiB, %d KiB of 200 MiB' % (words, small, large))
            failed += 1
    return failed


def main(program):
    with open(program, 'rb') as f:
        if b'__asan_init' in f.read():
            print('a sanitizer takes memory of its own: skipped')
            return 77
    failed = 0
    tmp = tempfile.mkdtemp(dir='/var/tmp')
    try:
        for row in ROWS:
            pipe, piped, size, limit, options, text = row
            path = os.path.join(tmp, 'recording')
            recording(path, pipe, size * MIB)
            done = run(program, path, options, limit, piped, tmp)
            if done.returncode or text not in done.stdout:
                failed += 1
                print('FAILED', row, done.returncode, done.stderr[-300:].decode())
            os.remove(path)
        for row in BARE_ROWS:
            piped, size, limit = row
            path = os.path.join(tmp, 'trace')
            bare_trace(path, size * MIB)
            done = run(program, path, ['--itrace=p'], limit, piped, tmp, '--pt')
            if done.returncode or b'cbr: 30 freq' not in done.stdout:
                failed += 1
                print('FAILED bare', row, done.returncode, done.stderr[-300:].decode())
        failed += check_resident(program, tmp)
    finally:
        shutil.rmtree(tmp)
    print('%d passed, %d failed' % (len(ROWS) + len(BARE_ROWS) + len(READERS) - failed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1])))
