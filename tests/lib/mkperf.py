"""mkperf.py - writes perf.data files with Intel PT in them.

SPDX-License-Identifier: MIT

A PerfData collects records in file order and writes the container: file header, ids, attrs,
data, feature sections.  Two events by default, as `perf record -e intel_pt//u` makes them:
the trace itself (id 100) and a dummy that carries the side-band (id 101).
"""
import struct

# perf_event_attr flag bits
INHERIT, EXCLUDE_KERNEL, EXCLUDE_HV, SAMPLE_ID_ALL = 1 << 1, 1 << 5, 1 << 6, 1 << 18
MMAP, COMM, TASK, MMAP2, COMM_EXEC, CONTEXT_SWITCH = (1 << 8, 1 << 9, 1 << 13, 1 << 23,
                                                      1 << 24, 1 << 26)
# sample_type bits
IP, TID, TIME, ADDR, ID, CPU, PERIOD, IDENTIFIER = (1, 2, 4, 8, 1 << 6, 1 << 7, 1 << 8,
                                                    1 << 16)
# intel_pt config bits
PT, CYC, PWR, FUP_ON_PTW, MTC, TSC, NORETCOMP, PTW, BRANCH, EVENT = (
    1, 2, 1 << 4, 1 << 5, 0x200, 0x400, 0x800, 1 << 12, 1 << 13, 1 << 31)
PT_CONFIG = 0x300e601 | CYC | PWR | FUP_ON_PTW | PTW | EVENT

FEATURES = {'build_id': 2, 'hostname': 3, 'osrelease': 4, 'version': 5, 'arch': 6,
            'nrcpus': 7, 'cpudesc': 8, 'cpuid': 9, 'total_mem': 10, 'cmdline': 11,
            'event_desc': 12, 'pmu_mappings': 16, 'auxtrace': 18, 'sample_time': 21,
            'dir_format': 24}

USER, KERNEL = 2, 1  # cpumode in misc
SWITCH_OUT, SWITCH_OUT_PREEMPT, MMAP_BUILD_ID = 1 << 13, 1 << 14, 1 << 14


def zstr(text):
    raw = text.encode()
    return raw + b'\0' * (8 - len(raw) % 8)


class Clock:
    """TSC ticks to nanoseconds, perf's way."""
    shift, mult, zero = 31, 1789569706, 18446744041015200657

    def ns(self, tsc):
        quot, rem = tsc >> self.shift, tsc & (1 << self.shift) - 1
        return (self.zero + quot * self.mult + (rem * self.mult >> self.shift)) % 2**64


class Attr:
    def __init__(self, kind, config, flags, sample_type, ids, period=1, size=128):
        self.ids = ids
        self.raw = struct.pack('<IIQQQQQ', kind, size, config, period, sample_type, 4,
                               flags).ljust(size, b'\0')


class PerfData:
    T0 = 0xbc4cd2cfe8

    def __init__(self, config=PT_CONFIG, sample_type=IDENTIFIER | IP | TID | TIME | CPU,
                 kernel=False, pid=4242, cpu=1, priv=None, attrs=None):
        self.clock = Clock()
        self.pid, self.cpu = pid, cpu
        self.sample_type = sample_type
        flags = INHERIT | EXCLUDE_HV | SAMPLE_ID_ALL | (0 if kernel else EXCLUDE_KERNEL)
        side = flags | MMAP | COMM | TASK | MMAP2 | COMM_EXEC | CONTEXT_SWITCH
        self.attrs = attrs or [Attr(6, config, flags, sample_type, [100]),
                               Attr(1, 9, side, sample_type, [101])]
        self.id = self.attrs[-1].ids[0]
        self.chunks = []   # bytes, in file order
        self.aux_at = []   # (index into chunks, size of the record) of AUXTRACE
        self.aux_sizes = {}
        self.build_ids = []
        self.features = {'arch': struct.pack('<I', 8) + b'x86_64\0\0',
                         'nrcpus': struct.pack('<II', 4, 4),
                         'cpuid': struct.pack('<I', 20) + b'GenuineIntel,6,78,3\0'}
        self.auxtrace_info(priv or {})

    # -- records ----------------------------------------------------------------------
    def sample_id(self, tsc=None, pid=None, tid=None, cpu=None):
        pid = self.pid if pid is None else pid
        out = b''
        st = self.sample_type
        if st & TID:
            out += struct.pack('<II', pid, pid if tid is None else tid)
        if st & TIME:
            out += struct.pack('<Q', self.clock.ns(tsc) if tsc else 0)
        if st & CPU:
            out += struct.pack('<II', self.cpu if cpu is None else cpu, 0)
        if st & IDENTIFIER:
            out += struct.pack('<Q', self.id)
        return out

    def record(self, kind, misc, body):
        self.chunks.append(struct.pack('<IHH', kind, misc, 8 + len(body)) + body)
        return self

    def auxtrace_info(self, changes):
        """priv: PMU, the clock, the bits of config.  changes: {index: value}, or a list."""
        c = self.clock
        priv = [6, c.shift, c.mult, c.zero, 1, TSC, NORETCOMP, 3, 0, 1, MTC, 0x3c000, 100, 2,
                CYC, 12, 0, 1]
        if isinstance(changes, dict):
            for i, value in changes.items():
                priv[i] = value
        else:
            priv = changes
        return self.record(70, 0, struct.pack('<II%dQ' % len(priv), 1, 0, *priv))

    def comm(self, name, tsc=None, pid=None, tid=None, exec_=False):
        pid = self.pid if pid is None else pid
        tid = pid if tid is None else tid
        return self.record(3, SWITCH_OUT if exec_ else 0, struct.pack('<II', pid, tid)
                           + zstr(name) + self.sample_id(tsc, pid, tid))

    def mmap2(self, path, addr=0x401000, size=0x1000, pgoff=0x1000, tsc=None, pid=None,
              prot=5, build_id=None, misc=USER):
        pid = self.pid if pid is None else pid
        where = (struct.pack('<BBH20s', len(build_id), 0, 0, build_id) if build_id
                 else struct.pack('<IIQQ', 8, 1, 12345, 0))
        return self.record(10, misc | (MMAP_BUILD_ID if build_id else 0),
                           struct.pack('<IIQQQ', pid, pid, addr, size, pgoff) + where
                           + struct.pack('<II', prot, 2) + zstr(path)
                           + self.sample_id(tsc, pid))

    def mmap(self, path, addr, size, pgoff=0, tsc=None, pid=None, misc=USER):
        pid = self.pid if pid is None else pid
        tid = 0 if misc == KERNEL else pid
        return self.record(1, misc, struct.pack('<IIQQQ', pid & 0xffffffff, tid, addr, size,
                                                pgoff)
                           + zstr(path) + self.sample_id(tsc, pid & 0xffffffff, tid))

    def itrace_start(self, tsc, pid=None, tid=None, cpu=None):
        pid = self.pid if pid is None else pid
        tid = pid if tid is None else tid
        return self.record(12, 0, struct.pack('<II', pid, tid)
                           + self.sample_id(tsc, pid, tid, cpu))

    def switch(self, tsc, out=False, other=(0, 0), pid=None, tid=None, cpu=None,
               preempt=False):
        """CPU-wide: other is the previous (in) or next (out) task."""
        misc = (SWITCH_OUT if out else 0) | (SWITCH_OUT_PREEMPT if preempt else 0)
        return self.record(15, misc, struct.pack('<II', *other)
                           + self.sample_id(tsc, pid, tid, cpu))

    def fork(self, tsc, tid, pid=None, ppid=None, ptid=None, exit_=False):
        pid = self.pid if pid is None else pid
        return self.record(4 if exit_ else 7, 0,
                           struct.pack('<IIIIQ', pid, pid if ppid is None else ppid, tid,
                                       pid if ptid is None else ptid, self.clock.ns(tsc))
                           + self.sample_id(tsc, pid, tid))

    def exit(self, tsc, pid=None, tid=None):
        pid = self.pid if pid is None else pid
        return self.fork(tsc, pid if tid is None else tid, pid, exit_=True)

    def aux(self, offset, size, tsc, flags=0, cpu=None):
        return self.record(11, 0, struct.pack('<QQQ', offset, size, flags)
                           + self.sample_id(tsc, cpu=cpu))

    def lost(self, id_, n, tsc):
        return self.record(2, 0, struct.pack('<QQ', id_, n) + self.sample_id(tsc))

    def text_poke(self, addr, old, new, tsc):
        body = old + new
        return self.record(20, KERNEL, struct.pack('<QHH', addr, len(old), len(new)) + body
                           + b'\0' * (-(len(body) + 4) % 8) + self.sample_id(tsc))

    def ksymbol(self, addr, size, name, tsc, kind=1, flags=0):
        return self.record(17, 0, struct.pack('<QIHH', addr, size, kind, flags) + zstr(name)
                           + self.sample_id(tsc))

    def bpf_event(self, kind, id_, tsc):
        return self.record(18, 0, struct.pack('<HHI8s', kind, 0, id_, b'tagtagta')
                           + self.sample_id(tsc))

    def cgroup(self, id_, path, tsc):
        return self.record(19, 0, struct.pack('<Q', id_) + zstr(path) + self.sample_id(tsc))

    def namespaces(self, tsc, pid=None):
        pid = self.pid if pid is None else pid
        links = b''.join(struct.pack('<QQ', 3, 0xf0000000 + i) for i in range(7))
        return self.record(16, 0, struct.pack('<IIQ', pid, pid, 7) + links
                           + self.sample_id(tsc, pid))

    def finished_round(self):
        return self.record(68, 0, b'')

    def sample(self, ip, tsc, id_=None, body=b''):
        """A PERF_RECORD_SAMPLE of the default sample type."""
        head = struct.pack('<QQ', id_ or self.id, ip)
        return self.record(9, USER, head + struct.pack('<IIQII', self.pid, self.pid,
                                                       self.clock.ns(tsc), self.cpu, 0) + body)

    def auxtrace(self, data, offset=None, ref=None, cpu=None, tid=0xffffffff, idx=None):
        """AUX data of one buffer; offsets continue per idx."""
        cpu = self.cpu if cpu is None else cpu
        idx = cpu if idx is None else idx
        data += b'\0' * (-len(data) % 8)
        offset = self.aux_sizes.get(idx, 0) if offset is None else offset
        self.aux_sizes[idx] = offset + len(data)
        self.aux_at.append(len(self.chunks))
        self.record(71, 0, struct.pack('<QQQIIII', len(data), offset,
                                       self.T0 + 100000 if ref is None else ref, idx, tid,
                                       cpu & 0xffffffff, 0))
        self.chunks.append(data)
        return len(data)

    def build_id(self, path, build_id, misc=USER, pid=-1):
        """For the BUILD_ID feature."""
        self.build_ids.append(struct.pack('<IHHi20sB3x', 0, misc | 1 << 15,
                                          8 + 4 + 24 + len(zstr(path)), pid,
                                          build_id.ljust(20, b'\0'), len(build_id))
                              + zstr(path))

    # -- containers -------------------------------------------------------------------
    def write(self, path, index=True):
        header, attr_size = 104, len(self.attrs[0].raw) + 16
        ids_off, ids, attrs = header, b'', b''
        for a in self.attrs:
            raw = b''.join(struct.pack('<Q', i) for i in a.ids)
            attrs += a.raw + struct.pack('<QQ', ids_off + len(ids), len(raw))
            ids += raw
        attrs_off = ids_off + len(ids)
        data_off = attrs_off + len(attrs)
        features = dict(self.features)
        if index and self.aux_at:
            features['auxtrace'] = self._index(data_off)
        if self.build_ids:
            features['build_id'] = b''.join(self.build_ids)
        data_size = sum(map(len, self.chunks))
        numbered = sorted((FEATURES[k] if isinstance(k, str) else k, v)
                          for k, v in features.items())
        bitmap = sum(1 << k for k, _ in numbered)
        table, blob = b'', b''
        at = data_off + data_size + 16 * len(numbered)
        for _, value in numbered:
            table += struct.pack('<QQ', at + len(blob), len(value))
            blob += value
        with open(path, 'wb') as f:
            f.write(b'PERFILE2' + struct.pack('<QQQQQQQQ', header, attr_size, attrs_off,
                                              len(attrs), data_off, data_size, 0, 0)
                    + struct.pack('<QQQQ', bitmap & 2**64 - 1, 0, 0, 0))
            f.write(ids + attrs)
            for chunk in self.chunks:
                f.write(chunk)
            f.write(table + blob)

    def write_pipe(self, path):
        """The same records as perf record writes them into a pipe."""
        out = [b'PERFILE2' + struct.pack('<Q', 16)]
        for a in self.attrs:
            body = a.raw + b''.join(struct.pack('<Q', i) for i in a.ids)
            out.append(struct.pack('<IHH', 64, 0, 8 + len(body)) + body)
        for name, value in self.features.items():
            body = struct.pack('<Q', FEATURES[name]) + value
            body += b'\0' * (-len(body) % 8)
            out.append(struct.pack('<IHH', 80, 0, 8 + len(body)) + body)
        with open(path, 'wb') as f:
            f.write(b''.join(out + self.chunks))

    def _index(self, data_off):
        offsets, at = [], data_off
        for chunk in self.chunks:
            offsets.append(at)
            at += len(chunk)
        return struct.pack('<Q', len(self.aux_at)) + b''.join(
            struct.pack('<QQ', offsets[i], len(self.chunks[i])) for i in self.aux_at)
