"""apart.py - takes the trace of a recording out of it, for what reads bare traces.

SPDX-License-Identifier: MIT

The recordings are those that data.py makes: one program, whose code stays where it is.
"""
import glob
import os
import struct

MMAP2, AUXTRACE = 10, 71
PROT_EXEC = 4


def records(data):
    """(type, record, what is behind it) of a perf.data file"""
    at, size = struct.unpack_from('<QQ', data, 40)
    end = at + size
    while at < end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        extra = struct.unpack_from('<Q', data, at + 8)[0] if kind == AUXTRACE else 0
        yield kind, data[at:at + size], data[at + size:at + size + extra]
        at += size + extra


def traces(path):
    """The bytes of each buffer, by its number. A piece goes to its offset: what pads the one
    before is overwritten."""
    with open(path, 'rb') as f:
        data = memoryview(f.read())
    found = {}
    for kind, record, piece in records(data):
        if kind == AUXTRACE:
            offset, _, index = struct.unpack_from('<QQI', record, 16)
            found.setdefault(index, bytearray())[offset:] = piece
    return found


def write(path, folder):
    """Files with the bytes of the buffers."""
    os.makedirs(folder, exist_ok=True)
    files = []
    for index, trace in sorted(traces(path).items()):
        files.append(os.path.join(folder, 'trace%d' % index))
        with open(files[-1], 'wb') as f:
            f.write(trace)
    return files


def images(path, symfs):
    """Lines of "ADDRESS OFFSET SIZE FILE" for ipt_block."""
    with open(path, 'rb') as f:
        data = memoryview(f.read())
    vdso = glob.glob(os.path.join(symfs, '.debug', '[[]vdso]', '*', 'vdso'))
    lines = []
    for kind, record, _ in records(data):
        if kind != MMAP2:
            continue
        addr, size, offset = struct.unpack_from('<QQQ', record, 16)
        name = bytes(record[72:]).split(b'\0')[0].decode()
        file = vdso[0] if name == '[vdso]' and vdso else symfs + name
        if struct.unpack_from('<I', record, 64)[0] & PROT_EXEC and os.path.isfile(file):
            lines.append('%x %x %x %s\n' % (addr, offset, size, file))
    return lines
