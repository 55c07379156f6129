#!/usr/bin/env python3
"""filters.py - compiled filters loaded by perf and by ptscript: both must print the same.

SPDX-License-Identifier: MIT

    filters.py --ptscript PROGRAM --probe PROBE.so --ptrecord PTRECORD

The probe prints all that it is shown and may ask (probe.c); perf's own filters are those
that its package installed.  Recordings are those of tests/cases, and one of a program of which
only a part was compiled with lines.  Ends with 77 where there
is no perf.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, '..', 'lib', 'cases.py')
# Modules of tests/cases, and which of their recordings: all that a sample may have, and
# threads, maps and modes that it may be in.
RECORDINGS = {
    'made_stacks': ['branches', 'kernel', 'recorded_both'],
    'samples': ['plain', 'cgroup', 'data_src', 'only_id', 'only_ip', 'only_stream',
                'page_sizes', 'phys_addr', 'raw', 'read_12', 'read_21', 'transaction', 'weight',
                'weight_struct'],
    'stacks': ['branches', 'callchain'],
    'pebs': ['many_events', 'kernel'],
    'pebs_fields': ['all_other_fields', 'branch_stacks', 'call_chains', 'weight_struct'],
    'events': ['event_trace', 'ptwrite', 'transaction_abort'],
    'guests': ['injected'],
    'sideband': ['per_thread_timeless', 'remapped', 'two_cpus', 'unknown_thread'],
}
EXEC = '/usr/lib/perf-core/dlfilters'

LINED = 'void _start(void); int f(int x) { return x + 2; }'
BARE = ('int f(int); void _start(void) { for (volatile int i = 0; i < 9; i = f(i)); '
        '__asm__("syscall" : : "a"(60), "D"(0)); }')

# Options of runs over every recording; {probe} is the probe's path.
EVERYWHERE = [
    '--itrace=bei1000ip --dlfilter {probe}',
    '--itrace=ei1ilg --dlfilter {probe} --dlarg a --dlarg odd',
    '--itrace=qil4 --dlfilter {probe}',
    '--dlfilter dlfilter-show-cycles.so',
]
# ... and over one.
LINES = ['--itrace=b --dlfilter {probe} --dlarg lines']
ONCE = LINES + [
    '--itrace=b --dlfilter {probe} --dlarg ret=-5',
    '--itrace=b --dlfilter {probe} --dlarg ret=-1000',
    '--itrace=b --dlfilter {probe} --dlarg ret=1',
    '--itrace=b --dlfilter {probe} --dlarg start=7',
    '--itrace=b --dlfilter {probe} --dlarg start=-3 --header',
    '--itrace=b --dlfilter {probe} --tid 1',
    '--itrace=i1i --dlfilter {probe} -S f',
    '--itrace=b --dlfilter {probe} --dsos nowhere',
    '--dlfilter=',
    '--itrace=b --dlfilter {probe} -D',
    '--itrace=b --dlfilter {probe} --call-trace',
    '--itrace=b --dlfilter nowhere --dlfilter {probe}',
    '--itrace=b --dlfilter probe.so',        # in the working directory
    '--itrace=b --dlfilter ./missing.so',
    '--itrace=b --dlfilter missing',
    '--tid abc --dlfilter missing',          # loaded before anything is looked at
    '--header-only --dlfilter missing',
    '-F ip,symoff --dlfilter missing',
    '-F hw:ip -F ip --dlfilter missing',     # behind what is said of the options themselves
    '--itrace=b --dlfilter text.so',         # no shared object
    '--itrace=b --dlfilter lacks.so',        # refers to what nobody has
    '--itrace=b --dlfilter empty.so',        # has none of the functions
    '--itrace=b --dlfilter half.so',         # of 32 bits
    '--itrace=b --dlfilter other.so',        # of another processor
    '--itrace=b --dlfilter cut.so',          # ends in its header
    '--itrace=b --dlfilter /dev/null',
    '--itrace=b --dlarg x',
    '--dlfilter dlfilter-test-api-v0.so',
    '--list-dlfilters',
    '-v --list-dlfilters',
    '--list-dlfilters -v --nosuch',          # a list, whatever comes behind
    '-l nosuch --list-dlfilters',
]


def run(program, options, path, folder):
    home = tempfile.mkdtemp()
    env = dict(os.environ, HOME=home, LC_ALL='C', TZ='UTC', PAGER='cat', DEBUGINFOD_URLS='')
    env.pop('PERF_CONFIG', None)
    symfs = ['--symfs', 'symfs'] if os.path.isdir(os.path.join(folder, 'symfs')) else []
    words = [program, 'script', *symfs, '-i', path] + options
    try:
        got = subprocess.run(words, cwd=folder, env=env, capture_output=True, timeout=20)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    told = [line for line in got.stderr.split(b'\n') if not line.startswith(b'ptscript: ')]
    return got.returncode, got.stdout, b'\n'.join(told)


def objects(folder, probe):
    """Things that are no filters, or bad ones."""
    shutil.copy(probe, os.path.join(folder, 'probe.so'))
    with open(probe, 'rb') as f:
        whole = f.read()
    for name, data in (('half', whole[:4] + b'\1' + whole[5:]), ('other', whole[:18] + b'\xb7\0' + whole[20:]),
                       ('cut', whole[:50])):
        with open(os.path.join(folder, name + '.so'), 'wb') as f:
            f.write(data)
    with open(os.path.join(folder, 'text.so'), 'w') as f:
        f.write('no ELF file\n')
    for name, code in ('lacks', 'int nobody(void); int filter_event(void) { return nobody(); }'), \
                      ('empty', 'int filter_events;'):
        subprocess.run(['gcc', '-shared', '-fPIC', '-x', 'c', '-', '-o',
                        os.path.join(folder, name + '.so')], input=code.encode(), check=True)


def record(folder, ptrecord):
    """A program whose lines addr2line(1) knows in part; it looks for it where it was."""
    os.makedirs(folder)
    for name, code, flag in ('lined', LINED, '-g'), ('bare', BARE, '-g0'):
        subprocess.run(['gcc', '-O1', flag, '-x', 'c', '-c', '-', '-o', name + '.o'], input=code.encode(),
                       cwd=folder, check=True)
    subprocess.run(['gcc', '-nostdlib', '-static', 'bare.o', 'lined.o', '-o', 'prog'], cwd=folder,
                   check=True)
    subprocess.run([os.path.abspath(ptrecord), '-o', 'perf.data', '--', './prog'], cwd=folder,
                   check=True, stdout=subprocess.DEVNULL)


def differ(what, perf, ours):
    names = ('exit status', 'standard output', 'standard error')
    bad = [n for n, p, o in zip(names, perf, ours) if p != o]
    if bad:
        print('%s: other %s' % (what, ', '.join(bad)))
        for n, p, o in zip(names[1:], perf[1:], ours[1:]):
            a, b = p.split(b'\n'), o.split(b'\n')
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            if p != o:
                print('  perf %r\n  ours %r' % (a[at:at + 1], b[at:at + 1]))
    return bool(bad)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--ptscript', required=True)
    p.add_argument('--probe', required=True)
    p.add_argument('--ptrecord', required=True)
    a = p.parse_args()
    if not shutil.which('perf') or not os.path.isdir(EXEC):
        print('no perf with filters here')
        return 77
    bad = runs = 0
    with tempfile.TemporaryDirectory() as top:
        subprocess.run([sys.executable, CASES, 'write', top] + list(RECORDINGS), check=True,
                       stdout=subprocess.DEVNULL)
        folders = [os.path.join(top, '%s.%s' % (module, name))
                   for module, names in RECORDINGS.items() for name in names]
        record(os.path.join(top, 'lines'), a.ptrecord)
        folders.append(os.path.join(top, 'lines'))
        for number, folder in enumerate(folders):
            objects(folder, a.probe) if not number else None
            once = ONCE if not number else LINES if folder.endswith('lines') else []
            for text in EVERYWHERE + once:
                options = text.format(probe=os.path.abspath(a.probe)).split()
                runs += 1
                bad += differ('%s: %s' % (os.path.relpath(folder, top), text),
                              run('perf', options, 'perf.data', folder),
                              run(os.path.abspath(a.ptscript), options, 'perf.data', folder))
    print('%d runs, %d differ' % (runs, bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
