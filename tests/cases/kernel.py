"""The kernel's own code, decoded: a whole system, recorded with perf record -a --kcore.

SPDX-License-Identifier: MIT

The recordings are those of testdata/kernel; tests/oracle/kernel.py holds all of what was executed
against what is decoded.
"""
import os
import shutil

import kernelcase
from cases import case

ALL = '-F+flags,+addr,+sym,+symoff,+dso --ns'


def system(c, name):
    kernelcase.unpack(name, c.folder)
    os.rename(c.folder + '/perf.dir', c.folder + '/perf.data')


@case('--itrace=i20000i --ns',
      '--itrace=i10000i -C 0 --comm=dyn -F comm,tid,ip,sym,symoff,dso',
      '--itrace=i1us -c dyn -F tid,ip,sym --time 3.8,3.8005',
      '--itrace=cr --ns --time 3.6,3.6002',
      '--itrace=be %s --time 3.521,3.5216' % ALL,
      '--itrace=i1000ig16xe --time 3.6,3.603',
      '--itrace=i1000il8xe -F+brstacksym --time 3.7,3.7005',
      '--insn-trace --ns --time 3.75,3.750005',
      '--itrace=e --show-text-poke-events --show-switch-events --ns --time 3.6,3.62',
      '--call-ret-trace --time 3.65,3.6502', '--itrace=qe --time 3.7,3.702',
      '--itrace=p --time 3.6,3.8')
def whole_system(c):
    """PTI, retpolines, modules, fork and exec, signals, faults, timers; a 32-bit program."""
    system(c, 'k1')


KPROBE = 'kprobe_int3_handler,arch_setup_singlestep,optimized_callback,__this_module'
LATE = 'Kernel code'


@case('--itrace=i20000i --ns',
      '--itrace=be %s --time 3.828384,3.828496' % ALL,
      '--itrace=be %s -S %s' % (ALL, KPROBE),
      '--itrace=i0ns -F tid,time,ip,sym,symoff,insn --ns -S __this_module',
      '--insn-trace -F+symoff,+dso --ns --time 3.8284918,3.828493',
      '--itrace=e --show-text-poke-events --show-switch-events --ns --time 3.87,3.934',
      '--itrace=i50000i --show-text-poke-events',
      '--itrace=i0ns -F ip,sym -S bpf_prog_a6662d312f02a2c7_ktfilter --time 3.8313,3.8314',
      # a known difference each: perf lost the code of kprobes, and of BPF programs
      '--itrace=be -F ip,addr,sym --time 3.937177,3.93733',
      '--itrace=i300i --show-bpf-events --time 3.8283,3.8316',
      known=[('*3.93733', ('reads', b'ffffffffc022606d __this_module => ffffffff810b0fde'), LATE),
             ('*--show-bpf-events*', ('reads', b' bpf_prog_a6662d312f02a2c7_ktfilter'), LATE)])
def changes_itself(c):
    """A BPF filter that runs, kprobes (int3, a slot, a jump), tracepoints switched on."""
    system(c, 'k9')


@case('cache=cache --itrace=i20000i --ns', 'cache=cache --itrace=be %s --time 3.6,3.60002' % ALL,
      'cache=cache --itrace=i1000ig16xe --time 3.6,3.601',
      '--itrace=e --ns --time 3.6,3.602', '--itrace=i20000i --ns --time 3.7,3.8')
def build_id_cache(c):
    """A plain file: the kernel's code is in the build-id cache, and not looked for with symfs."""
    kernelcase.unpack('k1', c.folder)
    kernelcase.cache(c.folder)
    shutil.move(c.folder + '/perf.dir/data', c.folder + '/perf.data')
