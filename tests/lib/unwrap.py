"""unwrap.py - takes a perf.data file apart: what those have who did not use perf record.

SPDX-License-Identifier: MIT

    u = Unwrapped(file)         ValueError when it is not of the plain kind
    files = u.write(folder, cpu)
    options = u.options(files)  for ptscript, in place of -i FILE

The trace of each buffer, and the kernel's records: those written on its CPU (which have a
time) and the others.  The settings come from AUXTRACE_INFO and the first intel_pt event.
"""
import os
import struct

SAMPLE, KERNEL_END = 9, 64
TIME_CONV, AUXTRACE_INFO, AUXTRACE = 79, 70, 71
TID, TIME, ID, CPU, STREAM, IDENTIFIER = 1 << 1, 1 << 2, 1 << 6, 1 << 7, 1 << 9, 1 << 16
IDS = TID | TIME | ID | STREAM | CPU | IDENTIFIER
SAMPLE_ID_ALL = 1 << 18
CYC, CONFIG_NORETCOMP, CONFIG_NO_TNT = 1 << 1, 1 << 11, 1 << 55
LOW_32 = (1 << 32) - 1


def records(data):
    """(type, bytes) of each record, for those without a payload behind them."""
    at = 0
    while at + 8 <= len(data):
        kind, _, size = struct.unpack_from('<IHH', data, at)
        yield kind, data[at:at + size]
        at += size


class Unwrapped:
    def __init__(self, path):
        with open(path, 'rb') as f:
            self.data = f.read()
        if self.data[:8] != b'PERFILE2' or self.u64(8) != 104:
            raise ValueError('not an ordinary file of this byte order')
        attrs_each, attrs, attrs_len, self.start, self.size = struct.unpack_from(
            '<QQQQQ', self.data, 16)
        self.attrs = [self.attr(attrs + i) for i in range(0, attrs_len, attrs_each)]
        self.info, self.records, self.trace = None, [], {}
        self.walk()
        types = {t & IDS for _, _, t, _ in self.attrs}
        if not self.info or not self.trace or len(types) != 1:
            raise ValueError('no trace, or several kinds of sample ids')
        if not all(flags & SAMPLE_ID_ALL for _, _, _, flags in self.attrs):
            raise ValueError('no sample ids')
        self.sample_type = types.pop()
        self.config = next((c for t, c, _, _ in self.attrs if t == self.info[0]), 0)
        self.info += (0,) * (18 - len(self.info))
        self.mtc_freq = 0
        if self.info[11]:
            self.mtc_freq = (self.config & self.info[11]) // (self.info[11] & -self.info[11])
        limits = ((1, 63), (2, LOW_32), (12, LOW_32), (13, LOW_32), (15, 255))
        if self.mtc_freq > 15 or any(self.info[i] > most for i, most in limits):
            raise ValueError('settings that no processor has')
        if self.config & CONFIG_NO_TNT:
            raise ValueError('a setting without an option')
        if any(len(pieces) > 1 for pieces in self.trace.values()):
            raise ValueError('pieces, which may overlap')
        self.has_clock = any(kind == TIME_CONV for kind, _ in self.records)

    def u64(self, at):
        return struct.unpack_from('<Q', self.data, at)[0]

    def attr(self, at):
        """type, config, sample_type, flags"""
        return (struct.unpack_from('<I', self.data, at)[0], self.u64(at + 8), self.u64(at + 24),
                self.u64(at + 40))

    def walk(self):
        at, end = self.start, self.start + self.size
        if end > len(self.data):
            raise ValueError('cut')
        while at + 8 <= end:
            kind, _, size = struct.unpack_from('<IHH', self.data, at)
            if size < 8 or at + size > end:
                raise ValueError('a record of an impossible size')
            record = self.data[at:at + size]
            if kind == AUXTRACE_INFO:
                words = record[16:]
                self.info = struct.unpack('<%dQ' % (len(words) // 8), words)
            elif kind == AUXTRACE:
                n, _, _, _, _, cpu = struct.unpack_from('<QQQIII', record, 8)
                self.trace.setdefault(cpu, []).append(self.data[at + size:at + size + n])
                size += n
            elif kind < KERNEL_END and kind != SAMPLE or kind == TIME_CONV:
                self.records.append((kind, record))
            at += size

    def on_cpu(self, kind, record, cpu):
        """Whether it was written while the CPU's trace was: not one that perf made up."""
        order = [b for b in (TID, TIME, ID, STREAM, CPU, IDENTIFIER) if self.sample_type & b]
        if kind >= KERNEL_END or not {TIME, CPU} <= set(order):
            return False
        word = dict(zip(order, struct.unpack('<%dQ' % len(order), record[-8 * len(order):])))
        return word[TIME] != 0 and word[CPU] & 0xffffffff == cpu

    def write(self, folder, cpu):
        """Files with the trace, the records of the CPU and all others."""
        files = [os.path.join(folder, n) for n in ('pt.bin', 'primary.pevent', 'other.pevent')]
        own = [self.on_cpu(kind, record, cpu) for kind, record in self.records]
        parts = [self.trace[cpu][0]]
        for side in (True, False):
            parts.append(b''.join(r for (_, r), here in zip(self.records, own) if here == side))
        for file, part in zip(files, parts):
            with open(file, 'wb') as f:
                f.write(part)
        return files

    def clock_record(self):
        """TIME_CONV"""
        return struct.pack('<IHHQQQ', TIME_CONV, 0, 32, *self.info[1:4])

    def settings(self):
        """Options for how the processor was set up."""
        info, out = self.info, []
        if info[11]:
            out += ['--mtc-freq', str(self.mtc_freq), '--cpuid-0x15.ebx', hex(info[12]),
                    '--cpuid-0x15.eax', hex(info[13])]
        if info[15]:
            out += ['--nom-freq', str(info[15])]
        if self.config & CYC:
            out += ['--cyc-thresh', str(self.config >> 19 & 15)]
        if self.config & CONFIG_NORETCOMP:
            out.append('--noretcomp')
        if not info[16] and info[17]:  # no address filters
            out.append('--event-trace')
        return out

    def options(self, files, clock=True, early=0):
        """clock: say how it runs (else a TIME_CONV record has to).  early: ticks; zero is told
        to be so much earlier, which the offset undoes."""
        out = ['--pt', files[0], '--pevent:primary', files[1], '--pevent:secondary', files[2],
               '--pevent:sample-type', hex(self.sample_type)]
        if clock:
            _, shift, mult, zero = self.info[:4]
            zero = (zero - (early * mult >> shift)) % (1 << 64)
            out += ['--pevent:time-shift', str(shift), '--pevent:time-mult', str(mult),
                    '--pevent:time-zero', hex(zero)]
        if early:
            out += ['--pevent:tsc-offset', str(early)]
        return out + self.settings()
