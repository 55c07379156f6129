#!/usr/bin/env python3
"""examples.py - the command lines of perf's manual page about Intel PT, with our name.

SPDX-License-Identifier: MIT

    examples.py --ptscript PROGRAM --ptrecord PTRECORD [--manual FILE]

EXAMPLES has every line of perf-intel-pt(1) (Linux 5.12) that works on a recording without the
machine that it is of, by the number of the line.  Each is run as it stands, in a folder with a
perf.data; where perf is installed its exit status and output must be ours, but for times of day
and the tip at the end of a report.  With --manual the lines are checked against the page's text.
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib'), os.path.join(HERE, '..', 'store')]
import cache  # noqa: E402
import exported  # noqa: E402
import injected  # noqa: E402

PROGRAM = r'''
#include <stdio.h>
static __attribute__((noinline)) unsigned mix(unsigned x)
{
    return x & 1 ? x * 3 + 1 : x / 2;
}
int main(void)
{
    unsigned s = 0;
    for (unsigned i = 0; i < 50; i++)
        s += mix(i ^ s) % 7 ? 1 : i;
    printf("%u\n", s);
    return 0;
}
'''
COMPARED, USAGE, TEXT = 'as perf', 'usage as perf', 'text'
# Line of the page, what it says, how it must end here.  {start}, {stop}: times within the run.
# A line that shows options only is one of perf script, as its section says.  TEXT: perf needs
# the program xed for it, which is not there.  Line 1325 forgets -i: its word is that of
# --symbol-filter.
EXAMPLES = [
    (1305, 'report', COMPARED),
    (1320, 'report -i pt_ls', COMPARED),
    (1325, 'report pt_ls --itrace=i1usge', COMPARED),
    (1342, 'script --itrace=ibxwpe', COMPARED),
    (1347, 'script --itrace=ibxwpe -F+flags', COMPARED),
    (1355, 'script --insn-trace --xed', TEXT),
    (1361, 'script --call-trace', COMPARED),
    (1365, 'script --call-ret-trace', COMPARED),
    (1370, 'script --time starttime,stoptime --insn-trace --xed', TEXT),
    (1375, 'script --time starttime,stoptime --insn-trace --xed -C 1', TEXT),
    (1382, 'script --itrace=be -F+ipc', COMPARED),
    (1904, 'buildid-list', COMPARED),
    (1908, 'buildid-list --with-hits', COMPARED),
    (2087, '--itrace', COMPARED),
    (2091, '--itrace=cepwx', COMPARED),
    (2168, '--itrace=e-o-l', COMPARED),
    (2182, '--itrace=i10us', COMPARED),
    (2205, '--itrace=ig32', COMPARED),
    (2206, '--itrace=xg32', COMPARED),
    (2211, '--itrace=il10', COMPARED),
    (2212, '--itrace=xl10', COMPARED),
    (2223, 'report --itrace=Ge', COMPARED),
    (2227, 'report', COMPARED),
    (2255, '--itrace=i0nss1000000', COMPARED),
    (2307, 'script -D', COMPARED),
    (2336, 'inject --itrace -i perf.data -o perf.data.new', COMPARED),
    (2357, 'inject -i perf.data -o inj --itrace=i100usle --strip', COMPARED),
    (2380, 'script --itrace=oe', COMPARED),
    (2417, 'buildid-cache -v --kcore vm0/proc/kcore', COMPARED),
    (2444, 'script --guestkallsyms $KALLSYMS --insn-trace --xed -F+ipc', TEXT),
]
# Scripts and tools that the page names without a command line.
NAMED = [
    ('script -s export-to-sqlite.py out.db branches calls', COMPARED),
    ('script -s export-to-postgresql.py', USAGE),  # tests/export/postgres.py has a server
    ('script -s intel-pt-events.py', COMPARED),
    ('script --no-itrace', COMPARED),
    ('script --itrace=i0ns', COMPARED),
    ('script --itrace=i1i', COMPARED),
]
OUTPUTS = {'perf.data.new': injected.summary, 'inj': injected.summary,
           'out.db': lambda path: list(exported.summary(path))}
UNLIKE = [(rb'# \(Tip: .*\n', b''), (rb'\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+', b'TIME')]


def run(program, words, folder):
    # The path of the system is where perf's Python looks for modules.
    env = dict(os.environ, HOME=folder, LC_ALL='C', PAGER='cat', PATH='/usr/bin:/bin')
    env.pop('PERF_CONFIG', None)
    shutil.rmtree(os.path.join(folder, '.debug'), ignore_errors=True)
    for name in OUTPUTS:
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))
    got = subprocess.run([program] + words, cwd=folder, env=env, capture_output=True, timeout=60)
    made = [summary(os.path.join(folder, n)) for n, summary in OUTPUTS.items()
            if os.path.exists(os.path.join(folder, n))]
    text = got.stdout
    for pattern, instead in UNLIKE:
        text = re.sub(pattern, instead, text)
    return got.returncode, text, got.stderr, made


def words_of(text, times):
    text = text.replace('starttime', times[0]).replace('stoptime', times[1])
    words = shlex.split(text.replace('$KALLSYMS', 'kallsyms'))
    return (['script'] if words[0].startswith('-') else []) + words


def record(folder, a):
    with open(os.path.join(folder, 'p.c'), 'w') as f:
        f.write(PROGRAM)
    subprocess.run(['gcc', '-O1', '-g', '-static', 'p.c', '-o', 'prog'], cwd=folder, check=True)
    subprocess.run([os.path.abspath(a.ptrecord), '-e', 'intel_pt/cyc/u', '-o', 'perf.data',
                    '--', './prog'], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    os.makedirs(os.path.join(folder, 'pt_ls', 'kcore_dir'))
    shutil.copy(os.path.join(folder, 'perf.data'), os.path.join(folder, 'pt_ls', 'data'))
    cache.machine(os.path.join(folder, 'vm0'))
    with open(os.path.join(folder, 'kallsyms'), 'w') as f:
        f.write('ffffffff81000000 T _text\nffffffff81000000 T _stext\n'
                'ffffffff81800000 T _etext\n')


def times_of(program, folder):
    out = run(program, ['script', '--itrace=b', '--ns', '-F', 'time'], folder)[1].split()
    times = [t.decode().rstrip(':') for t in out]
    return times[len(times) // 4], times[len(times) // 2]


def wrong(text, how, ours, perf):
    """What is wrong with a run, or None."""
    if how == USAGE:
        return None if ours[:3] == perf[:3] and b'Usage' in ours[2] else '%r' % (ours,)
    if ours[0] or (how == TEXT and not ours[1] and '-C 1' not in text):
        return 'exit status %d, %d bytes, %r' % (ours[0], len(ours[1]), ours[2][:300])
    if how == COMPARED and perf and (perf[0], perf[1], perf[3]) != (ours[0], ours[1], ours[3]):
        return 'other output than perf: %r, not %r' % (ours[:2], perf[:2])
    return None


def not_in(page):
    """Lines that the page has otherwise."""
    with open(page, encoding='utf-8') as f:
        lines = f.read().split('\n')
    for number, text, _ in EXAMPLES:
        if text.split('script ')[-1].split('report ')[-1] not in lines[number - 1] \
                and text != 'script -D':
            yield number


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--ptscript', required=True)
    p.add_argument('--ptrecord', required=True)
    p.add_argument('--manual')
    a = p.parse_args()
    program, perf = os.path.abspath(a.ptscript), shutil.which('perf')
    bad = 0
    if a.manual and os.path.exists(a.manual):
        for number in not_in(a.manual):
            print('line %d of the page is another' % number)
            bad += 1
    with tempfile.TemporaryDirectory() as folder:
        record(folder, a)
        times = times_of(program, folder)
        for number, text, how in EXAMPLES + [(0, text, how) for text, how in NAMED]:
            if ' -s ' in text and not perf:
                continue  # the scripts are perf's
            words = words_of(text, times)
            ours = run(program, words, folder)
            theirs = run(perf, words, folder) if perf and how in (COMPARED, USAGE) else None
            why = wrong(text, how, ours, theirs)
            if why:
                print('line %d: %s: %s' % (number, text, why[:400]))
                bad += 1
    print('%d examples, %d wrong' % (len(EXAMPLES) + len(NAMED), bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
