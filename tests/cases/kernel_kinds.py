"""A whole system recorded in other ways: where code is, what is traced, how switches and time are told.

SPDX-License-Identifier: MIT

tests/lib/mkkinds.py made the recordings of what k1 executed, and says what each of them is.
"""
import os
import shutil
import struct

import kernelcase
import perfedit
from cases import case

SPARSE = '--itrace=i1000i --ns -F tid,cpu,time,ip,sym,symoff,dso'
BRANCHES = '--itrace=be -F+flags,+addr,+sym,+symoff,+dso --ns --time %s'
SWITCH = BRANCHES % '3.603238,3.603248'
STACKS = '--itrace=i5000ig16xe'
DISK = BRANCHES % '3.6546,3.65461'
LATE = 'Kernel code'
FORK, MMAP2, SWITCH_OUT = 7, 10, 1 << 13


def damaged(folder, name, other, bits):
    """NAME.dir, the recording of OTHER.dir with some bits of its bytes flipped."""
    to = os.path.join(folder, name + '.dir')
    shutil.copytree(os.path.join(folder, other + '.dir'), to, symlinks=True)
    with open(to + '/data', 'r+b') as f:
        for at, mask in bits.items():
            f.seek(at)
            old = f.read(1)[0]
            f.seek(at)
            f.write(bytes([old ^ mask]))


def came_again(folder, name, other):
    """NAME.dir, as OTHER.dir, but a module comes again elsewhere, behind the first threads' ends."""
    to = os.path.join(folder, name + '.dir')
    shutil.copytree(os.path.join(folder, other + '.dir'), to, symlinks=True)
    f = perfedit.File(to + '/data')
    again = [r for r in f.of(1) if b'[vfat]' in r.body][0].copy()  # MMAP
    again.put(8, 'Q', again.get(8, 'Q') + 0x40000)
    again.who[2] = 3800000000
    f.records.append(again)
    f.write(to + '/data')


def only_out(recording):
    """Without programs, and threads do not say that they run now: what is told of the next one waits for
    the branch that switches."""
    f = perfedit.File(recording + '/data')
    f.records = [r for r in f.records
                 if r.kind != MMAP2 and (r.kind != perfedit.SWITCH_WIDE or r.misc & SWITCH_OUT)]
    f.write(recording + '/data')


def without_fork(folder, name, other):
    """NAME.dir, OTHER.dir, but the FORKs of two threads were lost: their traces begin before any record
    tells of them."""
    to = os.path.join(folder, name + '.dir')
    shutil.copytree(os.path.join(folder, other + '.dir'), to, symlinks=True)
    f = perfedit.File(to + '/data')
    f.records = [r for r in f.records if r.kind != FORK or r.get(8, 'I') not in (122, 124)]
    f.write(to + '/data')


def cut_in_psb(folder, name, other):
    """NAME.dir, OTHER.dir of which the first 8 bytes of trace were read alone: half a PSB, and there is no
    other."""
    to = os.path.join(folder, name + '.dir')
    shutil.copytree(os.path.join(folder, other + '.dir'), to, symlinks=True)
    f = perfedit.File(to + '/data')
    (whole,), (aux,), new, cut = f.of(perfedit.AUXTRACE), f.of(perfedit.AUX), [], 8
    f.records.remove(aux)
    for at, end in ((0, cut), (cut, len(whole.trace))):
        part, record = whole.copy(), aux.copy()
        part.trace = whole.trace[at:end]
        part.body[:16] = struct.pack('<QQ', end - at, at)
        record.body[:16] = struct.pack('<QQ', at, end - at)
        new += [part, record]
    i = f.records.index(whole)
    f.records[i:i + 1] = new
    f.write(to + '/data')


def copied(folder, name, other):
    """NAME.dir, OTHER.dir with a kcore_dir of its own."""
    to = os.path.join(folder, name + '.dir')
    shutil.copytree(os.path.join(folder, other + '.dir'), to)
    return to + '/kcore_dir/'


@case('-i moved.dir ' + SPARSE, '-i moved.dir ' + SWITCH, '-i moved.dir ' + STACKS,
      '-i moved.dir --itrace=e --show-mmap-events --show-text-poke-events --time 3.603,3.8341',
      '-i only_kernel.dir ' + SPARSE, '-i only_kernel.dir ' + SWITCH,
      '-i only_kernel.dir --call-ret-trace --ns --time 3.60333,3.60335',
      '-i second_cpu.dir ' + SPARSE, '-i second_cpu.dir %s -C 1' % SWITCH,
      '-i no_mitigations.dir ' + SPARSE, '-i no_mitigations.dir ' + SWITCH,
      '-i no_mitigations.dir --call-ret-trace --time 3.603238,3.603248',
      '-i tracepoints.dir --itrace=i1000i --time 3.6031,3.6036', '-i tracepoints.dir ' + SWITCH,
      '-i threads.dir --itrace=i1000i --ns', '-i threads.dir --itrace=be --ns --time 3.603238,3.603248',
      '-i overflows.dir ' + SPARSE, '-i overflows.dir --itrace=crewp --time 3.60323,3.60325',
      '-i pieces.dir %s --show-lost-events' % SPARSE, '-i pieces.dir --itrace=e --ns',
      # pieces of trace are missing before the range, too
      *('-i pieces.dir --itrace=i1000ie --ns --time ' + t
        for t in ('3.604389920,3.604588815', '3.604077389,3.604283085', '3.603857926,3.603983503')),
      '-i both_cpus.dir ' + SPARSE, '-i both_cpus.dir ' + SWITCH, '-i both_cpus.dir ' + STACKS,
      # a thread is on both at once: any branch elsewhere begins its stack anew
      '-i both_cpus.dir --itrace=i1000ig16 -S update_load_avg,__perf_event_header__init_id',
      '-i both_cpus.dir --itrace=i37ig16 -S switch_mm_irqs_off',
      '-i both_cpus.dir --itrace=e --show-switch-events -C 1 --ns --time 3.603,3.605',
      '-i module_came.dir ' + SPARSE, '-i module_came.dir ' + DISK,
      '-i module_went.dir --itrace=i1000ie --ns',
      # times go back behind errors that nobody asked for; the records up to there do not wait
      '-i flipped.dir --itrace=i10ms --show-switch-events -F tid,time,ip',
      '-i no_hook.dir ' + SPARSE, '-i no_hook.dir %s -C 1' % SWITCH,
      '-i cut_core.dir --itrace=i1000ie --ns -F tid,time,ip,sym,symoff,dso',
      '-i cut_core.dir --no-itrace --show-text-poke-events --time 3.6,3.604',
      # a kcore fits as long as the module is where it was: without times perf looks at the end
      '-i again.dir --itrace=i1000ie --ns -F tid,time,ip,sym', '-i again.dir --itrace=i1000iZe -F tid,ip,sym',
      # nobody wants branches, and the time of the one that switches is told
      '-i only_out.dir --itrace=i100us --ns -F tid,cpu,time,ip,sym', '-i only_out.dir --itrace=i1000ie --ns',
      # the kernel's code is looked for at the first time, which is behind that PSB
      '-i cut_in_psb.dir --itrace=i1000ie --ns -F tid,time,ip,sym',
      # perf knows such a thread when its queue has a turn again, behind its first sample
      '-i lost_fork.dir --itrace=i1000ig16xe --time 3.603,3.604',
      '-i lost_fork.dir --itrace=cre -F+callindent --time 3.60326,3.60328',
      '-i lost_fork.dir --itrace=i50il8 -F+brstack --time 3.60325,3.60329',
      # perf drops the rest of a CPU's trace
      '-i stuck.dir ' + SPARSE, '-i stuck.dir --itrace=e',
      '-i one_stuck.dir %s -C 0' % SPARSE, '-i one_stuck.dir %s -C 1' % SPARSE,
      known=[('-i stuck.dir ' + SPARSE, ('goes on', 0, b'  122 [000]     3.604684583'), LATE),
             ('-i one_stuck.dir %s -C 0' % SPARSE, ('goes on', 0, b' [000] '), LATE)])
def kinds(c):
    kernelcase.kinds(c.folder)
    # the function by which the kernel tells perf of a switch is inlined
    for name, other in (('no_hook', 'second_cpu'), ('only_out', 'one_stuck')):
        kernelcase.change(copied(c.folder, name, other) + 'kallsyms',
                          rb'(?m)^.* __perf_event_task_sched_out\n', b'')
    cut_in_psb(c.folder, 'cut_in_psb', 'only_kernel')
    only_out(os.path.join(c.folder, 'only_out.dir'))
    without_fork(c.folder, 'lost_fork', 'threads')
    # in the middle of the kernel's code
    os.truncate(copied(c.folder, 'cut_core', 'second_cpu') + 'kcore', 0x300000)
    came_again(c.folder, 'again', 'second_cpu')
    damaged(c.folder, 'flipped', 'only_kernel', {56913: 0x28, 58698: 0x80, 59226: 0x08})
