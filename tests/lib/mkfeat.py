"""mkfeat.py - the feature sections of perf.data.

SPDX-License-Identifier: MIT

Features has a method for each section, named as in mkperf.FEATURES, that returns its bytes as
perf record writes them.  Counts and lengths can be overruled, to write sections that lie.
"""
import mksample


class Features:
    """pack: see mksample.Bytes."""

    def __init__(self, pack=None):
        self.pack = pack or mksample.Bytes()

    def u32(self, *values):
        return self.pack('I' * len(values), *values)

    def u64(self, *values):
        return self.pack.words(values)

    def string(self, text, length=None):
        """u32 length, then the text padded with zeros to a multiple of 64."""
        raw = text if isinstance(text, bytes) else text.encode()
        raw += b'\0' * (64 - len(raw) % 64)
        return self.u32(len(raw) if length is None else length) + raw

    def strings(self, texts, count=None):
        return self.u32(len(texts) if count is None else count) + b''.join(
            map(self.string, texts))

    def nrcpus(self, avail, online):
        return self.u32(avail, online)

    def total_mem(self, kib):
        return self.u64(kib)

    cmdline = strings

    def event_desc(self, events, attr_size=None, count=None):
        """events: (attr bytes, name, ids)."""
        out = self.u32(len(events) if count is None else count,
                       len(events[0][0]) if attr_size is None else attr_size)
        for attr, name, ids in events:
            out += attr + self.u32(len(ids)) + self.string(name) + self.u64(*ids)
        return out

    def cpu_topology(self, sockets, threads, cpus=None, dies=None, die_ids=()):
        """cpus: (core, socket) of each; left out as by older perf.  The same for dies."""
        out = self.strings(sockets) + self.strings(threads)
        if cpus is not None:
            out += b''.join(self.u32(core, socket) for core, socket in cpus)
        if dies is not None:
            out += self.strings(dies) + self.u32(*die_ids)
        return out

    def numa_topology(self, nodes, count=None):
        """nodes: (number, total KiB, free KiB, list of CPUs)."""
        return self.u32(len(nodes) if count is None else count) + b''.join(
            self.u32(n) + self.u64(total, free) + self.string(cpus)
            for n, total, free, cpus in nodes)

    def pmu_mappings(self, pmus, count=None):
        return self.u32(len(pmus) if count is None else count) + b''.join(
            self.u32(kind) + self.string(name) for kind, name in pmus)

    def group_desc(self, groups, count=None):
        """groups: (name, index of the leader, members with it)."""
        return self.u32(len(groups) if count is None else count) + b''.join(
            self.string(name) + self.u32(leader, members) for name, leader, members in groups)

    def cache(self, levels, version=1, count=None):
        """levels: (level, line size, sets, ways, type, size, CPUs)."""
        return self.u32(version, len(levels) if count is None else count) + b''.join(
            self.u32(*lv[:4]) + b''.join(map(self.string, lv[4:])) for lv in levels)

    def sample_time(self, first, last):
        return self.u64(first, last)

    def mem_topology(self, block, nodes, version=1, count=None, bits=None):
        """nodes: (number, size, set of blocks as an integer)."""
        out = self.u64(version, block, len(nodes) if count is None else count)
        for node, size, blocks in nodes:
            n = max(size, 1) if bits is None else bits
            words = (size + 63) // 64
            out += self.u64(node, size, n) + self.u64(*(blocks >> 64 * i for i in range(words)))
        return out

    def clockid(self, resolution):
        return self.u64(resolution)

    def clock_data(self, clock, tod, ref, version=1):
        return self.u32(version, clock) + self.u64(tod, ref)

    def dir_format(self, version):
        return self.u64(version)

    def bpf_prog_info(self, programs, count=None):
        """programs: (struct bpf_prog_info, arrays behind it, mask of the arrays)."""
        return self.u32(len(programs) if count is None else count) + b''.join(
            self.u32(len(info), len(data)) + self.u64(arrays) + info + data
            for info, data, arrays in programs)

    def bpf_btf(self, blobs, count=None):
        """blobs: (id, bytes)."""
        return self.u32(len(blobs) if count is None else count) + b''.join(
            self.u32(id_, len(data)) + data for id_, data in blobs)

    def compressed(self, level, ratio, mmap_len, kind=1, version=1):
        return self.u32(version, kind, level, ratio, mmap_len)

    def caps(self, pairs, count=None):
        return self.u32(len(pairs) if count is None else count) + b''.join(
            self.string(name) + self.string(value) for name, value in pairs)

    cpu_pmu_caps = caps

    def hybrid_topology(self, nodes, count=None):
        """nodes: (PMU, list of CPUs)."""
        return self.u32(len(nodes) if count is None else count) + b''.join(
            self.string(pmu) + self.string(cpus) for pmu, cpus in nodes)

    def pmu_caps(self, pmus, count=None):
        """pmus: (name, pairs)."""
        return self.u32(len(pmus) if count is None else count) + b''.join(
            self.caps(pairs) + self.string(name) for name, pairs in pmus)

    # -- parts of sections ------------------------------------------------------------
    def bpf_info(self, id_, name='', tags=(), addrs=(), lens=(), btf=0, types=(), size=224,
                 counts=None):
        """A program with a function for each tag, for bpf_prog_info.  types: of their names
        in the BTF with this id.  counts: addresses, lengths, tags."""
        arrays, data = {}, b''
        for bit, raw in ((3, self.u64(*addrs)), (4, self.u32(*lens)),
                         (5, b''.join(self.u32(8 * i, t) for i, t in enumerate(types))),
                         (8, b''.join(tags))):
            arrays[bit] = len(data)
            data += raw + b'\0' * (-len(raw) % 8)
        n = counts or (len(addrs), len(lens), len(tags))
        info = bytearray(size)
        for at, raw in ((4, self.u32(id_)), (64, name.encode()), (104, self.u32(n[0], n[1])),
                        (112, self.u64(arrays[3], arrays[4])), (128, self.u32(btf, 8)),
                        (136, self.u64(arrays[5])), (180, self.u32(n[2])),
                        (184, self.u64(arrays[8]))):
            info[at:at + len(raw)] = raw
        return bytes(info[:size]), data, sum(1 << bit for bit in arrays)

    def btf(self, names):
        """BTF whose types are int, void (*)(), and from 3 on a function for each name."""
        strings, at = b'\0int\0', []
        for name in names:
            at.append(len(strings))
            strings += name.encode() + b'\0'
        types = self.u32(1, 1 << 24, 4, 32) + self.u32(0, 13 << 24 | 1, 0, 0, 1)
        types += b''.join(self.u32(n, 12 << 24, 2) for n in at)
        return (self.pack('HBB', 0xeb9f, 1, 0) + self.u32(24, 0, len(types), len(types),
                                                          len(strings)) + types + strings)

    def tracing_data(self, systems, ftrace=(), strings='', long_size=8):
        """systems: {name: [format, ...]}; see trace_format.  strings: what printk_formats of
        tracefs says."""
        def sized(text):
            return self.u64(len(text)) + text.encode()
        out = b'\x17\x08\x44tracing0.6\0' + bytes((self.pack.order == '>', long_size)) + self.u32(4096)
        out += b'header_page\0' + sized('\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n'
                                        '\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n'
                                        '\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n')
        out += b'header_event\0' + sized('# compressed entry header\n')
        out += self.u32(len(ftrace)) + b''.join(map(sized, ftrace)) + self.u32(len(systems))
        for name, formats in systems.items():
            out += name.encode() + b'\0' + self.u32(len(formats)) + b''.join(map(sized, formats))
        return out + self.u32(0, len(strings)) + strings.encode() + self.u64(0)

    @staticmethod
    def trace_format(name, id_, fields):
        """fields: declarations such as 'char comm[16]'."""
        def lines(decls, at):
            return ''.join('\tfield:%s;\toffset:%d;\tsize:4;\tsigned:1;\n' % (d, at + 4 * i)
                           for i, d in enumerate(decls))
        return ('name: %s\nID: %d\nformat:\n' % (name, id_)
                + lines(['unsigned short common_type', 'int common_pid'], 0) + '\n'
                + lines(fields, 8) + '\nprint fmt: "x"\n')
