"""scenes.py - ways to use the programs, each with all that it needs in a folder.

SPDX-License-Identifier: MIT
"""
import collections
import errno
import os
import re
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(HERE, '..', name) for name in ('lib', 'cases', 'badinput')]
import cases  # noqa: E402
import kernelcase  # noqa: E402
import memory  # noqa: E402
import mkpack  # noqa: E402
import mksample as ms  # noqa: E402
import ptasm  # noqa: E402
import unwrap  # noqa: E402
from mkperf import Attr, Recording  # noqa: E402
from reccase import SIDE, times  # noqa: E402

CAPTURE = os.path.join(TOP, 'testdata/emu-mix/perf.data')
THREADS = os.path.join(TOP, 'testdata/emu-thr/perf.data')
LONG = os.path.join(TOP, 'testdata/emu-ls/perf.data')  # many pages of trace
SYMFS = os.path.join(TOP, 'testdata/symfs')
# shows: must be in the output, or the scene is not what it is meant to be; made(folder): what
# was written besides standard output, {out} in argv; sums: what a failed run prints is no
# beginning, but what it counted until then; errors: others than usual, by kind of call;
# spare: a library whose allocations do not fail; cut: a file that is copied to {out} and is cut to
# a page as soon as there is output, which must be said; copied: one that is copied there, to be
# changed
Scene = collections.namedtuple('Scene', 'name argv folder shows stdin made sums errors spare cut copied',
                               defaults=(None, None, False, None, None, None, None))
# The memory of another process: that there is none at an address is no failure.
MEMORY_ERRORS = {'pread': (errno.ENOMEM,), 'pwrite': (errno.ENOMEM,)}

SOURCE = '''
#include <map>
#include <string>
#define APART __attribute__((noinline, noclone, noipa))
namespace deep {
static inline int twice(int x) { return x + x; }
APART int inner(int x) { return twice(x) + 1; }
APART int outer(int x) { return inner(x + 3) + 1; }
}
/* More kinds of debug information than fit into a library's first table. */
using many = std::map<std::string, std::string>;
static const many *unused;
extern "C" APART int run(int x) { return deep::outer(x) + 1 + !unused; }
extern "C" void _start() { for (;;) run(1); }
'''


def known_by_id(folder):
    """A recording that knows a file by its build id, and the file."""
    code, build_id = ptasm.Code(), bytes(range(20))
    code.func('_start').mov_eax(60).syscall()
    with open(os.path.join(folder, 'prog'), 'wb') as f:
        f.write(code.elf(build_id=build_id))
    d = Recording([Attr(1, 0, SIDE, ms.IDENTIFIER, [100])]).comm('prog')
    d.build_id(os.path.join(folder, 'prog'), build_id)
    d.write(os.path.join(folder, 'perf.data'))


def stored(out):
    """What is in the cache."""
    return b''.join(where[len(out):].encode() + b' ' + b' '.join(sorted(f.encode() for f in files))
                    for where, _, files in sorted(os.walk(os.path.join(out, 'cache'))))


def program(folder):
    """A program with debug information, by name the addresses of its functions, and its bytes."""
    source, path = os.path.join(folder, 'deep.cc'), os.path.join(folder, 'deep')
    with open(source, 'w', encoding='ascii') as f:
        f.write(SOURCE)
    subprocess.run(['g++', '-g', '-O1', '-fno-pie', '-no-pie', '-nostdlib', '-static',
                    '-fasynchronous-unwind-tables', '-Wl,--eh-frame-hdr', '-o', path, source],
                   check=True)
    names = {n: int(a, 16) for a, n in re.findall(
        r'^(\w+) \w (\S+)$', subprocess.run(['nm', path], capture_output=True, check=True,
                                            text=True).stdout, re.M)}
    return path, names


def return_into(path, caller, callee):
    """The address behind the call of one in the other; text is mapped as it lies in the file."""
    with open(path, 'rb') as f:
        data = f.read()
    base = 0x400000
    for at in range(caller, caller + 64):
        call = data[at - base:at - base + 5]
        if call[:1] == b'\xe8' and at + 5 + struct.unpack('<i', call[1:])[0] == callee:
            return at + 5
    raise AssertionError('no call')


def dumped_stacks(folder):
    """Samples in a program with debug information, with registers and stack to unwind by."""
    path, names = program(folder)
    inner, outer = names['_ZN4deep5innerEi'], names['_ZN4deep5outerEi']
    back = return_into(path, outer, inner), return_into(path, names['run'], outer)
    d = Recording([Attr(1, 0, SIDE, ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.PERIOD
                        | ms.CALLCHAIN | ms.REGS_USER | ms.STACK_USER, [100],
                        sample_regs_user=0x1ff)])
    d.comm('deep', 1000).mmap2(path, 0x400000, 0x10000, 0, tsc=2000)
    top, t = 0x7ffc0000, times()
    for _ in range(3):
        regs = [0, 0, 0, 0, 0, 0, 0, top, inner]
        # The words at the top are a return address, the frame of its caller, another, an end.
        stack = struct.pack('<8Q', back[0], 0, back[1], 0, 0, 0, 0, 0)
        d.sample(inner, next(t) + 5000, chain=[ms.CHAIN_USER, inner], regs_user=(2, regs),
                 stack=stack)
    d.write(os.path.join(folder, 'perf.data'))


def case(folder, module, name):
    """A recording of the tests beside this one."""
    made = [fn for _, key, fn in cases.cases([module]) if key == '%s.%s' % (module, name)]
    cases.make(made[0], folder)


def much_unpacked(path):
    d = Recording([Attr(1, 0, SIDE, ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME, [100])])
    t = times()
    for _ in range(1200):
        d.comm('x' * 60000, next(t))
    d.comm('the last', next(t))
    d.sample(0x401000, next(t))
    mkpack.pack(d, how=lambda data: mkpack.stored(data, 60000)).write(path)


def bare_trace(folder):
    """As of somebody who did not use perf record: options in place of -i FILE."""
    u = unwrap.Unwrapped(CAPTURE)
    return u.options(u.write(folder, sorted(u.trace)[0]))


def recorded(out):
    """What a recorder wrote, but for what is of the folder it was written to."""
    found = b''
    for where, folders, files in sorted(os.walk(out)):
        folders.sort()
        for name in sorted(files):
            with open(os.path.join(where, name), 'rb') as f:
                data = f.read()
            found += ('%s %d\n' % (os.path.relpath(os.path.join(where, name), out),
                                   len(data))).encode()
    return found


def all_of(args, top):
    def folder(name):
        path = os.path.join(top, name)
        os.makedirs(path, exist_ok=True)
        return path

    def script(name, where, shows, *options, **more):
        source = ['-i', '-' if 'stdin' in more else 'perf.data']
        return Scene(name, [args.ptscript, 'script', *source, *options], where, shows, **more)

    capture = folder('capture')
    shutil.copy(CAPTURE, capture)
    symfs = ['--symfs', SYMFS]
    yield script('decode', capture, b'=>', '--itrace=be', *symfs)
    threads = folder('threads')  # samples of two queues at the same time: they are followed again
    shutil.copy(THREADS, threads)
    yield script('again', threads, b'instructions', '--itrace=i1000ie', *symfs)
    cut = [args.ptscript, 'script', '-f', '-i', '{out}/perf.data', '--itrace=b']
    yield Scene('cut', [*cut, *symfs], capture, b'=>', cut=LONG)
    system = folder('system')  # enough trace for two threads
    kernelcase.unpack('k1', system)
    os.rename(system + '/perf.dir/data', system + '/perf.data')
    yield Scene('cut, jobs', [*cut, '--jobs', '2', '--symfs', 'symfs',
                              '--kallsyms', 'perf.dir/kcore_dir/kallsyms'], system, b'=>',
                cut=system + '/perf.data')
    yield script('insns', capture, b'insn:', '--itrace=i100ns', '-F', '+insn,+insnlen', *symfs)
    # Capstone 4 goes on without the tables that it could not make (walker/code/insn.c).
    yield script('disasm', capture, b'test', '--itrace=i1us', '--xed', '-F', 'ip,insn', *symfs,
                 spare='libcapstone')
    yield script('stacks', capture, b'main', '--itrace=i1usg8l4', *symfs)
    yield script('dump', capture, b'PSB', '-D')
    yield script('log', capture, b'MTC 0x', '--itrace=ed+o', *symfs)
    if args.filter:
        yield script('filter', capture, b'late', '--itrace=i1usgl', '--dlfilter', args.filter,
                     '--dlarg', 'a', *symfs)
    yield script('symbols', capture, b'main', '-F', 'ip,sym,symoff,dso', '--itrace=i1us', *symfs)
    yield script('pipe', capture, b'=>', '--itrace=be', *symfs,
                 stdin=os.path.join(capture, 'perf.data'))
    big = folder('big')  # so big that it goes into a temporary file
    memory.recording(os.path.join(big, 'perf.data'), True, 70 * memory.MIB)
    yield script('big pipe', big, b'the last', '--no-itrace', '--show-task-events',
                 stdin=os.path.join(big, 'perf.data'))
    unpacked = folder('unpacked')  # the same for what comes out of compressed records
    much_unpacked(os.path.join(unpacked, 'perf.data'))
    yield script('unpacked', unpacked, b'the last', '-F', 'comm,ip')
    names = folder('names')
    case(names, 'stacks', 'callchain')
    with open(os.path.join(names, 'list'), 'w', encoding='ascii') as f:
        f.write('other\nprog\n')
    yield script('names', names, b'prog', '--comms', 'file://list', '-F', 'comm,ip')
    header = folder('header')
    case(header, 'features', 'every_section')
    yield script('header', header, b'hostname', '--header', '-I')
    yield Scene('evlist', [args.ptscript, 'evlist', '-v', '-i', 'perf.data'], header, b'type')
    yield Scene('time', [args.ptscript, 'time'], capture, b'lost: nothing')
    indexed = folder('indexed')
    shutil.copy(CAPTURE, indexed)
    subprocess.run([args.ptscript, 'time', '--index'], cwd=indexed, check=True,
                   stdout=subprocess.DEVNULL)
    yield script('indexed', indexed, b'=>', '--itrace=be', '--time', '246695.8753,246695.8754',
                 *symfs)
    yield Scene('index', [args.ptscript, 'time', '--index'], indexed, b'lost: nothing')
    hit = folder('hit')
    case(hit, 'buildids', 'hit_without_ids')
    yield Scene('buildids', [args.ptscript, 'buildid-list', '-H', '-i', 'perf.data'], hit,
                b'/usr/bin/prog')
    kept = folder('store')
    known_by_id(kept)
    yield Scene('store', [args.ptscript, 'buildid-list', '--store', '--buildid-dir', '{out}/cache',
                          '-i', 'perf.data'], kept, b'OK ', made=stored, sums=True)
    bundle = [args.ptscript, 'bundle', *symfs, 'perf.data', '-o']
    yield Scene('bundle', bundle + ['{out}/b.tar.zst'], capture, b' files, ', made=recorded,
                sums=True)
    subprocess.run(bundle + ['b.tar.zst', '--overwrite'], cwd=capture, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield Scene('unbundle', [args.ptscript, '-i', 'b.tar.zst', '--itrace=be'], capture, b'=>')
    inject = [args.ptscript, 'inject', *symfs, '-i', 'perf.data', '--itrace=i20il', '-o']
    yield Scene('inject', inject + ['{out}/new'], capture, b'new ', made=recorded, sums=True)
    yield Scene('inject pipe', inject + ['-'], capture, b'PERFILE2')
    guest = folder('guest')
    case(guest, 'guest_data', 'options')
    yield Scene('inject guest', [args.ptscript, 'inject', '-i', 'perf.data', '-o', '{out}/new',
                                 '--guest-data=guest.data,4242,0xffffff0012345678'], guest, b'new ',
                made=recorded, sums=True)
    machines = folder('machines')
    case(machines, 'vm_time', 'several_machines')
    yield Scene('inject times', [args.ptscript, 'inject', '-i', '{out}/perf.data', '--force',
                                 '--vm-time-correlation'], machines, b'perf.data.old ', made=recorded,
                sums=True, copied=os.path.join(machines, 'perf.data'))
    report = [args.ptscript, 'report', *symfs, '-i', 'perf.data']
    yield Scene('report', report + ['--itrace=i900ig', '-g', 'caller'], capture, b'Children',
                sums=True)
    yield Scene('report branches', report + ['--itrace=i900il', '-d', 'mix'], capture,
                b'Source Symbol', sums=True)
    export = [args.ptscript, 'export', *symfs, '-i', 'perf.data', '--itrace=ci20ig', '--calls', '--to',
              'sqlite', '-o', '{out}/new']
    yield Scene('export', export, capture, b'new ', made=recorded, sums=True)
    deep = folder('deep')
    dumped_stacks(deep)
    yield Scene('report unwound', [args.ptscript, 'report', '-i', 'perf.data'], deep, b'deep::outer',
                sums=True)
    yield script('lines', deep, b'deep.cc:', '-F', 'ip,sym,srcline,srccode', '-G')
    yield script('unwound', deep, b'deep::outer', '-F', '+srcline')
    tp = folder('tracepoints')
    case(tp, 'tracepoints', 'expressions')
    yield script('tracepoints', tp, b':')
    kf = folder('kernel')
    case(kf, 'kernel_files', 'names_of_kallsyms')
    yield script('kallsyms', kf, b'startup_64', '--kallsyms', 'kallsyms')
    yield script('vmlinux', kf, b'startup_64', '--vmlinux', 'vmlinux')
    packed = folder('packed')
    case(packed, 'containers', 'compressed_in_pieces')
    yield script('packed', packed, b'_start', '--itrace=be', '--symfs', 'symfs')
    parts = folder('parts')
    case(parts, 'containers', 'directory')
    yield script('directory', parts, b'', '--itrace=be', '--symfs', 'symfs')
    raw = folder('raw')
    yield Scene('raw', [args.ptscript, 'script', *bare_trace(raw), *symfs], raw, b'=>')
    yield Scene('rows', [args.rows, 'perf.data', SYMFS], capture, b'main', sums=True)
    yield Scene('records', [args.records, 'perf.data'], capture, b'MMAP2')
    yield Scene('ptrecord', [args.ptrecord, '-o', '{out}/perf.data', '--symfs', '{out}/symfs',
                             '--truth', '{out}/truth', '--', '/bin/true'], capture, b'perf.data',
                made=recorded, sums=True, errors=MEMORY_ERRORS)
