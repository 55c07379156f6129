#!/usr/bin/env python3
"""groups.py PROGRAM - reports of groups of events whose rows contradict their order come to an end.

SPDX-License-Identifier: MIT

An address without a symbol equals that of another process by one pair of rows, and not by the next.
perf goes round without end on some of these, so nothing is compared.
"""
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', name) for name in ('lib', 'cases')]
import cases  # noqa: E402
import mkfeat  # noqa: E402
import report  # noqa: E402
from mkperf import KERNEL, Attr, Recording  # noqa: E402
from mksample import CALLCHAIN, CHAIN_KERNEL, CHAIN_USER  # noqa: E402
from reccase import SIDE  # noqa: E402

EVENTS, SEEDS, LIMIT = 3, range(40), 20  # seconds
ELSEWHERE = (0x7000010, 0x12345, 0x12346, 0x23456, 0x99999)


def begun(c):
    d = Recording([Attr(1, i, SIDE, report.BASE | CALLCHAIN, [100 + i]) for i in range(EVENTS)])
    feature = mkfeat.Features(d.pack)
    d.features['nrcpus'] = feature.nrcpus(4, 4)
    d.features['event_desc'] = feature.event_desc(
        [(a.bytes(d.pack), 'event-%d' % i, a.ids) for i, a in enumerate(d.attrs)])
    d.features['group_desc'] = feature.group_desc([('g', 0, EVENTS)])
    report.program(c, d)
    d.mmap2('/lib/third', 0x7000000, tsc=1800, pid=77, tid=77)
    d.mmap2('/lib/fourth', 0x12000, tsc=1800, pid=78, tid=78)
    return d


def recording(seed):
    def make(c):
        r = random.Random(seed)
        s = c.program(report.calls())
        places = [s._start, s.a, s.b, s.c, *ELSEWHERE]
        d = begun(c)
        for i in range(EVENTS + seed):
            chain, ip = [r.choice(places) for _ in range(r.randrange(4))], r.choice(places)
            kernel = r.random() < 0.3
            if kernel:
                chain, ip = [CHAIN_USER, *chain], 0xffffffff81000000 + 16 * r.randrange(3)
            pid = r.choice((4242, 77, 78))
            d.sample(ip, 2000 + 10 * i, attr=d.attrs[r.randrange(EVENTS)], pid=pid, tid=pid,
                     misc=KERNEL if kernel else 2, cpu=i % 3, period=100 + 10 * r.randrange(5),
                     chain=(CHAIN_KERNEL if kernel else CHAIN_USER, ip, *chain))
        d.finished_round().write(os.path.join(c.folder, 'perf.data'))
    return make


def ends(program, folder, options):
    try:
        done = subprocess.run([program, 'report', '-i', 'perf.data', '--symfs', 'symfs', *options],
                              capture_output=True, cwd=folder, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main():
    program = os.path.abspath(sys.argv[1])
    bad = 0
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            cases.make(recording(seed), folder)
            for options in (['-s', 'sym'], ['-s', 'dso,sym', '--no-children']):
                if not ends(program, folder, options):
                    print('seed %d: report %s does not end well' % (seed, ' '.join(options)))
                    bad += 1
    sys.exit(bad != 0)


if __name__ == '__main__':
    main()
