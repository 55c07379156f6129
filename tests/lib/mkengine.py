#!/usr/bin/env python3
"""mkengine.py - makes testdata/engine from a recording of node.

SPDX-License-Identifier: MIT

    ptrecord -o data --cpus 1 --no-vdso -- node --perf-prof --single-threaded \
             --allow-natives-syntax tests/recorder/programs/engine.js
    mkengine.py --ptscript PROGRAM FOLDER FROM TO OUT

FOLDER has `data` and its jitdump; FROM and TO are times.  What is kept:

    OUT/node.tar.xz   the trace between these times, all records; the jitdump with the times of the
                      recording in place of the machine's; of the programs and of the functions in
                      the dump the code that was executed, all else is zero; few of the functions
                      that were not
    OUT/node.sums     what perf prints of it after perf inject -j: a digest for each set of options

ptrecord has a clock of its own.  The time of an entry of the dump is that of the call that
asked for it (clock_gettime, of which --no-vdso makes a real one).
"""
import argparse
import collections
import glob
import os
import re
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'oracle'))
import engine  # noqa: E402
import mkelf  # noqa: E402
import mkkernel  # noqa: E402
import perfedit  # noqa: E402

PSB = b'\x02\x82' * 8
LOAD, OTHERS = 0, 16
MMAP2, AUX = 10, 11
HEADS = 128  # of an ELF file: its own, that of a segment, aligned
TOLD = 'PerfJit'  # in the names of the functions that write the dump


def ns(text):
    sec, frac = text.split('.')
    return int(sec) * 10**9 + int(frac.ljust(9, '0'))


def decoded(program, folder, *options):
    return subprocess.run([program, 'script', '-i', 'data', '--ns'] + list(options), cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True).stdout.decode('latin-1')


def asked(program, folder):
    """When the dump's writer asked for the time."""
    out = decoded(program, folder, '--itrace=be', '-F', 'time,ip,sym,addr')
    return [ns(m[1]) for m in re.finditer(r'(?m)^ *([\d.]+): .*%s.*=>.* clock_gettime@plt' % TOLD, out)]


def entries(dump):
    at = 40
    while at + 16 <= len(dump):
        kind, size = struct.unpack_from('<II', dump, at)
        yield at, kind, size
        at += size


def stamp(dump, times, f):
    """By the recording's clock, in ticks."""
    struct.pack_into('<QQ', dump, 24, f.tsc(times[0] - 1000), 1)
    places = [at for at, _, _ in entries(dump)]
    assert len(places) == len(times), 'entries without a time'
    for at, time in zip(places, times):
        struct.pack_into('<Q', dump, at + 8, f.tsc(time) + 1)


def elsewhere(dump, folder):
    """Names of functions tell where they are from: not this machine's folder."""
    old = folder.encode() + b'/'
    return dump.replace(old, (b'/' + b'home/' * 80)[:len(old) - 1] + b'/')


def prune_dump(dump, ips):
    """Functions that ran, and some of the others; what was not executed is zero."""
    kept, before, others = bytearray(dump[:40]), bytearray(), 0
    for at, kind, size in entries(dump):
        before += dump[at:at + size]
        if kind != LOAD:
            continue  # is of the function that comes next
        addr, length = struct.unpack_from('<QQ', dump, at + 32)
        begin = len(before) - length
        inside = [ip - addr + begin for ip in ips if addr <= ip < addr + length]
        others += not inside
        mkkernel.keep(before, begin, len(before), mkkernel.pieces(inside))
        if inside or others % OTHERS == 0:
            kept += before
        before.clear()
    return bytes(kept)


def cut(f, begin, end, program, folder):
    """The trace from PSB to PSB."""
    trace = b''.join(r.trace for r in f.of(perfedit.AUXTRACE))
    starts = [m.start() for m in re.finditer(re.escape(PSB), trace)]

    def time_of(at):
        tsc = trace.index(b'\x19', at + 16)
        return f.ns(int.from_bytes(trace[tsc + 1:tsc + 8], 'little'))
    last = [s for s in starts if time_of(s) <= begin][-1]
    stop = [s for s in starts if time_of(s) >= end][0]
    f.set_traces({0: trace[last:stop]})


def renamed(f, old, new):
    """The dump lies beside the recording."""
    for r in f.of(MMAP2):
        if bytes(r.body[64:]).rstrip(b'\0') == old.encode():
            r.body[64:] = new.encode().ljust(len(new) + 8 & ~7, b'\0')


def symbols(path, addrs):
    """[(name, address, size)] of the functions that these addresses of the file lie in."""
    found = {}
    for table in ([], ['-D']):
        out = subprocess.run(['nm', '-S'] + table + [path], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout.decode('latin-1')
        for m in re.finditer(r'(?m)^([0-9a-f]{16}) ([0-9a-f]{16}) [TtWwiu] (\S+)$', out):
            found.setdefault(int(m[1], 16), (m[3], int(m[2], 16)))
    kept = []
    for addr, (name, size) in sorted(found.items()):
        if any(addr <= a < addr + size for a in addrs.get(addr >> 12, ())):
            kept.append((name, addr, size))
    return kept


def by_page(addrs):
    """For each page the addresses in the 64 KB from there on."""
    out = collections.defaultdict(set)
    for a in addrs:
        for page in range(max(0, (a >> 12) - 64), (a >> 12) + 1):
            out[page].add(a)
    return out


def image(path, ident, offsets):
    """An ELF file with these pieces of code where they were, and names of them."""
    data = mkkernel.read(path)
    # a program that is not linked for an address of its own has offsets as they are
    place = [(off, va, size) for off, va, size in mkkernel.loads(data) if any(
        off <= o < off + size for o in offsets)]
    begin, end = min(p[0] for p in place), max(offsets) + 64
    code = bytearray(data[begin:end])
    mkkernel.keep(code, 0, len(code), mkkernel.pieces([o - begin for o in offsets]))
    moved = place[0][1] - place[0][0]
    assert all(va - off == moved for off, va, _ in place), path
    elf = mkelf.Elf(kind=2 if moved else 3)
    elf.section('.pad', mkelf.PROGBITS, 0, 0, bytes(begin - HEADS))
    text = elf.section('.text', mkelf.PROGBITS, mkelf.ALLOC | mkelf.EXEC, begin + moved, bytes(code))
    elf.build_id(bytes.fromhex(ident))
    elf.symbols('.symtab', mkelf.SYMTAB, [
        (name, 2, 1, 0, text, addr, size) for name, addr, size in symbols(
            path, by_page([o + moved for o in offsets]))])
    out = elf.bytes()
    assert out[begin:begin + len(code)] == code, path
    return out


def images(f, mapped, ips, ids):
    files = {}
    for path, offsets in mkkernel.executed_files(mapped, ips).items():
        if path in ids:
            files['cache%s/%s/elf' % (path, ids[path])] = image(path, ids[path], offsets)
    return files


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', required=True, type=os.path.abspath)
    ap.add_argument('folder')
    ap.add_argument('begin', type=ns)
    ap.add_argument('end', type=ns)
    ap.add_argument('out')
    args = ap.parse_args()
    path = glob.glob(args.folder + '/jit-*.dump')[0]
    name = os.path.basename(path)
    f, dump = perfedit.File(args.folder + '/data'), bytearray(mkkernel.read(path))
    stamp(dump, asked(args.ptscript, args.folder), f)
    mapped = mkkernel.maps(args.folder + '/data')
    ids = {p: i for i, p in re.findall(r'(\S+) (/\S+)', subprocess.run(
        ['perf', 'buildid-list', '-i', args.folder + '/data'], capture_output=True, text=True,
        check=True).stdout)}
    cut(f, args.begin, args.end, args.ptscript, args.folder)
    renamed(f, os.path.abspath(path), './' + name)
    work = os.path.join(args.folder, 'cut')
    os.makedirs(work, exist_ok=True)
    f.write(work + '/data')
    with open(os.path.join(work, name), 'wb') as out:
        out.write(dump)
    ips = sorted({int(ip, 16) for ip in decoded(
        args.ptscript, work, '--itrace=i0nse', '-F', 'ip').split()})
    files = {'data': mkkernel.read(work, 'data'), name: elsewhere(
        prune_dump(dump, ips), os.path.abspath(args.folder))}
    files.update(images(f, mapped, ips, ids))
    os.makedirs(args.out, exist_ok=True)
    mkkernel.write_tar(args.out + '/node.tar.xz', files)
    engine.write_sums(args.out)


if __name__ == '__main__':
    main()
