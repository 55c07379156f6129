#!/usr/bin/env python3
"""report.py - ptscript report beside perf report --stdio, on captures or on what perf records here.

SPDX-License-Identifier: MIT

    report.py --ptscript PROGRAM [--live]

Standard output but for perf's tip, standard error but for our notes, exit status.  Skipped (77)
where there is no perf.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import perfedit  # noqa: E402
from cases import OWN_WORK  # noqa: E402

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
SYMFS = os.path.join(TOP, 'testdata', 'symfs')
TRACES = ('', '--itrace=i50i', '--itrace=i50ig', '--itrace=i50ig --no-children -g fractal,2',
          '--itrace=i50ig -s sym -g folded', '--itrace=i200il', '--itrace=i200il -s sym',
          '--itrace=bl', '--itrace=b -s comm,dso -n', '--stats', '--itrace=i200i -s srcline,sym',
          '--itrace=i50i -s time,cpu --time-quantum 10us --ns', '--itrace=i50ig -d mix,thr,sig',
          '--itrace=i500igl8 --branch-history', '--itrace=i500il8 --branch-history -s sym', '--tasks', '--mmaps',
          '--itrace=i200ig -p main|w', '--itrace=i200ig -s addr,symbol_size,dso_size', '--itrace=i200ig -g address',
          '--itrace=i2000il8 -s srcline_from,srcline_to', '--itrace=i2000il8 -s sym,srcline,addr_to', '--itrace=i2000ig -s srcfile,srcline',
          '--itrace=i2000i -s cpu,sym,srcfile,srcline',
          '-v --itrace=i200i', '-v --itrace=i2000il8 -s addr_from,addr_to,symbol_to', '-v -t , -s sym', '-s nosuch', '-F nosuch',
          '-s symbol_from', '-s sym -F nosuch', '--itrace=i50i -s symbol_size -F dso', '--itrace=i50i -F dso,sym',
          '-s dso,sym,srcfile --no-children', '-v --itrace=pl2', '-q -v --itrace=i200i', '--itrace=il2 -s symbol,srcline_to,trace',
          '--itrace=i200i -s srcfile,time --time-quantum 1us', '--itrace=i500il --total-cycles', '--itrace=i500i --hierarchy')
# Of a trace that leads astray: frames come again in a chain, and have lines but no symbols.
ASTRAY = ('-s +srcline', '-F +srcfile,time')
CBR = (1, 1670, b'\x02\x03\x20\x00')  # in so many pieces of trace behind the first, at that byte
SAMPLES = ('', '-U -g fractal', '-d libc.so.6 -g none', '--no-children', '-g fractal', '-g flat,2', '-g folded,count', '-g caller,5 --no-children',
           '-s sym', '-s symbol --no-children', '-s pid,cpu', '-F sample,overhead,sym -g none',
           '-t , -g none', '--percent-limit 1', '-S main', '--percentage relative -c ls', '-U',
           '--max-stack 3', '--stats', '--tasks', '--mmaps', '-T', '-s time,sym', '-g srcline,callee --no-children',
           '-p main -x', '-s dso_size,symbol_size', '-v', '-v --no-children -g none')


def run(argv, home):
    env = dict(os.environ, HOME=home, LC_ALL='C', TZ='UTC', PAGER='cat')
    shutil.rmtree(home, ignore_errors=True)
    os.mkdir(home)
    done = subprocess.run(argv, env=env, capture_output=True, timeout=100,
                          stdin=subprocess.DEVNULL)
    # Behind what is left out perf writes the second word by chance (docs/compat.md).
    out = [line.replace(b'[...] (inlined)', b'[...]') for line in done.stdout.splitlines() if not line.startswith(b'# (Tip: ')]
    err = OWN_WORK.sub(b'', done.stderr) if '-v' in argv else done.stderr
    err = err.replace(b' Usage: ptscript ', b' Usage: perf ')
    err = [line for line in err.splitlines() if not line.startswith(b'ptscript: ')]
    return done.returncode, out, err


def astray(tmp):
    file = perfedit.File(os.path.join(TOP, 'testdata', 'emu-thr', 'perf.data'))
    piece, at, packet = CBR
    rec = [r for r in file.records if r.trace][piece]
    rec.trace = rec.trace[:at] + packet + rec.trace[at + len(packet):]
    path = os.path.join(tmp, 'astray.data')
    file.write(path)
    return path


def captures(tmp):
    yield ['--symfs', SYMFS, '-i', astray(tmp)], ASTRAY
    for name in ('emu-mix', 'emu-thr'):
        yield ['--symfs', SYMFS, '-i', os.path.join(TOP, 'testdata', name, 'perf.data')], TRACES


def recordings(tmp):
    for how in ('fp', 'dwarf,2048'):
        path = os.path.join(tmp, how + '.data')
        made = subprocess.run(['perf', 'record', '-q', '-e', 'cpu-clock', '-F', '150', '--call-graph',
                               how, '-o', path, '--', 'ls', '-lR', '/usr/share'], capture_output=True)
        if made.returncode == 0 and os.path.exists(path):
            yield ['-i', path], SAMPLES
        else:
            print('perf cannot record here:', how)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', required=True, type=os.path.abspath)
    ap.add_argument('--live', action='store_true')
    args = ap.parse_args()
    if not shutil.which('perf'):
        return 77
    failed = passed = 0
    with tempfile.TemporaryDirectory() as tmp:
        for where, options in recordings(tmp) if args.live else captures(tmp):
            for option in options:
                words = ['report', '--stdio', *where, *option.split()]
                want = run(['perf', *words], os.path.join(tmp, 'home'))
                got = run([args.ptscript, *words], os.path.join(tmp, 'home'))
                if want == got:
                    passed += 1
                    continue
                failed += 1
                print('DIFF', ' '.join(words), want[0], got[0], want[2][:4], got[2][:4])
                for a, b in zip(want[1] + [b'(end)'], got[1] + [b'(end)']):
                    if a != b:
                        print('    perf     %r\n    ptscript %r' % (a, b))
                        break
    print('%d passed, %d failed' % (passed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
