"""The kernel's own code, decoded: a whole system, recorded with perf record -a --kcore.

SPDX-License-Identifier: MIT

The recordings are those of testdata/kernel; tests/oracle/kernel.py holds all of what was executed
against what is decoded.
"""
import os
import shutil

import kernelcase
import mkvmlinux
import perfedit
from cases import case

ALL = '-F+flags,+addr,+sym,+symoff,+dso --ns'


REPORTS = tuple('report ' + o for o in (
    # parts of what is printed, but widths of columns are those of all rows
    '--itrace=i1000ig --percent-limit 10', '--itrace=i1000ig -g folded,5 -s sym --percent-limit 10 -c work',
    '--itrace=i1000ig -S __this_module,kfree -g none', '--itrace=i1000i -S __this_module,kfree -s cpu,pid,sym -n',
    '--itrace=i1000i -d [kernel.kallsyms] -s comm,dso,sym --percent-limit 0.3',
    '--itrace=i20000il4 -s dso_from,sym_from,dso_to,sym_to --percent-limit 0.2',
    '--itrace=i1000i --show-cpu-utilization -s dso', '--itrace=qi1000i -S __this_module,kfree',
    '--header-only', '--stats', '--no-itrace'))


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
      '--itrace=p --time 3.6,3.8', *REPORTS)
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
      '--itrace=i20il3 -F ip,brstackinsn --time 3.828384,3.828425',
      '--itrace=i50000il4 -F ip,sym,brstackoff', *REPORTS,
      # nobody follows the trace: pages of kprobes keep the names of their own
      '--no-itrace --show-text-poke-events',
      '--itrace=i0ns -F ip,sym -S bpf_prog_a6662d312f02a2c7_ktfilter --time 3.8313,3.8314',
      # a known difference each: perf lost the code of kprobes, and of BPF programs
      '--itrace=be -F ip,addr,sym --time 3.937177,3.93733',
      '--itrace=i300i --show-bpf-events --time 3.8283,3.8316',
      known=[('*3.93733', ('reads', b'ffffffffc022606d __this_module => ffffffff810b0fde'), LATE),
             ('*--show-bpf-events*', ('reads', b' bpf_prog_a6662d312f02a2c7_ktfilter'), LATE)])
def changes_itself(c):
    """A BPF filter that runs, kprobes (int3, a slot, a jump), tracepoints switched on."""
    system(c, 'k9')


@case('--no-itrace --show-text-poke-events --ns')
def changes_told_in_part(c):
    """A page without its KSYMBOL, and changes with nothing between them: its names are not those
    of the module in whose place it is, as nobody has looked for the kernel yet."""
    system(c, 'k9')
    f = perfedit.File(c.folder + '/perf.data/data')
    pages = [r for r in f.of(17) if b'insn' in r.body]  # KSYMBOL
    f.records = [r for r in f.records if r.kind != perfedit.SWITCH_WIDE and r is not pages[0]]
    f.write(c.folder + '/perf.data/data')


@case('cache=cache --itrace=i20000i --ns', 'cache=cache --itrace=be %s --time 3.6,3.60002' % ALL,
      'cache=cache --itrace=i1000ig16xe --time 3.6,3.601',
      '--itrace=e --ns --time 3.6,3.602', '--itrace=i20000i --ns --time 3.7,3.8',
      # when code changed perf looked for its file: that there is none is told once
      '--itrace=e --time 3.84,')
def build_id_cache(c):
    """A plain file: the kernel's code is in the build-id cache, and not looked for with symfs."""
    kernelcase.unpack('k1', c.folder)
    kernelcase.cache(c.folder)
    shutil.move(c.folder + '/perf.dir/data', c.folder + '/perf.data')


TEXT, ETEXT = 0xffffffff81000000, 0xffffffff81e01ef2
# where they were, and their build ids
MODULES = {'virtio_ring': (0xffffffffc0201000, 0xc000, '1ea7076ef18c05d60ee997c99d22df6bb492991e'),
           'virtio_blk': (0xffffffffc0237000, 0x7000, 'bc8f0c86e2f2f261ea820d8c1f17de705b81d772'),
           'loop': (0xffffffffc023f000, 0x8000, '88465abd0d48756ce17aea6e15c1c03a65059850'),
           'fat': (0xffffffffc0254000, 0x16000, 'c10b36e2fe222f0ab8d97348c1c41d6ae5a29a72'),
           'vfat': (0xffffffffc0273000, 0x4000, 'a8c5c28d88ba9626b92380df928ceef36a400b9c')}


def module_path(name):
    return '/lib/modules/6.1.0-56-cloud-amd64/kernel/%s.ko' % name


def name_modules(path):
    """In the list of build ids, by the files that they are from: there is room for these."""
    with open(path, 'rb') as f:
        data = f.read()
    at = data.rindex(b'[kernel.kallsyms]')
    head, tail = data[:at], data[at:]
    for name in MODULES:
        old, new = b'[%s]\0' % name.encode(), module_path(name).encode() + b'\0'
        i = tail.index(old)
        tail = tail[:i] + new + tail[i + len(new):]
    with open(path, 'wb') as f:
        f.write(head + tail)


def link_again(top, core):
    """The kernel and its modules as the files that they were linked as, in the cache."""
    copied = mkvmlinux.Copied(core)
    code, symbols = copied.text(None, TEXT, ETEXT)
    with open('%s/[kernel.kallsyms]/%s/elf' % (top, kernelcase.KERNEL_ID), 'wb') as f:
        f.write(mkvmlinux.vmlinux([('.text', TEXT, code)], symbols,
                                  bytes.fromhex(kernelcase.KERNEL_ID)))
    for name, (start, size, ident) in MODULES.items():
        code, symbols = copied.text('[%s]' % name, start, start + size)
        kernelcase.keep_bytes(top, module_path(name)[1:], ident, mkvmlinux.module(
            [('.text', code)], symbols, bytes.fromhex(ident), name))


@case('cache=cache --itrace=i20000i --ns', 'cache=cache --itrace=be %s --time 3.6,3.60002' % ALL,
      'cache=cache --itrace=i100i -F tid,ip,sym,symoff,dso --ns --time 3.70,3.7002',
      'cache=cache --itrace=i1000ig16xe --time 3.6,3.601')
def vmlinux_and_modules(c):
    kernelcase.unpack('k1', c.folder)
    kernelcase.cache(c.folder)
    link_again(c.folder + '/cache', c.folder + '/cache/[kernel.kcore]/%s/2026112103000000'
               % kernelcase.KERNEL_ID)
    shutil.rmtree(c.folder + '/cache/[kernel.kcore]')
    shutil.move(c.folder + '/perf.dir/data', c.folder + '/perf.data')
    name_modules(c.folder + '/perf.data')
