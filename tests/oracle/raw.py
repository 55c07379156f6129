#!/usr/bin/env python3
"""raw.py - bare traces against perf, which reads none: recordings are taken apart, and a real
trace is put into a recording.

SPDX-License-Identifier: MIT

    raw.py --ptscript PROGRAM [MODULE...]   modules of tests/cases, after the captures

With side-band all that perf prints must be there.  Of a recording with several buffers one is
decoded at a time; perf is told its CPU.  Without side-band, only with the program of a case as
ELF file or as bytes at an address, the columns that depend on it are left out.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import mkperf  # noqa: E402
import mksample  # noqa: E402
import oracle  # noqa: E402
import unwrap  # noqa: E402

TESTDATA = os.path.join(HERE, '..', '..', 'testdata')
CAPTURES = ('emu-mix', 'emu-sig', 'emu-thr', 'emu-ls')
EARLY = 12345  # ticks
LIMIT = 20  # seconds; perf 6.1 follows some loops for ever
SHOW = ['--show-task-events', '--show-mmap-events', '--show-switch-events']

# The names of events are left out: what was excluded a bare trace does not say.
OPTION_SETS = (
    ['--itrace=be', '-F', 'comm,pid,tid,cpu,time,ip,sym,symoff,dso,addr,flags,ipc'],
    ['--itrace=i0nse', '-F', 'comm,tid,cpu,time,ip,sym,insn,insnlen', '--ns'],
    ['--itrace=bxwpe', '-F-event'] + SHOW,
    ['--itrace=crei3i', '-F-event,+callindent,+flags'],
    ['--call-trace'],
)

# Of a trace alone.  What of an error is printed depends on the side-band: no letter e.
ALONE_SETS = (
    ['--itrace=i0ns', '-F', 'ip,sym,symoff,insn,insnlen'],
    ['--itrace=b', '-F', 'ip,sym,symoff,addr,flags'],
    ['--itrace=b', '-F', 'time,ip,addr', '--ns'],
)
ALONE_MODULES = ('branches', 'quick')
CODE_AT, CODE_OFF = 0x401000, 0x1000  # of the program of a case

# Not those about headers, samples, containers and several pieces of trace: they are not in a
# bare one.
MODULES = ('branches', 'columns', 'disasm', 'events', 'everything', 'power', 'program', 'quick',
           'stacks', 'time')
SKIP = ('events.empty', 'events.no_psb',  # nothing to decode: refused
        'kernel.build_id_cache', 'kernel_kinds.kinds',
        'time.pmu_type_of_40_bits')  # only a recording has an AUXTRACE_INFO


def run(argv):
    with tempfile.TemporaryDirectory() as home:
        try:
            done = subprocess.run(argv, capture_output=True, stdin=subprocess.DEVNULL,
                                  env=cases.environment(home), timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None, b''
    return done.returncode, done.stdout


def compare(name, program, path, common, more=(), sets=OPTION_SETS):
    """(equal, different) runs of one recording.  more: only for ptscript.  The clock is told,
    told to be early, and told by a record where there is one."""
    equal = different = 0
    u = unwrap.Unwrapped(path)
    for cpu in u.trace:
        with tempfile.TemporaryDirectory() as tmp:
            files = u.write(tmp, cpu)
            for options in sets:
                words = common + (['-C', str(cpu)] if len(u.trace) > 1 else []) + options
                want = run(['perf', 'script', '-i', path] + words)
                if want[0] is None or want[0] < 0 or want[0] == 255:
                    continue  # hangs, crashes, or does not take a CPU of this number
                told = [u.options(files), u.options(files, early=EARLY)]
                told += [u.options(files, clock=False)] if u.has_clock else []
                got = [run([program] + t + list(more) + words) for t in told]
                if all(want == g for g in got):
                    equal += 1
                    continue
                different += 1
                got = next(g for g in got if g != want)
                print('DIFF    %s cpu %d %s: exit %s %s' % (name, cpu, ' '.join(options),
                                                           want[0], got[0]))
                print(cases.difference(want[1], got[1]))
    return equal, different


def compare_alone(name, program, path, symfs):
    """The same without side-band; with the clock that the recording has."""
    image, equal, different = symfs + '/build/t', 0, 0
    u = unwrap.Unwrapped(path)
    if len(u.trace) > 1 or not os.path.exists(image):
        return 0, 0
    probe = run(['perf', 'script', '-i', path, '--symfs', symfs, '--itrace=i0nse', '-F', 'ip,sym'])
    if b'[unknown]' in probe[1] or b' error ' in probe[1] or probe[0]:
        return 0, 0  # the side-band has a say
    with tempfile.TemporaryDirectory() as tmp:
        files = u.write(tmp, list(u.trace)[0])
        flat = os.path.join(tmp, 'flat')
        with open(image, 'rb') as f, open(flat, 'wb') as to:
            to.write(f.read()[CODE_OFF:])
        with open(files[1], 'wb') as f:
            f.write(u.clock_record())
        for options in ALONE_SETS:
            want = run(['perf', 'script', '-i', path, '--symfs', symfs] + options)
            if want[0] is None or want[0] < 0:
                continue
            told = u.settings()
            if 'time' in options[-2]:  # only a record can tell the clock
                told += ['--pevent:primary', files[1], '--pevent:sample-type', '0x6']
            images = [image] if 'sym' in options[-1] else [image, '%s:%#x' % (flat, CODE_AT)]
            for place in images:
                got = run([program, '--pt', files[0], '--image', place] + told + options)
                equal += want == got
                different += want != got
                if want != got:
                    print('DIFF    %s alone %s' % (name, ' '.join(options)))
                    print(cases.difference(want[1], got[1]))
    return equal, different


def compare_given(name, program, path, symfs):
    """With side-band, but the program is found nowhere: its code is given by hand."""
    image, u = symfs + '/build/t', unwrap.Unwrapped(path)
    equal = different = 0
    if len(u.trace) > 1 or not os.path.exists(image):
        return 0, 0
    with tempfile.TemporaryDirectory() as tmp:
        told = u.options(u.write(tmp, list(u.trace)[0]), True)
        for options in ALONE_SETS:
            want = run(['perf', 'script', '-i', path, '--symfs', symfs] + options)
            if want[0] is None or want[0] < 0:
                continue
            got = run([program] + told + ['--image', image] + options)
            equal += want == got
            different += want != got
            if want != got:
                print('DIFF    %s given %s' % (name, ' '.join(options)))
                print(cases.difference(want[1], got[1]))
    return equal, different


def captures(program):
    symfs = os.path.join(TESTDATA, 'symfs')
    cache = os.path.join(symfs, '.debug')
    vdso = [os.path.join(folder, 'vdso') for folder, _, names in os.walk(cache)
            if 'vdso' in names][0]
    for name in CAPTURES:
        path = os.path.join(TESTDATA, name, 'perf.data')
        yield compare(name, program, path, ['--symfs', symfs], ['--pevent:vdso-x64', vdso])


def small(program, modules, every):
    """Recordings of the cases that can be taken apart."""
    for _, name, fn in list(cases.cases(modules))[::every]:
        if fn.known or name in SKIP:
            continue
        with tempfile.TemporaryDirectory() as tmp:
            cases.make(fn, tmp)
            path = os.path.join(tmp, 'perf.data')
            try:
                unwrap.Unwrapped(path)
            except (ValueError, IsADirectoryError):
                continue
            symfs = os.path.join(tmp, 'symfs')
            yield compare(name, program, path, ['--symfs', symfs], sets=OPTION_SETS[1:4])
            if name.split('.')[0] in ALONE_MODULES:
                yield compare_alone(name, program, path, symfs)
                yield compare_given(name, program, path, symfs)


# --- A real trace, of which perf is given a recording ----------------------------------------

REAL = {'shift': 31, 'mult': 581029125, 'zero': 18444502336406842448, 'type': 0x10086}
REAL_SETTINGS = ['--cpu', '6/85/4', '--mtc-freq', '3', '--nom-freq', '37', '--cpuid-0x15.eax', '2',
                 '--cpuid-0x15.ebx', '308', '--pevent:sample-type', hex(REAL['type']),
                 '--pevent:time-zero', str(REAL['zero']), '--pevent:time-shift',
                 str(REAL['shift']), '--pevent:time-mult', str(REAL['mult'])]
REAL_CONFIG = 1 | mkperf.CYC | mkperf.MTC | mkperf.TSC | 1 << 13 | 3 << 14
REAL_CPU = 9


def real_recording(files, path):
    """The trace and its side-band (of the kernel) as perf record would have written them."""
    bare = [open(f, 'rb').read() for f in files]
    attr = mksample.Attr(6, REAL_CONFIG, mkperf.SAMPLE_ID_ALL | mkperf.CONTEXT_SWITCH,
                         REAL['type'] | 1, [0x365, 0x371])
    d = mkperf.PerfData(attrs=[attr], cpu=REAL_CPU, priv=dict(
        time_shift=REAL['shift'], time_mult=REAL['mult'], time_zero=REAL['zero'],
        have_sched_switch=2, ctc_n=308, ctc_d=2, max_nonturbo_ratio=37, event_trace=0))
    for side in bare[1:]:
        for kind, record in unwrap.records(side):
            if kind < unwrap.KERNEL_END:
                d.chunks.append(record)
    tsc = ((1385530563021208 - REAL['zero']) % (1 << 64) << REAL['shift']) // REAL['mult']
    d.auxtrace(bare[0], ref=tsc)
    d.features['nrcpus'] = d.pack('II', 12, 12)
    d.write(path)


def real(program):
    shared = oracle.shared_folder()
    folder = os.path.join(shared, 'traces', 'real-dr-hello') if shared else ''
    if not os.path.isdir(folder):
        print('no real-dr-hello beside the checkout (PTS_SHARED)')
        return 0, 0
    files = [os.path.join(folder, n) for n in ('pt.bin', 'primary.sideband.pevent',
                                               'secondary.sideband.pevent')]
    equal = different = 0
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, 'perf.data')
        real_recording(files, path)
        for options in OPTION_SETS:
            want = run(['perf', 'script', '-i', path, '--symfs', folder] + options)
            bare = [program, '--pt', files[0], '--pevent:primary', files[1],
                    '--pevent:secondary', files[2]] + REAL_SETTINGS
            got = run(bare + ['--pevent:sysroot', folder] + options)
            eight = got[1].count(b'insn:') == 8 or not any('insn,' in o for o in options)
            equal += want == got and eight
            different += not (want == got and eight)
            if want != got or not eight:
                print('DIFF    real-dr-hello %s' % ' '.join(options))
                print(cases.difference(want[1], got[1]))
            if 'dso' not in options[-1] and '-F' in options:  # an image has another name
                given = run(bare + ['--image', os.path.join(folder, 'hello')] + options)
                equal += want == given
                different += want != given
    return equal, different


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('modules', nargs='*')
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--every', type=int, default=1, metavar='N', help='only each Nth case')
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    program = os.path.abspath(shutil.which(args.ptscript) or args.ptscript)
    total = [0, 0]
    if not args.modules:
        for counts in captures(program):
            total = [a + b for a, b in zip(total, counts)]
        total = [a + b for a, b in zip(total, real(program))]
    for counts in small(program, args.modules or MODULES, args.every):
        total = [a + b for a, b in zip(total, counts)]
    print('bare traces: %d equal, %d different' % tuple(total))
    return total[1] != 0


if __name__ == '__main__':
    sys.exit(main())
