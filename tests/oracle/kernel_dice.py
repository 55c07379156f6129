#!/usr/bin/env python3
"""kernel_dice.py - recordings of a kernel, changed by chance, against perf.

SPDX-License-Identifier: MIT

    kernel_dice.py --ptscript PROGRAM [--seed N] [--count N] [--shared] [--keep DIR]

Each round takes a recording of testdata/kernel (--shared: those that lie beside this tree, a piece
of their trace each), changes it in one to three ways - records that are not there, or at another time,
pieces of trace that were lost, another event - and often its kcore_dir, and compares what perf and
ptscript print under some option sets.  The same seed makes the same rounds.

Where perf has less (`less`) it may have dropped the rest of a CPU's trace, see "Kernel code" in
docs/compat.md.  Other differences that are meant, too, are for whoever reads the rounds.
"""
import argparse
import collections
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import kernelcase  # noqa: E402
import mkperf  # noqa: E402
import mksample as ms  # noqa: E402
import perfedit  # noqa: E402

SHARED = os.path.join(HERE, '..', '..', '..', 'shared', 'traces', 'kernel')
LIMIT, LARGEST = 60, 200000  # seconds and KB of one output; perf follows some loops for ever
PSB = b'\x02\x82' * 8
MMAP, COMM, EXIT, FORK, MMAP2, KSYMBOL, TEXT_POKE = 1, 3, 4, 7, 10, 17, 20
AUX = perfedit.AUX
HAVE_SWITCH, SNAPSHOT = 8 + 7 * 8, 8 + 8 * 8  # in AUXTRACE_INFO
PLAIN = 'plain '  # not the folder: the file in it
ALL = '-F+flags,+addr,+sym,+symoff,+dso --ns'
OPTIONS = (
    '--itrace=i0nse -F tid,cpu,time,ip,sym', '--itrace=be ' + ALL, '--call-ret-trace --ns',
    '--itrace=crewp --ns', '--itrace=i1000ig16xe', '--itrace=i100us --ns -F+symoff,+dso',
    '--itrace=e --show-switch-events --show-mmap-events --show-task-events --ns', '--itrace=qe --ns',
    '--itrace=qqe', '--itrace=Abe --ns', '--itrace=i1000iZe', '--itrace=be -C 0 --ns',
    '--itrace=i1000i --tid 0,120,122', '--itrace=i20il8 -F+brstackinsn', '--itrace=i500iL16xe -F+brstacksym',
    '--itrace=i1000iG8e', '--insn-trace -F+insn --ns', '', '--call-trace', '--itrace=cre -F+ipc,+callindent',
    '--itrace=i1000ie --show-kernel-path -F+dso', '--itrace=i777i -S __switch_to,schedule',
    '-D', '--no-itrace --show-text-poke-events --ns', '--itrace=be --guest-code -F+flags',
    '--itrace=i1000ie --guestmount . -F+flags', '--itrace=i500ie --show-text-poke-events --ns',
    '--no-itrace --show-bpf-events --show-mmap-events --show-task-events --show-switch-events --ns',
    '--itrace=i0nse -F comm,tid,ip,sym,symoff,dso --time 3.6,3.85', '--itrace=cg16i100i', '--itrace=i10i -F ip,sym,dso',
    '--itrace=i1000ie -F+srcline', '--itrace=bpwxe -F+flags,+synth -c work',
    PLAIN + '--itrace=i1000ie -F+dso', PLAIN + '--no-itrace --show-text-poke-events',
    PLAIN + '--kallsyms perf.dir/kcore_dir/kallsyms --itrace=i1000ie -F+dso')


# --- Changes of the records ------------------------------------------------------------

def of_module(r):
    return r.misc & 7 == 1 and b'_text' not in r.body


def without(kind, chance, which=lambda r: True):
    def change(dice, f):
        f.records = [r for r in f.records
                     if r.kind != kind or not which(r) or dice.random() >= chance]
        return 'without %d of kind %d' % (100 * chance, kind)
    return change


def pieces(dice, f):
    """The buffer was read several times, and not always in time."""
    whole, aux = f.of(perfedit.AUXTRACE), f.of(perfedit.AUX)
    if len(whole) != 1 or len(aux) != 1:
        return 'no pieces'
    f.records.remove(aux[0])
    i, at, new = f.records.index(whole[0]), 0, []
    trace = whole[0].trace
    while at < len(trace):
        size = min(8 * dice.randrange(1, len(trace) // 16 + 2), len(trace) - at)
        part, record = whole[0].copy(), aux[0].copy()
        part.trace = trace[at:at + size]
        part.body[:16] = struct.pack('<QQ', size, at)
        record.body[:] = struct.pack('<QQQ', at, size, dice.choice((0, 0, 0, 1, 1, 2, 4, 5, 8)))
        new += [record] if dice.random() < .25 else [part, record]
        at += size
    f.records[i:i + 1] = new
    return 'pieces'


def module_elsewhere(dice, f):
    there = [r for r in f.of(MMAP) if of_module(r)]
    if not there:
        return 'no module'
    r, how = dice.choice(there), dice.choice(('cut', 'moved', 'late'))
    if how == 'cut':
        r.put(16, 'Q', max(4096, r.get(16, 'Q') // 2 & ~4095))
    elif how == 'moved':
        r.put(8, 'Q', r.get(8, 'Q') + dice.choice((0x1000, -0x2000, 0x800000)))
    else:
        r.who[2] = dice.choice([s.time for s in f.records if s.time] or [r.time])
    return 'module %s' % how


def module_symbol(dice, f):
    """Something is loaded, or unloaded, where a module is."""
    there = [r for r in f.of(MMAP) if of_module(r)]
    if not there:
        return 'no module'
    r = dice.choice(there)
    who = list(r.who)
    who[2] = dice.choice([s.time for s in f.records if s.time])
    f.records.append(perfedit.Rec(KSYMBOL, 0, struct.pack(
        '<QIHH', r.get(8, 'Q') + 0x1000 * dice.randrange(2), r.get(16, 'Q') & 0xffffffff,
        dice.choice((1, 2)), dice.randrange(2)) + b'made_up\0', who))
    return 'ksymbol'


def times(kind):
    def change(dice, f):
        for r in dice.sample(f.of(kind), min(len(f.of(kind)), 20)):
            r.who[2] += dice.choice((-1, 1)) * dice.randrange(10, 100000)
        return 'times of kind %d' % kind
    return change


def build_ids(dice, f):
    if dice.random() < .5:
        f.features.pop(2, None)
        return 'no build ids'
    ids, at = bytearray(f.features.get(2, b'')), 0
    while at < len(ids):
        if struct.unpack_from('<H', ids, at + 4)[0] & 7 == 1:
            ids[at + 12 + dice.randrange(20)] ^= 0x55
        at += struct.unpack_from('<H', ids, at + 6)[0]
    f.features[2] = bytes(ids)
    return 'other build ids of the kernel'


def event(dice, f):
    f.attrs[0].flags |= dice.choice((ms.EXCLUDE_USER, ms.EXCLUDE_USER << 1))
    return 'not all was traced'


def bits(dice, f):
    for r in dice.choices(f.of(perfedit.AUXTRACE), k=dice.randrange(1, 5)):
        trace = bytearray(r.trace)
        trace[dice.randrange(len(trace))] ^= 1 << dice.randrange(8)
        r.trace = bytes(trace)
    return 'bits of the trace'


def info(at, values):
    def change(dice, f):
        value = dice.choice(values)
        f.of(perfedit.AUXTRACE_INFO)[0].put(at, 'Q', value)
        return 'AUXTRACE_INFO at %d: %d' % (at, value)
    return change


def swapped(dice, f):
    """What the CPUs did, each as if it were another's."""
    there = f.of(perfedit.AUXTRACE)
    cpus = sorted({r.get(32, 'I') for r in there})
    others = cpus[1:] + cpus[:1]
    for r in there:
        cpu = others[cpus.index(r.get(32, 'I'))]
        r.put(24, 'I', others.index(cpu))
        r.put(32, 'I', cpu)
    return 'CPUs swapped'


def guest(dice, f):
    """Some of it ran in a guest, by what the trace says."""
    for r in f.of(perfedit.AUXTRACE):
        ends = [m.end() for m in re.finditer(b'\x02\x23', r.trace)]  # PSBEND
        trace = r.trace
        for at, nr in zip(sorted(dice.sample(ends, min(len(ends), 4)), reverse=True), (0, 1, 0, 1)):
            said = b'\x02\x43' + struct.pack('<Q', 0x1234 << 1 | nr)[:6]
            if dice.random() < .3:
                said += b'\x02\xc8' + bytes((0, 0x10, 0, 0, 0))  # VMCS
            trace = trace[:at] + said + trace[at:]
        r.trace = mkperf.pad8(trace)
        r.put(0, 'Q', len(r.trace))
    # one record says how much was traced, for each buffer that is whole
    if len(f.of(AUX)) == len(f.of(perfedit.AUXTRACE)) == 1:
        f.of(AUX)[0].body[8:16] = struct.pack('<Q', len(f.of(perfedit.AUXTRACE)[0].trace))
    return 'a guest'


def pokes(dice, f):
    """What was changed is changed back, and again."""
    there = [r for r in f.of(TEXT_POKE) if r.get(8, 'H') == r.get(10, 'H')]
    times_of = [r.time for r in f.records if r.time]
    for r in dice.sample(there, min(len(there), 10)):
        new, n = r.copy(), r.get(8, 'H')
        new.who[2] = dice.choice(times_of)
        if dice.random() < .5:
            new.body[12:12 + 2 * n] = new.body[12 + n:12 + 2 * n] + new.body[12:12 + n]
        f.records.append(new)
    return 'more pokes'


def unloaded(dice, f):
    """Code that was told of goes, and perhaps comes back."""
    for r in f.of(KSYMBOL):
        if dice.random() < .6:
            gone = r.copy()
            gone.put(14, 'H', gone.get(14, 'H') ^ 1)
            gone.who[2] = dice.choice([x.time for x in f.records if x.time])
            f.records.append(gone)
    return 'KSYMBOLs unregistered'


def ids_of_maps(dice, f):
    """A module that comes twice, or again elsewhere."""
    there = [r for r in f.of(MMAP) if of_module(r)]
    if not there:
        return 'no module'
    r = dice.choice(there).copy()
    r.who[2] = dice.choice([x.time for x in f.records if x.time])
    if dice.random() < .6:
        r.put(8, 'Q', r.get(8, 'Q') + dice.choice((0x1000, 0x40000, 0x900000)))
    f.records.append(r)
    return 'a module twice'


SWITCH = perfedit.SWITCH_WIDE
CHANGES = (
    swapped, guest, pokes, unloaded, ids_of_maps,
    pieces, pieces, module_elsewhere, module_elsewhere, module_symbol, build_ids, event, bits,
    times(TEXT_POKE), times(SWITCH), info(HAVE_SWITCH, (0, 1, 2)), info(SNAPSHOT, (1,)),
    without(SWITCH, .05), without(SWITCH, 1, lambda r: r.misc & 1 << 13),
    without(SWITCH, 1, lambda r: not r.misc & 1 << 13), without(MMAP, .3, of_module),
    without(MMAP, 1, of_module), without(MMAP2, .1), without(COMM, .3), without(EXIT, 1),
    without(FORK, .3), without(TEXT_POKE, .3), without(KSYMBOL, .5))


def piece_of(dice, f):
    """perf takes a second for this much."""
    trace, kb = f.of(perfedit.AUXTRACE)[0].trace, dice.choice((4, 8, 16))
    starts = [m.start() for m in re.finditer(re.escape(PSB), trace)]
    at = dice.choice([s for s in starts if s + kb * 1024 < len(trace)] or [0])
    end = next((s for s in starts if s >= at + kb * 1024), len(trace))
    f.set_traces({0: trace[at:end]})
    return 'trace from %d to %d' % (at, end)


# --- Changes of what lies beside ---------------------------------------------------------

def lines(path, keep):
    with open(path, 'rb') as f:
        kept = [line for line in f if keep(line)]
    with open(path, 'wb') as f:
        f.writelines(kept)


def core(dice, folder):
    how = dice.choice(('none', 'no kcore', 'no kallsyms', 'modules', 'symbols', 'cut', 'hook'))
    if how == 'none':
        shutil.rmtree(folder)
    elif how.startswith('no '):
        os.remove(os.path.join(folder, how[3:]))
    elif how == 'modules':
        lines(folder + '/modules', lambda line: dice.random() < .7)
    elif how == 'symbols':
        lines(folder + '/kallsyms', lambda line: b' _' in line or dice.random() < .8)
    elif how == 'hook':
        lines(folder + '/kallsyms', lambda line: b' __perf_event_task_sched_out' not in line)
    else:
        os.truncate(folder + '/kcore', dice.randrange(4096, os.path.getsize(folder + '/kcore')))
    return 'kcore_dir: ' + how


# --- Rounds ------------------------------------------------------------------------------------

def recordings(folder, shared):
    """[(its folder, whether it is long)], beside symfs each."""
    if shared:
        subprocess.run(['bash', os.path.join(SHARED, 'unpack.sh'), folder], check=True,
                       stdout=subprocess.DEVNULL)
        return [(os.path.join(folder, k, 'perf.dir'), True) for k in ('k1', 'k9')]
    kernelcase.kinds(folder)
    return [(os.path.join(folder, n + '.dir'), n == 'perf')  # perf.dir: k1 itself
            for n in kernelcase.kind_names(folder, '.dir')]


def make(dice, there, to):
    source, long = dice.choice(there)
    symfs = os.path.join(os.path.dirname(source), 'symfs')
    f, said = perfedit.File(source + '/data'), [os.path.relpath(source, os.path.dirname(symfs))]
    if long:
        said.append(piece_of(dice, f))
    said += [change(dice, f) for change in dice.sample(CHANGES, dice.choice((1, 1, 2, 3)))]
    os.mkdir(to + '/perf.dir')
    os.symlink(os.path.realpath(symfs), to + '/symfs')
    f.write(to + '/perf.dir/data')
    if dice.random() < .3:
        shutil.copytree(os.path.realpath(source + '/kcore_dir'), to + '/perf.dir/kcore_dir')
        said.append(core(dice, to + '/perf.dir/kcore_dir'))
    else:
        os.symlink(os.path.realpath(source + '/kcore_dir'), to + '/perf.dir/kcore_dir')
    return ', '.join(said)


def run(program, options, folder):
    recording = 'perf.dir'
    if options.startswith(PLAIN):
        recording, options = 'perf.dir/data', options[len(PLAIN):]
    with tempfile.TemporaryDirectory() as home:
        try:
            done = subprocess.run(
                ['bash', '-c', 'ulimit -f %d; exec "$@" >%s/out' % (LARGEST, home), 'bash', program, 'script',
                 '-i', recording, '--symfs', 'symfs'] + options.split(), cwd=folder, timeout=LIMIT,
                env=cases.environment(home), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return 'no end', b'', b''
        with open(home + '/out', 'rb') as f:
            out = f.read()
    return done.returncode, out, b''.join(
        line for line in done.stderr.splitlines(True) if not line.startswith(b'ptscript: '))


def by_cpu(text):
    """The lines of each CPU, each with what belongs to it (callers)."""
    found, cpu = collections.defaultdict(list), None
    for line in text.splitlines():
        m = re.search(rb'\[(-?\d+)\]| cpu (-?\d+) ', line)
        if m:
            cpu = int(m[1] or m[2])
        found[cpu].append(line)
    return found


def is_part(less, more):
    """Whether these are the others up to somewhere, on each CPU."""
    less, more = by_cpu(less), by_cpu(more)
    return all(more[cpu][:len(there)] == there for cpu, there in less.items())


def judge(perf, ours):
    if perf == ours:
        return 'same'
    if ours[0] == 'no end' or ours[0] < 0:
        return 'BROKEN'
    if perf[0] in ('no end', 128 + 13) or perf[0] < 0:  # its addr2line ended: SIGPIPE
        return 'perf fails'
    return 'less' if is_part(perf[1], ours[1]) else 'DIFF'


def of_stuck(verdict, said, perf, ours):
    """In recordings made so that perf drops the rest of a CPU's trace it loses more than lines:
    stacks that go on elsewhere, columns."""
    drops = verdict == 'DIFF' and 'stuck' in said and len(perf[1]) < len(ours[1])
    return 'less' if drops else verdict


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--count', type=int, default=50)
    ap.add_argument('--shared', action='store_true')
    ap.add_argument('--keep', help='where the recordings of differences go')
    args = ap.parse_args()
    program, count = os.path.abspath(args.ptscript), collections.Counter()
    with tempfile.TemporaryDirectory() as base:
        there = recordings(base, args.shared)
        for seed in range(args.seed, args.seed + args.count):
            dice = random.Random(seed)
            with tempfile.TemporaryDirectory() as folder:
                said, bad = make(dice, there, folder), False
                for options in dice.sample(OPTIONS, 3):
                    both = [run(p, options, folder) for p in ('perf', program)]
                    verdict = of_stuck(judge(*both), said, *both)
                    count[verdict] += 1
                    if verdict in ('same', 'perf fails'):
                        continue
                    bad |= verdict != 'less'
                    print('%s  seed %d (%s) %s' % (verdict, seed, said, options), flush=True)
                    if verdict != 'less':
                        print(cases.difference(*(cases.text_of(options, s) for s in both)), flush=True)
                if bad and args.keep:
                    shutil.copytree(folder, os.path.join(args.keep, str(seed)))
    print(', '.join('%d %s' % (n, what) for what, n in sorted(count.items())))
    return 1 if count['BROKEN'] else 0


if __name__ == '__main__':
    sys.exit(main())
