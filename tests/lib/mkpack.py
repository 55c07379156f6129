"""mkpack.py - the containers around records: compressed records, directories.

SPDX-License-Identifier: MIT

zstd frames are written here as the format's document says (RFC 8878), stored or as runs of
one byte, so that a case can cut and damage them where it wants; packed() calls zstd.
"""
import os
import struct
import subprocess

COMPRESSED, COMPRESSED2 = 81, 83


def _block(kind, size, body, last=False):
    return struct.pack('<I', last | kind << 1 | size << 3)[:3] + body


def stored(data, block=4096):
    """A zstd frame that holds data as it is."""
    blocks = [data[i:i + block] for i in range(0, len(data), block)] or [b'']
    return (struct.pack('<IBB', 0xfd2fb528, 0, 7 << 3)  # window of 128 KiB
            + b''.join(_block(0, len(b), b, b is blocks[-1]) for b in blocks))


def repeated(byte, count, block=100000):
    """A frame of the same byte, very much smaller than what it holds."""
    sizes = [block] * (count // block) + ([count % block] if count % block else [])
    return (struct.pack('<IBB', 0xfd2fb528, 0, 7 << 3)
            + b''.join(_block(1, n, bytes([byte]), i + 1 == len(sizes))
                       for i, n in enumerate(sizes)))


def packed(data):
    """A frame as perf record would write it, more or less."""
    return subprocess.run(['zstd', '-q', '-c', '-'], input=data, stdout=subprocess.PIPE,
                          check=True).stdout


def feature(pack, mmap_len=528384):
    """HEADER_COMPRESSED: version, type, level, ratio and the most one record may hold."""
    return pack('IIIII', 0, 1, 1, 4, mmap_len)


def records(d, stream, piece=60000, kind=COMPRESSED, between=b''):
    """A zstd stream as records of at most `piece` bytes of it each, as one list of chunks.
    between: a record to put between them."""
    out = []
    for i in range(0, len(stream), piece):
        body = stream[i:i + piece]
        if kind == COMPRESSED2:
            body = d.pack('Q', len(body)) + body + b'\0' * (-len(body) % 8)
        out += [d.pack('IHH', kind, 0, 8 + len(body)) + body, between]
    return [chunk for chunk in out[:-1] if chunk]


def is_kernels(d, chunk):
    """Whether a chunk is a record of the kernel: perf record packs these, and no others."""
    return int.from_bytes(chunk[:4], {'<': 'little', '>': 'big'}[d.pack.order]) < 64


def pack(d, how=packed, with_feature=True, **kw):
    """Packs the kernel's records of d: each run of them is one frame.  kw: see records."""
    after_aux = {i + 1 for i in getattr(d, 'aux_at', [])}  # trace, which is no record
    chunks, run, aux_at = [], [], []

    def flush():
        if run:
            chunks.extend(records(d, how(b''.join(run)), **kw))
            run.clear()
    for i, chunk in enumerate(d.chunks):
        if i not in after_aux and is_kernels(d, chunk):
            run.append(chunk)
            continue
        flush()
        if i + 1 in after_aux:
            aux_at.append(len(chunks))
        chunks.append(chunk)
    flush()
    d.chunks = chunks
    if hasattr(d, 'aux_at'):
        d.aux_at = aux_at
    if with_feature:
        d.features['compressed'] = feature(d.pack)
    return d


def write_dir(d, path, files, version=1):
    """d as DIR/data, each of `files` (name: Recording) as raw records beside it."""
    os.makedirs(path, exist_ok=True)
    if version is not None:
        d.features['dir_format'] = d.pack('Q', version)
    d.write(os.path.join(path, 'data'))
    for name, other in files.items():
        with open(os.path.join(path, name), 'wb') as f:
            f.write(b''.join(other.chunks))
