"""injected.py - a perf.data file in a few lines, of which none is the same when it differs.

SPDX-License-Identifier: MIT

All bytes count but the path of the program that is said to have made it, and of files of
jitdumps (inject -j) build ids, which are random in perf, and where they are on the disk.
"""
import glob
import hashlib
import itertools
import os
import struct

BUILD_ID, CMDLINE = 2, 11
MMAP2 = 10
JITTED = b'jitted-'


def digest(data):
    return '%d bytes %s' % (len(data), hashlib.sha256(data).hexdigest()[:24])


def strings(section):
    """The words of a CMDLINE section."""
    at, found = 4, []
    for _ in range(struct.unpack_from('<I', section)[0]):
        n = struct.unpack_from('<I', section, at)[0]
        found.append(section[at + 4:at + 4 + n].rstrip(b'\0').decode())
        at += 4 + n
    return found


def records(data, at, end):
    while at < end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        more = 0
        if kind == 71:
            more = struct.unpack_from('<Q', data, at + 8)[0]
        elif kind == 66:
            more = struct.unpack_from('<I', data, at + 8)[0]
        if size < 8:
            raise ValueError('a record of %d bytes at %d' % (size, at))
        r = data[at:at + size + more]
        if kind == MMAP2 and JITTED in r:
            r = r[:40] + bytes(16) + r[56:]  # device and inode
        yield kind, r
        at += size + more


def of_records(found):
    """A line for each run of records of one type."""
    for kind, group in itertools.groupby(found, key=lambda r: r[0]):
        group = [r[1] for r in group]
        yield 'record %d: %d, %s' % (kind, len(group), digest(b''.join(group)))


def without_made_ids(section):
    at, out = 0, b''
    while at < len(section):
        size = struct.unpack_from('<H', section, at + 6)[0]
        r = section[at:at + size]
        out += r[:12] + bytes(20) + r[32:] if JITTED in r else r
        at += size
    return out


def feature(number, section):
    if number == BUILD_ID:
        section = without_made_ids(section)
    if number == CMDLINE:
        return 'feature %d: %r' % (number, strings(section)[1:])
    return 'feature %d: %s' % (number, digest(section))


def of_pipe(data):
    for kind, r in records(data, 16, len(data)):
        yield ('record %d: feature %d %r' % (kind, CMDLINE, strings(r[16:])[1:])
               if kind == 80 and r[8] == CMDLINE else 'record %d: %s' % (kind, digest(r)))


def of_file(data):
    attr, attrs, attrs_size, off, size = struct.unpack_from('<5Q', data, 16)
    bits = int.from_bytes(data[72:104], 'little')
    numbers = [i for i in range(256) if bits >> i & 1]
    yield 'header: attr %d at %d, %d; data at %d, %d; features %r' % (
        attr, attrs, attrs_size, off, size, numbers)
    yield 'ids: ' + digest(data[104:attrs])
    yield 'attrs: ' + digest(data[attrs:attrs + attrs_size])
    yield 'between: %s' % ('zeros' if not any(data[attrs + attrs_size:off]) else 'bytes')
    yield from of_records(records(data, off, off + size))
    rows = [struct.unpack_from('<QQ', data, off + size + 16 * i) for i in range(len(numbers))]
    for number, (at, n) in zip(numbers, rows):
        yield 'at %d, ' % at + feature(number, data[at:at + n])
    end = max([at + n for at, n in rows] + [off + size + 16 * len(rows)])
    yield 'behind: ' + digest(data[end:])


def of_directory(path):
    for at, _, names in sorted(os.walk(path)):
        for name in sorted(names):
            file = os.path.join(at, name)
            yield 'file ' + os.path.relpath(file, path)
            yield from summary(file)


def summary(path):
    if os.path.isdir(path):
        return list(of_directory(path))
    with open(path, 'rb') as f:
        data = f.read()
    if len(data) < 16 or data[:8] != b'PERFILE2':
        return ['no perf.data: ' + digest(data)]
    pipe = struct.unpack_from('<Q', data, 8)[0] == 16
    return list(of_pipe(data) if pipe else of_file(data))


def made(folder):
    """A line for each file that a jitdump became, which are removed."""
    for path in sorted(glob.glob(os.path.join(folder, '**', 'jitted-*'), recursive=True)):
        with open(path, 'rb') as f:
            data = f.read()
        mode = os.stat(path).st_mode & 0o777
        os.unlink(path)
        at = data.index(b'GNU\0') + 4
        yield 'made %s %o: %s' % (os.path.relpath(path, folder), mode,
                                  digest(data[:at] + bytes(20) + data[at + 20:]))


def changes(before, after):
    """A line for each stretch of bytes that is not the same in a file that was changed in place."""
    with open(before, 'rb') as a, open(after, 'rb') as b:
        old, new = a.read(), b.read()
    if len(old) != len(new):
        yield '%d bytes became %d' % (len(old), len(new))
        return
    differ = [i for i, (x, y) in enumerate(zip(old, new)) if x != y]
    for _, group in itertools.groupby(differ, key=lambda i, n=itertools.count(): i - next(n)):
        at = list(group)
        yield 'at %d: %s became %s' % (at[0], old[at[0]:at[-1] + 1].hex(),
                                       new[at[0]:at[-1] + 1].hex())
