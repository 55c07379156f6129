#!/usr/bin/env python3
"""decode_log.py - letter d of --itrace: the log of the decoder, beside perf's.

SPDX-License-Identifier: MIT

    decode_log.py PTSCRIPT

What perf's log says of packets must be in ours, line by line; of the rest ours has its own
words.  Queues are read in turns that may be others.  Standard output does not change.  Ends
with 77 where there is no perf, when the rest is fine.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, '..', 'lib', 'cases.py')
RECORDINGS = ['events.event_trace', 'events.power', 'events.ptwrite', 'events.overflow',
              'events.pebs_block', 'pebs_odd.cut_by_bad_packet', 'events.pip_and_vmcs', 'branches.deferred_tip',
              'sideband.two_cpus', 'sideband.remapped', 'on_off.named']
OPTIONS = ['--itrace=bed', '--itrace=i0nsed-a', '--itrace=d']
PACKET = re.compile(rb'  [0-9a-f]{8}:  .{47} (?!Other|Jcc|Jmp|Call|Ret|Sys|Iret|Int|Loop)')


def run(program, options, folder, full=False, config=None):
    log = os.path.join(folder, 'intel_pt.log')
    if os.path.exists(log):
        os.unlink(log)
    if full:
        os.symlink('/dev/full', log)
    env = dict(os.environ, HOME=folder, LC_ALL='C', TZ='UTC', PAGER='cat')
    env.pop('PERF_CONFIG', None)
    if config:
        env['PERF_CONFIG'] = config
    got = subprocess.run([program, 'script', '--symfs', 'symfs', '-i', 'perf.data', options],
                         cwd=folder, env=env, capture_output=True, timeout=30)
    if full:
        os.unlink(log)
        return got.returncode, got.stdout, got.stderr
    text = open(log, 'rb').read() if os.path.exists(log) else None
    return got.returncode, got.stdout, text


def packets(log):
    """Those of all queues; what is behind a packet of the decoder's own is none."""
    return sorted(line for line in (log or b'').split(b'\n') if PACKET.match(line)
                  and not re.search(rb': .{47} (PTWRITE|PTW) .*insn', line))


def ours_alone(program, folder):
    """Where the log goes, and what its flags do."""
    bad = []
    _, plain, none = run(program, '--itrace=be', folder)
    _, out, log = run(program, '--itrace=bed', folder)
    if none is not None or out != plain or not log:
        bad.append('d writes no log, or other samples')
    if b'\nERROR: queue' not in log or b'\nevent ' not in log:
        bad.append('the log has no error, or no record')
    if b'\nevent ' in run(program, '--itrace=bed-a', folder)[2]:
        bad.append('d-a has records')
    _, mixed, log = run(program, '--itrace=bed+o', folder)
    if log is not None or not set(plain.split(b'\n')) <= set(mixed.split(b'\n')) \
            or not packets(mixed):
        bad.append('d+o')
    _, out, log = run(program, '--itrace=bed+e', folder)
    errors = plain.count(b'instruction trace error type 1')
    if out != plain or not errors or log.count(b'Dumping debug log buffer\n') != errors:
        bad.append('d+e')
    with open(os.path.join(folder, 'few'), 'w', encoding='ascii') as f:
        f.write('[itrace]\ndebug-log-buffer-size=200k\n')
    few = run(program, '--itrace=bed+e', folder, config='few')[2]
    if few.count(b'Dumping') != errors or b'ERROR: queue' not in few or len(few) >= len(log):
        bad.append('itrace.debug-log-buffer-size')
    if run(program, '--itrace=bed', folder)[2] != \
            run(program, '--itrace=bed', folder)[2]:
        bad.append('two runs have other logs')
    rc, out, err = run(program, '--itrace=bed', folder, full=True)
    if rc or out != plain or b'intel_pt.log: No space left on device' not in err:
        bad.append('a log that cannot be written')
    return bad


def main():
    program = os.path.abspath(sys.argv[1])
    bad = 0
    with tempfile.TemporaryDirectory() as top:
        modules = sorted({r.split('.')[0] for r in RECORDINGS})
        subprocess.run([sys.executable, CASES, 'write', top] + modules, check=True,
                       stdout=subprocess.DEVNULL)
        for what in ours_alone(program, os.path.join(top, 'events.overflow')):
            print(what)
            bad += 1
        if not shutil.which('perf'):
            return 1 if bad else 77
        for recording in RECORDINGS:
            for options in OPTIONS:
                folder = os.path.join(top, recording)
                perf = packets(run('perf', options, folder)[2])
                ours = packets(run(program, options, folder)[2])
                if perf != ours:
                    bad += 1
                    print('%s: %s: %d packets, not %d' % (recording, options, len(ours),
                                                          len(perf)))
                    for line in sorted(set(perf) ^ set(ours)):
                        print('  %r' % line)
                        break
    print('%d differ' % bad)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
