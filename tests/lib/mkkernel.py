#!/usr/bin/env python3
"""mkkernel.py - makes testdata/kernel from recordings of a whole system.

SPDX-License-Identifier: MIT

    mkkernel.py UNPACKED TO [NAME...]

UNPACKED has NAME/{perf.dir/{data,kcore_dir},symfs,truth.cpu0.bin}.  Written are

    TO/NAME.tar.xz     perf.dir, its kcore_dir with what was executed
    TO/images.tar.xz   the programs that ran, the same; those of testdata/symfs are left out
    TO/NAME.ips        what was executed: one line for each CHUNK lines of `-F tid,ip`

Code is kept in pieces of PIECE bytes, around what was executed; all else is zero.  Of the list of
symbols those lines are kept that name executed code, those around them, and what tells how
far the kernel and its modules reach.  What perf prints is the same (check, with perf installed:
`--itrace=cr` of both).
"""
import bisect
import collections
import hashlib
import io
import lzma
import os
import re
import struct
import subprocess
import sys
import tarfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
PIECE = 64
CHUNK = 65536
WIDTH = 24  # of a line, of any thread below 100000
LONGEST = 15  # bytes of an instruction
SHT_PROGBITS, SHF_ALLOC = 1, 2
KEPT = {b'_text', b'_stext', b'_etext', b'_end', b'__switch_to', b'__perf_event_task_sched_out',
        b'perf_trace_sched_switch', b'__entry_SYSCALL_64_trampoline'}


def truth(file):
    with open(file, 'rb') as f:
        return struct.iter_unpack('<IQ', f.read())


def line(tid, ip):
    """What -F tid,ip prints, or -F ip."""
    return (b'' if tid is None else b'%5d ' % tid) + b' %16x\n' % ip


def digests(pairs):
    """Of lines, CHUNK of them each."""
    text, out = [], []
    for tid, ip in pairs:
        text.append(line(tid, ip))
        if len(text) == CHUNK:
            out.append(hashlib.sha256(b''.join(text)).hexdigest())
            text = []
    out.append(hashlib.sha256(b''.join(text)).hexdigest())
    return out


def pieces(offsets):
    """The numbers of the pieces that instructions at these offsets lie in."""
    found = set()
    for off in offsets:
        found.add(off // PIECE)
        found.add((off + LONGEST - 1) // PIECE)
    return found


def keep(data, begin, end, wanted):
    """Zeros in data[begin:end] where no piece is wanted."""
    for at in range(begin, end, PIECE):
        stop = min(end, (at // PIECE + 1) * PIECE)
        if at // PIECE not in wanted:
            data[at:stop] = bytes(stop - at)


def loads(elf):
    """(offset, address, size) of its PT_LOAD headers; 64 bit."""
    at, = struct.unpack_from('<Q', elf, 32)
    size, count = struct.unpack_from('<HH', elf, 54)
    for i in range(count):
        kind, _, off, addr, _, length = struct.unpack_from('<IIQQQQ', elf, at + i * size)
        if kind == 1:
            yield off, addr, length


def sections(elf):
    """(type, flags, offset, size) of its sections; 32 and 64 bit."""
    wide = elf[4] == 2
    at, = struct.unpack_from('<Q' if wide else '<I', elf, 40 if wide else 32)
    size, count = struct.unpack_from('<HH', elf, 58 if wide else 46)
    for i in range(count):
        head = struct.unpack_from('<IIQQQQ' if wide else '<IIIIII', elf, at + i * size)
        yield head[1], head[2], head[4], head[5]


def prune_kcore(elf, ips):
    data = bytearray(elf)
    segments = list(loads(elf))
    for off, addr, size in segments:
        inside = [ip - addr + off for ip in ips if addr <= ip < addr + size]
        keep(data, off, off + size, pieces(inside))
    return bytes(data)


def prune_image(elf, offsets):
    data, wanted = bytearray(elf), pieces(offsets)
    for kind, flags, off, size in sections(elf):
        if kind == SHT_PROGBITS and flags & SHF_ALLOC:
            keep(data, off, off + size, wanted)
    return bytes(data)


def prune_kallsyms(text, ips):
    lines = [(int(m[1], 16), m[2], m[0])
             for m in re.finditer(rb'([0-9a-f]+) . (\S+)(?:\t\S+)?\n', text)]
    by_addr = sorted(range(len(lines)), key=lambda i: lines[i][0])
    addrs = [lines[i][0] for i in by_addr]
    kept = {i for i in by_addr if lines[i][1] in KEPT}
    for ip in ips:
        behind = bisect.bisect_right(addrs, ip)
        begin = bisect.bisect_left(addrs, addrs[behind - 1])
        # those behind it, too: they say where this one ends
        end = bisect.bisect_right(addrs, addrs[min(behind, len(addrs) - 1)])
        kept.update(by_addr[begin:end])
    owners = collections.defaultdict(list)
    for i in by_addr:
        owners[lines[i][2].partition(b'\t')[2]].append(i)
    for own in owners.values():
        kept.update(own[:2] + own[-2:])
    return b''.join(lines[i][2] for i in sorted(kept))


def records(recording, which):
    return subprocess.run(['perf', 'script', '-i', recording, '--no-itrace', which],
                          capture_output=True, text=True, check=True).stdout


def changed(recording):
    """Addresses of code that the kernel made or changed: perf names them, too."""
    found = re.finditer(r'(?:TEXT_POKE|KSYMBOL addr) ([0-9a-f]+)',
                        records(recording, '--show-text-poke-events')
                        + records(recording, '--show-bpf-events'))
    return [int(m[1], 16) for m in found]


def maps(recording):
    """(start, size, offset, path) of mapped code."""
    out = records(recording, '--show-mmap-events')
    found = re.finditer(r'\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .*: r-xp (/\S+)', out)
    return {(int(m[1], 16), int(m[2], 16), int(m[3], 16), m[4]) for m in found}


def executed_files(mapped, ips):
    """{path: offsets of instructions}; too many where programs lie at the same addresses."""
    found = collections.defaultdict(set)
    for start, size, off, path in mapped:
        inside = {ip - start + off for ip in ips if start <= ip < start + size}
        if inside:
            found[path] |= inside
    return found


def write_tar(path, files):
    with lzma.open(path, 'wb', preset=9 | lzma.PRESET_EXTREME) as x:
        with tarfile.open(fileobj=x, mode='w') as tar:
            for name, data in sorted(files.items()):
                info = tarfile.TarInfo(name)
                info.size = len(data)
                info.mode = 0o755 if data[:4] == b'\x7fELF' else 0o644
                tar.addfile(info, io.BytesIO(data))
    print('%s: %d files, %d bytes' % (path, len(files), os.path.getsize(path)))


def read(*path):
    with open(os.path.join(*path), 'rb') as f:
        return f.read()


def make(base, to, name, offsets):
    recording = os.path.join(base, name, 'perf.dir')
    ran = list(truth(os.path.join(base, name, 'truth.cpu0.bin')))
    ips = sorted({ip for _, ip in ran})
    kernel = [ip for ip in ips if ip >> 63]
    core = os.path.join(recording, 'kcore_dir')
    write_tar(os.path.join(to, name + '.tar.xz'), {
        'perf.dir/data': read(recording, 'data'),
        'perf.dir/kcore_dir/kcore': prune_kcore(read(core, 'kcore'), kernel),
        'perf.dir/kcore_dir/kallsyms': prune_kallsyms(read(core, 'kallsyms'),
                                                      kernel + changed(recording)),
        'perf.dir/kcore_dir/modules': read(core, 'modules')})
    with open(os.path.join(to, name + '.ips'), 'w') as f:
        f.write(''.join(d + '\n' for d in digests(ran)))
    for path, inside in executed_files(maps(recording), ips).items():
        offsets[path] |= inside


def main():
    base, to, *names = sys.argv[1:]
    os.makedirs(to, exist_ok=True)
    offsets = collections.defaultdict(set)
    for name in names or ['k1', 'k9']:
        make(base, to, name, offsets)
    symfs = os.path.join(base, (names or ['k1'])[0], 'symfs')
    files = {'symfs' + path: prune_image(read(symfs + path), inside)
             for path, inside in offsets.items()
             if os.path.exists(symfs + path)
             and not os.path.exists(TOP + '/testdata/symfs/usr' + path)
             and not os.path.exists(TOP + '/testdata/symfs/usr' + path.replace(
                 '/lib64/', '/lib/x86_64-linux-gnu/'))}
    for where, _, there in os.walk(os.path.join(symfs, '.debug')):
        for file in there:
            if file == 'vdso':
                path = os.path.join(where, file)
                files['symfs' + path[len(symfs):]] = read(path)
    write_tar(os.path.join(to, 'images.tar.xz'), files)


if __name__ == '__main__':
    main()
