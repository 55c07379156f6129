#!/usr/bin/env python3
"""example.py - docs/examples/records.c at work.

SPDX-License-Identifier: MIT

    example.py streams PROGRAM    a stream gives the records that the file has, in both byte
                                  orders
    example.py perf PROGRAM       every record of the cases and of the captures stands where
                                  perf's dump has it, in both orders
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import mkfeat  # noqa: E402
import mkpack  # noqa: E402
import mkperf  # noqa: E402

LIMIT = 60  # seconds


def listed(program, *options, **kw):
    done = subprocess.run([program, *options], capture_output=True, timeout=LIMIT, **kw)
    return done.stdout.decode(errors='replace').splitlines()


def without_offset(lines):
    return [line.split(' ', 1)[1] for line in lines]


def recording(order):
    d = mkperf.PerfData(order=order)
    d.features['hostname'] = mkfeat.Features(d.pack).string('host')
    d.comm('name', d.T0).mmap2('/bin/x', tsc=d.T0 + 5)
    d.sample(0x401000, d.T0 + 10)
    d.auxtrace(bytes(5000))
    d.comm('after the trace', d.T0 + 20, exec_=True)
    return d


def streams_of(program, tmp, order):
    """What the program says of a file and of the same recording as a stream."""
    file, pipe = os.path.join(tmp, 'file'), os.path.join(tmp, 'pipe')
    d = recording(order)
    d.write(file)
    d.write_pipe(pipe)
    want = listed(program, file)
    with open(pipe, 'rb') as f:
        got = listed(program, '-s', stdin=f)
    assert without_offset(got[len(d.attrs) + len(d.features):]) == without_offset(want), got
    for piece in (3, 29, 60000):  # the same packed: what is in them is delivered instead
        packed = recording(order)
        mkpack.pack(packed, piece=piece, with_feature=False).write_pipe(pipe)
        with open(pipe, 'rb') as f:
            unpacked = listed(program, '-s', stdin=f)
        assert without_offset(unpacked) == without_offset(got), unpacked
    return want + [line for options in (['-e'], ['-h'], ['-c'], ['-t'])
                   for line in listed(program, *options, file)]


def streams(program):
    with tempfile.TemporaryDirectory() as tmp:
        ours, theirs = streams_of(program, tmp, '<'), streams_of(program, tmp, '>')
    assert ours == theirs, 'the byte orders differ:\n%s\n%s' % (ours, theirs)
    text = '\n'.join(ours)
    for part in ('COMM', 'after the trace (exec)', ' ip 0x401000', 'type 6', 'ARCH: x86_64',
                 'HOSTNAME: host', '5000 bytes of trace', '6 records, 0 unknown, 0 damaged'):
        assert part in text, 'missing: %s\n%s' % (part, text)
    print('streams and byte orders: passed')
    return 0


HEAD = re.compile(rb'(?:^|\s)(0x[0-9a-f]+|0) \[(0x[0-9a-f]+|0)\]: '
                  rb'PERF_RECORD_(STAT_ROUND|[A-Z0-9_]+)', re.M)


def dumped(file, option, home):
    """(offset, size, type) of each record as perf dumps it, or None when perf fails."""
    done = subprocess.run(['perf', 'script', '-i', file, option, '--no-itrace'],
                          capture_output=True, timeout=LIMIT,
                          env={'HOME': home, 'LC_ALL': 'C', 'PATH': os.environ['PATH']})
    if done.returncode:
        return None
    return [(int(m[1], 16), int(m[2], 16), m[3].decode()) for m in HEAD.finditer(done.stdout)]


LINE = re.compile(r'(0x[0-9a-f]+|0) \[(0x[0-9a-f]+)\]: (\S+)')


def against_perf(program):
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    same = different = left_out = 0
    with tempfile.TemporaryDirectory() as tmp:
        cases.write([], os.path.join(tmp, 'cases'))
        files = [os.path.join(folder, name)
                 for root in (os.path.join(tmp, 'cases'), os.path.join(TOP, 'testdata'))
                 for folder, _, names in os.walk(root) for name in names if name == 'perf.data']
        # perf 6.1 loses its place behind trace in a pipe (docs/compat.md, Pipe-mode files), and
        # ends at a record whose trace would reach behind the file (Damaged files)
        lost = ('sideband.piped', 'damage.trace_in_a_pipe_that_fails', 'damage.stray_trace')
        files = [f for f in files if os.path.basename(os.path.dirname(f)) not in lost]
        for file in cases.sample(sorted(files)):
            for ours, theirs in (([], '--dump-unsorted-raw-trace'), (['-t'], '-D')):
                try:
                    want = dumped(file, theirs, tmp)
                except subprocess.TimeoutExpired:
                    want = None
                if not want:
                    left_out += 1  # perf cannot read it to its end, or it is empty
                    continue
                got = [(int(m[1], 16), int(m[2], 16), m[3])
                       for m in map(LINE.match, listed(program, *ours, file)) if m]
                if got == want:
                    same += 1
                    continue
                different += 1
                at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b),
                          min(len(want), len(got)))
                print('DIFF %s %s: record %d of %d, %d\n  perf %s\n  ours %s'
                      % (os.path.relpath(file, tmp), theirs, at, len(want), len(got),
                         want[at:at + 1], got[at:at + 1]))
    print('%d passed, %d failed, %d that perf cannot read' % (same, different, left_out))
    return different != 0


if __name__ == '__main__':
    sys.exit({'streams': streams, 'perf': against_perf}[sys.argv[1]](sys.argv[2]))
