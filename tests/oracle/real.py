#!/usr/bin/env python3
"""real.py - recordings that perf record makes here and now, dumped and printed, against perf.

SPDX-License-Identifier: MIT

    real.py [--ptscript PROGRAM] [NAME...]

Software events need no hardware, so this works in most places; what the machine does not
allow is left out, and said.  Code is hidden (--symfs names an empty folder): this is about
records, and the kernel's symbols would be those of this machine.  Exit status 77 (skipped)
when perf is missing or may record nothing.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import cases  # noqa: E402

SHOW = ' '.join('--show-%s-events' % w for w in ('task', 'mmap', 'switch', 'namespace', 'cgroup',
                                                 'lost', 'bpf', 'text-poke'))
OPTIONS = ('-D', '--dump-unsorted-raw-trace', SHOW + ' --ns -F +misc', '')
WORK = ['sh', '-c', 'for i in 1 2 3; do ls -lR /etc >/dev/null; (sleep 0.01 &); wc /etc/passwd; done; '
                    '"$0" -c "from time import time; [time() for _ in range(300000)]"', sys.executable]
QUIET_WORK = ['sh', '-c', 'ls -lR /etc >/dev/null; (sleep 0.01 &); wc /etc/passwd']  # where each call counts
# perf's copy of its own vdso, named anew each time (docs/compat.md, The dump).
VDSO = re.compile(rb'/tmp/perf-vdso\.so-\w{6}')

# Name: options of perf record, and more option sets of perf script.
RECORDINGS = {
    'plain': ('-e cpu-clock', ()),
    'regs': ('-e cpu-clock --user-regs=ax,ip,sp --intr-regs=ip,flags', ('-F ip,iregs,uregs',)),
    'addresses': ('-e page-faults -c 1 -d --phys-data --data-page-size --code-page-size -W',
                  ('-F ip,addr,phys_addr,data_page_size,code_page_size',)),
    'group': ("-e {cpu-clock,page-faults,task-clock}:S", ('-F event,period,ip',)),
    'side-band': ('-e cpu-clock --switch-events --namespaces --all-cgroups', ()),
    'build-ids': ('-e cpu-clock --buildid-mmap', ()),
    'per-thread': ('-e cpu-clock --per-thread', ()),
    'system': ('-e cpu-clock -a', ('-C 0',)),
    'ids': ('-e cpu-clock,page-faults --sample-identifier --sample-cpu -T -P -R', ()),
    'clock': ('-e cpu-clock -k CLOCK_MONOTONIC', ('-F comm,tod,time,ip',)),
    'no-ids': ('-e cpu-clock --no-inherit -n', ()),
    'tail': ('-e cpu-clock --tail-synthesize --overwrite', ()),
    'chains': ('-e cpu-clock -g', ('-F ip,sym,dso', '-G')),
    'tracepoints': ('-e sched:*,irq:*,timer:*,kmem:*,raw_syscalls:* -a', ('-F comm,trace', '-F +ip')),
    'rounds': ('-e cpu-clock -F 5000 -a -m 4', ('--show-round-events',)),
}


def record(how, folder):
    """Whether perf could make it."""
    command = ['perf', 'record', '-o', 'perf.data'] + how.split() + ['--']
    command += QUIET_WORK if 'syscalls' in how else WORK
    done = subprocess.run(command, cwd=folder, env=cases.environment(folder), timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True)
    path = os.path.join(folder, 'perf.data')
    return done.returncode == 0 and os.path.exists(path), done.stderr


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('names', nargs='*')
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    ours = [os.path.abspath(args.ptscript)]
    same = bad = made = 0
    for name in args.names or RECORDINGS:
        how, more = RECORDINGS[name]
        with tempfile.TemporaryDirectory() as tmp:
            ok, why = record(how, tmp)
            if not ok:
                print('%s: perf record %s does not work here' % (name, how))
                continue
            made += 1
            for o in OPTIONS + more:
                want = VDSO.sub(b'[vdso]', cases.text_of(o, cases.run(cases.PERF, o, tmp)))
                got = cases.text_of(o, cases.run(ours, o, tmp))
                same += cases.agree(want, got)
                if not cases.agree(want, got):
                    bad += 1
                    print('%s: %s' % (name, o))
                    print(cases.difference(want, got))
    print('%d recordings, %d outputs equal, %d differ' % (made, same, bad))
    return 77 if not made else bad != 0


if __name__ == '__main__':
    sys.exit(main())
