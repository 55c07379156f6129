#!/usr/bin/env python3
"""mkkinds.py - makes testdata/kernel/kinds.tar.xz: k1's run, as if recorded in other ways.

SPDX-License-Identifier: MIT

    mkkinds.py UNPACKED TO

UNPACKED has k1/{perf.dir/{data,kcore_dir},symfs}, as for mkkernel.py.  perf says what was executed in a
slice of its time; from that ptencode.py makes packets again, after what differs in a kind.  Its code is
k1's, but for what kernelcase.kind() changes.  Written are NAME.data and NAME.ips (see mkkernel.py) for
each function below that is a @kind, and the patches of the kernel without mitigations.
"""
import itertools
import os
import random
import struct
import subprocess
import sys
import tempfile

import kernelcase
import mkfeat
import mkkernel
import mksample as ms
import perfedit
from perfedit import AUX, AUXTRACE, AUXTRACE_INFO, CPU_MAP, ID_INDEX, ITRACE_START, SWITCH_WIDE
from ptencode import CALL, CALL_IND, FAR, JMP, JMP_IND, RET, Async, Encoder, Insn, classify

PIPES = '3.603,3.6045'    # two threads take turns
DISK = '3.6545,3.6551'    # code of modules
SWITCH_TO, RETURN_THUNK, THUNKS = 0xffffffff8102f280, 0xffffffff81e01ee0, 0xffffffff81e01740
NONE = (1 << 64) - 1
OUT, PREEMPTED = 1 << 13, 1 << 14  # misc of switches
MTC, NORETCOMP, PERIOD = 0x200, 0x800, 0x3c000  # of the configuration
kinds = []


def kind(make):
    kinds.append(make)
    return make


# --- What was executed ------------------------------------------------------------------

def lines(recording, symfs, time):
    out = subprocess.run(['perf', 'script', '-i', recording, '--symfs', symfs, '--itrace=i0nsb', '--ns',
                          '--time', time, '-F', 'event,tid,time,ip,addr,flags,insn'],
                         capture_output=True, text=True, check=True).stdout
    return map(str.split, out.splitlines())


def ends_trace(step):
    return isinstance(step, Insn) and classify(step.code) in (JMP_IND, CALL_IND, RET, FAR)


def spread(steps):
    """perf knows a time for many instructions at once: they go on from it."""
    out = []
    for tsc, same in itertools.groupby(steps, lambda s: s.tsc):
        out.append((tsc, list(same)))
    for (tsc, same), (end, _) in zip(out, out[1:] + [(out[-1][0] + 1, None)]):
        length = min(end - tsc, 2 * len(same))
        for i, s in enumerate(same):
            yield s._replace(tsc=tsc + length * i // len(same))


def executed(base, f, time):
    steps = []
    for w in lines(base + '/k1/perf.dir', base + '/k1/symfs', time):
        tid, tsc = int(w[0]), f.tsc(int(w[1].strip(':').replace('.', '')))
        if w[2] == 'instructions:':
            at = w.index('insn:')
            steps.append(Insn(tid, int(w[at - 1], 16), bytes(int(x, 16) for x in w[at + 1:]), tsc))
        elif w[3:5] == ['hw', 'int']:
            at = w.index('=>')
            steps.append(Async(tid, int(w[at - 1], 16), int(w[at + 1], 16), tsc))
    steps = list(spread(steps))
    return cut(steps)


def cut(steps):
    while not ends_trace(steps[-1]):
        steps.pop()
    return steps


def in_kernel(_, ip):
    return ip >> 63


def switches(steps):
    return [i for i, s in enumerate(steps) if isinstance(s, Insn) and s.ip == SWITCH_TO]


class Run:
    """k1's records, and steps of a slice of it."""

    def __init__(self, base):
        self.base, self.slices = base, {}

    def __call__(self, time=PIPES):
        f = perfedit.File(self.base + '/k1/perf.dir/data')
        if time not in self.slices:
            self.slices[time] = executed(self.base, f, time)
        return f, list(self.slices[time])


def encode(f, steps, lost=(), flags=0, **how):
    e = Encoder(**how).steps(steps, lost)
    f.set_traces({0: e.bytes()}, flags)
    return e.truth


# --- Kinds: (File, what was executed or None if it is not to be decoded like that) ------

@kind
def only_kernel(run):
    """-e intel_pt//k"""
    f, steps = run()
    f.attrs[0].flags |= ms.EXCLUDE_USER
    return f, encode(f, steps, traced=in_kernel)


@kind
def moved(run):
    """KASLR."""
    f, steps = run()
    to = kernelcase.moved
    for r in f.records:
        if r.kind == 1 and r.misc & 7 == 1:
            for off in (8, 24):
                r.put(off, 'Q', to(r.get(off, 'Q')))
        elif r.kind == 20:
            r.put(0, 'Q', to(r.get(0, 'Q')))
    return f, encode(f, [s._replace(ip=to(s.ip), **{'to': to(s.to)} if isinstance(s, Async) else {})
                         for s in steps])


@kind
def second_cpu(run):
    """perf record -C 1"""
    f, steps = run()
    truth = encode(f, steps)
    for r in f.records:
        if r.who:
            r.who[3] = 1
        if r.kind == ID_INDEX:
            for i in range(r.get(0, 'Q')):
                r.put(8 + 32 * i + 16, 'Q', 1)
        elif r.kind == AUXTRACE:
            r.put(32, 'I', 1)
        elif r.kind == CPU_MAP:
            r.body[:] = struct.pack('<4H', 0, 1, 1, 0)
    f.features[7] = struct.pack('<II', 2, 2)
    return f, truth


@kind
def stuck(run):
    """Time is only told at each PSB: perf's queue waits for a switch that has been."""
    f, steps = run()
    f.attrs[0].config &= ~(MTC | PERIOD)
    encode(f, steps, mtc=None, psb_every=1024)
    return f, None


@kind
def overflows(run):
    """Packets lost, at any place and around switches; the last time the buffer was full, too."""
    f, steps = run()
    chance, at = random.Random(1), switches(steps)
    lost = [(at[i] - 200, at[i] + 200, {}) for i in (1, 3)]
    lost += [(at[i] - 700, at[i] - 300, {'clock': True}) for i in (2, 4)]
    lost += [(at[5] + n, at[5] + n + chance.randrange(50, 400), {'clock': n > 4000, 'half_psb': n > 5000})
             for n in range(1000, 7000, 1000)]
    encode(f, steps, sorted(lost, key=lambda x: x[0]), flags=1, psb_every=2048)
    return f, None


@kind
def pieces(run):
    """The buffer was read many times, and not always in time."""
    f, steps = run()
    encode(f, steps, psb_every=512)
    i = f.records.index(f.of(AUXTRACE)[0])
    whole, aux = f.records[i:i + 2]
    new, at, chance = [], 0, random.Random(2)
    while at < len(whole.trace):
        size = 8 * chance.randrange(8, 60)
        part, record = whole.copy(), aux.copy()
        part.trace = whole.trace[at:at + size]
        part.body[:16] = struct.pack('<QQ', len(part.trace), at)
        gone = at and chance.random() < .2
        record.body[:] = struct.pack('<QQQ', at, size, 1 if gone else 0)
        new += [record] if gone else [part, record]
        at += size
    new.append(perfedit.Rec(13, 0, struct.pack('<Q', 40), list(aux.who)))
    f.records[i:i + 2] = new
    return f, None


FIELDS = (('unsigned short common_type', 0, 2, 0), ('unsigned char common_flags', 2, 1, 0),
          ('unsigned char common_preempt_count', 3, 1, 0), ('int common_pid', 4, 4, 1),
          ('char prev_comm[16]', 8, 16, 0), ('pid_t prev_pid', 24, 4, 1), ('int prev_prio', 28, 4, 1),
          ('long prev_state', 32, 8, 1), ('char next_comm[16]', 40, 16, 0), ('pid_t next_pid', 56, 4, 1),
          ('int next_prio', 60, 4, 1))
SAYS = ('"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", '
        'REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 0xff) ? '
        '__print_flags(REC->prev_state & 0xff, "|", { 0x00000001, "S" }, { 0x00000002, "D" }, '
        '{ 0x00000004, "T" }) : "R", REC->prev_state & 0x100 ? "+" : "", REC->next_comm, REC->next_pid, '
        'REC->next_prio')


def switch_format():
    """Of sched:sched_switch: without all of the common fields perf crashes."""
    lines = ['\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n' % field for field in FIELDS]
    return ('name: sched_switch\nID: 316\nformat:\n' + ''.join(lines[:4]) + '\n' + ''.join(lines[4:])
            + '\nprint fmt: ' + SAYS + '\n')


def as_tracepoint(f):
    """Samples of sched:sched_switch for the SWITCH records."""
    f.features[1] = mkfeat.Features().tracing_data({'sched': [switch_format()]})
    event = perfedit.RawAttr(f.attrs[1].bytes(), [2000])
    event.kind, event.config = 2, 316
    event.sample_type |= ms.PERIOD | ms.RAW
    event.flags = ms.INHERIT | ms.SAMPLE_ID_ALL
    f.attrs.insert(1, event)
    f.attrs[2].flags &= ~ms.CONTEXT_SWITCH
    f.describe(['intel_pt//', 'sched:sched_switch', 'dummy:u', 'dummy:u'])
    f.of(AUXTRACE_INFO)[0].put(8 + 7 * 8, 'Q', 1)
    index = f.of(ID_INDEX)[0]
    index.put(0, 'Q', index.get(0, 'Q') + 1)
    index.body += struct.pack('<QQQQ', 2000, 0, 0, NONE)
    f.records = [tracepoint(r) if r.kind == SWITCH_WIDE else r for r in f.records
                 if r.kind != SWITCH_WIDE or r.misc & OUT]


def tracepoint(r):
    pid, tid, time, cpu, _, _ = r.who
    name, nxt = b'task'.ljust(16, b'\0'), r.get(4, 'I')
    raw = (struct.pack('<HBBi', 316, 1, 2, tid) + name
           + struct.pack('<iiq', tid, 120, not r.misc & PREEMPTED) + name
           + struct.pack('<iii', nxt, 120, 0))
    return perfedit.Rec(9, 1, struct.pack('<QQIIQIIQI', 2000, 0xffffffff810ccd01, pid, tid, time, cpu, 0,
                                          1, len(raw)) + raw)


@kind
def tracepoints(run):
    """Switches told by sched:sched_switch."""
    f, steps = run()
    encode(f, steps)
    as_tracepoint(f)
    return f, None


@kind
def threads(run):
    """perf record --per-thread -t 120,122"""
    f, steps = run()
    tids, ids = (120, 122), []
    f.set_traces({i: Encoder(traced=lambda tid, ip, t=t: tid == t).steps(steps).bytes()
                  for i, t in enumerate(tids)})
    for event in f.attrs:
        event.sample_type &= ~ms.CPU
        event.ids = [event.ids[0] + 100 * i for i in range(len(tids))]
        ids += [(id_, i, NONE, t) for i, (id_, t) in enumerate(zip(event.ids, tids))]
    f.describe(['intel_pt//', 'dummy:u', 'dummy:u'])
    f.records = [r for r in f.records if r.kind != SWITCH_WIDE]
    f.of(AUXTRACE_INFO)[0].put(8 + 7 * 8, 'Q', 0)
    f.of(AUXTRACE_INFO)[0].put(8 + 9 * 8, 'Q', 0)
    f.of(ID_INDEX)[0].body[:] = struct.pack('<Q', len(ids)) + b''.join(
        struct.pack('<QQQQ', *x) for x in ids)
    for r, tid in zip(f.of(AUXTRACE), tids):
        r.put(28, 'I', tid)
        r.put(32, 'I', 0xffffffff)
    for r in f.records:
        r.no_cpu = r.who is not None
    return f, None


# --- Two CPUs -------------------------------------------------------------------------------

def dealt(f, steps):
    """The steps from switch to switch, two in turn for each CPU; those of the second at the time of
    the first ones.  [(cpu, steps, ticks they are moved by)]"""
    at = [0] + switches(steps) + [len(steps)]
    parts = [steps[a:b] for a, b in zip(at, at[1:])]
    early = parts[0][0].tsc - parts[2][0].tsc + 37
    return [(i // 2 % 2, p, early if i // 2 % 2 else 0) for i, p in enumerate(parts)]


def switch_records(f, parts):
    """Those between the parts say who was on that CPU before."""
    last, at = {}, f.ns(parts[0][1][0].tsc)
    end = f.ns(parts[-1][1][-1].tsc)
    there = [r for r in f.of(SWITCH_WIDE) if at <= r.time <= end]
    f.records = [r for r in f.records if r not in there]
    for i, (cpu, steps, early) in enumerate(parts):
        tid, time = steps[-1].tid, f.ns(steps[0].tsc)
        pair = [min((r for r in there if bool(r.misc & OUT) == out
                     and tid == (r.get(4, 'I') if out else r.who[1])),
                    key=lambda r: abs(r.time - time)).copy() for out in (True, False)] if i else []
        before = last.get(cpu, 0)
        for r in pair:
            r.who[2:4] = [f.ns(f.tsc(r.time) + early), cpu]
        if pair:
            pair[0].who[:2] = [before, before]
            pair[1].body[:8] = struct.pack('<II', before, before)
        f.records += pair
        last[cpu] = tid


def two_cpus(f, steps, **how):
    parts = dealt(f, steps)
    switch_records(f, parts)
    f.set_traces({cpu: Encoder(**how).steps(cut([
        s._replace(tsc=s.tsc + early) for c, part, early in parts if c == cpu for s in part])).bytes()
        for cpu in (0, 1)})
    for event in f.attrs:
        event.ids = [event.ids[0], event.ids[0] + 100]
    start = f.of(ITRACE_START)[0]
    other = start.copy()
    other.who[3] = 1
    f.records.insert(f.records.index(start) + 1, other)
    ids = [(id_, cpu, cpu, NONE) for e in f.attrs for cpu, id_ in enumerate(e.ids)]
    f.of(ID_INDEX)[0].body[:] = struct.pack('<Q', len(ids)) + b''.join(
        struct.pack('<QQQQ', *x) for x in ids)
    f.of(CPU_MAP)[0].body[:] = struct.pack('<4H', 0, 2, 0, 1)
    for r in f.records:
        if r.who and r.who[3]:
            r.who[5] += 100
    f.describe(['intel_pt//', 'dummy:u', 'dummy:u'])
    f.features[7] = struct.pack('<II', 2, 2)
    # perf record reads the buffer of one CPU after that of the other
    mine = [r for r in f.records if r.time and r.kind != AUX]
    f.records = ([r for r in f.records if r not in mine and r.kind != 68]
                 + sorted(mine, key=lambda r: (r.who[3], r.time)) + f.of(68)[-1:])


@kind
def both_cpus(run):
    f, steps = run()
    two_cpus(f, steps)
    return f, None


@kind
def one_stuck(run):
    """As both_cpus, and what is stuck is one of them."""
    f, steps = run()
    f.attrs[0].config &= ~(MTC | PERIOD)
    two_cpus(f, steps, mtc=None, psb_every=1024)
    return f, None


# --- Other kernels ------------------------------------------------------------------------

@kind
def no_mitigations(run):
    """Indirect branches and returns as the compiler meant them, and no PTI."""
    f, steps = run()
    patches, behind, out = {}, {}, []
    steps = iter(steps)
    s = next(steps)
    while s:
        n = next(steps, None)
        if n and isinstance(s, Insn) and THUNKS <= n.ip < THUNKS + 0x200 and classify(s.code) in (CALL, JMP):
            reg, call = (n.ip - THUNKS) // 0x20, classify(s.code) == CALL
            code = (b'\x41' if reg > 7 else b'') + bytes((0xff, (0xd0 if call else 0xe0) | reg & 7))
            rest = len(s.code) - len(code)
            nop = {2: b'\x66\x90', 3: b'\x0f\x1f\0', 4: b'\x0f\x1f\x40\0'}[rest] if call else b'\xcc' * rest
            patches[s.ip] = code + nop
            if call:
                behind[s.ip + len(s.code)] = (s.ip + len(code), nop)
            out.append(s._replace(code=code))
            while n and n.ip >> 12 == THUNKS >> 12:
                n = next(steps, None)
        elif n and n.ip == RETURN_THUNK:
            patches[s.ip] = b'\xc3' + b'\xcc' * (len(s.code) - 1)
            out.append(s._replace(code=b'\xc3'))
            n = next(steps, None)
        else:
            if isinstance(s, Insn) and s.code[:2] == b'\x0f\x22' and s.ip >> 12 == 0xffffffff81c00:
                s = s._replace(code=b'\x0f\x1f\0')
                patches[s.ip] = s.code
            out.append(s)
        s = n
    steps = []
    for s, n in zip(out, out[1:] + [None]):
        steps.append(s)
        if n and isinstance(s, Insn) and classify(s.code) == RET and n.ip in behind:
            steps.append(Insn(n.tid, *behind[n.ip], s.tsc))
    f.patches = ''.join('%x %s\n' % (ip, code.hex()) for ip, code in sorted(patches.items()))
    return f, encode(f, cut(steps))


@kind
def module_came(run):
    """A module (loop) that no record tells of: it came while it was recorded."""
    f, steps = run(DISK)
    f.records = [r for r in f.records if not (r.kind == 1 and bytes(r.body[32:38]) == b'[loop]')]
    return f, encode(f, steps)


@kind
def module_went(run):
    """The list of modules beside the kcore lacks one that the records have (kernelcase.kind)."""
    f, steps = run(DISK)
    encode(f, steps)
    return f, None


def main():
    base, to = sys.argv[1:]
    run, files = Run(base), {}
    for make in kinds:
        f, truth = make(run)
        name = make.__name__
        with tempfile.NamedTemporaryFile() as tmp:
            f.write(tmp.name)
            files[name + '.data'] = mkkernel.read(tmp.name)
        if truth:
            files[name + '.ips'] = ''.join(d + '\n' for d in mkkernel.digests(truth)).encode()
        if hasattr(f, 'patches'):
            files[name + '.patches'] = f.patches.encode()
    mkkernel.write_tar(os.path.join(to, 'kinds.tar.xz'), files)


if __name__ == '__main__':
    main()
