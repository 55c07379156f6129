"""perfedit.py - a perf.data file taken apart, to be changed and written again.

SPDX-License-Identifier: MIT

For recordings as perf record writes them on x86: 128 bytes of attributes, ids behind every record
of the kernel (tid, time, cpu if it is recorded, identifier).
"""
import struct

import mkfeat
import mkperf

AUX, ITRACE_START, SWITCH_WIDE = 11, 12, 15
ID_INDEX, AUXTRACE_INFO, AUXTRACE, CPU_MAP = 69, 70, 71, 74
CPU = 1 << 7  # in sample_type


class RawAttr:
    """An event's attributes as bytes, and its ids."""

    def __init__(self, raw, ids):
        self.raw, self.ids, self.size = bytearray(raw), ids, len(raw)

    def bytes(self, _pack=None):
        return bytes(self.raw)

    def get(self, off, fmt):
        return struct.unpack_from('<' + fmt, self.raw, off)[0]

    def put(self, off, fmt, value):
        struct.pack_into('<' + fmt, self.raw, off, value)

    kind = property(lambda s: s.get(0, 'I'), lambda s, v: s.put(0, 'I', v))
    config = property(lambda s: s.get(8, 'Q'), lambda s, v: s.put(8, 'Q', v))
    sample_type = property(lambda s: s.get(24, 'Q'), lambda s, v: s.put(24, 'Q', v))
    flags = property(lambda s: s.get(40, 'Q'), lambda s, v: s.put(40, 'Q', v))


class Rec:
    """A record.  who: [pid, tid, time, cpu, 0, id] of those of the kernel that are no samples;
    no_cpu: it is written without the CPU.  trace: what follows an AUXTRACE."""

    def __init__(self, kind, misc, body, who=None):
        self.kind, self.misc, self.body, self.who = kind, misc, bytearray(body), who
        self.trace, self.no_cpu = b'', False

    time = property(lambda s: s.who[2] if s.who else 0)

    def get(self, off, fmt):
        return struct.unpack_from('<' + fmt, self.body, off)[0]

    def put(self, off, fmt, value):
        struct.pack_into('<' + fmt, self.body, off, value)

    def bytes(self):
        tail = struct.pack('<IIQIIQ', *self.who) if self.who else b''
        if self.no_cpu:
            tail = tail[:16] + tail[24:]
        return struct.pack('<IHH', self.kind, self.misc,
                           8 + len(self.body) + len(tail)) + bytes(self.body) + tail

    def copy(self):
        rec = Rec(self.kind, self.misc, self.body, list(self.who) if self.who else None)
        rec.trace, rec.no_cpu = self.trace, self.no_cpu
        return rec


class File:
    def __init__(self, path):
        with open(path, 'rb') as f:
            data = f.read()
        _, _, size, at, length, begin, count = struct.unpack_from('<7Q', data)
        self.attrs = [self._attr(data, i, size) for i in range(at, at + length, size)]
        self.no_cpu = all(not a.sample_type & CPU for a in self.attrs)
        self.records = list(self._records(data, begin, begin + count))
        self.features = dict(self._features(data, begin + count))
        self.shift, self.mult, self.zero = struct.unpack_from('<3Q', self.of(AUXTRACE_INFO)[0].body, 16)

    @staticmethod
    def _attr(data, at, size):
        off, length = struct.unpack_from('<QQ', data, at + size - 16)
        return RawAttr(data[at:at + size - 16], list(struct.unpack_from('<%dQ' % (length // 8), data, off)))

    def _records(self, data, at, end):
        while at < end:
            kind, misc, size = struct.unpack_from('<IHH', data, at)
            body, who = data[at + 8:at + size], None
            if kind < 64 and kind != 9 and self.no_cpu:
                body, tail = body[:-24], body[-24:]
                who = list(struct.unpack('<IIQIIQ', tail[:16] + bytes(8) + tail[16:]))
            elif kind < 64 and kind != 9:
                body, who = body[:-32], list(struct.unpack('<IIQIIQ', body[-32:]))
            rec = Rec(kind, misc, body, who)
            rec.no_cpu = self.no_cpu and who is not None
            at += size
            if kind == AUXTRACE:
                rec.trace = data[at:at + rec.get(0, 'Q')]
                at += len(rec.trace)
            yield rec

    @staticmethod
    def _features(data, at):
        bits = int.from_bytes(data[72:104], 'little')
        for bit in range(256):
            if bits >> bit & 1:
                off, size = struct.unpack_from('<QQ', data, at)
                at += 16
                yield bit, data[off:off + size]

    def of(self, kind):
        return [r for r in self.records if r.kind == kind]

    # The clock of the recording, as perf converts it.
    def ns(self, tsc):
        return (self.zero + (tsc >> self.shift) * self.mult
                + ((tsc & (1 << self.shift) - 1) * self.mult >> self.shift)) % 2**64

    def tsc(self, ns):
        t = (ns - self.zero) % 2**64
        return (t // self.mult << self.shift) + ((t % self.mult) << self.shift) // self.mult

    def set_traces(self, traces, flags=0):
        """{number of the buffer, and CPU: bytes} for what was there, with an AUX record each."""
        first, record = self.of(AUXTRACE)[0], self.of(AUX)[0]
        at = self.records.index(first)
        self.records = [r for r in self.records if r.kind not in (AUX, AUXTRACE)]
        for cpu, data in reversed(traces.items()):
            piece, aux = first.copy(), record.copy()
            piece.trace = mkperf.pad8(data)
            for off, fmt, value in ((0, 'Q', len(piece.trace)), (24, 'I', cpu), (32, 'I', cpu)):
                piece.put(off, fmt, value)
            aux.body[:] = struct.pack('<QQQ', 0, len(piece.trace), flags)
            aux.who[3] = cpu
            self.records[at:at] = [piece, aux]

    def describe(self, names):
        """The list of events, after changes of them."""
        self.features[mkperf.FEATURES['event_desc']] = mkfeat.Features().event_desc(
            [(a.bytes(), name, a.ids) for a, name in zip(self.attrs, names)])

    def write(self, path):
        out = mkperf.PerfData.__new__(mkperf.PerfData)
        mkperf.Recording.__init__(out, [], 0, 0)
        out.attrs, out.with_index, out.aux_at = self.attrs, True, []
        out.features = {k: v for k, v in self.features.items() if k != mkperf.FEATURES['auxtrace']}
        for rec in self.records:
            if rec.kind == AUXTRACE:
                out.aux_at.append(len(out.chunks))
            out.chunks.append(rec.bytes())
            if rec.kind == AUXTRACE:
                out.chunks.append(rec.trace)
        out.write(path)
