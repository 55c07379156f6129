#!/usr/bin/env python3
"""oracle.py - every capture under every option set, byte for byte as perf prints it.

SPDX-License-Identifier: MIT

    oracle.py --ptscript PROGRAM [--quick] [--cache DIR] [--only CAPTURE] [OPTIONS]

Captures: those in testdata/, and those beside the checkout (PTS_SHARED, or ../shared) when
they are there.  OPTIONS: one option set instead of options.txt.  perf runs with a HOME of
its own each time, because it caches kernel symbols there; its output may be kept in --cache
under a hash of everything it depends on.

Prints one line per capture and option set: ok, DIFF or known (known.txt says which and how
the two must differ), and both times.
"""
import argparse
import fnmatch
import hashlib
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
LIMIT = 600  # seconds for one run
USAGE = 129  # exit status after a wrong option: each program prints its own usage


class Capture:
    def __init__(self, name, data, symfs, buildid_dir):
        self.name, self.data, self.symfs, self.buildid_dir = name, data, symfs, buildid_dir

    def common(self):
        """What both are told by any options of script."""
        return (['--symfs', self.symfs] if self.symfs else []) + ['-i', self.data]

    def command(self, options):
        """All that both are told: script, or the command that the options begin with."""
        words = shlex.split(options)
        argv = ['--buildid-dir', self.buildid_dir] if self.buildid_dir else []
        if words[:1] == ['evlist']:
            return argv + ['evlist', '-i', self.data] + words[1:]
        if words[:1] == ['report']:
            return argv + ['report', '--stdio'] + self.common() + words[1:]
        return argv + ['script'] + self.common() + words


def shared_folder():
    for place in (os.environ.get('PTS_SHARED'), os.path.join(TOP, '..', 'shared')):
        if place and os.path.isdir(os.path.join(place, 'traces')):
            return os.path.realpath(place)
    return None


def captures():
    found = []
    data = os.path.join(TOP, 'testdata')
    for name in sorted(os.listdir(data)):
        file = os.path.join(data, name, 'perf.data')
        if os.path.exists(file):
            symfs = os.path.join(data, 'symfs')
            found.append(Capture(name, file, symfs, os.path.join(symfs, '.debug')))
    shared = shared_folder()
    if not shared:
        print('no captures beside the checkout (PTS_SHARED): only those in testdata')
        return found
    seen = {digest(c.data) for c in found}
    traces = os.path.join(shared, 'traces')
    for name in sorted(os.listdir(traces)):
        file = os.path.join(traces, name, 'perf.data')
        if not os.path.exists(file) or digest(file) in seen:
            continue
        symfs = os.path.join(traces, name, 'symfs')
        found.append(Capture(name, file, symfs if os.path.isdir(symfs) else None, None))
    return found


def digest(file):
    with open(file, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


def option_sets(quick):
    sets = []
    with open(os.path.join(HERE, 'options.txt')) as f:
        for line in f:
            line = line.rstrip('\n')
            if line.startswith('#'):
                continue
            short = line == 'quick' or line.startswith('quick ')
            if short or not quick:
                sets.append(line[6:] if short else line)
    return sets


def known_differences():
    rows = []
    with open(os.path.join(HERE, 'known.txt')) as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                rows.append(line.rstrip('\n').split('\t'))
    with open(os.path.join(TOP, 'docs', 'compat.md')) as f:
        sections = {h.strip('# \n') for h in f if h.startswith('#')}
    for row in rows:
        if len(row) != 5 or row[2] not in KINDS:
            sys.exit('known.txt: not five columns: %r' % row)
        if row[4] not in sections:
            sys.exit('known.txt: docs/compat.md has no section "%s"' % row[4])
    return rows


def is_prefix(want, got):
    """All that perf printed stands at the beginning of what ptscript printed."""
    with open(want, 'rb') as a, open(got, 'rb') as b:
        while True:
            piece = a.read(1 << 16)
            if not piece:
                return True
            if b.read(len(piece)) != piece:
                return False


def is_dump_prefix(want, got):
    """The same up to the first dump of AUX data, which perf 6.1 begins 16 bytes early in a
    pipe-mode file.  perf names kernel addresses by the kernel it runs on: that is left out."""
    mark = re.compile(rb'^\. \.\.\. Intel Processor Trace data: .*\n', re.M)
    symbol = re.compile(rb' \S+ (\(\[kernel\.kallsyms\]\))')
    with open(want, 'rb') as a, open(got, 'rb') as b:
        theirs, ours = a.read(), b.read()
    end = mark.search(theirs)
    theirs = theirs[:end.end() if end else len(theirs)]
    return symbol.sub(rb' [unknown] \1', ours).startswith(
        symbol.sub(rb' [unknown] \1', theirs))


def is_same_but_pwre(want, got):
    """The same but for what is in a PWRE."""
    mask = re.compile(rb'hw: \d cstate: \d sub-cstate: \d')
    with open(want, 'rb') as a, open(got, 'rb') as b:
        return mask.sub(b'', a.read()) == mask.sub(b'', b.read())


def is_same_but_r8(want, got):
    """The same but for R8 to R15, which a processor in 32-bit mode has not.

    perf names them, too: the values that are there move to the names before, and what is left
    at the end are others.
    """
    register, extra = re.compile(rb' +([A-Z]+\d*):(0x[0-9a-f]+)'), re.compile(rb'R(8|9|1[0-5])$')
    with open(want, 'rb') as a, open(got, 'rb') as b:
        for theirs, ours in itertools.zip_longest(a, b, fillvalue=b''):
            names, values = ([r[i] for r in register.findall(theirs)] for i in (0, 1))
            own_names, own_values = ([r[i] for r in register.findall(ours)] for i in (0, 1))
            if (register.sub(b'', theirs) != register.sub(b'', ours) or
                    [n for n in names if not extra.match(n)] != own_names or
                    values[:len(own_values)] != own_values):
                return False
    return True


def is_nothing(want, got):
    """ptscript refuses it."""
    return os.path.getsize(got) == 0


KINDS = {'dump-prefix': is_dump_prefix,
         'pwre': is_same_but_pwre,
         'nothing': is_nothing,
         'r8': is_same_but_r8,
         'prefix': is_prefix,
         'same': lambda want, got: lines_equal(want, got) is None}


def known_reason(rows, capture, options, want, got, statuses):
    """The section that explains this difference, when it is just the listed one."""
    for name, pattern, kind, listed, reason in rows:
        if (fnmatch.fnmatchcase(capture, name) and fnmatch.fnmatchcase(options, pattern)
                and '%s %s' % statuses == listed and KINDS[kind](want, got)):
            return reason
    return None


def run(argv, out):
    """(exit status, seconds, stderr) of argv, stdout into the file out."""
    with tempfile.TemporaryDirectory() as home, open(out, 'wb') as f:
        env = {'HOME': home, 'LC_ALL': 'C', 'TZ': 'UTC', 'PAGER': 'cat',
               'PATH': os.environ['PATH']}
        start = time.monotonic()
        try:
            done = subprocess.run(argv, cwd=home, env=env, stdin=subprocess.DEVNULL, stdout=f,
                                  stderr=subprocess.PIPE, timeout=LIMIT)
            status, err = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            status, err = 'hangs', b''
        return status, time.monotonic() - start, err


class Perf:
    """perf's side of a comparison, perhaps from the cache."""

    def __init__(self, cache):
        self.cache = cache
        self.version = subprocess.run(['perf', '--version'], capture_output=True,
                                      text=True).stdout.strip()

    def output(self, capture, options, tmp):
        """(file with stdout, status, seconds, stderr)"""
        argv = ['perf'] + capture.command(options)
        if not self.cache:
            out = os.path.join(tmp, 'perf')
            return (out,) + run(argv, out)
        key = hashlib.sha256('\0'.join(argv + [self.version, digest(capture.data)])
                             .encode()).hexdigest()[:24]
        out = os.path.join(self.cache, key)
        if not os.path.exists(out + '.err'):
            status, seconds, err = run(argv, out)
            with open(out + '.status', 'w') as f:
                f.write('%s %.3f' % (status, seconds))
            with open(out + '.err', 'wb') as f:
                f.write(err)
        status, seconds = open(out + '.status').read().split()
        with open(out + '.err', 'rb') as f:
            err = f.read()
        return out, int(status) if status.lstrip('-').isdigit() else status, float(seconds), err


def ours(program, capture, options, tmp):
    out = os.path.join(tmp, 'ptscript')
    status, seconds, err = run([program] + capture.command(options), out)
    return out, status, seconds, err


def lines_equal(a, b):
    """None when equal, else (line number, perf's line, ours) of the first difference."""
    if subprocess.run(['cmp', '-s', a, b]).returncode == 0:
        return None
    with open(a, 'rb') as fa, open(b, 'rb') as fb:
        for n, (x, y) in enumerate(zip_long(fa, fb), 1):
            if x != y:
                return n, x, y
    return None


def zip_long(a, b):
    while True:
        x, y = a.readline(), b.readline()
        if not x and not y:
            return
        yield x, y


def without_own(err):
    """What ptscript says besides, of files that are missing, begins with its name."""
    return re.sub(rb'^ptscript: .*\n', b'', err, flags=re.M)


class Cell:
    """One capture under one option set: verdict (ok, DIFF, known, refused) and what to say of it."""

    def __init__(self, capture, options, verdict, perf_time, our_time, lines):
        self.capture, self.options, self.verdict = capture, options, verdict
        self.perf_time, self.our_time, self.lines = perf_time, our_time, lines

    def __str__(self):
        head = '%-5s %-16s %7.2fs %7.2fs  %s' % (
            self.verdict, self.capture.name, self.perf_time, self.our_time,
            self.options or '(none)')
        return '\n      '.join([head] + self.lines)


def judge(perf, program, capture, options, known, keep):
    with tempfile.TemporaryDirectory() as tmp:
        want, want_status, perf_time, want_err = perf.output(capture, options, tmp)
        got, status, our_time, err = ours(program, capture, options, tmp)
        first = lines_equal(want, got)
        told_alike = without_own(err) == want_err or status == USAGE
        same = first is None and status == want_status and told_alike
        reason = None if same else known_reason(
            known, capture.name, options, want, got, (want_status, status))
        verdict, lines = 'ok' if same else 'known' if reason else 'DIFF', []
        if same and status == USAGE:
            verdict, lines = 'refused', ['both refuse these options: nothing is compared']
        if verdict == 'DIFF':
            if status != want_status:
                lines.append('exit status: perf %s, ptscript %s' % (want_status, status))
            if not told_alike:
                lines += ['stderr of perf     %r' % want_err[-300:],
                          'stderr of ptscript %r' % err[-300:]]
            if first:
                lines += ['line %d' % first[0], 'perf     %r' % first[1],
                          'ptscript %r' % first[2]]
            if keep:
                os.makedirs(keep, exist_ok=True)
                name = re.sub(r'[^A-Za-z0-9]+', '_', capture.name + options)
                shutil.copy(want, os.path.join(keep, name + '.perf'))
                shutil.copy(got, os.path.join(keep, name + '.ptscript'))
        elif verdict == 'known':
            lines.append('docs/compat.md: ' + reason)
        return Cell(capture, options, verdict, perf_time, our_time, lines)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default=os.path.join(TOP, 'build/dev/ptscript'))
    ap.add_argument('--quick', action='store_true', help='the short list, bundled captures')
    ap.add_argument('--cache', help='keep the output of perf here')
    ap.add_argument('--keep', help='copy both outputs of a difference here')
    ap.add_argument('--only', help='capture names, a pattern')
    args, rest = ap.parse_known_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    if args.cache:
        os.makedirs(args.cache, exist_ok=True)
    program = os.path.abspath(shutil.which(args.ptscript) or args.ptscript)
    sets = [' '.join(map(shlex.quote, rest))] if rest else option_sets(args.quick)
    known, perf = known_differences(), Perf(args.cache and os.path.abspath(args.cache))
    print('%s; %d option sets' % (perf.version, len(sets)))
    count = {'ok': 0, 'known': 0, 'DIFF': 0, 'refused': 0}
    for capture in captures():
        if args.only and not fnmatch.fnmatchcase(capture.name, args.only):
            continue
        if args.quick and 'testdata' not in capture.data:
            continue
        for options in sets:
            cell = judge(perf, program, capture, options, known, args.keep)
            print(cell, flush=True)
            count[cell.verdict] += 1
    print('%(ok)d passed, %(DIFF)d failed, %(refused)d refused, %(known)d known differences'
          % count)
    return count['DIFF'] + count['refused'] != 0


if __name__ == '__main__':
    sys.exit(main())
