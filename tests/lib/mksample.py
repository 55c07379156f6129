"""mksample.py - perf_event_attr, the samples it asks for, and the ids other records carry.

SPDX-License-Identifier: MIT

Written from perf_event_open(2), and meant to lie when told to: every count, size and mask
can be given apart from what it counts.  Integers may be negative; they are cut to the width
of their field.
"""
import struct

# perf_event_attr.sample_type
(IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH_STACK, REGS_USER,
 STACK_USER, WEIGHT, DATA_SRC, IDENTIFIER, TRANSACTION, REGS_INTR, PHYS_ADDR, AUX, CGROUP,
 DATA_PAGE_SIZE, CODE_PAGE_SIZE, WEIGHT_STRUCT) = (1 << i for i in range(25))

# perf_event_attr.read_format
TIME_ENABLED, TIME_RUNNING, FORMAT_ID, GROUP, LOST = (1 << i for i in range(5))

# The flag word of perf_event_attr, bit by bit; precise_ip takes two bits.
(DISABLED, INHERIT, PINNED, EXCLUSIVE, EXCLUDE_USER, EXCLUDE_KERNEL, EXCLUDE_HV, EXCLUDE_IDLE,
 MMAP, COMM, FREQ, INHERIT_STAT, ENABLE_ON_EXEC, TASK, WATERMARK, PRECISE_1, PRECISE_2,
 MMAP_DATA, SAMPLE_ID_ALL, EXCLUDE_HOST, EXCLUDE_GUEST, EXCLUDE_CALLCHAIN_KERNEL,
 EXCLUDE_CALLCHAIN_USER, MMAP2, COMM_EXEC, USE_CLOCKID, CONTEXT_SWITCH, WRITE_BACKWARD,
 NAMESPACES, KSYMBOL, BPF_EVENT, AUX_OUTPUT, CGROUPS, TEXT_POKE, BUILD_ID, INHERIT_THREAD,
 REMOVE_ON_EXEC, SIGTRAP) = (1 << i for i in range(38))

# perf_event_attr.branch_sample_type
BRANCH_CALL_STACK, BRANCH_TYPE_SAVE, BRANCH_HW_INDEX, BRANCH_PRIV_SAVE, BRANCH_COUNTERS = (
    1 << 11, 1 << 16, 1 << 17, 1 << 18, 1 << 19)

# Markers among the addresses of a call chain.
CHAIN_HV, CHAIN_KERNEL, CHAIN_USER, CHAIN_GUEST, CHAIN_GUEST_KERNEL, CHAIN_GUEST_USER = (
    -32, -128, -512, -2048, -2176, -2560)

WIDTH = {'B': 1, 'H': 2, 'I': 4, 'i': 4, 'Q': 8, 'q': 8}


class Bytes:
    """Packs integers in one byte order, '<' or '>'."""

    def __init__(self, order='<'):
        self.order = order

    def __call__(self, fmt, *values):
        cut = [v & (1 << 8 * WIDTH[f]) - 1 for f, v in zip(fmt, values, strict=True)]
        return struct.pack(self.order + fmt.upper(), *cut)

    def bits(self, value, widths):
        """Bit-fields of a 64-bit word, of these widths from bit 0 on (one each beyond them):
        compilers for big-endian machines begin at the other end."""
        if self.order == '<':
            return self('Q', value)
        out = at = 0
        for width in list(widths) + [1] * (64 - sum(widths)):
            out |= (value >> at & (1 << width) - 1) << 64 - at - width
            at += width
        return self('Q', out)

    def words(self, values):
        values = list(values)
        return self('Q' * len(values), *values)


class Attr:
    """One event: perf_event_attr and the ids of its counters.

    fields: bp_type, config1, config2, branch_sample_type, sample_regs_user,
    sample_stack_user, clockid, sample_regs_intr, aux_watermark, sample_max_stack,
    aux_sample_size, sig_data, config3, wakeup."""

    LAYOUT = (('wakeup', 'I'), ('bp_type', 'I'), ('config1', 'Q'), ('config2', 'Q'),
              ('branch_sample_type', 'Q'), ('sample_regs_user', 'Q'), ('sample_stack_user', 'I'),
              ('clockid', 'I'), ('sample_regs_intr', 'Q'), ('aux_watermark', 'I'),
              ('sample_max_stack', 'H'), ('reserved_2', 'H'), ('aux_sample_size', 'I'),
              ('reserved_3', 'I'), ('sig_data', 'Q'), ('config3', 'Q'))

    def __init__(self, kind, config, flags, sample_type, ids, period=1, size=128,
                 read_format=FORMAT_ID, **fields):
        unknown = set(fields) - {name for name, _ in self.LAYOUT}
        assert not unknown, unknown
        self.kind, self.config, self.flags, self.sample_type = kind, config, flags, sample_type
        self.ids, self.period, self.size, self.read_format = ids, period, size, read_format
        self.fields = fields

    def __getattr__(self, name):
        return self.fields.get(name, 0)

    def bytes(self, pack):
        """As long as `size` says; what a longer one has behind config3 is zero."""
        out = pack('IIQQQQ', self.kind, self.size, self.config, self.period, self.sample_type,
                   self.read_format) + pack.bits(self.flags, [1] * 15 + [2])
        for name, fmt in self.LAYOUT:
            out += pack(fmt, getattr(self, name))
        return out[:self.size].ljust(self.size, b'\0')


BRANCH_WIDTHS = 1, 1, 1, 1, 16, 4, 2, 4, 3


def branch(from_, to, mispred=0, predicted=0, in_tx=0, abort=0, cycles=0, type_=0, spec=0,
           new_type=0, priv=0):
    """One entry of a branch stack, as (from, to, flags)."""
    return from_, to, (mispred | predicted << 1 | in_tx << 2 | abort << 3 | cycles << 4
                       | type_ << 20 | spec << 24 | new_type << 26 | priv << 30)


def sample_id(attr, pack, pid=0, tid=0, time=0, id_=None, stream=0, cpu=0):
    """What follows the body of a record that is no sample (with sample_id_all)."""
    st = attr.sample_type
    id_ = attr.ids[0] if id_ is None else id_
    out = b''
    if st & TID:
        out += pack('II', pid, tid)
    if st & TIME:
        out += pack('Q', time)
    if st & ID:
        out += pack('Q', id_)
    if st & STREAM_ID:
        out += pack('Q', stream)
    if st & CPU:
        out += pack('II', cpu, 0)
    if st & IDENTIFIER:
        out += pack('Q', id_)
    return out


def read_values(format_, pack, values=((0, 0, 0),), enabled=0, running=0, nr=None):
    """PERF_SAMPLE_READ: values are (value, id, lost), just one if it is not a group."""
    group = format_ & GROUP
    values = list(values)
    times = (pack('Q', enabled) if format_ & TIME_ENABLED else b'') + (
        pack('Q', running) if format_ & TIME_RUNNING else b'')

    def counter(value, id_=0, lost=0):
        return (pack('Q', value) + (times if not group else b'')
                + (pack('Q', id_) if format_ & FORMAT_ID else b'')
                + (pack('Q', lost) if format_ & LOST else b''))

    if not group:
        return counter(*values[0])
    return (pack('Q', len(values) if nr is None else nr) + times
            + b''.join(counter(*v) for v in values))


def registers(pack, abi, values):
    """A register dump: with abi 0 there are no values."""
    return pack('Q', abi) + (pack.words(values) if abi else b'')


def sample(attr, pack, ip=0, pid=0, tid=0, time=0, addr=0, id_=None, stream=0, cpu=0, period=1,
           read=None, chain=(), chain_nr=None, raw=b'', raw_size=None, branches=(),
           branches_nr=None, hw_idx=-1, counters=(), regs_user=(0, ()), stack=b'',
           stack_size=None, stack_used=None, weight=0, latency=(0, 0), data_src=0, transaction=0,
           regs_intr=(0, ()), phys_addr=0, cgroup=0, data_page_size=0, code_page_size=0,
           aux=b'', aux_size=None):
    """The body of a PERF_RECORD_SAMPLE.  read: see read_values; regs_*: (abi, values);
    latency: the second and third part of a WEIGHT_STRUCT."""
    st = attr.sample_type
    id_ = attr.ids[0] if id_ is None else id_

    def counted(n, items, body):
        return pack('Q', len(items) if n is None else n) + body

    def stack_dump():
        out = counted(stack_size, stack, stack)
        return out + pack('Q', len(stack) if stack_used is None else stack_used) if stack else out

    def branch_stack():
        has_index = attr.branch_sample_type & BRANCH_HW_INDEX
        return counted(branches_nr, branches,
                       (pack('Q', hw_idx) if has_index else b'')
                       + b''.join(pack.words(b[:2]) + pack.bits(b[2], BRANCH_WIDTHS)
                                  for b in branches)
                       + (pack.words(counters)
                          if attr.branch_sample_type & BRANCH_COUNTERS else b''))

    fields = (
        (IDENTIFIER, lambda: pack('Q', id_)),
        (IP, lambda: pack('Q', ip)),
        (TID, lambda: pack('II', pid, tid)),
        (TIME, lambda: pack('Q', time)),
        (ADDR, lambda: pack('Q', addr)),
        (ID, lambda: pack('Q', id_)),
        (STREAM_ID, lambda: pack('Q', stream)),
        (CPU, lambda: pack('II', cpu, 0)),
        (PERIOD, lambda: pack('Q', period)),
        (READ, lambda: read_values(attr.read_format, pack, **(read or {}))),
        (CALLCHAIN, lambda: counted(chain_nr, chain, pack.words(chain))),
        (RAW, lambda: pack('I', len(raw) if raw_size is None else raw_size) + raw),
        (BRANCH_STACK, branch_stack),
        (REGS_USER, lambda: registers(pack, *regs_user)),
        (STACK_USER, stack_dump),
        (WEIGHT, lambda: pack('Q', weight)),
        (WEIGHT_STRUCT, lambda: (pack('IHH', weight, *latency) if pack.order == '<'
                                 else pack('HHI', *latency[::-1], weight))),
        (DATA_SRC, lambda: pack('Q', data_src)),
        (TRANSACTION, lambda: pack('Q', transaction)),
        (REGS_INTR, lambda: registers(pack, *regs_intr)),
        (PHYS_ADDR, lambda: pack('Q', phys_addr)),
        (CGROUP, lambda: pack('Q', cgroup)),
        (DATA_PAGE_SIZE, lambda: pack('Q', data_page_size)),
        (CODE_PAGE_SIZE, lambda: pack('Q', code_page_size)),
        (AUX, lambda: counted(aux_size, aux, aux)),
    )
    return b''.join(make() for bit, make in fields if st & bit)
