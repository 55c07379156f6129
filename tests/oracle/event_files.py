#!/usr/bin/env python3
"""event_files.py - --per-event-dump: the files that perf and ptscript write, byte for byte.

SPDX-License-Identifier: MIT

    event_files.py PTSCRIPT

The name of PT's event has slashes in it, so perf writes its file into a folder, if there is
one.  Ends with 77 where there is no perf.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, '..', 'lib', 'cases.py')
RUNS = [
    ('on_off.named', ''), ('on_off.named', '--itrace=bi1iep'), ('on_off.named', '--itrace=b -v'),
    ('on_off.named', '-D'), ('on_off.named', '--header'), ('on_off.named', '-d'),
    ('on_off.named', '--switch-on cycles:ku'), ('on_off.named', '--tid 1'),
    ('on_off.named', '--itrace=i1ig --show-task-events'),
    ('on_off.named', '-F ip,sym --no-itrace'), ('on_off.unnamed', '--itrace=i1i'),
    ('events.ptwrite', ''), ('events.event_trace', '--call-trace'), ('pebs.many_events', ''),
    ('sideband.no_switch_event', ''), ('sideband.no_switch_event', '--itrace=b'),
    ('on_off.switchless', ''),
]


def run(program, recording, options, folders):
    """What a run leaves in a folder of its own: names and bytes, what it printed."""
    with tempfile.TemporaryDirectory() as top:
        shutil.copytree(os.path.join(recording, 'symfs'), os.path.join(top, 'symfs'))
        shutil.copy2(os.path.join(recording, 'perf.data'), top)  # its time is in --header
        for name in folders:
            os.mkdir(os.path.join(top, name))
        env = dict(os.environ, HOME=os.path.join(top, 'symfs'), LC_ALL='C', TZ='UTC',
                   PAGER='cat')
        env.pop('PERF_CONFIG', None)
        got = subprocess.run([program, 'script', '--symfs', 'symfs', '-i', 'perf.data',
                              '--per-event-dump'] + options, cwd=top, env=env,
                             capture_output=True, timeout=30)
        told = [line for line in got.stderr.split(b'\n')
                if not line.startswith(b'ptscript: ') and '-v' not in options]
        files = {}
        for where, _, names in os.walk(top):
            for name in names:
                path = os.path.join(where, name)
                if not path.startswith(os.path.join(top, 'symfs')):
                    with open(path, 'rb') as f:
                        files[os.path.relpath(path, top)] = f.read()
        return got.returncode, got.stdout, b'\n'.join(told), files


def full_disk(program, recording):
    """A file that cannot be written is a failure; perf does not notice."""
    with tempfile.TemporaryDirectory() as top:
        shutil.copy(os.path.join(recording, 'perf.data'), top)
        os.mkdir(os.path.join(top, 'perf.data.intel_pt'))
        os.symlink('/dev/full', os.path.join(top, 'perf.data.cycles:ku.dump'))
        got = subprocess.run([program, '-i', 'perf.data', '--per-event-dump'], cwd=top,
                             capture_output=True)
        if got.returncode == 255 and b'could not be written' in got.stderr:
            return 0
        print('a full disk: exit status %d, %r' % (got.returncode, got.stderr))
        return 1


def leads_out(program, recording):
    """Names of events are the recording's, and must lead nowhere."""
    with tempfile.TemporaryDirectory() as top:
        with open(os.path.join(recording, 'perf.data'), 'rb') as f:
            data = f.read().replace(b'cycles:ku\0', b'x/../../y\0')
        inner = os.path.join(top, 'in')
        os.makedirs(os.path.join(inner, 'perf.data.x'))
        os.mkdir(os.path.join(inner, 'perf.data.intel_pt'))
        with open(os.path.join(inner, 'perf.data'), 'wb') as f:
            f.write(data)
        got = subprocess.run([program, '-i', 'perf.data', '--per-event-dump'], cwd=inner,
                             capture_output=True)
        if got.returncode == 255 and os.listdir(top) == ['in']:
            return 0
        print('a name that leads out: exit status %d, %r' % (got.returncode, os.listdir(top)))
        return 1


def main():
    program = os.path.abspath(sys.argv[1])
    bad = 0
    with tempfile.TemporaryDirectory() as top:
        modules = sorted({recording.split('.')[0] for recording, _ in RUNS})
        subprocess.run([sys.executable, CASES, 'write', top] + modules, check=True,
                       stdout=subprocess.DEVNULL)
        named = os.path.join(top, 'on_off.named')
        bad += full_disk(program, named) + leads_out(program, named)
        if not shutil.which('perf'):
            return bad != 0 or 77
        for recording, text in RUNS:
            for folders in ([], ['perf.data.intel_pt']):
                perf, ours = (run(p, os.path.join(top, recording), text.split(), folders)
                              for p in ('perf', program))
                if perf != ours:
                    bad += 1
                    print('%s: %s' % (recording, text))
                    for a, b in zip(perf[:3], ours[:3]):
                        print('  %r, not %r' % (b, a) if a != b else '  the same')
                    print('  files:', [n for n in {**perf[3], **ours[3]}
                                       if perf[3].get(n) != ours[3].get(n)])
    print('%d differ' % bad)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
