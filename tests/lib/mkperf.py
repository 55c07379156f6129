"""mkperf.py - writes perf.data files.

SPDX-License-Identifier: MIT

A Recording collects records in file order and writes the container: file header, ids, attrs,
data, feature sections.  A PerfData is one with Intel PT in it, and two events, as
`perf record -e intel_pt//u` makes them: the trace itself (id 100) and a dummy that carries
the side-band (id 101).
"""
import mksample
from mksample import (ADDR, AUX_OUTPUT, CGROUPS, COMM, COMM_EXEC, CONTEXT_SWITCH, CPU,  # noqa: F401
                      EXCLUDE_HV, EXCLUDE_KERNEL, ID, IDENTIFIER, INHERIT, IP, MMAP, MMAP2,
                      PERIOD, RAW, SAMPLE_ID_ALL, TASK, TID, TIME, Attr, Bytes)

# intel_pt config bits
PT, CYC, PWR, FUP_ON_PTW, MTC, TSC, NORETCOMP, PTW, BRANCH, EVENT = (
    1, 2, 1 << 4, 1 << 5, 0x200, 0x400, 0x800, 1 << 12, 1 << 13, 1 << 31)
PT_CONFIG = 0x300e601 | CYC | PWR | FUP_ON_PTW | PTW | EVENT

FEATURES = {name: i for i, name in enumerate((
    'tracing_data', 'build_id', 'hostname', 'osrelease', 'version', 'arch', 'nrcpus', 'cpudesc',
    'cpuid', 'total_mem', 'cmdline', 'event_desc', 'cpu_topology', 'numa_topology',
    'branch_stack', 'pmu_mappings', 'group_desc', 'auxtrace', 'stat', 'cache', 'sample_time',
    'mem_topology', 'clockid', 'dir_format', 'bpf_prog_info', 'bpf_btf', 'compressed',
    'cpu_pmu_caps', 'clock_data', 'hybrid_topology', 'pmu_caps'), start=1)}

# misc
USER, KERNEL = 2, 1
MMAP_DATA = COMM_EXEC_MISC = FORK_EXEC = SWITCH_OUT = 1 << 13
SWITCH_OUT_PREEMPT = MMAP_BUILD_ID = 1 << 14


def zstr(text):
    raw = text.encode()
    return raw + b'\0' * (8 - len(raw) % 8)


def pad8(raw):
    return raw + b'\0' * (-len(raw) % 8)


class Clock:
    """TSC ticks to nanoseconds, perf's way."""
    shift, mult, zero = 31, 1789569706, 18446744041015200657

    def ns(self, tsc):
        quot, rem = tsc >> self.shift, tsc & (1 << self.shift) - 1
        return (self.zero + quot * self.mult + (rem * self.mult >> self.shift)) % 2**64


class Nanoseconds:
    """The clock of a recording without PT: what is called tsc below is nanoseconds."""

    @staticmethod
    def ns(tsc):
        return tsc


class Recording:
    """Records of any kind, in file order.  They come from `attrs[-1]` unless told; `pid`
    and `cpu` are those of records that do not say otherwise.  order: '<' or '>'."""
    usual_order = '<'

    def __init__(self, attrs, pid=4242, cpu=1, clock=None, order=None):
        self.attrs = attrs
        self.from_attr = attrs[-1] if attrs else Attr(1, 9, 0, 0, [0])
        self.pid, self.cpu = pid, cpu
        self.clock = clock or Nanoseconds()
        self.pack = Bytes(order or self.usual_order)
        self.chunks = []   # bytes, in file order
        self.build_ids = []
        self.features = {}

    # -- records ----------------------------------------------------------------------
    def record(self, kind, misc, body):
        self.chunks.append(self.pack('IHH', kind, misc, 8 + len(body)) + body)
        return self

    def sample_id(self, tsc=None, pid=None, tid=None, cpu=None, attr=None, **ids):
        pid = self.pid if pid is None else pid
        attr = attr or self.from_attr
        if not attr.flags & SAMPLE_ID_ALL:
            return b''
        return mksample.sample_id(attr, self.pack, pid, pid if tid is None else tid,
                                  self.clock.ns(tsc) if tsc else 0,
                                  cpu=self.cpu if cpu is None else cpu, **ids)

    def kernel(self, kind, misc, body, tsc=None, pid=None, tid=None, cpu=None, **ids):
        """A record of the kernel that is no sample: body and sample id."""
        return self.record(kind, misc, body + self.sample_id(tsc, pid, tid, cpu, **ids))

    def sample(self, ip, tsc=0, attr=None, misc=USER, pid=None, tid=None, cpu=None, **fields):
        """fields: see mksample.sample."""
        pid = self.pid if pid is None else pid
        return self.record(9, misc, mksample.sample(
            attr or self.from_attr, self.pack, ip, pid, pid if tid is None else tid,
            self.clock.ns(tsc), cpu=self.cpu if cpu is None else cpu, **fields))

    def _who(self, pid, tid):
        pid = self.pid if pid is None else pid
        return pid, pid if tid is None else tid

    def comm(self, name, tsc=None, pid=None, tid=None, exec_=False):
        who = self._who(pid, tid)
        return self.kernel(3, COMM_EXEC_MISC if exec_ else 0, self.pack('II', *who) + zstr(name),
                           tsc, *who)

    def mmap2(self, path, addr=0x401000, size=0x1000, pgoff=0x1000, tsc=None, pid=None,
              prot=5, build_id=None, misc=USER, flags=2, dev=(8, 1), inode=12345, generation=0,
              tid=None):
        who = self._who(pid, tid)
        where = (self.pack('BBH', len(build_id), 0, 0) + build_id.ljust(20, b'\0') if build_id
                 else self.pack('IIQQ', *dev, inode, generation))
        return self.kernel(10, misc | (MMAP_BUILD_ID if build_id else 0),
                           self.pack('IIQQQ', *who, addr, size, pgoff) + where
                           + self.pack('II', prot, flags) + zstr(path), tsc, *who)

    def mmap(self, path, addr, size, pgoff=0, tsc=None, pid=None, misc=USER, tid=None):
        who = self._who(pid, 0 if misc == KERNEL else tid)
        return self.kernel(1, misc, self.pack('IIQQQ', *who, addr, size, pgoff)
                           + zstr(path), tsc, *who)

    def itrace_start(self, tsc, pid=None, tid=None, cpu=None):
        who = self._who(pid, tid)
        return self.kernel(12, 0, self.pack('II', *who), tsc, *who, cpu)

    def switch(self, tsc, out=False, other=(0, 0), pid=None, tid=None, cpu=None,
               preempt=False):
        """CPU-wide: other is the previous (in) or next (out) task; None: not CPU-wide."""
        misc = (SWITCH_OUT if out else 0) | (SWITCH_OUT_PREEMPT if preempt else 0)
        if other is None:
            return self.kernel(14, misc, b'', tsc, pid, tid, cpu)
        return self.kernel(15, misc, self.pack('II', *other), tsc, pid, tid, cpu)

    def fork(self, tsc, tid, pid=None, ppid=None, ptid=None, exit_=False, misc=0):
        pid = self.pid if pid is None else pid
        return self.kernel(4 if exit_ else 7, misc,
                           self.pack('IIIIQ', pid, pid if ppid is None else ppid, tid,
                                     pid if ptid is None else ptid,
                                     self.clock.ns(tsc) if tsc else 0), tsc, pid, tid)

    def exit(self, tsc, pid=None, tid=None):
        pid = self.pid if pid is None else pid
        return self.fork(tsc, pid if tid is None else tid, pid, exit_=True)

    def aux(self, offset, size, tsc, flags=0, cpu=None):
        return self.kernel(11, 0, self.pack('QQQ', offset, size, flags), tsc, cpu=cpu)

    def lost(self, id_, n, tsc):
        return self.kernel(2, 0, self.pack('QQ', id_, n), tsc)

    def lost_samples(self, n, tsc, **ids):
        return self.kernel(13, 0, self.pack('Q', n), tsc, **ids)

    def throttle(self, tsc, id_, stream=0, un=False):
        return self.kernel(6 if un else 5, 0, self.pack('QQQ', self.clock.ns(tsc), id_, stream),
                           tsc)

    def read(self, tsc, attr, pid=None, tid=None, **values):
        """values: see mksample.read_values."""
        who = self._who(pid, tid)
        return self.kernel(8, 0, self.pack('II', *who) + mksample.read_values(
            attr.read_format, self.pack, **values), tsc, *who, attr=attr)

    def text_poke(self, addr, old, new, tsc):
        body = self.pack('HH', len(old), len(new)) + old + new
        return self.kernel(20, KERNEL, self.pack('Q', addr) + pad8(body), tsc)

    def ksymbol(self, addr, size, name, tsc, kind=1, flags=0):
        return self.kernel(17, 0, self.pack('QIHH', addr, size, kind, flags) + zstr(name), tsc)

    def bpf_event(self, kind, id_, tsc, flags=0, tag=b'tagtagta'):
        return self.kernel(18, 0, self.pack('HHI', kind, flags, id_) + tag, tsc)

    def cgroup(self, id_, path, tsc):
        return self.kernel(19, 0, self.pack('Q', id_) + zstr(path), tsc)

    def namespaces(self, tsc, pid=None, count=7, nr=None, inode=0xf0000000):
        pid = self.pid if pid is None else pid
        links = b''.join(self.pack('QQ', 3, inode + i) for i in range(count))
        return self.kernel(16, 0, self.pack('IIQ', pid, pid, count if nr is None else nr)
                           + links, tsc, pid)

    def aux_output_hw_id(self, hw_id, tsc, **ids):
        return self.kernel(21, 0, self.pack('Q', hw_id), tsc, **ids)

    # -- perf's own records -------------------------------------------------------------
    def finished_round(self):
        return self.record(68, 0, b'')

    def finished_init(self):
        return self.record(82, 0, b'')

    def id_index(self, entries, guests=(), nr=None):
        """entries: (id, idx, cpu, tid); guests: (machine_pid, vcpu) for each of them."""
        return self.record(69, 0, self.pack('Q', len(entries) if nr is None else nr)
                           + b''.join(self.pack('QQQQ', *e) for e in entries)
                           + b''.join(self.pack('QQ', *g) for g in guests))

    def thread_map(self, threads, nr=None):
        """threads: (pid, comm)."""
        return self.record(73, 0, self.pack('Q', len(threads) if nr is None else nr)
                           + b''.join(self.pack('Q', pid) + comm.encode().ljust(16, b'\0')
                                      for pid, comm in threads))

    def cpu_map(self, kind, body):
        """kind 0: cpus one by one; 1: masks; 2: a range.  body: what follows the kind."""
        return self.record(74, 0, pad8(self.pack('H', kind) + body))

    def cpu_list(self, cpus, nr=None):
        return self.pack('H' * (len(cpus) + 1), len(cpus) if nr is None else nr, *cpus)

    def cpu_masks(self, masks, width=8, nr=None):
        """There are four unused bytes in front of 64-bit words."""
        return (self.pack('HH', len(masks) if nr is None else nr, width)
                + (bytes(4) if width == 8 else b'')
                + b''.join(self.pack({4: 'I', 8: 'Q'}[width], m) for m in masks))

    def stat_config(self, entries, nr=None):
        """entries: (tag, value)."""
        return self.record(75, 0, self.pack('Q', len(entries) if nr is None else nr)
                           + b''.join(self.pack('QQ', *e) for e in entries))

    def stat(self, id_, cpu, thread, val, ena, run):
        return self.record(76, 0, self.pack('QIIQQQ', id_, cpu, thread, val, ena, run))

    def stat_round(self, kind, time):
        return self.record(77, 0, self.pack('QQ', kind, time))

    def event_update(self, kind, id_, data):
        return self.record(78, 0, self.pack('QQ', kind, id_) + pad8(data))

    def time_conv(self, shift, mult, zero, cycles=None, mask=0, caps=(1, 0)):
        body = self.pack('QQQ', shift, mult, zero)
        if cycles is not None:
            body += self.pack('QQBB', cycles, mask, *caps) + bytes(6)
        return self.record(79, 0, body)

    def auxtrace_error(self, code, tsc, ip=0, text='', kind=1, cpu=-1, pid=None, tid=None,
                       fmt=1, guest=(0, 0)):
        who = self._who(pid, tid)
        return self.record(72, 0, self.pack('IIIIII', kind, code, cpu, *who, fmt)
                           + self.pack('Q', ip)
                           + (self.pack('Q', self.clock.ns(tsc)) if fmt else b'')
                           + text.encode().ljust(64, b'\0')
                           + (self.pack('II', *guest) if fmt > 1 else b''))

    # -- containers -------------------------------------------------------------------
    def build_id(self, path, build_id, misc=USER, pid=-1):
        """For the BUILD_ID feature."""
        self.build_ids.append(self.pack('IHHi', 0, misc | 1 << 15,
                                        8 + 4 + 24 + len(zstr(path)), pid)
                              + build_id.ljust(20, b'\0') + self.pack('B', len(build_id))
                              + bytes(3) + zstr(path))

    def all_features(self, data_off):
        """What is written behind the data, which begins at data_off."""
        features = dict(self.features)
        if self.pack.order == '>':  # perf tells the size of the words with bits by this one
            features.setdefault('hostname', self.pack('I', 8) + b'host\0\0\0\0')
        if self.build_ids:
            features['build_id'] = b''.join(self.build_ids)
        return features

    def write(self, path):
        header, attr_size = 104, max((a.size for a in self.attrs), default=128) + 16
        ids_off, ids, attrs = header, b'', b''
        for a in self.attrs:
            raw = self.pack.words(a.ids)
            attrs += (a.bytes(self.pack).ljust(attr_size - 16, b'\0')
                      + self.pack('QQ', ids_off + len(ids), len(raw)))
            ids += raw
        attrs_off = ids_off + len(ids)
        data_off = attrs_off + len(attrs)
        data_size = sum(map(len, self.chunks))
        numbered = sorted((FEATURES.get(k, k), v)
                          for k, v in self.all_features(data_off).items())
        bitmap = sum(1 << k for k, _ in numbered)
        table, blob = b'', b''
        at = data_off + data_size + 16 * len(numbered)
        for _, value in numbered:
            table += self.pack('QQ', at + len(blob), len(value))
            blob += value
        with open(path, 'wb') as f:
            f.write(self.pack('Q', 0x32454c4946524550)  # PERFILE2
                    + self.pack('QQQQQQQQ', header, attr_size, attrs_off, len(attrs), data_off,
                                data_size, 0, 0)
                    + self.pack('QQQQ', bitmap, bitmap >> 64, bitmap >> 128, bitmap >> 192))
            f.write(ids + attrs)
            for chunk in self.chunks:
                f.write(chunk)
            f.write(table + blob)

    def write_pipe(self, path, formats=b'', last=False):
        """The same records as perf record writes them into a pipe.  formats: of tracepoints; last:
        it says where features end."""
        out = [self.pack('QQ', 0x32454c4946524550, 16)]
        for a in self.attrs:
            body = a.bytes(self.pack) + self.pack.words(a.ids)
            out.append(self.pack('IHH', 64, 0, 8 + len(body)) + body)
        for id_, value in sorted((FEATURES.get(k, k), v) for k, v in self.features.items()):
            body = self.pack('Q', id_) + value
            out.append(self.pack('IHH', 80, 0, 8 + len(body)) + body)
        if last:
            out.append(self.pack('IHHQ', 80, 0, 16, 32))
        if formats:
            formats += bytes(-len(formats) % 8)
            out.append(self.pack('IHHII', 66, 0, 16, len(formats), 0) + formats)
        with open(path, 'wb') as f:
            f.write(b''.join(out + self.chunks))


def software(**kw):
    """A recording of samples of a software event, which needs no hardware and no features."""
    return Recording([Attr(1, 0, SAMPLE_ID_ALL | MMAP | COMM | TASK | MMAP2,
                           IDENTIFIER | IP | TID | TIME, [1])], **kw)


class PerfData(Recording):
    """A recording with Intel PT: times are TSC ticks."""
    T0 = 0xbc4cd2cfe8

    def __init__(self, config=PT_CONFIG, sample_type=IDENTIFIER | IP | TID | TIME | CPU,
                 kernel=False, pid=4242, cpu=1, priv=None, attrs=None, order=None):
        flags = INHERIT | EXCLUDE_HV | SAMPLE_ID_ALL | (0 if kernel else EXCLUDE_KERNEL)
        side = flags | MMAP | COMM | TASK | MMAP2 | COMM_EXEC | CONTEXT_SWITCH
        super().__init__(attrs or [Attr(6, config, flags, sample_type, [100]),
                                   Attr(1, 9, side, sample_type, [101])],
                         pid, cpu, Clock(), order)
        self.aux_at = []   # (index into chunks, size of the record) of AUXTRACE
        self.aux_sizes = {}
        self.with_index = True
        self.features = {'arch': self.pack('I', 8) + b'x86_64\0\0',
                         'nrcpus': self.pack('II', 4, 4),
                         'cpuid': self.pack('I', 20) + b'GenuineIntel,6,78,3\0'}
        self.auxtrace_info(priv or {})

    def auxtrace_info(self, changes, kind=1):
        """changes: what differs from the usual words of Intel PT, by name; or all words."""
        c, words = self.clock, changes
        if isinstance(changes, dict):
            usual = dict(pmu_type=6, time_shift=c.shift, time_mult=c.mult, time_zero=c.zero,
                         cap_user_time_zero=1, tsc_bit=TSC, noretcomp_bit=NORETCOMP,
                         have_sched_switch=3, snapshot=0, per_cpu=1, mtc_bit=MTC,
                         mtc_freq_bits=0x3c000, ctc_n=100, ctc_d=2, cyc_bit=CYC,
                         max_nonturbo_ratio=12, filter_len=0, event_trace=1)
            assert not changes.keys() - usual.keys(), changes
            words = (usual | changes).values()
        return self.record(70, 0, self.pack('II', kind, 0) + self.pack.words(list(words)))

    def auxtrace(self, data, offset=None, ref=None, cpu=None, tid=-1, idx=None):
        """AUX data of one buffer; offsets continue per idx."""
        cpu = self.cpu if cpu is None else cpu
        idx = max(cpu, 0) if idx is None else idx
        data = pad8(data)
        offset = self.aux_sizes.get(idx, 0) if offset is None else offset
        self.aux_sizes[idx] = offset + len(data)
        self.aux_at.append(len(self.chunks))
        self.record(71, 0, self.pack('QQQIIII', len(data), offset,
                                     self.T0 + 100000 if ref is None else ref, idx, tid, cpu, 0))
        self.chunks.append(data)
        return len(data)

    def write(self, path, index=True):
        self.with_index = index
        super().write(path)

    def all_features(self, data_off):
        features = super().all_features(data_off)
        if self.with_index and self.aux_at:
            features['auxtrace'] = self._index(data_off)
        return features

    def _index(self, data_off):
        offsets, at = [], data_off
        for chunk in self.chunks:
            offsets.append(at)
            at += len(chunk)
        return self.pack('Q', len(self.aux_at)) + b''.join(
            self.pack('QQ', offsets[i], len(self.chunks[i])) for i in self.aux_at)
