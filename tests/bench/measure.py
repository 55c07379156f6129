"""measure.py - what a command costs, beside another one.

SPDX-License-Identifier: MIT

user+sys and wall seconds come from the kernel (wait4), the peak of resident memory from time(1):
a child of ours would start with our own peak. Each run has a HOME of its own.
"""
import collections
import hashlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402

RUNS = int(os.environ.get('PTS_BENCH_RUNS', '5'))
ONCE = 60  # a command that takes more seconds than this runs once
Cost = collections.namedtuple('Cost', 'wall cpu mb')


def environment(home):
    """The system's own programs: perf's Python looks for its modules beside the first in PATH."""
    return dict(cases.environment(home), PATH='/usr/bin:/bin')


def cool(paths):
    """Asks the kernel to forget what it has of these files, or of those in these folders."""
    for path in paths:
        files = [os.path.join(d, f) for d, _, names in os.walk(path) for f in names]
        for file in files or [path]:
            if os.path.isfile(file):
                fd = os.open(file, os.O_RDONLY)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(fd)


def run(argv, pipe=False, cold=(), writes=None):
    """One run's Cost: into /dev/null, or into a pipe that cat reads; `writes` is not there before."""
    cool(cold)
    if writes and os.path.exists(writes):
        os.remove(writes)
    with tempfile.TemporaryDirectory() as home, tempfile.NamedTemporaryFile('r') as peak, \
            open(os.devnull, 'wb') as null:
        reader = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=null) if pipe else None
        start = time.monotonic()
        child = subprocess.Popen(['/usr/bin/time', '-f', '%M', '-o', peak.name] + argv,
                                 stdin=subprocess.DEVNULL, stderr=null,
                                 stdout=reader.stdin if pipe else null,
                                 env=environment(home))
        if pipe:
            reader.stdin.close()
        _, child.returncode, usage = os.wait4(child.pid, 0)
        if pipe:
            reader.wait()
        return Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime,
                    int(peak.read().split()[-1]) / 1000)


TIP = re.compile(rb'^# \(Tip: .*\n', re.M)  # the last line but one, much shorter than a block


def output(argv):
    """(hash, size, seconds) of what it prints, but for the tip of perf report"""
    digest, size, start = hashlib.sha256(), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as home, \
            subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, env=environment(home)) as child:
        for block in iter(lambda: child.stdout.read(1 << 20), b''):
            block = TIP.sub(b'', block)
            digest.update(block)
            size += len(block)
    return digest.hexdigest(), size, time.monotonic() - start


def runs_for(seconds):
    return 1 if seconds > ONCE else RUNS


def alternate(commands, runs, **how):
    """The medians of each command's costs; they run in turn."""
    costs = [[run(argv, **how) for argv in commands] for _ in range(runs)]
    return [Cost(*(statistics.median(values) for values in zip(*of_one)))
            for of_one in zip(*costs)]


def ticks_a_second():
    """Of the time stamp counter, as the processor's name says, or as it runs now."""
    mhz = 0.0
    with open('/proc/cpuinfo') as f:
        for line in f:
            key, _, value = line.partition(':')
            if key.strip() == 'model name' and '@ ' in value and value.rstrip().endswith('GHz'):
                return float(value.rstrip()[:-3].split('@ ')[1]) * 1e9
            if key.strip() == 'cpu MHz':
                mhz = mhz or float(value)
    return mhz * 1e6


def machine():
    with open('/proc/cpuinfo') as f:
        model = next((l.split(':')[1].strip() for l in f if l.startswith('model name')), '?')
    return '%s, %d CPUs' % (model, os.cpu_count())
