#!/usr/bin/env python3
"""report_dice.py - perf report and perf inject under options drawn by chance.

SPDX-License-Identifier: MIT

    report_dice.py --ptscript PROGRAM [--seed N] [--count N] [--inject] [--only TEXT] [--keep DIR]
                   [FILE...]

FILE: recordings; else testdata, those of tests/cases, what perf records here (cpu-clock,
tracepoints), and the traces beside this tree; --keep: what is made stays in DIR, and is used again.
A file beside a folder symfs is read with that.  Differences that are meant (docs/compat.md) are
shown, too: they are for whoever reads them.
Compared are standard output but for perf's tip, standard error but for our notes, the exit
status, and with --inject the bytes of the file.  The same seed draws the same options.
"""
import argparse
import collections
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
sys.path.insert(0, HERE)
import report  # noqa: E402

TOP = os.path.join(HERE, '..', '..')
SHARED = os.environ.get('PTS_SHARED', os.path.join(TOP, '..', 'shared'))
MODULES = ('report', 'stacks', 'pebs', 'tracepoints', 'on_off', 'events', 'kernel', 'made_stacks', 'time')
KEYS = ('comm', 'pid', 'dso', 'sym', 'symbol', 'parent', 'cpu', 'srcline', 'srcfile', 'time', 'trace', 'addr',
        'symbol_size', 'dso_size', 'weight', 'local_weight', 'transaction', 'socket', 'cgroup', 'code_page_size',
        'overhead', 'sample', 'period', 'overhead_children', 'overhead_us', 'overhead_guest_us', 'trace_fields')
BRANCH = ('dso_from', 'dso_to', 'symbol_from', 'symbol_to', 'cycles', 'srcline_from', 'srcline_to', 'addr_from', 'addr_to')
GRAPHS = ('none', 'caller', 'callee', 'fractal', 'flat', 'folded', 'graph,2', 'fractal,5,caller', 'flat,3,2', 'folded,count',
          'graph,0.5,3,callee', 'address', 'srcline', 'count', 'period,callee', 'flat,address', 'graph,10,callee,function',
          'graph,0,0,callee', 'branch,fractal')
PLAIN = ('--children', '--no-children', '-n', '--show-total-period', '--show-cpu-utilization', '-U', '-q', '-T', '--header', '-I', '-G',
         '--no-inline', '--group', '--no-group', '-x', '--ns', '--branch-history', '--no-branch-stack', '--hierarchy', '--total-cycles',
         '--no-skip-empty', '--skip-empty', '--full-source-path', '--stats', '--tasks', '--mmaps', '--raw-trace', '--no-demangle',
         '--demangle-kernel', '-b', '--show-ref-call-graph', '-v')
VALUES = (('--percent-limit', ('0', '1', '5.5', '30')), ('--percentage', ('relative', 'absolute')), ('-t', (',', ';', '|')),
          ('-w', ('10,20', '0,0,30', '12,9', '3,5,7,9')), ('-d', ('libc.so.6', 'mix,thr', 'prog,t', '[unknown]', '[kernel.kallsyms]')),
          ('-c', ('ls', 'thr,mix', 'prog', 't,sh')), ('-S', ('main', 'a,b', 'malloc,free,main')), ('--max-stack', ('1', '2', '7')),
          ('--time', ('10%-60%', '0%-10%', '10%/2', ',')), ('--time-quantum', ('1us', '10us', '1ms')), ('-C', ('0', '1,2', '0-3')),
          ('-p', ('main|a', '^sys_|_start', 'b')), ('--ignore-callees', ('^b$', 'main|malloc')), ('--symbol-filter', ('a', 'main')),
          ('--pid', ('1580', '4242')), ('--tid', ('77', '1581')), ('--socket-filter', ('0',)), ('--stdio-color', ('always',)),
          ('--group-sort-idx', ('0', '1')), ('--percent-type', ('local-hits',)))
PERIODS = ('100i', '1001i', '17i', '100us', '1us', '3t', '0ns', '', '5000i')


def letters(dice):
    text = ''.join(dice.sample('bcrxwpoeIq', dice.randint(0, 2)))
    if dice.random() < .8:
        text += 'i' + dice.choice(PERIODS)
    for letter in 'gGlL':
        if dice.random() < .2:
            text += letter + dice.choice(('', '2', '8', '32'))
    return text or 'i'


def keys(dice, kinds):
    some = dice.sample(KEYS + (BRANCH if dice.random() < .3 else ()) + kinds, dice.randint(1, 4))
    if len(some) > 1 and dice.random() < .1:
        some[:2] = ['{%s,%s}' % tuple(some[:2])]
    return ','.join(some)


def options(dice, kinds):
    words = []
    if dice.random() < .6:
        words.append('--itrace=' + letters(dice))
    if dice.random() < .5:
        words += ['-s', dice.choice(('', '', '', '+')) + keys(dice, kinds)]
    if dice.random() < .15:
        words += ['-F', dice.choice(('', '+')) + keys(dice, ())]
    if dice.random() < .4:
        words += ['-g', dice.choice(GRAPHS)]
    words += [w for w in dice.sample(PLAIN, dice.choice((0, 0, 1, 1, 2, 3)))]
    for name, values in dice.sample(VALUES, dice.choice((0, 0, 1, 1, 2))):
        words += [name, dice.choice(values)]
    return words


def inject_options(dice):
    words = []
    if dice.random() < .8:
        words.append(dice.choice(('--itrace=', '--itrace=', '--itrace=e')) + letters(dice))
    words += dice.sample(('--strip', '-b', '--buildid-all', '-s', '-v', '-f', '-j'), dice.choice((0, 0, 1, 1, 2)))
    return words


def own_cases(folder):
    subprocess.run([sys.executable, os.path.join(HERE, '..', 'lib', 'cases.py'), 'write', folder, *MODULES],
                   check=True, capture_output=True)


def live(folder):
    for name, words in (('clock', ['-e', 'cpu-clock', '-F', '999', '-g']), ('plain', ['-e', 'cpu-clock', '-F', '500']),
                        ('two', ['-e', '{cpu-clock,task-clock}', '-g']), ('pair', ['-e', 'cpu-clock,task-clock']),
                        ('switch', ['-e', 'sched:sched_switch,sched:sched_wakeup', '-a']),
                        ('calls', ['-e', 'syscalls:sys_enter_openat,syscalls:sys_exit_openat,cpu-clock'])):
        path = os.path.join(folder, name + '.data')
        subprocess.run(['perf', 'record', '-q', *words, '-o', path, '--', 'sh', '-c', 'ls -lR /usr/share/perl5 | sort | tail -1'],
                       capture_output=True)


def recordings(tmp):
    found = [os.path.join(TOP, 'testdata', n, 'perf.data') for n in ('emu-mix', 'emu-thr', 'emu-sig', 'emu-ls')]
    if not os.path.exists(os.path.join(tmp, 'cases')):
        os.mkdir(os.path.join(tmp, 'cases'))
        own_cases(os.path.join(tmp, 'cases'))
        live(tmp)
    found += sorted(glob.glob(os.path.join(tmp, 'cases', '*', 'perf.data')) + glob.glob(os.path.join(tmp, '*.data')))
    found += [os.path.join(SHARED, 'traces', n, 'perf.data') for n in ('real-file-4.14', 'real-mruby')]
    return [f for f in found if os.path.exists(f) and os.path.getsize(f)]


def place(path):
    """How it is opened."""
    for folder in (os.path.join(os.path.dirname(path), 'symfs'), os.path.join(os.path.dirname(path), '..', 'symfs')):
        if os.path.isdir(folder):
            return ['--symfs', os.path.normpath(folder), '-i', path]
    return ['-i', path]


def tracepoint_keys(path):
    names = subprocess.run(['perf', 'evlist', '--trace-fields', '-i', path], capture_output=True, text=True).stdout
    made = []
    for line in names.splitlines():
        event, _, fields = line.partition(': trace_fields: ')
        made += [how % (event, f) for f in fields.split(',') if f for how in ('%s.%s', '%s.%s/raw')][:60]
        made += [event.partition(':')[2] + '.*', event + '.*'] if fields else []
    return tuple(made)


def usage(lines):
    """Usage is each program's own; what libraries of perf's and addr2line say is theirs (docs/compat.md)."""
    lines = [l for l in lines if not l.startswith((b'libtraceevent: ', b'addr2line ', b'  Error: expected ', b'  unknown op ', b'Error running objdump ', b'  [', b'  ptr arg not '))
             and b'group-sort-idx' not in l and b'Sort the output by the event at the index n' not in l]
    for i, line in enumerate(lines):
        if line.startswith(b' Usage: '):
            return lines[:i]
    return lines


def first_difference(a, b):
    for x, y in zip(a + [b'(end)'], b + [b'(end)']):
        if x != y:
            return '    perf     %r\n    ptscript %r' % (x[:160], y[:160])
    return '    (lengths)'


def bare(path):
    """What was written, and then it is gone; of a folder the file in it."""
    folder = os.path.isdir(path)
    file = os.path.join(path, 'data') if folder else path
    data = b'(none)'
    if os.path.exists(file):
        with open(file, 'rb') as f:
            data = f.read()
    if folder:
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.unlink(path)
    return data


def compare(program, words, tmp, made):
    try:
        want = report.run(['perf', *words], os.path.join(tmp, 'home'))
    except subprocess.TimeoutExpired:
        return 'perf hangs', None
    want_file = bare(made) if made else b''
    try:
        got = report.run([program, *words], os.path.join(tmp, 'home'))
    except subprocess.TimeoutExpired:
        return 'hangs', ''
    got_file = bare(made) if made else b''
    if want[0] in (-6, -8, -11, -13, 139, 134):
        return 'perf crashes', None
    if got[0] == 129 and any(b'not supported' in l for l in got[2]):
        return 'refused', None
    if usage(want[2]) != usage(got[2]):
        return 'stderr', first_difference(usage(want[2]), usage(got[2]))
    if want[1] != got[1]:
        return 'stdout', first_difference(want[1], got[1])
    if want[0] != got[0]:
        return 'status', '    perf %d, ptscript %d' % (want[0], got[0])
    if want[0]:  # perf may leave a part of a file there
        return 'same', None
    return ('same', None) if same_file(want_file, got_file, program) else ('file', '    %d %d' % (len(want_file), len(got_file)))


def same_file(a, b, program):
    """But for the program's own path, of CMDLINE."""
    if a == b:
        return True
    perf = os.path.realpath('/usr/bin/perf').encode()
    return len(a) == len(b) and sum(x != y for x, y in zip(a, b)) <= 64 + len(perf)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', required=True, type=os.path.abspath)
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--count', type=int, default=100)
    ap.add_argument('--inject', action='store_true')
    ap.add_argument('--only', default='')
    ap.add_argument('--keep')
    ap.add_argument('file', nargs='*')
    args = ap.parse_args()
    dice, count = random.Random(args.seed), collections.Counter()
    with tempfile.TemporaryDirectory() as tmp:
        files = [f for f in args.file or recordings(args.keep or tmp) if args.only in f]
        kinds = {f: tracepoint_keys(f) for f in files}
        for n in range(args.count):
            path = dice.choice(files)
            where = place(path)
            made = os.path.join(tmp, 'made.data') if args.inject else None
            if made:
                words = ['inject', *inject_options(dice), '-i', path, '-o', made]
            else:
                words = ['report', '--stdio', *where, *options(dice, kinds[path])]
            what, text = compare(args.ptscript, words, tmp, made)
            count[what] += 1
            if text is not None:
                print('%s %d: %s\n%s' % (what, n, ' '.join("'%s'" % w if set(w) & set(';|{}* ^[') else w for w in words), text), flush=True)
    print(', '.join('%d %s' % (n, what) for what, n in sorted(count.items())))
    return count['stdout'] + count['stderr'] + count['status'] + count['file'] + count['hangs'] > 0


if __name__ == '__main__':
    sys.exit(main())
