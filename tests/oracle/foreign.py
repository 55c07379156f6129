#!/usr/bin/env python3
"""foreign.py - every small recording of tests/cases and tests/golden once more, written as a
machine of the other byte order would have, compared with the perf installed here.

SPDX-License-Identifier: MIT

    foreign.py --ptscript PROGRAM [--heap LIBRARY] [MODULE...]

perf 6.1 does not turn every word around (docs/compat.md, "Files of the other byte order"):
what it forgets is listed here.  Recordings that write numbers themselves are left out.
"""
import argparse
import fnmatch
import os
import re
import shlex
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import mkperf  # noqa: E402

sys.modules['cases'] = cases

SKIP = ('features.*', 'sideband.header', 'sideband.index_of_no_event', 'sideband.cut',
        'tools.feature', 'tools.stat_*', 'tools.tracing_data', 'tools.cpu_map_of_a_range',
        'tools.newer_records', 'stacks.callchain_deferred',
        'damage.*_map_*', 'damage.feature*', 'damage.trace*_in_a_pipe*', 'damage.ids_outside',
        'damage.data_size*', 'damage.attr_of*', 'damage.gap_*', 'damage.stray_*',
        'kernel.*', 'kernel_kinds.*',
        'inject.*', 'sched_stat.*', 'jit.*', 'vm_time.*', 'guest_data.*')  # refused, with that word

REFUSED = 'inject'  # so are such options of others

# What perf forgets, made the same on both sides.
FORGOTTEN = (
    rb'PERF_RECORD_MMAP2 [^\n]*\]: (....)',  # protection, ...
    rb'\((//anon|/tmp/perf-\d+\.map)\)',  # ... which decides the name of code in no file
    rb'(?m) (//anon|/tmp/perf-\d+\.map)$',  # the same in a list of build ids, or of maps
    rb'PERF_RECORD_BPF_EVENT (type [^\n]*)', rb'PERF_RECORD_KSYMBOL ([^\n]*) flags',
    rb'(?m)^([ \S]{16} +-?\d+) [^\n]*PERF_RECORD_SWITCH (?:IN|OUT)',  # its thread
    rb'(?m)^ +[0-9a-f]+-[0-9a-f]+ ([r-][w-][x-][sp]) [0-9a-f]{8} ',  # protection, in a list of maps
    rb'(?m)^(-?\d+ \d+ 0x[0-9a-f]+) [^\n]*: PERF_RECORD_READ:',  # its CPU
    rb'intr regs: (mask 0x\w+)', rb'(?m)^\.\.\.\. (\w+) +0x', rb' ([\w]+:0x)',  # registers
)

# perf fails, or says what depends on what it forgets.
KNOWN = ('containers.compressed_in_a_pipe', 'containers.pipe_on_standard_input',
         'report.*_in_a_pipe', 'tracepoints.through_a_pipe',
         'damage.pipe_without_the_field', 'dump.*_filter', 'guests.mounted*', 'guests.module_*',
         'kernel_files.program_*', 'records.ksymbol*',
         'records.bpf_event', 'records.each_shown_alone', 'records.read*', 'sideband.records',
         'sideband.memory_*',
         'sideband.address_filter*', 'stacks.branches', 'stacks.stack_dump', 'tracepoints.strings', 'tracepoints.killed',
         'made_stacks.recorded_branches', 'pebs.many_events*', 'pebs_fields.registers*',
         'pebs_odd.cut_by_psb', 'pebs_odd.other_groups', 'pieces.samples*', 'scripts.registers', 'scripts.started_by_*',
         'tools.auxtrace_info')


def without_forgotten(text):
    for pattern in FORGOTTEN:
        text = re.sub(pattern, lambda m: m[0].replace(m[1], b'?'), text)
    return re.sub(rb' +', b' ', text)


def is_same(want, got):
    return cases.agree(without_forgotten(want), without_forgotten(got))


def perf_says(options, tmp, got):
    """Asked again where it is not what we do."""
    text = cases.text_of(options, cases.run(cases.PERF, options, tmp))
    if is_same(text, got):
        return text
    again = cases.perf_once_more(options, tmp)
    return again if is_same(again, got) else text


def compare(name, fn, command):
    """(equal, known, different) runs of one recording."""
    equal = known = different = 0
    with tempfile.TemporaryDirectory() as tmp:
        cases.make(fn, tmp)
        for o in (o for o in fn.options if not o.startswith(REFUSED)):
            got = cases.text_of(o, cases.run(command, o, tmp))
            want = perf_says(o, tmp, got)
            if is_same(want, got):
                equal += 1
            elif (any(fnmatch.fnmatchcase(name, k) for k in KNOWN)
                  or cases.section_of(fn.known, o, want, got)):
                known += 1
            else:
                different += 1
                print('DIFF    %s %s' % (name, o))
                print(cases.difference(want, got))
    return equal, known, different


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('modules', nargs='*')
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--heap', help='rising_heap.c, as a library')
    ap.add_argument('--every', type=int, default=1, metavar='N', help='only each Nth case')
    args = ap.parse_args()
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    command = shlex.split(args.ptscript)
    command[0] = os.path.abspath(shutil.which(command[0]) or command[0])
    mkperf.Recording.usual_order = '>'
    cases.heap = args.heap
    total = [0, 0, 0]
    for _, name, fn in list(cases.cases(args.modules))[::args.every]:
        if not any(fnmatch.fnmatchcase(name, s) for s in SKIP):
            total = [a + b for a, b in zip(total, compare(name, fn, command))]
    print('other byte order: %d equal, %d known, %d different' % tuple(total))
    return total[2] != 0


if __name__ == '__main__':
    sys.exit(main())
