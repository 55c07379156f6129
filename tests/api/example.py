#!/usr/bin/env python3
"""example.py - docs/examples/records.c at work.

SPDX-License-Identifier: MIT

    example.py streams PROGRAM    a stream gives the records that the file has
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
import mkperf  # noqa: E402

LIMIT = 60  # seconds


def listed(program, *options, **kw):
    done = subprocess.run([program, *options], capture_output=True, timeout=LIMIT, **kw)
    return done.stdout.decode(errors='replace').splitlines()


def without_offset(lines):
    return [line.split(' ', 1)[1] for line in lines]


def streams(program):
    with tempfile.TemporaryDirectory() as tmp:
        file, pipe = os.path.join(tmp, 'file'), os.path.join(tmp, 'pipe')
        d = mkperf.PerfData()
        d.comm('name', d.T0).mmap2('/bin/x', tsc=d.T0 + 5)
        d.sample(0x401000, d.T0 + 10)
        d.auxtrace(bytes(5000))
        d.comm('after the trace', d.T0 + 20, exec_=True)
        d.write(file)
        d.write_pipe(pipe)
        want = without_offset(listed(program, file))
        with open(pipe, 'rb') as f:
            got = without_offset(listed(program, '-s', stdin=f))
        head = len(d.attrs) + len(d.features)
        ok = len(want) == 6 and got[head:] == want
        ok = ok and any('(exec)' in line for line in want)
        events = listed(program, '-e', file)
        ok = ok and len(events) == 2 and 'type 6' in events[0]
        ok = ok and any(line == 'ARCH: x86_64' for line in listed(program, '-h', file))
        ok = ok and listed(program, '-c', file)[-1].endswith('6 records, 0 unknown, 0 damaged')
    print('streams: %s' % ('passed' if ok else 'FAILED\n%s\n%s' % (want, got)))
    return not ok


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
        # perf 6.1 loses its place behind trace in a pipe (docs/compat.md, Pipe-mode files)
        files = [f for f in files if os.path.basename(os.path.dirname(f)) != 'sideband.piped']
        for file in sorted(files):
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
