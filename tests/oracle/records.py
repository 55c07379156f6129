#!/usr/bin/env python3
"""records.py - random recordings of every kind of record, dumped and printed, against perf.

SPDX-License-Identifier: MIT

    records.py [--ptscript PROGRAM] [COUNT [SEED]]

Each recording has events with random attributes, and random records of the kernel and of
perf between samples with whatever fields the event asks for.  All are well formed: what
damaged ones do is for the unit tests.  stdout, stderr and exit status are compared.
Exit status 77 (skipped) when perf is missing.
"""
import argparse
import os
import random
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import cases  # noqa: E402
import mksample as ms  # noqa: E402
from mkperf import KERNEL, USER, Attr, Recording  # noqa: E402

SHOW = ' '.join('--show-%s-events' % w for w in ('task', 'mmap', 'switch', 'namespace', 'cgroup',
                                                  'lost', 'bpf', 'text-poke'))
FIELDS = ('comm tid pid time cpu event ip sym dso addr symoff period iregs uregs data_src weight '
          'bpf-output phys_addr misc data_page_size code_page_size ins_lat insnlen callindent '
          'brstack brstacksym brstackoff').split()
NAMES = ('/bin/a', '/usr/lib/b.so', '//anon', '[heap]', '[stack]', 'a b')


class Maker:
    def __init__(self, rng):
        self.rng = rng
        self.now = 10 ** rng.randrange(3, 13)
        self.pids = [rng.choice((0, 1, 7, 4242, 99999)) for _ in range(3)]

    def word(self):
        """A number as they come: small, large, round, or odd."""
        rng = self.rng
        return rng.choice((0, 1, rng.randrange(100), rng.randrange(2**16), rng.randrange(2**32),
                           rng.randrange(2**64), 2**63, 2**64 - 1, 1 << rng.randrange(64)))

    def place(self):
        """An address, not one of the words that stand for a context."""
        return min(self.word(), 2**64 - 4097)

    def time(self):
        self.now += self.rng.choice((0, 1, 999, 10**6))
        return self.now if self.rng.random() < .9 else max(1, self.now - self.rng.randrange(5000))

    def attrs(self):
        rng = self.rng
        shared = ms.IDENTIFIER if rng.random() < .8 else 0
        base = shared | ms.IP | ms.TID | ms.TIME | (ms.CPU if rng.random() < .7 else 0)
        flags = (ms.SAMPLE_ID_ALL if rng.random() < .9 else 0) | ms.MMAP | ms.COMM | ms.TASK
        count = rng.randrange(1, 4) if shared else 1
        self.has_cpu = base & ms.CPU and flags & ms.SAMPLE_ID_ALL
        read_format = rng.randrange(32) | ms.FORMAT_ID
        # What one event reads, perf expects all to read.
        reads = ms.READ if rng.random() < .2 else 0
        regs = self.word() & 2**24 - 1
        size = rng.choice((112, 120, 128))
        out = []
        for i in range(count):
            more = reads
            for bit in range(25):
                if rng.random() < .3:
                    more |= 1 << bit
            more &= ~(ms.READ | ms.IDENTIFIER) | reads
            if more & ms.CALLCHAIN:
                more &= ~ms.STACK_USER  # perf would unwind it
            if more & ms.WEIGHT:
                more &= ~ms.WEIGHT_STRUCT
            kind, config = rng.choice(((1, 0), (1, 10), (0, 0), (0, 4), (4, 0x1234), (1, 2), (3, 5)))
            out.append(Attr(kind, config, flags, base | more, [100 + 10 * i + j for j in range(2)],
                            period=rng.choice((1, 4000)), read_format=read_format,
                            branch_sample_type=rng.choice((0, ms.BRANCH_HW_INDEX,
                                                           ms.BRANCH_CALL_STACK)),
                            sample_regs_user=regs, sample_regs_intr=regs,
                            size=size))
        return out

    def sample(self, d):
        rng = self.rng
        a = rng.choice(d.attrs)
        n = bin(a.sample_regs_user).count('1')

        def regs():
            return rng.randrange(3), [self.word() for _ in range(n)]

        values = [(self.word(), rng.choice(rng.choice(d.attrs).ids + [999]), self.word())
                  for _ in range(rng.randrange(1, 4))]
        branches = [ms.branch(self.place(), self.place(), *(rng.randrange(2) for _ in range(4)),
                              rng.randrange(2**16), rng.randrange(16), rng.randrange(4),
                              rng.randrange(16), rng.randrange(8))
                    for _ in range(rng.choice((1, 5) if a.branch_sample_type else (0, 1, 5)))]
        contexts = ms.CHAIN_USER, ms.CHAIN_KERNEL, ms.CHAIN_HV
        chain = [rng.choice((rng.choice(contexts), self.ip())) for _ in range(rng.randrange(9))]
        pid, tid = self.who()
        ip = self.ip()
        d.sample(ip, self.time(), a, self.cpumode(ip), pid, tid, rng.randrange(8),
                 id_=rng.choice(a.ids), addr=self.word(), stream=self.word(), period=self.word(),
                 read={'values': values, 'enabled': self.word(), 'running': self.word()},
                 raw=rng.randbytes(4 + 8 * rng.randrange(5)), branches=branches,
                 hw_idx=self.word(), regs_user=regs(), regs_intr=regs(),
                 stack=bytes(8 * rng.randrange(4)), weight=self.word(),
                 latency=(self.word(), self.word()), chain=chain, data_src=self.word(),
                 transaction=self.word(), phys_addr=self.word(), cgroup=self.word(),
                 data_page_size=self.word(), code_page_size=self.word(),
                 aux=bytes(8 * rng.randrange(3)))

    def ip(self):
        return self.rng.choice((0x400000 + self.rng.randrange(0x4000), self.word(),
                                0xffffffff81000000 + self.rng.randrange(0x1000)))

    def cpumode(self, ip):
        mode = self.rng.choice((USER, USER, KERNEL if ip >> 63 else USER, 0, 3, 5))
        return mode | self.rng.choice((0, 1 << 14))

    def who(self):
        pid = self.rng.choice(self.pids)
        return pid, pid if self.rng.random() < .7 else pid + self.rng.randrange(3) * 500000

    def task(self, d, t, pid, tid):
        """A thread comes from its process, a process from another one."""
        parent = pid if tid != pid else self.rng.choice([p for p in self.pids if p != pid] + [77])
        d.fork(t, tid, pid, parent, parent, exit_=self.rng.random() < .3)

    def record(self, d):
        rng, t = self.rng, self.time()
        pid, tid = self.who()
        address = 0x400000 + 0x1000 * rng.randrange(4)
        kernel = 0xffffffff81000000 + 0x1000 * rng.randrange(16)
        rng.choice((
            lambda: d.comm(rng.choice(('sh', 'a b', 'worker')), t, pid, tid, rng.random() < .5),
            lambda: d.mmap(rng.choice(NAMES), address, 0x1000, 0, t, pid),
            lambda: d.mmap2(rng.choice(NAMES), address, 0x1000, 0, t, pid, rng.randrange(8),
                            inode=self.word(), dev=(rng.randrange(300), rng.randrange(300)),
                            build_id=rng.choice((None, rng.randbytes(20), rng.randbytes(16)))),
            lambda: self.task(d, t, pid, tid),
            lambda: d.aux(self.word(), self.word(), t, self.word()),
            lambda: d.itrace_start(t, pid, tid),
            lambda: d.lost(100, self.word(), t),
            lambda: d.lost_samples(rng.randrange(3), t),
            lambda: d.switch(t, rng.random() < .5, rng.choice((None, (self.word(), self.word()))),
                             pid, tid, preempt=rng.random() < .5),
            lambda: d.namespaces(t, pid, rng.randrange(1, 9)),
            lambda: d.ksymbol(kernel, 64, 'sym_%x' % kernel, t, rng.randrange(3)),
            lambda: d.bpf_event(rng.randrange(4), self.word(), t, self.word(),
                                tag=bytes(8)),
            lambda: d.cgroup(self.word(), '/a', t),
            lambda: d.text_poke(kernel, rng.randbytes(rng.randrange(9)),
                                rng.randbytes(rng.randrange(40)), t),
            lambda: d.aux_output_hw_id(self.word(), t),
            lambda: d.throttle(t, 100, self.word(), rng.random() < .5),
            lambda: d.attrs[0].flags & ms.SAMPLE_ID_ALL and d.read(
                t, rng.choice(d.attrs), pid, tid, values=[(self.word(), 100, 1)]),
            lambda: d.finished_round(),
            lambda: d.finished_init(),
            lambda: d.id_index([(100, self.word(), self.word(), self.word())]),
            lambda: d.auxtrace_error(rng.randrange(12), t, self.word(), 'text', rng.randrange(3),
                                     rng.randrange(4), pid, tid, rng.randrange(1, 3)),
            lambda: d.time_conv(self.word(), self.word(), self.word(),
                                rng.choice((None, self.word())), self.word()),
        ))()

    def recording(self, count):
        d = Recording(self.attrs())
        for _ in range(count):
            if self.rng.random() < .5:
                self.sample(d)
            else:
                self.record(d)
        return d

    def span(self):
        ends = sorted(self.rng.randrange(self.now + 10**6) for _ in range(2))
        return '%d.%09d,%d.%09d' % (*divmod(ends[0], 10**9), *divmod(ends[1], 10**9))

    def options(self):
        rng = self.rng
        yield '-D'
        yield '--dump-unsorted-raw-trace'
        yield SHOW
        yield rng.choice(('--show-round-events ', '')) + SHOW + ' --ns -F +misc'
        cpus = ('-C 1', '-C 0-3,6') if self.has_cpu else ()
        pick = rng.choice((*cpus, '--pid 1,4242', '--tid 7', '--comms sh,worker',
                           '--dsos //anon,/bin/a', '-S f', '--time %s' % self.span()))
        yield '-D ' + pick
        yield pick + ' ' + SHOW
        yield '-F ' + ','.join(rng.sample(FIELDS, rng.randrange(1, 8)))
        yield ' '.join('-F +' + f for f in rng.sample(FIELDS, 2))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--keep', help='a folder for recordings that differ')
    ap.add_argument('numbers', type=int, nargs='*')
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    count, seed = args.numbers + [10, 1][len(args.numbers):]
    same = bad = 0
    for n in range(seed, seed + count):
        with tempfile.TemporaryDirectory() as tmp:
            maker = Maker(random.Random(n))
            maker.recording(60).write(os.path.join(tmp, 'perf.data'))
            for o in maker.options():
                want = cases.text_of(o, cases.run(cases.PERF, o, tmp))
                got = cases.text_of(o, cases.run([os.path.abspath(args.ptscript)], o, tmp))
                if cases.agree(want, got):
                    same += 1
                    continue
                bad += 1
                print('seed %d: %s' % (n, o))
                print(cases.difference(want, got))
                if args.keep:
                    shutil.copy(os.path.join(tmp, 'perf.data'),
                                os.path.join(args.keep, '%d.data' % n))
    print('%d outputs equal, %d differ' % (same, bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
