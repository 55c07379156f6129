"""What a recording says of itself: feature sections (C03, C04), the events and their
attributes (C02)."""
import re

from cases import case
import mkfeat
from mkperf import Attr, PerfData, Recording
import mksample as ms

HEADER = ('--header-only', '--header-only -I', '--header', '-I')
PIPE = ('-i pipe.data --header-only', '-i pipe.data --header', '-i pipe.data --header -I',
        '-i pipe.data -I', '-i pipe.data', '-i pipe.data -D --header', '-i pipe.data -D -I',
        '-i pipe.data -D')
EVLIST = ('evlist', 'evlist -v', 'evlist -F', 'evlist -g', 'evlist --trace-fields',
          'evlist -v --trace-fields', 'evlist -F --trace-fields', 'evlist -vF')
EVENTS = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU


def recording(count=1, **kw):
    return Recording([Attr(1, i, ms.SAMPLE_ID_ALL, EVENTS, [100 + i], **kw)
                      for i in range(count)])


def finish(c, d, pipe=True):
    d.comm('t', 1000)
    d.sample(0x401000, 2000)
    d.write(c.folder + '/perf.data')
    if pipe:
        d.write_pipe(c.folder + '/pipe.data')


def one(c, name, *args, **kw):
    """A file with one section, made by its method of Features."""
    d = recording()
    d.features['nrcpus'] = mkfeat.Features().nrcpus(2, 2)
    d.features[name] = getattr(mkfeat.Features(), name)(*args, **kw)
    finish(c, d)


def describe(d, f, names):
    d.features['event_desc'] = f.event_desc(
        [(a.bytes(d.pack), name, a.ids) for a, name in zip(d.attrs, names)])


def everything(d):
    f = mkfeat.Features(d.pack)
    d.features.update(
        hostname=f.string('host'), osrelease=f.string('6.1.0-9-amd64'), version=f.string('6.1.9'),
        arch=f.string('x86_64'), nrcpus=f.nrcpus(4, 3), cpudesc=f.string('A processor @ 1 GHz'),
        cpuid=f.string('GenuineIntel,6,142,10'), total_mem=f.total_mem(16131700),
        cmdline=f.cmdline(['/usr/bin/perf', 'record', "it's", '', "'a'b''", 'two words']),
        cpu_topology=f.cpu_topology(['0-3'], ['0-1', '2-3'], [(0, 0), (0, 0), (1, 0), (1, -1)],
                                    ['0,2-3', '1'], [0, 1, 0, -1]),
        numa_topology=f.numa_topology([(0, 1000, 500, '0-1'), (1, 2 ** 63, 2 ** 64 - 1, '3,2')]),
        branch_stack=b'', stat=b'',
        pmu_mappings=f.pmu_mappings([(6, 'intel_pt'), (1, 'software'), (2 ** 32 - 1, '')]),
        group_desc=f.group_desc([('both', 0, 2)]),
        cache=f.cache([(1, 64, 64, 8, 'Data', '32K', '0-1'),
                       (12, 64, 64, 8, 'Unified and long', '32768K and long', '0-1')]),
        sample_time=f.sample_time(123456789012, 223456789012),
        mem_topology=f.mem_topology(0x8000000, [(0, 200, (1 << 24) - 1 | 1 << 40), (11, 3, 5)]),
        clockid=f.clockid(1), bpf_prog_info=f.bpf_prog_info([]), bpf_btf=f.bpf_btf([]),
        compressed=f.compressed(1, 5, 4096),
        cpu_pmu_caps=f.cpu_pmu_caps([('branches', '32'), ('max_precise', '3')]),
        clock_data=f.clock_data(1, 1600000000123456789, 5000000123),
        hybrid_topology=f.hybrid_topology([('cpu_core', '0-3'), ('cpu_atom', '4-7')]),
        pmu_caps=f.pmu_caps([('cpu_core', [('a', '1'), ('b', '')]), ('cpu_atom', [])]))
    return f


@case(*HEADER, *PIPE, *EVLIST)
def every_section(c):
    d = recording(2)
    f = everything(d)
    describe(d, f, ['first', 'second'])
    finish(c, d)


SWAPPED = {b'interpreting (bpf_prog_info|btf) from systems with endianness [^\\n]*\n': b''}


@case('--header-only', '--header-only -I', *EVLIST, known=[('*', SWAPPED, 'Header')])
def other_byte_order(c):
    d = Recording([Attr(1, i, ms.SAMPLE_ID_ALL, EVENTS, [100 + i]) for i in range(2)], order='>')
    f = everything(d)
    describe(d, f, ['first', 'second'])
    d.features['bpf_btf'] = f.bpf_btf([(9, b'abc')])
    d.features['bpf_prog_info'] = f.bpf_prog_info(
        [f.bpf_info(5, 'p', [bytes(8)], [0x6000], [6])])
    finish(c, d, pipe=False)


@case('evlist', 'evlist --trace-fields')
def tracepoints_of_the_other_byte_order(c):
    d = Recording([Attr(2, 314, ms.SAMPLE_ID_ALL, EVENTS | ms.RAW, [314])], order='>')
    f = mkfeat.Features(d.pack)
    d.features['hostname'] = f.string('h')
    d.features['tracing_data'] = f.tracing_data(
        {'sched': [f.trace_format('sched_switch', 314, ['char prev_comm[16]', 'pid_t next_pid'])]})
    d.finished_round()
    d.write(c.folder + '/perf.data')


@case('--header-only', '--header-only -I', '--header -D', 'evlist', 'evlist -v')
def with_trace(c):
    """The sections that only a recording with AUX area data has."""
    c.program()
    d = c.record()
    describe(d, everything(d), ['intel_pt//u', 'dummy:u'])
    d.build_id(c.path, bytes(range(20)))
    c.pt.start(c.t0)
    c.finish()


@case(*HEADER, *PIPE, *EVLIST)
def unknown_sections(c):
    d = recording()
    for i in (32, 33, 64, 100, 255):
        d.features[i] = b'of a newer perf'
    d.features['hostname'] = mkfeat.Features().string('h')
    finish(c, d)


@case('--header-only', '-i pipe.data --header', *EVLIST, 'evlist -i pipe.data',
      'evlist -i pipe.data -v')
def nothing(c):
    finish(c, recording())


# -- attributes -------------------------------------------------------------------------
ALL = dict(read_format=31, wakeup=4, bp_type=3, config1=77, config2=78,
           branch_sample_type=2 ** 19 - 1, sample_regs_user=3, sample_stack_user=8, clockid=-3,
           sample_regs_intr=2 ** 64 - 1, aux_watermark=5, sample_max_stack=65535,
           aux_sample_size=2 ** 32 - 1, sig_data=2 ** 64 - 1)


@case('--header-only', *EVLIST)
def every_attribute(c):
    d = Recording([Attr(9, 5, 2 ** 38 - 1, 2 ** 25 - 1, [1], period=7, **ALL),
                   Attr(0, 0, ms.SAMPLE_ID_ALL | ms.PRECISE_2, ms.TRANSACTION | ms.IDENTIFIER,
                        [2], period=0, read_format=0),
                   Attr(2 ** 32 - 1, 2 ** 64 - 1, ms.SAMPLE_ID_ALL | ms.FREQ,
                        ms.TID | ms.IDENTIFIER, [], period=2 ** 64 - 1)])
    describe(d, mkfeat.Features(), ['all', 'none', 'high'])
    d.finished_round()
    d.write(c.folder + '/perf.data')


@case('evlist -v')
def every_bit(c):
    """One event for each bit of the words that are printed by name."""
    d = Recording([Attr(1, 0, ms.SAMPLE_ID_ALL | 1 << i, ms.IDENTIFIER | 1 << i % 25, [i + 1],
                        read_format=1 << i % 5, branch_sample_type=1 << i % 19)
                   for i in range(38)])
    d.finished_round()
    d.write(c.folder + '/perf.data')


SIZED = ('--header-only', 'evlist -v', 'evlist -v -i pipe.data')

def sized(size, first_lacking):
    """An attribute of SIZE bytes.  In a pipe perf takes what lies in its buffer behind it, the
    ids and then whatever was there before, for the members that it lacks."""
    @case(*SIZED, known=[('evlist -v -i pipe.data', {
        b', %s: [^\n]*' % re.escape(first_lacking): b''}, 'Header')])
    def fn(c):
        d = Recording([Attr(1, 1, ms.SAMPLE_ID_ALL, EVENTS, [1], size=size, **ALL)])
        describe(d, mkfeat.Features(), ['of %d bytes' % size])
        finish(c, d)
    globals()['attr_%d' % size] = fn


sized(64, b'{ bp_len, config2 }')
sized(72, b'branch_sample_type')
sized(80, b'sample_regs_user')
sized(96, b'sample_regs_intr')
sized(104, b'aux_watermark')
sized(112, b'aux_sample_size')
sized(120, b'sig_data')


UPDATE = {b'Reserved bits are set unexpectedly. Please update perf tool.\n': b''}


@case('--header-only', 'evlist', '-F comm,ip', known=[
    ('--header-only', {b'# event desc: not available or unable to read\n':
                       b'# event : name = newer, , id = { 100 }, type = 1, size = 128, '
                       b'{ sample_period, sample_freq } = 1, '
                       b'sample_type = IP|TID|TIME|CPU|IDENTIFIER, read_format = \n', **UPDATE},
     'Header'), ('evlist', {b'cpu-clock:HG': b'newer', **UPDATE}, 'Header'),
    ('*', UPDATE, 'Header')])
def newer_bits(c):
    """perf 6.1 takes no description with bits it does not know."""
    d = recording()
    newer = Attr(1, 0, 1 << 50, EVENTS | 1 << 40, [100], read_format=1 << 9)
    d.features['event_desc'] = mkfeat.Features().event_desc(
        [(newer.bytes(d.pack), 'newer', [100])])
    finish(c, d)


# -- events -----------------------------------------------------------------------------
@case('--header-only', *EVLIST)
def groups(c):
    d = recording(8)
    f = mkfeat.Features()
    describe(d, f, ['e%d' % i for i in range(8)])
    d.features['group_desc'] = f.group_desc([('{anon_group}', 1, 2), ('three', 3, 3), ('', 7, 1)])
    finish(c, d)


@case('evlist', 'evlist -g', 'evlist -i pipe.data', 'evlist -i pipe.data -g',
      'evlist -i pipe.data -v')
def made_up_names(c):
    """Without a description perf names events by their attributes; in a pipe always."""
    attrs = [Attr(kind, config, ms.SAMPLE_ID_ALL | flags, EVENTS, [i], config1=0x1000, bp_type=3)
             for i, (kind, config, flags) in enumerate(
                 ((0, 0, 0), (0, 99, 0), (1, 2, ms.EXCLUDE_KERNEL), (3, 0x10100, 0),
                  (4, 0x1c2, ms.PRECISE_1 | ms.EXCLUDE_USER), (5, 0, 0), (77, 1, 0),
                  (1, 3, ms.EXCLUDE_GUEST), (1, 4, ms.EXCLUDE_HOST)), start=1)]
    d = Recording(attrs)
    d.features['group_desc'] = mkfeat.Features().group_desc([('g', 2, 3)])
    finish(c, d)


def trace_formats():
    f = mkfeat.Features()
    return f, f.tracing_data(
        {'sched': [f.trace_format('sched_switch', 314, ['char prev_comm[16]', 'pid_t prev_pid',
                                                        'pid_t next_pid']),
                   f.trace_format('sched_none', 315, [])],
         'empty': [],
         'net': [f.trace_format('dev', 400, ['__data_loc char[] name', 'u8 *addr',
                                             'u16 words[4]'])]},
        ftrace=[f.trace_format('function', 1, ['unsigned long ip'])])


@case('--header-only', *EVLIST)
def tracepoints(c):
    f, data = trace_formats()
    d = Recording([Attr(2, config, ms.SAMPLE_ID_ALL, EVENTS | ms.RAW, [config])
                   for config in (314, 315, 400, 1)]
                  + [Attr(1, 0, ms.SAMPLE_ID_ALL, EVENTS | ms.RAW, [7])])
    d.features['tracing_data'] = data
    describe(d, f, ['sched:sched_switch', 'sched:sched_none', 'net:dev', 'ftrace:function', 'c'])
    d.finished_round()
    d.write(c.folder + '/perf.data')


@case('evlist', 'evlist -v', 'evlist --trace-fields')
def tracepoints_without_names(c):
    _, data = trace_formats()
    d = Recording([Attr(2, config, ms.SAMPLE_ID_ALL, EVENTS | ms.RAW, [config])
                   for config in (314, 400)])
    d.features['tracing_data'] = data
    d.finished_round()
    d.write(c.folder + '/perf.data')


# -- older and odder sections -----------------------------------------------------------
@case('--header-only -I', '-i pipe.data --header -I')
def topology_of_older_perf(c):
    one(c, 'cpu_topology', ['0-1'], ['0', '1'])


@case('--header-only -I', '-i pipe.data --header -I')
def topology_without_dies(c):
    one(c, 'cpu_topology', ['0-1'], ['0', '1'], [(0, 0), (5, -1)])


@case('--header-only -I', '-i pipe.data --header -I')
def numa_lists(c):
    one(c, 'numa_topology', [(i, i, i, text) for i, text in enumerate((
        '0', '0-', '3,2', '1,', '0-3,4-7', '0,1,2,5,6', '0x10', '010', '1000-1999', ''))])


def numa_refused(c, text):
    one(c, 'numa_topology', [(0, 1, 2, '0'), (1, 3, 4, text)])


REFUSED = ('--header-only -I',)


@case(*REFUSED)
def numa_word(c):
    numa_refused(c, 'a')


@case(*REFUSED)
def numa_twice(c):
    numa_refused(c, '0-3,2')


@case(*REFUSED)
def numa_backwards(c):
    numa_refused(c, '2-1')


@case(*REFUSED)
def numa_space(c):
    numa_refused(c, '1 ')


@case(*REFUSED)
def numa_comma_first(c):
    numa_refused(c, ',1')


@case(*REFUSED)
def numa_two_dashes(c):
    numa_refused(c, '1-2-3')


@case(*REFUSED)
def numa_huge(c):
    numa_refused(c, '2147483647')


@case('--header-only -I', '-i pipe.data --header -I')
def memory_nodes(c):
    one(c, 'mem_topology', 1 << 30, [
        (0, 64, 2 ** 64 - 1), (1, 1, 1), (2, 2, 2), (3, 65, 1 << 64),
        (5, 400, sum(1 << i for i in range(0, 400, 2))), (1234, 3, 7)])


@case('--header-only -I', known=[('*', {b'(?m)\\[0B\\]: .*?$': b'[0B]: '}, 'Header')])
def memory_node_without_blocks(c):
    """perf prints what is left on its stack."""
    one(c, 'mem_topology', 1 << 30, [(0, 64, 5), (4, 200, 0)])


@case('--header-only -I')
def memory_sizes(c):
    one(c, 'mem_topology', 1, [(i, 1 << i, 2 ** 2 ** i - 1) for i in range(13)])


@case('--header-only')
def times(c):
    one(c, 'sample_time', 5, 2)


def clock(c, id_, tod=1600000000123456789):
    one(c, 'clock_data', id_, tod, 18446744073709551615)


@case('--header-only')
def clock_realtime(c):
    clock(c, 0, 0)


@case('--header-only')
def clock_raw(c):
    clock(c, 4)


@case('--header-only')
def clock_boottime(c):
    clock(c, 7)


@case('--header-only')
def clock_tai(c):
    clock(c, 11)


@case('--header-only')
def clock_unknown(c):
    clock(c, -1, 2 ** 64 - 1)


@case('--header-only')
def clockid_huge(c):
    one(c, 'clockid', 2 ** 63)


# perf shows the PMUs of the machine that it runs on, if that has any.
OWN_PMUS = b'pmu mappings: [^\n]* = [^\n]*'


@case('--header-only')
def compressed_unknown(c):
    one(c, 'compressed', -1, -2, 3, kind=2)


@case('--header-only', '-i pipe.data --header',
      known=[('*', {OWN_PMUS: b'pmu mappings: not available'}, 'Header')])
def none_of_each(c):
    d = recording()
    f = mkfeat.Features()
    d.features.update(cmdline=f.cmdline([]), pmu_mappings=f.pmu_mappings([]),
                      numa_topology=f.numa_topology([]), group_desc=f.group_desc([]),
                      cache=f.cache([]), mem_topology=f.mem_topology(16, []),
                      cpu_pmu_caps=f.cpu_pmu_caps([]), pmu_caps=f.pmu_caps([]),
                      hybrid_topology=f.hybrid_topology([]), hostname=f.string(''))
    finish(c, d)


# -- BPF --------------------------------------------------------------------------------
def tag(i):
    return bytes((i, 0, 1, 2, 3, 4, 5, 0xff))


@case('--header-only', '-i pipe.data --header')
def bpf_programs(c):
    """Named by themselves, not at all, by their BTF; listed by id; one id twice."""
    f = mkfeat.Features()
    d = recording()
    d.features['bpf_btf'] = f.bpf_btf([(9, f.btf(['main', 'helper', 'last'])), (3, b'not BTF'),
                                       (9, b'')])
    d.features['bpf_prog_info'] = f.bpf_prog_info([
        f.bpf_info(40, 'own', [tag(1)], [0xffffffffc0001000], [77]),
        f.bpf_info(7, 'many', [tag(2), tag(3)], [0x1000, 0x2000], [1, 2]),
        f.bpf_info(8, 'x', [tag(4), tag(5)], [0x3000, 0x4000], [3, 4], btf=9, types=[5, 3]),
        f.bpf_info(6, 'y', [tag(6)], [0x5000], [5], btf=9, types=[4]),
        f.bpf_info(5, '', [tag(7)], [0x6000], [6]),
        f.bpf_info(4, 'no btf', [tag(8)], [0x7000], [7], btf=77),
        f.bpf_info(3, 'exactly15 bytes', [tag(9)], [0x8000], [8]),
        f.bpf_info(2, 'uneven', [tag(9)], [0x8000], [8], counts=(1, 2, 1)),
        f.bpf_info(40, 'again', [tag(1)], [1], [1])])
    finish(c, d)


@case('--header-only')
def bpf_info_of_older_kernel(c):
    f = mkfeat.Features()
    one(c, 'bpf_prog_info', [f.bpf_info(1, 'p', [tag(1)], [0x10], [2], size=192)])


# -- sections that lie ------------------------------------------------------------------
# In a pipe perf stops at the first of them; in a file it reads on behind the section.
LIES = ('--header-only -I', '-i pipe.data --header -I', 'evlist -g')
GOES_ON = ('-i pipe.data*', ('goes on', 234), 'Header')
LOST = {b'nrcpus online : 0\n# nrcpus avail : 0': b'nrcpus online : 2\n# nrcpus avail : 2'}
OVERLAP = {b'g{cpu-clock:HG}\nh{task-clock:HG}\npage-faults:HG\n':
           b'cpu-clock:HG\nh{task-clock:HG,page-faults:HG}\n'}
DIFFER = {  # by section: perf's words and ours
    'hostname': LOST, 'hostname__length': LOST,
    'hostname__empty': {b'hostname : \x02': b'hostname : (null)'},
    'cpuid': {b'cpuid : [^\n]*': b'cpuid : (null)'},  # of the machine perf runs on
    'event_desc': {b'\n(?= +t  4242)': b'\n# event desc: not available or unable to read\n'},
    'event_desc__count': {b'(Unknown sample type|Reserved bits are set)[^\n]*\n': b''},
    'group_desc__members': {b'HG#': b'HG}\n#'},
    'group_desc__zero': {b'HG,': b'HG\n'},
    'group_desc__overlap': {b'# group: g{cpu-clock:HG#': b'#'},
    'compressed': {b'Zstd': b'Unknown'}}


def lie(**sections):
    """A case for each: a file whose last section is not what it claims."""
    def make(name, value):
        @case(*LIES, known=[GOES_ON, ('*', DIFFER.get(name, ('goes on', 0)), 'Header'),
                            ('*', {OWN_PMUS: b'pmu mappings: unable to read'}, 'Header'),
                            ('evlist -g', OVERLAP, 'Header')])
        def fn(c):
            d = recording(3)
            d.features['nrcpus'] = mkfeat.Features().nrcpus(2, 2)
            d.features[name.split('__')[0]] = value
            finish(c, d)
        return fn
    for name, value in sections.items():
        globals()['lie_' + name] = make(name, value)


F = mkfeat.Features()
lie(hostname=F.string('host')[:40], hostname__empty=b'',
    hostname__length=F.string('host', 2 ** 32 - 1),
    total_mem=b'\1\2', cpuid=b'\1', cmdline=F.cmdline(['a', 'b'], count=3),
    event_desc=F.u32(1, 128) + bytes(100), event_desc__count=F.u32(2 ** 32 - 1, 0),
    event_desc__ids=F.u32(1, 64) + Attr(1, 0, 0, 0, [], size=64).bytes(F.pack) + F.u32(2 ** 31)
    + F.string('x'),
    cpu_topology=F.strings(['0', '1'], count=9), cpu_topology__cores=F.cpu_topology(
        ['0'], ['0'], [(0, 0)]),
    cpu_topology__dies=F.cpu_topology(['0'], ['0'], [(0, 0), (1, 0)], ['0'], [1]),
    numa_topology=F.numa_topology([(0, 1, 2, '0')], count=2),
    pmu_mappings=F.pmu_mappings([(1, 'a')], count=5),
    group_desc=F.group_desc([('g', 0, 2)], count=2),
    group_desc__members=F.group_desc([('g', 1, 9)]), group_desc__leader=F.group_desc([('g', 9, 2)]),
    group_desc__zero=F.group_desc([('g', 0, 0)]),
    group_desc__order=F.group_desc([('g', 1, 2), ('h', 0, 2)]),
    group_desc__overlap=F.group_desc([('g', 0, 2), ('h', 1, 2)]),
    cache=F.cache([(1, 2, 3, 4, 'a', 'b', 'c')], count=2), cache__version=F.cache([], version=2),
    sample_time=F.u64(1), mem_topology=F.mem_topology(16, [(0, 1, 1)], count=2),
    mem_topology__version=F.mem_topology(16, [], version=3),
    mem_topology__bits=F.mem_topology(16, [(0, 1, 1)], bits=2 ** 64 - 1),
    mem_topology__count=F.mem_topology(16, [], count=2 ** 63),
    clockid=b'', bpf_prog_info=F.bpf_prog_info([(bytes(224), b'', 0)], count=2),
    bpf_btf=F.u32(1, 7, 2 ** 32 - 1), compressed=F.u32(1, 1),
    cpu_pmu_caps=F.caps([('a', 'b')], count=2), clock_data=F.u32(1, 1) + F.u64(5),
    clock_data__version=F.clock_data(1, 2, 3, version=2),
    hybrid_topology=F.hybrid_topology([('a', '0')], count=2),
    pmu_caps=F.pmu_caps([('a', [('b', 'c')])], count=2),
    pmu_caps__caps=F.u32(1, 2 ** 32 - 1) + F.string('a'))


# -- files that end early ---------------------------------------------------------------
def shorten(c, name, keep):
    with open(c.folder + '/' + name, 'r+b') as f:
        f.truncate(keep(f.seek(0, 2)))


@case('--header-only', 'evlist')
def cut_in_the_table(c):
    d = recording()
    everything(d)
    finish(c, d, pipe=False)
    at = 104 + 8 + 144 + sum(map(len, d.chunks))
    shorten(c, 'perf.data', lambda n: at + 40)


@case('--header-only', 'evlist')
def cut_in_the_data(c):
    d = recording()
    everything(d)
    finish(c, d, pipe=False)
    shorten(c, 'perf.data', lambda n: 104 + 8 + 144 + 10)


@case('--header-only -I', 'evlist -v')
def killed(c):
    """perf record did not come to write the size of its data, or a section."""
    d = recording()
    everything(d)
    finish(c, d, pipe=False)
    with open(c.folder + '/perf.data', 'r+b') as f:
        f.seek(48)
        f.write(bytes(8))
    shorten(c, 'perf.data', lambda n: 104 + 8 + 144 + sum(map(len, d.chunks)))
