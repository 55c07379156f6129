"""The kernel and its modules as files: names and code by --vmlinux, --kallsyms, below symfs, in
the build-id cache.

SPDX-License-Identifier: MIT
"""
import os

import kernelcase
import mkperf
import mkvmlinux
import ptasm
from cases import case
from mkperf import KERNEL
from mkvmlinux import FUNC, GLOBAL, LOCAL, NOTYPE, OBJECT, WEAK

TEXT, RODATA, DATA, INIT = (0xffffffff81000000 + at for at in (0, 0x700000, 0x800000, 0x900000))
KASLR = 0x1e00000
MODULES = 0xffffffffc0200000
KERNEL_ID, OTHER_ID = bytes(range(1, 21)), bytes([9] * 20)
ANY = 0xffffffff  # the pid in records of the kernel's own maps
FIELDS = '-F ip,sym,symoff,dso'
RUST = '_ZN4core3fmt9Formatter3new17h0123456789abcdefE'

# name, section, address, size, type, binding
SYMBOLS = [
    ('_text', '.text', TEXT, 0, NOTYPE, GLOBAL), ('_stext', '.text', TEXT, 0, NOTYPE, GLOBAL),
    ('startup_64', '.text', TEXT, 0x40, FUNC, GLOBAL),
    ('local_f', '.text', TEXT + 0x100, 0x30, FUNC, LOCAL),
    ('weak_f', '.text', TEXT + 0x130, 0x30, FUNC, WEAK),
    ('strong_f', '.text', TEXT + 0x130, 0x30, FUNC, GLOBAL),
    (RUST, '.text', TEXT + 0x200, 0x20, FUNC, GLOBAL),
    ('_Z3addii', '.text', TEXT + 0x220, 0x20, FUNC, LOCAL),
    ('no_size', '.text', TEXT + 0x300, 0, FUNC, GLOBAL),
    ('next_f', '.text', TEXT + 0x340, 0x20, FUNC, GLOBAL),
    ('outer', '.text', TEXT + 0x400, 0x100, FUNC, GLOBAL),
    ('inner', '.text', TEXT + 0x420, 0x10, FUNC, LOCAL),
    ('object', '.text', TEXT + 0x600, 0x10, OBJECT, LOCAL),
    ('.Llabel', '.text', TEXT + 0x700, 0, NOTYPE, LOCAL),
    ('last_f', '.text', TEXT + 0x2ff0, 0x10, FUNC, GLOBAL),
    ('_etext', '.text', TEXT + 0x3000, 0, NOTYPE, GLOBAL),
    ('data', '.data', DATA, 0x40, OBJECT, GLOBAL),
    ('init_f', '.init.text', INIT, 0x40, FUNC, LOCAL),
    ('init_no_size', '.init.text', INIT + 0x40, 0, FUNC, LOCAL),
    ('init_g', '.init.text', INIT + 0x80, 0x20, FUNC, LOCAL),
    ('init_alias', '.init.text', INIT + 0x80, 0x20, FUNC, GLOBAL),
    ('absolute', 0xfff1, TEXT + 0x20, 0, NOTYPE, GLOBAL)]
MODULE_SYMBOLS = [
    ('m_first', '.text', 0, 0x10, FUNC, GLOBAL), ('m_local', '.text', 0x10, 0x20, FUNC, LOCAL),
    ('m_weak', '.text', 0x30, 0x10, FUNC, WEAK), ('m_no_size', '.text', 0x40, 0, FUNC, GLOBAL),
    ('m_next', '.text', 0x58, 8, FUNC, GLOBAL), ('_Z3addii', '.text', 0x60, 0x10, FUNC, LOCAL),
    ('m_init', '.init.text', 0, 0x20, FUNC, LOCAL), ('m_exit', '.exit.text', 0x40, 8, FUNC, LOCAL),
    ('m_data', '.data', 0x20, 8, OBJECT, LOCAL)]


def vmlinux(build_id=KERNEL_ID):
    return mkvmlinux.vmlinux([('.text', TEXT, bytes(0x3000)), ('.rodata', RODATA, bytes(0x100)),
                              ('.data', DATA, bytes(0x1000)), ('.init.text', INIT, bytes(0x100))],
                             SYMBOLS, build_id)


def module(build_id):
    return mkvmlinux.module([('.init.text', bytes(0x40)), ('.text', bytes(0x80)),
                             ('.exit.text', bytes(0x80)), ('.data', bytes(0x40))],
                            MODULE_SYMBOLS, build_id)


def put(c, path, data):
    path = os.path.join(c.folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)


def recording(moved=0, ref='_text', build_id=KERNEL_ID):
    w = mkperf.software()
    w.mmap('[kernel.kallsyms]' + ref, TEXT + moved, 0x2000000, TEXT + moved, None, ANY, KERNEL)
    if build_id:
        w.build_id('[kernel.kallsyms]', build_id, KERNEL)
    return w.comm('t', 1000)


def edges():
    """First and last bytes of all symbols, and what is beside them."""
    return {value + at for _, _, value, size, _, _ in SYMBOLS
            for at in (-1, 0, 1, size // 2, size - 1, size, size + 1)}


def sample_all(c, w, addresses):
    for t, at in enumerate(sorted(addresses)):
        w.sample(at, 3000 + t, misc=KERNEL)
    w.write(c.folder + '/perf.data')


@case('cache=c --vmlinux vmlinux ' + FIELDS, 'cache=c -k vmlinux -F ip,sym',
      'cache=c --vmlinux vmlinux --show-kernel-path ' + FIELDS,
      'cache=c --vmlinux vmlinux --demangle-kernel -F sym,symoff',
      'cache=c --vmlinux vmlinux --demangle-kernel --no-demangle -F sym',
      'cache=c --vmlinux other ' + FIELDS, 'cache=c --vmlinux none ' + FIELDS,
      'cache=c --vmlinux c ' + FIELDS, FIELDS, '--show-kernel-path ' + FIELDS, 'report -s sym',
      'report -s sym --ignore-vmlinux', 'report -s sym --vmlinux vmlinux --ignore-vmlinux', 'report -s sym --vmlinux vmlinux',
      'report -s sym --ignore-vmlinux --no-ignore-vmlinux', 'report -v -s sym,dso', 'report -v -s sym --vmlinux vmlinux', 'report -s sym --vmlinux none --ignore-vmlinux')
def names_of_vmlinux(c):
    """Given by hand, of another build, not there, a folder; and found below symfs."""
    put(c, 'c/empty', b'')
    put(c, 'vmlinux', vmlinux())
    put(c, 'symfs/vmlinux', vmlinux())
    put(c, 'other', mkvmlinux.vmlinux([('.text', TEXT, bytes(0x3000))], SYMBOLS[:5], OTHER_ID))
    sample_all(c, recording(), edges())


@case(FIELDS)
def names_without_an_id(c):
    """None was recorded: what lies below symfs is taken, as other files are."""
    put(c, 'symfs/vmlinux', vmlinux())
    sample_all(c, recording(build_id=None), edges())


@case('cache=c --vmlinux vmlinux ' + FIELDS)
def names_moved(c):
    """KASLR."""
    put(c, 'c/empty', b'')
    put(c, 'vmlinux', vmlinux())
    sample_all(c, recording(KASLR), [at + KASLR for at in edges()])


@case('cache=c --vmlinux vmlinux ' + FIELDS)
def names_moved_by_stext(c):
    put(c, 'c/empty', b'')
    put(c, 'vmlinux', vmlinux())
    sample_all(c, recording(KASLR, '_stext'), [at + KASLR for at in edges()])


@case('--kallsyms kallsyms ' + FIELDS)
def module_maps_with_times(c):
    """They come before the first sample, but not before all that has a time."""
    w = mkperf.software()
    w.mmap('[kernel.kallsyms]_text', TEXT, 0x2000000, TEXT, 900, ANY, KERNEL).comm('t', 910)
    w.mmap('[mod]', MODULES, 0x4000, 0, 920, ANY, KERNEL)
    w.mmap('/lib/modules/6.1.0/kernel/fs/o-ther.ko', MODULES + 0x4000, 0x4000, 0, 930, ANY, KERNEL)
    names = [(TEXT, '_text'), (TEXT, '_stext'), (TEXT + 0x40, 'k_run'), (TEXT + 0x1000, '_etext'),
             (MODULES + 0x20, 'm_a\t[mod]'), (MODULES + 0x80, 'm_b\t[mod]'),
             (MODULES + 0x4100, 'o_a\t[o_ther]')]
    put(c, 'kallsyms', ''.join('%x t %s\n' % n for n in names).encode())
    for t, at in enumerate((TEXT + 0x50, TEXT, MODULES, MODULES + 0x20, MODULES + 0x7f,
                            MODULES + 0x90, MODULES + 0x4100, MODULES + 0x5fff)):
        w.sample(at, 3000 + t, misc=KERNEL)
    w.write(os.path.join(c.folder, 'perf.data'))


@case('cache=c --kallsyms kallsyms ' + FIELDS, 'cache=c --kallsyms moved ' + FIELDS,
      'cache=c --kallsyms kallsyms --show-kernel-path ' + FIELDS,
      'cache=c --kallsyms kallsyms --vmlinux vmlinux ' + FIELDS,
      'cache=c --kallsyms kallsyms --demangle-kernel -F sym,symoff',
      'cache=c --kallsyms none ' + FIELDS, 'cache=c --kallsyms empty ' + FIELDS,
      'cache=c --kallsyms c ' + FIELDS, 'cache=c --kallsyms vmlinux ' + FIELDS)
def names_of_kallsyms(c):
    put(c, 'c/empty', b'')
    put(c, 'empty', b'')
    put(c, 'vmlinux', vmlinux())
    for file, moved in ('kallsyms', 0), ('moved', KASLR):
        put(c, file, ''.join(
            '%016x %s %s\n' % (value + moved, 'tTw'[bind], name)
            for name, _, value, _, _, bind in SYMBOLS).encode()
            + b'%016x t m_first\t[fat]\n%016x t m_last\t[fat]\n' % (MODULES, MODULES + 0x20))
    w = recording()
    w.mmap('[fat]', MODULES, 0x2000, 0, None, ANY, KERNEL)
    sample_all(c, w, edges() | {MODULES, MODULES + 0x1f, MODULES + 0x20, MODULES + 0x1fff,
                                MODULES + 0x2000})


@case('cache=old ' + FIELDS, 'cache=empty ' + FIELDS, 'cache=none ' + FIELDS,
      'cache=folder ' + FIELDS, 'cache=none report -q --sort sym',
      'cache=none report -q --header-only --sort dso')
def names_of_the_cache(c):
    """An entry as older versions of perf kept it, an empty folder, none."""
    listed = b''.join(b'%016x %c %s\n' % (value, b'tTw'[bind], name.encode())
                      for name, _, value, _, _, bind in SYMBOLS)
    entry = '/[kernel.kallsyms]/' + KERNEL_ID.hex()
    put(c, 'old' + entry, listed)
    put(c, 'folder' + entry + '/kallsyms', listed)
    put(c, 'none/x', b'')
    os.makedirs(c.folder + '/empty' + entry)
    sample_all(c, recording(), edges())


PLACE = '/lib/modules/6.1.0-9-amd64/kernel/fs/fat/'


def module_at(c, w, n, path, in_file, recorded=None, header=None, at=None):
    """Number n; header: what the list of build ids calls it, None: not in it."""
    start = MODULES + n * 0x10000
    w.mmap(path, start, 0x5000, 0, None, ANY, KERNEL)
    if header:
        w.build_id(header, recorded, KERNEL)
    if in_file is not None:
        put(c, 'symfs' + (at or header or path), mkvmlinux.packed(module(in_file), header or path))
    return {start + at for at in list(range(0, 0x90, 8)) + [0x4fff, 0x5000]}


def ident(n):
    return bytes([n] * 20)


@case(FIELDS, '--show-kernel-path ' + FIELDS, '--demangle-kernel -F sym,symoff', 'report -v -U -s sym,dso')
def modules_by_path(c):
    """With the build id that was recorded, with another one, without; in files of any kind."""
    put(c, 'symfs/vmlinux', vmlinux())
    w, found = recording(), {TEXT}
    for n, suffix in enumerate(('', '.gz', '.xz')):
        for k, (there, recorded) in enumerate(((1, 1), (2, 3), (4, None), (None, 5), (b'', 6))):
            number = 5 * n + k
            path = '%sm-%d.ko%s' % (PLACE, number, suffix)
            found |= module_at(c, w, number, path, there and ident(there),
                               recorded and ident(recorded), recorded and path)
    # the header knows the file, the record its name only
    found |= module_at(c, w, 20, '[in_header]', ident(7), ident(7), PLACE + 'in-header.ko.xz')
    # one called .xz that is not packed
    found |= module_at(c, w, 22, PLACE + 'is_plain.ko.xz', None)
    put(c, 'symfs' + PLACE + 'is_plain.ko.xz', module(ident(8)))
    sample_all(c, w, found)


@case(FIELDS, known=[('*', ('reads', b' m_local+0x8 (%szst.ko.zst)' % PLACE.encode()), 'Kernel code')])
def module_of_zstd(c):
    put(c, 'symfs/vmlinux', vmlinux())
    w = recording()
    sample_all(c, w, module_at(c, w, 0, PLACE + 'zst.ko.zst', ident(1), ident(1),
                               PLACE + 'zst.ko.zst'))


# --- Code ---------------------------------------------------------------------------------

BRANCHES = '--itrace=be -F ip,addr,sym,symoff,dso'
INSNS = '--itrace=i0nse -F ip,sym,insn'


def kernel_code():
    code = ptasm.Code(TEXT)
    code.func('start').nop().call(MODULES).mov_ecx(3).label('again').dec_ecx().jcc('again')
    code.call_rax().jcc('more').ret().label('more').call(INIT).ret()
    code.func('by_pointer').nop(3).ret()
    return code


def module_code(base):
    code = ptasm.Code(base)
    code.func('m_run').nop().jcc('m_end').call('m_help')
    code.func('m_end').ret()
    code.func('m_help').nop(2).ret()
    return code


def code_files(c, module_id, suffix):
    """A vmlinux and a module, written; returns their labels."""
    code, labels = kernel_code().asm()
    m_code, m_labels = module_code(0).asm()
    put(c, 'symfs/vmlinux', mkvmlinux.vmlinux(
        [('.text', TEXT, code), ('.init.text', INIT, b'\x90\x90\xc3')],
        [('_text', '.text', TEXT, 0, NOTYPE, GLOBAL)]
        + [(f, '.text', labels[f], 8, FUNC, GLOBAL) for f in ('start', 'by_pointer')]
        + [('init', '.init.text', INIT, 3, FUNC, LOCAL)], KERNEL_ID))
    put(c, 'symfs' + PLACE + 'm.ko' + suffix, mkvmlinux.packed(mkvmlinux.module(
        [('.init.text', bytes(0x30)), ('.text', m_code)],
        [(f, '.text', m_labels[f], 3, FUNC, GLOBAL) for f in ('m_run', 'm_end', 'm_help')],
        module_id), suffix))
    return labels


def run_code(c, suffix, recorded, moved=0, init=False):
    labels = code_files(c, ident(1), suffix)
    d = c.perf(kernel=True)
    d.mmap('[kernel.kallsyms]_text', TEXT + moved, 0x2000000, TEXT + moved, None, ANY, KERNEL)
    d.mmap(PLACE + 'm.ko' + suffix, MODULES + moved, 0x5000, 0, None, ANY, KERNEL)
    d.build_id('[kernel.kallsyms]', KERNEL_ID, KERNEL)
    if recorded:
        d.build_id(PLACE + 'm.ko' + suffix, recorded, KERNEL)
    c.program()
    c.record()
    c.pt.start(c.t0).pge(TEXT + moved, form=6).tnt('NTTTN').tip(labels.by_pointer + moved, form=6)
    c.pt.tnt('TTT' if init else 'TN').pgd()
    c.finish()


@case(BRANCHES, INSNS)
def code_by_path(c):
    run_code(c, '.xz', ident(1))


@case(*('cache=c -k vmlinux ' + o for o in (BRANCHES, '--itrace=i1iegxe -F ip,sym,symoff,dso', '--itrace=e',
                                            '--itrace=i1i --show-kernel-path -F ip,sym,dso')))
def code_of_a_missing_module(c):
    """The kernel's file is given by hand, that of its module is not there."""
    run_code(c, '', ident(1))
    os.remove(c.folder + '/symfs' + PLACE + 'm.ko')
    os.rename(c.folder + '/symfs/vmlinux', c.folder + '/vmlinux')
    put(c, 'c/empty', b'')


@case(BRANCHES)
def code_moved(c):
    """KASLR."""
    run_code(c, '', ident(1), KASLR)


@case(BRANCHES)
def code_without_id(c):
    run_code(c, '.gz', None)


@case(BRANCHES, known=[('*', ('reads', b'm_help'), 'Kernel code')])
def code_of_zstd(c):
    run_code(c, '.zst', ident(1))


@case(BRANCHES, known=[('*', ('reads', b'code 5'), 'Code and symbols')])
def code_of_another(c):
    """The module's file is another build: both have no symbols of it, perf its code."""
    run_code(c, '', ident(2))


@case(BRANCHES, known=[('*', ('reads', b' init+0x2 ([kernel.kallsyms].init.text) => ffffffff81000019'), 'Kernel code')])
def code_of_init(c):
    run_code(c, '', ident(1), init=True)


# --- When they are looked for ---------------------------------------------------------------

ERRORS = ('--itrace=be -F ip,addr,sym,symoff,dso', '--itrace=Ze')
LOST = [('*', ('reads', b'm_run+0x1 ([kernel.kallsyms]) => ffffffffc0200008 m_end'), 'Kernel code')]


def copied_kernel(c):
    """A kcore_dir with a module in it."""
    module = module_code(MODULES)
    code, at = module.asm()
    names = ['%016x T _text' % TEXT, '%016x T _stext' % TEXT, '%016x T _etext' % (TEXT + 16)]
    names += ['%016x t %s\t[fat]' % (at[f], f) for f in module.funcs]
    put(c, 'perf.data/kcore_dir/kallsyms', ('\n'.join(names) + '\n').encode())
    put(c, 'perf.data/kcore_dir/modules', b'fat 4096 0 - Live 0x%x\n' % MODULES)
    put(c, 'perf.data/kcore_dir/kcore', mkvmlinux.kcore((TEXT, bytes(16)), (MODULES, code)))


def into_module(c, early=(), late=(), before=b''):
    """The trace is in the module twice; early, late: what is recorded before the first time and
    before the second.  before: a piece of trace of its own."""
    copied_kernel(c)
    c.program()
    d = c.perf(kernel=True)
    d.mmap('[kernel.kallsyms]_text', TEXT, 0x2000000, TEXT, None, ANY, KERNEL)
    c.record()
    for how in early:
        how(d, c.t0 - 500)
    c.pt.start(c.t0).pge(MODULES, form=6).tnt('T').fup(MODULES + 8, form=6).pgd()
    for how in late:
        how(d, c.t0 + 1000)
    c.pt.psb().mode_exec().tsc(c.t0 + 20000).cbr(20).psbend()
    c.pt.pge(MODULES, form=6).tnt('T').fup(MODULES + 8, form=6).pgd()
    first = d.auxtrace(before) if before else 0
    size = first + d.auxtrace(c.pt.bytes, first)
    d.aux(0, size, c.t0 + 50000).switch(c.t0 + 60000, out=True).exit(c.t0 + 70000)
    d.finished_round().write(c.folder + '/perf.data/data')


def map_came(d, tsc):
    d.mmap('[fat]', MODULES, 0x1000, 0, tsc, ANY, KERNEL)


def program_went(d, tsc):
    """A BPF program between modules: loaded, and unloaded."""
    for gone in 0, 1:
        d.kernel(17, 0, d.pack('QIHH', MODULES + 0x800, 0x40, 1, gone)
                 + mkperf.zstr('bpf_prog_1'), tsc + gone, 0, 0)


@case(*ERRORS)
def map_before_trace(c):
    """What is recorded before the trace begins is there when the kernel's code is looked for."""
    into_module(c, early=[map_came])


@case(*ERRORS)
def map_before_a_later_piece(c):
    """The first piece has no place where decoding could begin: no PSB."""
    into_module(c, early=[map_came], before=bytes(64))


@case(*ERRORS)
def program_went_before_trace(c):
    into_module(c, early=[program_went])


def program_in_place_of_a_module(d, tsc):
    """The kcore was copied when both were gone."""
    d.mmap('[old]', MODULES + 0x800, 0x400, 0, tsc, ANY, KERNEL)
    program_went(d, tsc + 1)


@case(*ERRORS, '--show-mmap-events')
def program_in_place_of_a_module_before_trace(c):
    into_module(c, early=[program_in_place_of_a_module])


@case(*ERRORS)
def module_went_before_trace(c):
    """The same, and nothing tells it: the kcore is not taken."""
    into_module(c, early=[lambda d, tsc: d.mmap('[old]', MODULES + 0x800, 0x400, 0, tsc, ANY, KERNEL)])


@case(*ERRORS, known=[('--itrace=be*', LOST[0][1], 'Kernel code')])
def program_went_in_trace(c):
    """perf drops all modules with it."""
    into_module(c, late=[program_went])
