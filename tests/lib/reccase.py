"""reccase.py - what the cases about records share: recordings without a trace.

SPDX-License-Identifier: MIT
"""
import itertools

import mksample as ms
from mkperf import Attr, Recording

SHOW = ('--show-task-events --show-mmap-events --show-switch-events --show-namespace-events '
        '--show-cgroup-events --show-lost-events --show-bpf-events --show-text-poke-events')
ALL_IDS = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.ID | ms.STREAM_ID | ms.CPU
SIDE = ms.SAMPLE_ID_ALL | ms.MMAP | ms.COMM | ms.TASK | ms.MMAP2


def recording(sample_type=ALL_IDS, flags=SIDE, read_format=ms.FORMAT_ID, events=2):
    """Software events whose records carry every word of a sample id."""
    return Recording([Attr(1, i, flags, sample_type, [100 + i], read_format=read_format)
                      for i in range(events)])


def times(step=100):
    """Rising times in nanoseconds."""
    return itertools.count(1000000, step)


def finish(c, d):
    """One sample at the end, and the file."""
    d.sample(0x401010, 9000000)
    d.write(c.folder + '/perf.data')
