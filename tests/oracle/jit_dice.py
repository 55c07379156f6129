#!/usr/bin/env python3
"""jit_dice.py --ptscript P [--seed N] [--count N] - functions that overwrite each other, by chance.

SPDX-License-Identifier: MIT

A jitdump of random functions, which come while the program runs, in the place of others, or over a
part of them; what is left of those is still run. Which instructions that are is known, since the
program exists here only: ptscript must find them, all of them, branch by branch and at every 20th. Each
instruction is also looked at by perf script of what perf inject -j makes, and must be printed as by
that. Where perf need not look at each, it goes by what it kept of a function's code, as it was before a
part of it was written over: docs/compat.md, "Code made at run time". One scene shows that it still does.
"""
import argparse
import itertools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import mkjit  # noqa: E402
import mkperf  # noqa: E402
import ptasm  # noqa: E402
import ptencode  # noqa: E402

PID, HOME, HEAP, HEAP_SIZE = 4242, 0x401000, 0x7000000, 0x800
NOPS = [bytes.fromhex(h) for h in (
    '90', '6690', '0f1f00', '0f1f4000', '0f1f440000', '660f1f440000', '0f1f8000000000',
    '0f1f840000000000', '660f1f840000000000')]
JUMP, CALL = b'\xff\xe0', b'\xff\xd0'  # *%rax
EACH = ['--itrace=i0nse', '-F', 'comm,tid,time,ip,sym,symoff,dso', '--ns']


def decoded(code):
    """Length, kind and displacement of the first instruction; None: it is none of ours."""
    for nop in reversed(NOPS):
        if code.startswith(nop):
            return len(nop), ptencode.OTHER, 0
    for head, n, form in ((b'\xb8', 5, ''), (b'\xe8', 5, '<i'), (b'\xe9', 5, '<i'), (JUMP, 2, ''),
                          (CALL, 2, ''), (b'\xc3', 1, '')):
        if code.startswith(head) and len(code) >= n:
            to = struct.unpack_from(form, code, 1)[0] if form else 0
            return n, ptencode.classify(code[:n]), to
    if len(code) > 1 and code[0] & 0xf0 == 0x70:
        return 2, ptencode.COND, struct.unpack_from('b', code, 1)[0]
    if len(code) > 5 and code[0] == 0x0f and code[1] & 0xf0 == 0x80:
        return 6, ptencode.COND, struct.unpack_from('<i', code, 2)[0]
    return None


class Memory:
    """What is where, and which load brought it: no instruction that is run is of two."""

    def __init__(self):
        self.byte, self.load, self.loads = {}, {}, 0

    def put(self, addr, code):
        self.loads += 1
        for i, value in enumerate(code):
            self.byte[addr + i], self.load[addr + i] = value, self.loads

    def at(self, ip):
        """The bytes of the instruction, its kind, and where it may lead."""
        there = itertools.takewhile(self.byte.__contains__, range(ip, ip + 9))
        here = bytes(self.byte[at] for at in there)
        insn = decoded(here)
        if not insn or len({self.load.get(ip + i) for i in range(insn[0])}) > 1:
            return None
        return here[:insn[0]], insn[1], ip + insn[0] + insn[2]

    def leads_on(self, ip):
        """Whether a packet comes before anything that cannot be run, or a circle."""
        seen = set()
        while ip not in seen:
            seen.add(ip)
            insn = self.at(ip)
            if not insn:
                return False
            if insn[1] not in (ptencode.OTHER, ptencode.JMP, ptencode.CALL):
                return True
            ip = insn[2]
        return False


class Program:
    """A run of random code, its trace and its jitdump; `made` functions lie in the heap."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.memory, self.entry, self.made = Memory(), [], {}
        self.steps, self.ticks, self.calls = [], {}, []
        self.now = mkperf.PerfData.T0
        self.dump = mkjit.Jitdump(PID, time=self.now - 940)
        self.home = ptasm.Code(HOME)
        self.home.func('_start').nop(4).jmp_rax()
        self.memory.put(HOME, bytes(self.home.asm()[0]))

    # -- code ---------------------------------------------------------------------------
    def one(self, at, addr, size):
        """An instruction at `at` of a function of this size at addr."""
        r, chance = self.r, self.r.random()
        far = struct.pack('<i', r.choice(self.entry) - (addr + at + 5)) if self.entry else None
        if chance < .2 and -126 <= (to := r.randrange(0, size, 16) - at) < 128:
            return bytes([0x70 + r.randrange(16)]) + struct.pack('b', to - 2)
        if chance < .3 and far:
            to = struct.unpack('<i', far)[0] - 1
            return b'\x0f' + bytes([0x80 + r.randrange(16)]) + struct.pack('<i', to)
        if chance < .45 and far:
            return r.choice([b'\xe8', b'\xe8', b'\xe9']) + far
        if chance < .6:
            return r.choice([JUMP, CALL, CALL, b'\xc3'])
        return r.choice(NOPS + [b'\xb8' + r.randbytes(4)])

    def function(self, addr, size):
        """Instructions begin at every 16th byte, where others can jump to."""
        code = b''
        while len(code) < size:
            room = min(16 - len(code) % 16, size - len(code))
            insn = self.one(len(code), addr, size)
            if size - len(code) <= 2:
                insn = JUMP if room == 2 else b'\xc3'
            elif len(insn) > room:
                insn = NOPS[min(room, len(NOPS)) - 1]
            code += insn
        return code

    def place(self):
        """A new one, or one in the place of another, or over a part of it."""
        r, chance = self.r, self.r.random()
        if not self.made or chance > .6:
            return HEAP + r.randrange(0, HEAP_SIZE, 16), r.randrange(16, 200)
        addr, code = r.choice(list(self.made.values()))
        size = len(code)
        if chance < .25:
            return addr, r.choice([size, size, max(16, size // 2), size + 32])
        return addr + r.randrange(0, size, 16), r.choice([16, 32, r.randrange(1, size + 1)])

    def load(self, tick):
        addr, size = self.place()
        code, index = self.function(addr, size), len(self.made) + 1
        self.dump.load(tick, addr, code, 'f%d' % index, index)
        self.made[index] = addr, code
        self.loaded(addr, code)

    def move(self, tick):
        index = self.r.choice(list(self.made))
        old, code = self.made[index]
        addr = HEAP + self.r.randrange(0, HEAP_SIZE, 16)
        self.dump.move(tick, old, addr, len(code), index)
        self.made[index] = addr, code
        self.loaded(addr, code)

    def loaded(self, addr, code):
        self.memory.put(addr, code)
        self.entry += range(addr, addr + len(code), 16)

    # -- its run ------------------------------------------------------------------------
    def insn(self, ip, code):
        self.steps.append(ptencode.Insn(PID, ip, code, self.now))

    def at_home(self, jump=True):
        for i in range(4):
            self.insn(HOME + i, b'\x90')
        if jump:
            self.insn(HOME + 4, JUMP)

    def chosen(self, kind, end, to):
        """Where control goes from an instruction; None: nowhere that can be run."""
        some = [self.r.choice(self.entry) for _ in range(8)]
        if kind in (ptencode.OTHER, ptencode.JMP, ptencode.CALL):
            return to
        if kind == ptencode.RET and self.calls and self.memory.leads_on(self.calls[-1]):
            some = [self.calls[-1]] * 20 + some
        where = [end, to] if kind == ptencode.COND else some
        return self.r.choice([ip for ip in where if self.memory.leads_on(ip)] or [None])

    def run(self, ip, count):
        """Returns where it is then."""
        for _ in range(count):
            code, kind, to = self.memory.at(ip)
            end, was = ip + len(code), ip
            ip = self.chosen(kind, end, to)
            if ip is None:  # an interrupt is always possible
                self.steps.append(ptencode.Async(PID, was, HOME, self.now))
                ip = HOME
                continue
            self.insn(was, code)
            if kind in (ptencode.CALL, ptencode.CALL_IND):
                self.calls = (self.calls + [end])[-ptencode.DEPTH:]
            elif kind == ptencode.RET and self.calls:
                self.calls.pop()
        return ip

    def compile(self, ip):
        """The program is interrupted, and goes on when there is new code."""
        self.steps.append(ptencode.Async(PID, ip, HOME, self.now))
        self.at_home()
        self.at_home(jump=False)
        self.now += 100000
        for i in range(self.r.randrange(1, 4)):
            (self.move if self.r.random() < .1 else self.load)(self.now + i * 10)
        self.now += 100000
        self.ticks[len(self.steps)] = self.now
        self.insn(HOME + 4, JUMP)
        self.at_home()
        return ip if self.memory.leads_on(ip) else HOME

    def all(self):
        for i in range(self.r.randrange(2, 8)):
            self.load(mkperf.PerfData.T0 - 900 + i)
        ip = HOME
        for _ in range(self.r.randrange(4, 14)):
            ip = self.compile(self.run(ip, self.r.randrange(10, 300)))
        self.steps.append(ptencode.Async(PID, ip, HOME, self.now))
        self.at_home()
        return self

    # -- what is known of it ------------------------------------------------------------
    def packets(self):
        pt = ptencode.Encoder(mtc=None, psb_every=self.r.choice([60, 400, 4096]),
                              compress=self.r.random() < .7)
        pt.start(self.steps[0].tsc)
        pt.enter(PID, self.steps[0].ip, self.steps[0].tsc)
        for i, (s, n) in enumerate(zip(self.steps, self.steps[1:])):
            if i in self.ticks:
                pt.flush()
                pt.p.tsc(self.ticks[i])
                pt.settle()
            if isinstance(s, ptencode.Insn):
                pt.insn(s, PID, n.ip)
            else:
                pt.interrupt(s, PID)
        pt.leave()
        return pt.bytes()

    def write(self, folder):
        d, t, dump = mkperf.PerfData(), mkperf.PerfData.T0, folder + '/jit-%d.dump' % PID
        d.time_conv(d.clock.shift, d.clock.mult, d.clock.zero)
        d.comm('t', t - 1000).mmap2(folder + '/t', tsc=t - 990)
        d.mmap2(dump, 0x6000000, 0x1000, 0, tsc=t - 950)
        d.itrace_start(t - 800).switch(t - 700).finished_round()
        d.aux(0, d.auxtrace(self.packets()), self.now + 50000)
        d.exit(self.now + 60000)
        d.write(folder + '/data')
        for path, data in ((dump, self.dump.close(self.now + 70000).data),
                           (folder + '/t', self.home.elf())):
            with open(path, 'wb') as f:
                f.write(data)

    def instructions(self):
        return [s.ip for s in self.steps if isinstance(s, ptencode.Insn)]

    def branches(self):
        return [(s.ip, n.ip) for s, n in zip(self.steps, self.steps[1:])
                if isinstance(s, ptencode.Async) or n.ip != s.ip + len(s.code) or
                ptencode.classify(s.code) not in (ptencode.OTHER, ptencode.COND)]


class Part(Program):
    """A loop that is run, then again when its second half is that of another function."""

    def all(self):
        loop, other = b'\x90' * 16 + b'\xb8abcd' * 3 + b'\xc3', b'\x90' * 5 + JUMP
        self.dump.load(self.now - 900, HEAP, loop, 'loop', 1)
        self.memory.put(HEAP, loop)
        self.entry = [HEAP]
        ip = HEAP
        for _ in range(4):
            self.at_home()
            while ip != HOME:
                code, kind, _ = self.memory.at(ip)
                self.insn(ip, code)
                ip = HOME if kind in (ptencode.RET, ptencode.JMP_IND) else ip + len(code)
            ip = HEAP
        self.at_home()
        self.at_home(jump=False)
        self.dump.load(self.now + 100000, HEAP + 16, other, 'other', 2)
        self.memory.put(HEAP + 16, other)
        self.now += 200000
        self.ticks[len(self.steps)] = self.now
        self.insn(HOME + 4, JUMP)
        self.at_home()
        self.run_part()
        self.at_home()
        return self

    def run_part(self):
        ip = HEAP
        while True:
            code, kind, _ = self.memory.at(ip)
            self.insn(ip, code)
            if kind == ptencode.JMP_IND:
                return
            ip += len(code)


def run(argv, folder):
    env = {'PATH': os.environ['PATH'], 'HOME': folder, 'LC_ALL': 'C', 'TZ': 'UTC', 'PAGER': 'cat'}
    done = subprocess.run(argv, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=100, check=False)
    return done.stdout.decode('latin-1'), done.returncode


def addresses(text):
    """Of each line the first, or two with what stands between them."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if any(line[0] == 'instruction' for line in lines):
        return ['error']
    return [int(line[0], 16) if len(line) < 3 else (int(line[0], 16), int(line[2], 16))
            for line in lines]


def follows(script, program, folder):
    """What is wrong with what a command (its beginning) makes of it, as the truth is known."""
    def told(itrace, fields):
        return addresses(run(script + ['--itrace=' + itrace, '-F', fields], folder)[0])

    truth = program.instructions()
    wrong = [] if told('i0nse', 'ip') == truth else ['instructions']
    if told('be', 'ip,addr')[1:-1] != program.branches():
        wrong.append('branches')
    if told('i20ie', 'ip') != truth[19::20]:
        wrong.append('every 20th instruction')
    return wrong


def case(program, ptscript, folder, with_perf):
    """What is wrong in ptscript, and in perf's branches and counts."""
    program.all().write(folder)
    wrong, of_perf = follows([ptscript, 'script', '-i', 'data'], program, folder), []
    if with_perf:
        run(['perf', 'inject', '-j', '-i', 'data', '-o', 'injected'], folder)
        perf = ['perf', 'script', '-i', 'injected']
        if run(perf + EACH, folder) != run([ptscript, 'script', '-i', 'data'] + EACH, folder):
            wrong.append('not as perf: ' + ' '.join(EACH))
        of_perf = follows(perf, program, folder)
    return wrong, of_perf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ptscript', required=True, type=os.path.abspath)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=6)
    args = parser.parse_args()
    with_perf, failed, perfs, count = shutil.which('perf') is not None, 0, 0, 0
    for seed in range(args.seed, args.seed + args.count):
        with tempfile.TemporaryDirectory() as folder:
            program = Program(seed)
            wrong, of_perf = case(program, args.ptscript, folder, with_perf)
        count += len(program.instructions())
        failed += bool(wrong)
        perfs += bool(of_perf)
        if wrong:
            print('seed %d: %s' % (seed, ', '.join(wrong)))
    with tempfile.TemporaryDirectory() as folder:
        wrong, of_perf = case(Part(0), args.ptscript, folder, with_perf)
    if wrong or (with_perf and 'branches' not in of_perf):
        print('a part that is written over:', wrong or 'perf is right: docs/compat.md says otherwise')
        failed += 1
    print('%d jitdumps, %d instructions: %d wrong; perf goes another way in %d of them%s' % (
        args.count, count, failed, perfs, '' if with_perf else ' (not asked)'))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
