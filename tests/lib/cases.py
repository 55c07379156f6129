#!/usr/bin/env python3
"""cases.py - small recordings, each run under several option sets, compared with perf.

SPDX-License-Identifier: MIT

    cases.py check --ptscript PROGRAM [MODULE...]   against the stored output of perf
    cases.py live --ptscript PROGRAM [--heap LIBRARY] [MODULE...]    against the perf installed here
    cases.py bless [MODULE...]                      stores the output of the perf here
    cases.py write DIR [MODULE...]                  only writes the recordings

OPTIONS are of perf script, or begin with another command (evlist, buildid-list, report, inject: with
the file that is written, in injected.py's words, behind its output; export: the tables that are
made, in exported.py's; -g: what the script has and prints that is written).  The first of
them may be stdin=FILE: no -i, and FILE comes through a pipe; or cache=FOLDER: no --symfs, but
FOLDER as the build-id cache; or config=FILE: PERF_CONFIG.

A module is tests/cases/NAME.py or tests/golden/NAME.py.  Each function in it under
@case(OPTIONS, ...) fills a Case: code, packets, side-band; its expected text lies in
expected/NAME.FUNCTION.txt beside it.  stdout, stderr and exit status are all compared.
"""
import argparse
import ast
import fnmatch
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import exported  # noqa: E402
import injected  # noqa: E402
import mkperf  # noqa: E402
import ptasm  # noqa: E402

FOLDERS = [os.path.join(HERE, '..', 'cases'), os.path.join(HERE, '..', 'golden')]
LIMIT = 20  # seconds; perf 6.1 can hang on damaged input
EVERY = int(os.environ.get('PTS_EVERY', 1))  # CI, for its time: of much of a kind each 4th


def case(*options, known=()):
    """known: where ptscript is meant to differ, as (OPTIONS with *, HOW, SECTION) with the
    section of docs/compat.md that says why.  HOW is what must hold then:
      'refused'               ptscript ends with 129 and says it does not support this yet
      {PATTERN: OURS, ...}    the same when these stand for perf's (as in re.sub, . is any)
      ('goes on', OUR EXIT, TEXT)  perf's standard output is the beginning of ours; TEXT, which
                              may be left out, is in the rest
      ('reads', TEXT)         exit status 0, and TEXT in standard output
      ('lines', START)        the same but for lines that START: perf has more of them"""
    def mark(fn):
        fn.options = options
        fn.known = known
        return fn
    return mark


class Case:
    """What a case function fills in; t0 is the TSC of the first packet."""

    def __init__(self, folder):
        self.folder = folder
        self.t0 = mkperf.PerfData.T0
        self.pt = ptasm.Packets()
        self.code = None
        self.data = None
        self.path = '/build/t'

    def program(self, code=None, **elf):
        """Writes the program below symfs; without code the one all goldens use."""
        self.code = code or tiny_program()
        self.write_image(self.path, self.code.elf(**elf))
        return self.code.asm()[1]

    def write_image(self, path, data):
        where = os.path.join(self.folder, 'symfs') + path
        os.makedirs(os.path.dirname(where), exist_ok=True)
        with open(where, 'wb') as f:
            f.write(data)

    def perf(self, **kw):
        self.data = mkperf.PerfData(**kw)
        return self.data

    def record(self, size=0x1000, **kw):
        """Usual side-band before the trace: comm, map (of `size` bytes), trace start, switch in."""
        d, t = self.data or self.perf(**kw), self.t0
        d.comm('t')
        d.mmap2(self.path, size=size, tsc=t - 1000)
        d.itrace_start(t - 900)
        d.switch(t - 800)
        return d

    def finish(self, flags=0, **kw):
        """The trace so far as one buffer, and usual side-band after it."""
        d, t = self.data or self.record(), self.t0
        size = d.auxtrace(self.pt.bytes, **kw)
        d.aux(0, size, t + 50000, flags)
        d.switch(t + 60000, out=True)
        d.exit(t + 70000)
        d.finished_round()
        d.write(os.path.join(self.folder, 'perf.data'))


def tiny_program():
    c = ptasm.Code()
    c.func('_start').call('f').lea_rax('g').call_rax().mov_ecx(3)
    c.label('again').dec_ecx().jcc('again').call('f2').mov_eax(60).syscall()
    c.func('f').nop().ret()
    c.func('g').call('f').ret()
    c.func('f2').jmp('f3')
    c.func('f3').nop().ret()
    return c


def modules(names):
    found = []
    for folder in FOLDERS:
        for file in sorted(os.listdir(folder)):
            name = file[:-3]
            if not file.endswith('.py') or (names and name not in names):
                continue
            spec = importlib.util.spec_from_file_location(name, os.path.join(folder, file))
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found.append((folder, name, module))
    if names and len(found) < len(names):
        sys.exit('no such module among: ' + ' '.join(names))
    return found


def cases(names):
    for folder, name, module in modules(names):
        for key, fn in vars(module).items():
            if hasattr(fn, 'options'):
                yield folder, '%s.%s' % (name, key), fn


def make(fn, folder):
    fn(Case(folder))
    for file in os.listdir(folder):
        os.utime(os.path.join(folder, file), (10 ** 9, 10 ** 9))  # --header prints it


def environment(home):
    return {'HOME': home, 'LC_ALL': 'C', 'TZ': 'UTC', 'PAGER': 'cat',
            'PERF_CONFIG_NOSYSTEM': '1',
            'PATH': os.environ.get('PATH', '/usr/bin:/bin'),
            **{k: v for k, v in os.environ.items() if k.endswith('SAN_OPTIONS')}}


def is_in_place(words):
    """inject that changes the file itself: it gets a copy."""
    return words[:1] == ['inject'] and any(w.startswith('--vm-time') for w in words)


def started(command, folder, symfs, env):
    """Of the script that -g wrote, which is taken away: its functions for events with their
    parameters, and what it prints when it is run."""
    path = os.path.join(folder, 'perf-script.py')
    if not os.path.isfile(path):
        return b''
    with open(path, encoding='utf-8') as f:
        try:
            body = ast.parse(f.read()).body
        except SyntaxError:
            os.unlink(path)
            return b'unreadable\n'
    functions = [n for n in body if isinstance(n, ast.FunctionDef)]
    text = ''.join('%s(%s)\n' % (n.name, ', '.join(a.arg for a in n.args.args))
                   for n in functions if '__' in n.name or n.name.startswith('trace_'))
    done = subprocess.run(command + ['script', '--symfs', symfs, '-i', 'perf.data', '-s',
                                     'perf-script.py'], cwd=folder, env=env, timeout=LIMIT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.unlink(path)
    return text.encode() + done.stdout + b'exit %d\n' % done.returncode


def run(command, options, folder, symfs='symfs'):
    """(exit status, stdout, stderr without our own notes) of one run inside folder."""
    home = os.path.join(folder, 'home')
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home)
    words = shlex.split(options)
    where, feed = ['-i', 'perf.data'], {'stdin': subprocess.DEVNULL}
    before, images = [], ['--symfs', symfs]
    if words and words[0].startswith('cache='):
        before, images = ['--buildid-dir', words.pop(0)[6:]], []
    if words and words[0].startswith('stdin='):
        with open(os.path.join(folder, words.pop(0)[6:]), 'rb') as f:
            where, feed = [], {'input': f.read()}
    env = environment(home)
    if not is_in_sample(options):  # to look for leaks takes half of a short run
        env['ASAN_OPTIONS'] = env.get('ASAN_OPTIONS', '') + ':detect_leaks=0'
    if words and words[0].startswith('config='):
        env['PERF_CONFIG'] = words.pop(0)[7:]
    out = os.path.join(folder, 'home', 'out')
    if words[:1] in (['evlist'], ['buildid-list']):
        argv = command + words[:1] + where + words[1:]
    elif is_in_place(words):
        shutil.copy(os.path.join(folder, 'perf.data'), home)
        argv = command + ['inject', '-i', 'home/perf.data'] + words[1:]
    elif words[:1] == ['inject']:
        argv = command + before + words[:1] + where + words[1:] + ['-o', 'home/out']
    elif words[:1] == ['report']:
        argv = command + before + ['report', '--stdio'] + images + where + words[1:]
    elif words[:1] == ['export'] and command[-1:] == PERF:
        argv = command + before + ['script'] + images + where + exported.for_perf(words[1:])
        env['PATH'] = '/usr/bin:/bin'  # where its Python looks for modules
    elif words[:1] == ['export']:
        argv = (command + words[:1] + before + images + where + ['--to', 'sqlite', '-o', 'home/out']
                + exported.for_ptscript(words[1:]))
    else:
        argv = command + before + ['script'] + images + where + words
    try:
        done = subprocess.run(argv, cwd=folder, env=env, timeout=LIMIT,
                              capture_output=True, **feed)
    except subprocess.TimeoutExpired:
        return 'hangs', b'', b''
    if done.returncode < 0:
        return 'crashes', b'', done.stderr if b'Sanitizer' in done.stderr else b''
    err = b''.join(line for line in done.stderr.splitlines(True)
                   if not line.startswith((b'ptscript: ', b'Using CPUID ')))
    err = err.split(b'\n Usage: ')[0]  # the list of options is each program's own
    # perf ends a report with a tip, another one each time; we have none.
    text = re.sub(rb'(?m)^# \(Tip: .*\n', b'', done.stdout)
    if words[:1] == ['-g']:
        text += started(command, folder, symfs, env)
    if words[:1] == ['export']:
        text = b''  # the script says when it does what
        err = b''.join(line for line in err.splitlines(True) if not line.startswith(b'QSqlQuery'))
        if os.path.isfile(out) and not done.returncode:
            text = ''.join(line + '\n' for line in exported.summary(out)).encode()
    elif is_in_place(words):
        text += ''.join(line + '\n' for line in injected.changes(
            os.path.join(folder, 'perf.data'), os.path.join(home, 'perf.data'))).encode()
    elif os.path.exists(out) and not done.returncode:
        text += ''.join(line + '\n' for line in injected.summary(out)).encode()
        text += ''.join(line + '\n' for line in injected.made(folder)).encode()
    return done.returncode, text, err


PERF = ['perf']
heap = None  # rising_heap.c, as a file: what perf's order of equal weights is by is no chance then


def perf_version():
    return subprocess.run(['perf', '--version'], capture_output=True,
                          text=True).stdout.split()[-1]


# perf says so of a file that is not there, or does not: by which of it and addr2line is faster.
# And of its program for 32-bit code, where the machine does not run such; and it has no heap of ours.
RACES = re.compile(rb'^(addr2line [^\n]*: could not read first record|'
                   rb'sh: 1: perf-read-vdso32: Exec format error|ERROR: ld.so: object [^\n]*)\n', re.M)
# Behind the rest of a graph, in some environments and not in others.
BY_CHANCE = b'[...] (inlined)'
# With -v of report and inject: how it goes about its own work (docs/compat.md, report).
OWN_WORK = re.compile(rb'^(Looking at the vmlinux_path|Using \S+ for |Failed to find kernel text poke |Synthesizing |Failed to open |no symbols found in |no build_id found for |Writing cache: '
                      rb'|\S+ with build id |symbol__disassemble: |annotating |Executing: |pmu capabilities not|'
                      rb'/proc/\S+ inconsistency|unwind: |overlapping maps |symsrc__init: |start time \d)[^\n]*\n', re.M)


def text_of(options, result):
    status, out, err = result
    err = RACES.sub(b'', err)
    out = out.replace(BY_CHANCE, BY_CHANCE[:5])
    if re.search(r'(report|inject) .*-v', options):
        err = OWN_WORK.sub(b'', err)
    return (b'@@@ script %s\n@@@ exit %s\n' % (options.encode(), str(status).encode())
            + b'@@@ stderr\n' + err + b'@@@ stdout\n' + out)


def stored_path(folder, name):
    return os.path.join(folder, 'expected', name + '.txt')


def stored(folder, name):
    """{options: the text text_of() made}."""
    try:
        with open(stored_path(folder, name), 'rb') as f:
            parts = f.read().split(b'@@@ script ')[1:]
    except FileNotFoundError:
        return {}
    return {p.split(b'\n', 1)[0].decode(): b'@@@ script ' + p for p in parts}


def is_lost(text):
    return text and text.split(b'\n')[1] in (b'@@@ exit crashes', b'@@@ exit hangs')


def agree(want, got, known=()):
    """Where perf itself crashes or hangs there is nothing to print, only to survive; unless
    a known difference says what there must be."""
    if is_lost(want):
        return not known and got.split(b'\n')[1] in (b'@@@ exit 0', b'@@@ exit 234',
                                           b'@@@ exit 255')
    return want == got


def meant(how, want, got):
    """Whether got differs from want as HOW (see case) says."""
    head, _, out = got.partition(b'@@@ stdout\n')
    if how == 'refused':
        return b'@@@ exit 129\n' in head and b'not supported' in head and not out
    if isinstance(how, dict):
        for perfs, ours in how.items():
            want, n = re.subn(perfs, ours, want, flags=re.S)
            if not n:
                return False
        return want == got
    if how[0] == 'lines':
        lines = [line for line in want.splitlines(True) if not line.startswith(how[1])]
        return lines == [line for line in got.splitlines(True) if not line.startswith(how[1])]
    if how[0] == 'reads':
        return b'@@@ exit 0\n' in head and how[1] in out
    perfs = want.partition(b'@@@ stdout\n')[2]
    return (b'@@@ exit %d\n' % how[1] in head and out.startswith(perfs)
            and all(text in out[len(perfs):] for text in how[2:]))


def section_of(known, options, want, got):
    for pattern, how, section in known:
        if fnmatch.fnmatchcase(options, pattern) and meant(how, want, got):
            return section
    return None


def check_sections(found):
    with open(os.path.join(HERE, '..', '..', 'docs', 'compat.md')) as f:
        sections = {h.strip('# \n') for h in f if h.startswith('#')}
    for _, name, fn in found:
        for _, _, section in fn.known:
            if section not in sections:
                sys.exit('%s: docs/compat.md has no section "%s"' % (name, section))


def difference(want, got):
    a, b = want.splitlines(), got.splitlines()
    for i in range(max(len(a), len(b))):
        x = a[i] if i < len(a) else None
        y = b[i] if i < len(b) else None
        if x != y:
            return '    line %d\n      perf     %r\n      ptscript %r' % (i + 1, x, y)
    return '    only line ends differ'


def bless(names):
    header = b'# perf %s, written by cases.py bless\n' % perf_version().encode()
    for folder, name, fn in cases(names):
        with tempfile.TemporaryDirectory() as tmp:
            make(fn, tmp)
            texts = [text_of(o, run(PERF, o, tmp)) for o in fn.options]
        os.makedirs(os.path.join(folder, 'expected'), exist_ok=True)
        with open(stored_path(folder, name), 'wb') as f:
            f.write(header + b''.join(texts))
        print('blessed', name)
    return 0


def perf_once_more(options, tmp):
    """On a busy machine perf can be too late for LIMIT, or lose a race with addr2line."""
    env = ['env', 'LD_PRELOAD=' + os.path.abspath(heap)] if heap else []
    return text_of(options, run(env + PERF, options, tmp))


def perf_says(options, tmp, got, before):
    """What the perf here prints, asked again where it is neither what we do nor what it said
    BEFORE."""
    text = text_of(options, run(PERF, options, tmp))
    if text in (got, before):
        return text
    again = perf_once_more(options, tmp)
    return again if again == got or is_lost(text) else text


def sample(found, at=0):
    """Each EVERYth, from that AT on."""
    return found[at % EVERY::EVERY]


def is_in_sample(text):
    """The same of what has no place in a row."""
    return zlib.crc32(text.encode()) % EVERY == 0


def check(names, command, live, verbose):
    passed = failed = known = 0
    found = list(cases(names))
    check_sections(found)
    if live:
        found = sample(found)
    for folder, name, fn in found:
        want = stored(folder, name)
        with tempfile.TemporaryDirectory() as tmp:
            make(fn, tmp)
            for o in fn.options:
                got = text_of(o, run(command, o, tmp))
                expected = perf_says(o, tmp, got, want.get(o)) if live else want.get(o)
                section = None
                meant_so = [k for k in fn.known if fnmatch.fnmatchcase(o, k[0])]
                if agree(expected, got, meant_so):
                    passed += 1
                    continue
                if expected is not None:
                    section = section_of(fn.known, o, expected, got)
                if section:
                    known += 1
                    if verbose:
                        print('known   %s %s (docs/compat.md, %s)' % (name, o, section))
                else:
                    failed += 1
                    print('DIFF    %s %s' % (name, o))
                    print(difference(expected, got) if expected is not None
                          else '    nothing stored: run cases.py bless')
    print('%d passed, %d failed, %d known differences' % (passed, failed, known))
    return failed != 0


def write(names, to):
    for _, name, fn in cases(names):
        folder = os.path.join(to, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        make(fn, folder)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('what', choices=['check', 'live', 'bless', 'write'])
    ap.add_argument('rest', nargs='*')
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--heap', help='rising_heap.c, as a library')
    ap.add_argument('-v', '--verbose', action='store_true', help='tell known differences, too')
    args = ap.parse_intermixed_args()
    if args.what == 'bless':
        return bless(args.rest)
    if args.what == 'write':
        return write(args.rest[1:], args.rest[0])
    if args.what == 'live' and not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    command = shlex.split(args.ptscript)
    command[0] = os.path.abspath(shutil.which(command[0]) or command[0])
    global heap
    heap = args.heap
    return check(args.rest, command, args.what == 'live', args.verbose)


if __name__ == '__main__':
    sys.modules['cases'] = sys.modules['__main__']
    sys.exit(main())
