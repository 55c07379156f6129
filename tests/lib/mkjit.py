"""mkjit.py - jitdump files: code that a compiler made at run time.

SPDX-License-Identifier: MIT
"""
import struct

LOAD, MOVE, DEBUG, CLOSE, UNWIND = range(5)
HEADER = 40


class Jitdump:
    """Records go in by the methods below; bytes() is the file."""

    def __init__(self, pid, ticks=True, order='<', machine=62, time=0, version=1):
        self.pid, self.order = pid, order
        self.data = self.pack('IIIIIIQQ', 0x4a695444, version, HEADER, machine, 0, pid, time,
                              int(ticks))

    def pack(self, form, *values):
        return struct.pack(self.order + form, *values)

    def record(self, kind, time, body):
        self.data += self.pack('IIQ', kind, 16 + len(body), time) + body
        return self

    def load(self, time, addr, code, name, index):
        return self.record(LOAD, time, self.pack('IIQQQQ', self.pid, self.pid, addr, addr, len(code),
                                                 index) + name.encode() + b'\0' + code)

    def move(self, time, old, new, size, index):
        return self.record(MOVE, time, self.pack('IIQQQQQ', self.pid, self.pid, new, old, new, size,
                                                 index))

    def lines(self, time, addr, entries):
        """entries: (address, line, file); a file of None is that of the entry before."""
        body = self.pack('QQ', addr, len(entries))
        for at, line, file in entries:
            name = b'\xff' if file is None else file.encode()
            body += self.pack('QII', at, line, 0) + name + b'\0'
        return self.record(DEBUG, time, body)

    def unwind(self, time):
        return self.record(UNWIND, time, self.pack('QQQ', 24, 16, 0) + bytes(24))

    def close(self, time):
        return self.record(CLOSE, time, b'')


def stamped(data, times):
    """A dump whose times are numbers, with the time of each number in its place."""
    out, at = bytearray(data), HEADER
    while at + 16 <= len(out):
        _, size, number = struct.unpack_from('<IIQ', out, at)
        struct.pack_into('<Q', out, at + 8, times[number])
        at += size
    return bytes(out)
