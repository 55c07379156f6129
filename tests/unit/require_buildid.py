#!/usr/bin/env python3
"""require_buildid.py PTSCRIPT - files whose build id is not the recorded one.

SPDX-License-Identifier: MIT

A library of testdata/emu-mix gets another id, in its note alone: so its code still is what ran,
and where it is used nothing is missing.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', '..', 'testdata')
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import mkperf  # noqa: E402

LIBC = 'usr/lib/x86_64-linux-gnu/libc.so.6'


def id_of(path):
    """Where the id is in the file, and the id."""
    with open(path, 'rb') as f:
        data = f.read()
    at = data.index(b'\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0') + 16
    return at, data[at:at + 20]


def run(program, *argv):
    done = subprocess.run([os.path.abspath(program), *argv], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def check(what, got, want):
    if got != want:
        print('%s: %r, not %r' % (what, got, want))
    return got != want


def main():
    program, bad = sys.argv[1], 0
    with tempfile.TemporaryDirectory() as tmp:
        symfs, file = os.path.join(tmp, 'symfs'), os.path.join(tmp, 'symfs', LIBC)
        shutil.copytree(os.path.join(DATA, 'symfs'), symfs, copy_function=shutil.copyfile)
        at, recorded = id_of(file)
        argv = ('-i', os.path.join(DATA, 'emu-mix', 'perf.data'), '--symfs', symfs,
                '--itrace=b', '-F', 'ip,addr')
        right = run(program, *argv)
        bad += check('the right file', right[0], 0)
        bad += check('the right file, with error',
                     run(program, '--require-buildid=error', *argv), right)
        with open(file, 'r+b') as f:
            f.seek(at)
            f.write(b'another!')
        said = '%s: build id %s, but %s was recorded: ' % (
            os.path.join(symfs, '', LIBC).replace('symfs/usr', 'symfs//usr'),
            id_of(file)[1].hex(), recorded.hex())
        for how in ((), ('--require-buildid', 'warn'), ('--require-buildid=error',
                                                        '--no-require-buildid')):
            status, out, err = run(program, *how, *argv)
            bad += check('%s: status' % (how,), status, 0)
            bad += check('%s: less is decoded' % (how,), out.count('\n') < right[1].count('\n'),
                         True)
            bad += check('%s: it is told' % (how,),
                         'ptscript: ' + said + 'it is not used\n' in err, True)
        status, out, err = run(program, '--require-buildid=error', *argv)
        bad += check('error: status', status, 255)
        bad += check('error: it is told once, last',
                     (err.count(said), err.endswith('\n' + said + 'it is not used\n')), (1, True))
        status, out, err = run(program, '--require-buildid=off', *argv)
        bad += check('off', (status, out), (0, right[1]))
        bad += check('off: it is told', said + 'its code is used nevertheless' in err, True)
        # The quick modes follow no code: none is missing.
        quick = (*argv[:4], '--itrace=qe')
        for how in ((), ('--require-buildid=error',)):
            bad += check('quick %s' % (how,), run(program, *how, *quick), (0, '', ''))
        # Symbols alone, without a trace.
        w = mkperf.software().comm('t', 1000)
        w.mmap2('/' + LIBC, 0x10000000, 0x200000, 0, 2000, build_id=recorded)
        w.sample(0x10030000, 3000)
        w.write(os.path.join(tmp, 'perf.data'))
        argv = ('-i', os.path.join(tmp, 'perf.data'), '--symfs', symfs, '-F', 'ip,sym')
        status, out, err = run(program, *argv)
        bad += check('symbols', (status, out.split()[-1], said in err), (0, '[unknown]', True))
        bad += check('symbols: error', run(program, '--require-buildid=error', *argv)[0], 255)
        bad += check('a wrong word', run(program, '--require-buildid=x', *argv)[0], 129)
        bad += check('shortened', run(program, '--require=off', *argv)[0], 129)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
