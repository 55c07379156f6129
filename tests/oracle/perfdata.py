# perfdata.py - writes small perf.data files that hold samples of a software event.
#
# SPDX-License-Identifier: MIT
#
# perf 6.1 reads them; they need no hardware and no features.
import struct

SAMPLE_TYPE = 0x10007  # IP TID TIME IDENTIFIER


def record(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def padded(text):
    return text + b'\0' * (8 - len(text) % 8)


class Writer:
    """Collects records of one process; every record gets the next time stamp."""

    def __init__(self, pid=4242):
        self.pid = pid
        self.time = 1000
        self.records = []
        self.add(3, 0, struct.pack('<II', pid, pid) + padded(b't'))  # COMM

    def add(self, kind, misc, body):
        self.time += 1000
        tail = struct.pack('<IIQQ', self.pid, self.pid, self.time, 1)
        self.records.append(record(kind, misc, body + tail))

    def mmap(self, start, length, pgoff, name, build_id=None, flags=2):
        head = struct.pack('<IIQQQ', self.pid, self.pid, start, length, pgoff)
        if build_id:
            ids = struct.pack('<B3x20s', len(build_id), build_id)
        else:
            ids = struct.pack('<IIQQ', 0, 0, 0, 0)
        misc = 2 | (1 << 14 if build_id else 0)
        self.add(10, misc, head + ids + struct.pack('<II', 5, flags) + padded(name.encode()))

    def sample(self, ip):
        self.time += 1000
        self.records.append(record(9, 2, struct.pack(
            '<QQIIQ', 1, ip, self.pid, self.pid, self.time)))

    def write(self, path):
        flags = 1 << 18 | 1 << 8 | 1 << 9 | 1 << 13 | 1 << 23  # sample_id_all mmap comm
        attr = struct.pack('<IIQQQQQ', 1, 128, 0, 1, SAMPLE_TYPE, 4, flags).ljust(128, b'\0')
        data = b''.join(self.records)
        ids_at = 104
        attrs_at = ids_at + 8
        data_at = attrs_at + len(attr) + 16
        head = b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, 128 + 16, attrs_at, 128 + 16,
                                         data_at, len(data), 0, 0)
        with open(path, 'wb') as out:
            out.write(head + bytes(32) + struct.pack('<Q', 1))
            out.write(attr + struct.pack('<QQ', ids_at, 8) + data)
