"""--stitch-lbr: calls that no longer fit into the processor's branch registers are taken from the
sample before."""
import os
import random

import mkfeat
import mksample as ms
from cases import case
from mkperf import (COMM, CPU, IDENTIFIER, IP, KERNEL, MMAP, MMAP2, PERIOD, SAMPLE_ID_ALL, TASK,
                    TID, TIME, Attr, Recording)

SIDE = SAMPLE_ID_ALL | MMAP | COMM | TASK | MMAP2
BASE = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
CALLS = ms.BRANCH_CALL_STACK | ms.BRANCH_HW_INDEX
DEPTH = 4  # registers
SCRIPT = ('', '--stitch-lbr', '--stitch-lbr -F ip,sym', '--stitch-lbr -F+brstack',
          '--stitch-lbr --max-stack 3', '--stitch-lbr --tid 78', '--stitch-lbr --time 0.001004,',
          '--stitch-lbr -G', '--stitch-lbr -F comm,tid', '--stitch-lbr --no-stitch-lbr',
          '--stitch-lbr -S f', '--stitch-lbr -D')
REPORT = ('report --stitch-lbr', 'report --stitch-lbr --no-children', 'report',
          'report --stitch-lbr -g caller', 'report --stitch-lbr --no-children -g caller,0.5',
          'report --stitch-lbr -g none', 'report --stitch-lbr --no-stitch-lbr',
          'report --stitch-lbr --max-stack 3', 'report --stitch-lbr --no-children -s sym -S f')


class Thread:
    """Its calls, and the registers that hold the last of them: a call takes the next one, a
    return gives it back."""

    def __init__(self, depth=DEPTH):
        self.calls, self.depth, self.lost = [], depth, 0

    def call(self, at, to, **flags):
        self.calls.append(ms.branch(at, to, **flags))
        self.lost = max(self.lost, len(self.calls) - self.depth)
        return self

    def ret(self):
        self.calls.pop()
        self.lost = min(self.lost, len(self.calls))
        return self

    def stack(self):
        """Newest first, and the register of that."""
        kept = self.calls[self.lost:]
        return {'branches': kept[::-1], 'hw_idx': (len(self.calls) - 1) % self.depth}


def recording(c, depth=DEPTH, st=BASE | ms.BRANCH_STACK | ms.CALLCHAIN, calls=CALLS, caps=True,
              more=()):
    s = c.program()
    d = c.data = Recording([Attr(1, 0, SIDE, st, [100], branch_sample_type=calls, period=1), *more],
                           pid=77)
    d.from_attr = d.attrs[0]
    d.comm('prog', 1000).mmap2(c.path, tsc=2000)
    d.comm('other', 1000, tid=78)
    if caps:
        d.features['cpu_pmu_caps'] = mkfeat.Features().cpu_pmu_caps(
            [('branches', str(depth)), ('max_precise', '3')])
    return s, d


def take(c, s, thread, ip, n, tid=77, **kw):
    """Without any branch perf takes the next record for one."""
    if thread.stack()['branches']:
        c.data.sample(ip, 1000000 + 1000 * n, tid=tid, **{
            'chain': [ms.CHAIN_USER, ip], **thread.stack(), **kw})


def write(c):
    c.data.write(os.path.join(c.folder, 'perf.data'))


def deep(c, s, n=12, tid=77, start=0):
    """Goes deeper than there are registers, and back."""
    t = Thread()
    for i in range(n):
        t.call(s._start + i % 5, s.f + i % 2)
        take(c, s, t, s.f + i % 2, start + 2 * i, tid)
    for i in range(n - 1):
        t.ret()
        take(c, s, t, s.g, start + 2 * n + 2 * i, tid)


@case(*SCRIPT, *REPORT)
def one_thread(c):
    s, d = recording(c)
    deep(c, s)
    write(c)


@case(*SCRIPT, *REPORT)
def two_threads(c):
    s, d = recording(c)
    deep(c, s)
    deep(c, s, 6, 78, 1)
    write(c)


def at_random(c, seed, depth, samples=60, flagged=False, **kw):
    s, d = recording(c, depth, **kw)
    r = random.Random(seed)
    t = {tid: Thread(depth) for tid in (77, 78)}
    for n in range(samples):
        tid = r.choice((77, 77, 78))
        th = t[tid]
        for _ in range(r.choice((0, 1, 1, 1, 2, 3, depth))):
            if r.random() < .6 or not th.calls:
                flags = dict(predicted=r.randrange(2), abort=r.random() < .1, cycles=r.randrange(9),
                             type_=r.randrange(6)) if flagged else {}
                th.call(s._start + r.randrange(6), r.choice((s.f, s.g)), **flags)
            else:
                th.ret()
        chain = r.choice(([ms.CHAIN_USER, s.f],) * 3 + (
            [ms.CHAIN_KERNEL, 0xffffffff81000000, ms.CHAIN_USER, s.f],
            [ms.CHAIN_KERNEL, 0xffffffff81000000], []))
        take(c, s, th, s.f, n, tid, chain=chain)
    write(c)


@case('--stitch-lbr', 'report --stitch-lbr --no-children', 'report --stitch-lbr')
def random_of_4(c):
    at_random(c, 1, 4)


@case('--stitch-lbr', 'report --stitch-lbr --no-children', 'report --stitch-lbr')
def random_of_8(c):
    at_random(c, 2, 8, 100)


@case(*('report --branch-history ' + o for o in (
    '--itrace=il', '--itrace=i1il2 -G', '--itrace=l --no-children', '--itrace=il --no-children -G --max-stack 3',
    '--itrace=il --stitch-lbr', '--itrace=il --stitch-lbr --no-children', '--itrace=il --stitch-lbr --no-children -G',
    '--itrace=il --no-children -s sym -g branch,callee', '--no-children')))
def counted(c):
    """Where branches are expected, frames of chains that are from branches say what these were."""
    at_random(c, 3, 4, flagged=True)


@case('--stitch-lbr', 'report --stitch-lbr')
def without_caps(c):
    """How many registers there are is not known."""
    s, d = recording(c, caps=False)
    deep(c, s)
    write(c)


@case('--stitch-lbr', 'report --stitch-lbr')
def without_index(c):
    s, d = recording(c, calls=ms.BRANCH_CALL_STACK)
    deep(c, s)
    write(c)


@case('--stitch-lbr', 'report --stitch-lbr')
def without_chain(c):
    s, d = recording(c, st=BASE | ms.BRANCH_STACK)
    deep(c, s)
    write(c)


@case('--stitch-lbr', 'report --stitch-lbr')
def no_call_stack(c):
    """Branches of any kind: perf takes them for calls, too, when it looks whether there are any."""
    s, d = recording(c, calls=ms.BRANCH_HW_INDEX | 8)
    deep(c, s)
    write(c)


@case('--stitch-lbr', 'report --stitch-lbr')
def more_than_registers(c):
    """The file says of fewer than there are in samples."""
    s, d = recording(c, 2)
    deep(c, s, 5)
    write(c)


@case('--stitch-lbr', 'report --stitch-lbr')
def two_events(c):
    s, d = recording(c, more=[Attr(1, 1, SIDE, BASE | ms.CALLCHAIN, [101], period=1)])
    deep(c, s, 6)
    d.sample(s.f, 2000000, attr=d.attrs[1], chain=[ms.CHAIN_USER, s.f, s.g])
    write(c)


@case('--stitch-lbr', 'report --stitch-lbr')
def thread_that_exits(c):
    """And another one that gets its number."""
    s, d = recording(c)
    deep(c, s, 6, 78)
    d.exit(1100000, tid=78).fork(1101000, 78)
    deep(c, s, 6, 78, 110)
    write(c)
