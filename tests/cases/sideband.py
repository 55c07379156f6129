"""Records beside the trace: how they print, and how they change whose code is decoded."""
import os
import struct

from cases import case
import mkperf

SHOW = ('--show-task-events --show-mmap-events --show-switch-events --show-namespace-events '
        '--show-cgroup-events --show-lost-events --show-bpf-events '
        '--show-text-poke-events --ns')


def trace(c, s, **kw):
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.finish(**kw)


@case('--no-itrace ' + SHOW, '--itrace=be ' + SHOW, '-D', '--no-itrace -F+misc ' + SHOW,
      '--no-itrace', '--itrace=be --show-switch-events', '--show-round-events',
      known=[('--show-round-events', ('goes on', 0), 'Options')])
def records(c):
    s, t = c.program(), c.t0
    d = c.record()
    d.namespaces(t - 700).cgroup(77, '/user.slice', t - 690).fork(t - 680, 4243)
    d.comm('renamed', t - 670, exec_=True).comm('worker', t - 660, tid=4243)
    d.lost(101, 5, t - 650).ksymbol(0xffffffffc0000000, 64, 'bpf_prog_x', t - 640)
    d.bpf_event(1, 12, t - 630).mmap('/build/other', 0x500000, 0x2000, tsc=t - 620)
    d.text_poke(0xffffffffb9600010, b'\x0f\x1f\x44\0\0', b'\xe8\1\2\3\4', t - 610)
    d.mmap2('//anon', 0x600000, 0x1000, 0, t - 600, prot=3)
    d.mmap2('/build/with id', 0x610000, 0x1000, 0, t - 590, build_id=bytes(range(20)))
    d.switch(t - 580, out=True, other=(1, 2), preempt=True).switch(t - 570, other=(7, 8))
    d.exit(t - 560, tid=4243).finished_round()
    trace(c, s)


@case('--itrace=be', '--itrace=e')
def missing_file_on_two_cpus(c):
    """perf tells twice that a file is missing, whichever the CPU."""
    two_cpus(c)
    os.remove(c.folder + '/symfs' + c.path)


@case('--itrace=be', '--itrace=e')
def missing_file_and_vdso(c):
    """perf has looked at the file to know which vdso it is: it tells once."""
    s, t = c.program(), c.t0
    d = c.perf()
    d.comm('t')
    for i, path in enumerate((c.path, '[vdso]', '/build/other')):
        d.mmap2(path, addr=0x401000 + 0x1000 * i, pgoff=0x1000, tsc=t - 1000)
    d.itrace_start(t - 900).switch(t - 800)
    c.pt.start(t)
    for i in range(4):
        c.pt.pge(s._start + 0x1000 * (i & 2)).pgd()
    c.finish()
    os.remove(c.folder + '/symfs' + c.path)


MEMORY = ('--itrace=be', '--itrace=e', '--itrace=i1ie -F+insn', '--itrace=Zbe')


@case(*MEMORY)
def memory_without_file(c):
    """Told twice for each name: //anon and /dev/zero have one, /tmp/perf-4242.map."""
    s, t = c.program(), c.t0
    d = c.perf()
    d.comm('t').mmap2(c.path, tsc=t - 1000)
    memory = (('//anon', 7), ('/memfd:code (deleted)', 7), ('/dev/zero', 5), ('[heap]', 3))
    for i, (name, prot) in enumerate(memory):
        d.mmap2(name, 0x7f0000200000 + 0x10000 * i, 0x10000, 0x3000, t - 990, prot=prot)
    d.itrace_start(t - 900).switch(t - 800)
    c.pt.start(t)
    for i in range(4):
        for at in (0, 0x40, 0x10000, 0x20000, 0x30000):
            c.pt.pge(s._start).tnt('T').tip(0x7f0000200000 + at + i).tip(s.g).pgd()
    c.finish()


@case(*MEMORY)
def memory_and_map_file(c):
    """perf opens that file as if it were the code, and tells each time."""
    memory_without_file(c)
    c.write_image('/tmp/perf-4242.map', b'7f0000400000 40 elsewhere\n')


@case(*MEMORY)
def memory_and_empty_map_file(c):
    memory_without_file(c)
    c.write_image('/tmp/perf-4242.map', b'')


@case('--itrace=be', '--itrace=be -F ip,addr,dso', '--itrace=i1i -F insn')
def program_called_like_a_map_file(c):
    """Its names are not looked for in it, but it is code."""
    c.path = '/tmp/perf-6.1/perf'
    trace(c, c.program())


@case('--itrace=be', '--itrace=be -F ip,addr,dso', '--no-itrace --show-mmap-events', '-D')
def vdso_of_32_bits(c):
    """A program of 32 bits, then one of 64: each maps [vdso], with a build id."""
    s, t = c.program(bits=32), c.t0
    c.write_image('/build/wide', c.code.elf(bits=64))
    d = c.perf()
    for pid, path in ((4242, c.path), (4343, '/build/wide')):
        d.comm('t', pid=pid)
        d.mmap2(path, tsc=t - 1000, pid=pid)
        d.mmap2('[vdso]', addr=0x7000000, pgoff=0, tsc=t - 990, pid=pid,
                build_id=b'build id of %d bits' % (32 if path == c.path else 64))
    d.itrace_start(t - 900).switch(t - 800)
    d.switch(t + 5000, out=True, pid=4242)
    d.switch(t + 5000, pid=4343)
    c.pt.start(t, bits=32).pge(s._start).tnt('T').tip(0x7000010)
    c.pt.tsc(t + 9000).pge(s._start).tnt('T').tip(0x7000020)
    c.finish()


@case('--itrace=be --show-task-events --show-mmap-events --show-switch-events', '--itrace=i1i')
def guests(c):
    """Side-band records of guests, which perf was not told of."""
    s, t = c.program(), c.t0
    d = c.perf()
    d.kernel(3, 4, d.pack('II', 4242, 4242) + b'guest 1\0', t - 1100)
    d.kernel(3, 5, d.pack('II', 4242, 4242) + b'guest 2\0', t - 1090)
    d.mmap2(c.path, tsc=t - 1000, misc=5)
    d.mmap2('[guest.kernel.kallsyms]_text', addr=0xffffffff81000000, size=0x1000000, pid=-1,
            tsc=t - 1000, misc=4)
    d.itrace_start(t - 900).switch(t - 800)
    trace(c, s)


@case('--itrace=be --ns -F+flags', '--itrace=be -C 0', '--itrace=be -C 1', '--itrace=e', '-D',
      '-D --show-task-events --show-mmap-events --show-switch-events',
      '--itrace=i1i -F comm,tid,cpu,time,ip,sym')
def two_cpus(c):
    """One queue per CPU, the same program as two processes, switching in between."""
    s, t = c.program(), c.t0
    d = c.perf()
    for pid, name in ((4242, 'one'), (5000, 'two')):
        d.comm(name, pid=pid).mmap2(c.path, tsc=t - 1000, pid=pid)
    d.itrace_start(t - 900).itrace_start(t - 890, pid=5000, cpu=0)
    d.switch(t - 800).switch(t - 790, pid=5000, cpu=0)
    sizes = []
    for cpu in (0, 1):
        p = type(c.pt)()
        p.start(t + 20 * cpu).pge(s._start)
        for i in range(4):
            p.tnt('T').tip(s.g).tnt('TTTTNT').pgd()
            p.psb().mode_exec().tsc(t + 4000 * (i + 1) + 900 * cpu).cbr(20).psbend()
            p.pge(s._start)
        sizes.append(d.auxtrace(p.bytes, cpu=cpu))
    d.aux(0, sizes[0], t + 5000, cpu=0).aux(0, sizes[1], t + 5000, cpu=1)
    d.switch(t + 9000, out=True, other=(5000, 5000), cpu=1)
    d.switch(t + 9050, pid=5000, cpu=1)
    d.switch(t + 13000, out=True, pid=5000, cpu=0).switch(t + 13020, pid=0, cpu=0)
    d.exit(t + 60000).exit(t + 60010, pid=5000)
    d.finished_round()
    d.write(c.folder + '/perf.data')


@case('--itrace=be --ns', '', '--itrace=e')
def remapped(c):
    """Another program is mapped over the first while the trace runs."""
    s, t = c.program(), c.t0
    import cases
    other = cases.tiny_program()
    other.funcs = ['_start', 'f', 'g']
    c.write_image('/build/u', other.elf())
    d = c.record()
    p = c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    p.psb().mode_exec().tsc(t + 9000).cbr(20).psbend()
    p.pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    size = d.auxtrace(p.bytes)
    d.aux(0, size, t + 3000)
    d.comm('u', t + 6000, exec_=True).mmap2('/build/u', tsc=t + 6100)
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


@case('--itrace=be', '--itrace=e', '')
def unmapped(c):
    """No MMAP: no code."""
    s, t = c.program(), c.t0
    d = c.perf()
    d.comm('t').itrace_start(t - 900).switch(t - 800)
    trace(c, s)


@case('--itrace=be', '--itrace=e', '')
def unknown_thread(c):
    """No COMM, no ITRACE_START, no SWITCH."""
    s = c.program()
    c.perf().mmap2(c.path, tsc=c.t0 - 1000)
    trace(c, s)


def buffers(c, size):
    """Packets cut between two AUXTRACE records."""
    s, t = c.program(), c.t0
    p = c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    p.start(t + 9000).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    d = c.record()
    for i in range(0, len(p.bytes), size):
        d.auxtrace(p.bytes[i:i + size])
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


@case('--itrace=be --ns', '')
def buffers_of_8(c):
    buffers(c, 8)


@case('--itrace=be --ns', '')
def buffers_of_16(c):
    buffers(c, 16)


@case('--itrace=be --ns', '')
def buffers_of_24(c):
    buffers(c, 24)


@case('--itrace=be --ns', '')
def buffers_of_40(c):
    buffers(c, 40)


@case('--itrace=be --ns', '-D')
def no_index(c):
    """Without the AUXTRACE index of the header."""
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.finish()
    c.data.write(c.folder + '/perf.data', index=False)


@case('--itrace=be --ns', '', '-d --itrace=Zi1i -F tid,time')
def per_thread(c):
    """perf record without per-CPU buffers: the queue belongs to a thread."""
    s, t = c.program(), c.t0
    st = mkperf.IDENTIFIER | mkperf.IP | mkperf.TID | mkperf.TIME
    d = c.perf(sample_type=st, priv=dict(have_sched_switch=2, per_cpu=0))
    d.comm('t').mmap2(c.path, tsc=t - 1000).itrace_start(t - 900)
    c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    d.auxtrace(c.pt.bytes, cpu=-1, tid=c.data.pid, idx=0)
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


@case('--itrace=be --ns', '', '--itrace=e')
def per_thread_timeless(c):
    s, t = c.program(), c.t0
    st = mkperf.IDENTIFIER | mkperf.IP | mkperf.TID
    d = c.perf(sample_type=st, config=0x2001,
               priv=dict(cap_user_time_zero=0, have_sched_switch=2, per_cpu=0))
    d.comm('t').mmap2(c.path).itrace_start(t)
    c.pt.psb().mode_exec().cbr(29).psbend().pge(s._start).tnt('T').tip(s.g).pgd()
    d.auxtrace(c.pt.bytes, cpu=-1, tid=c.data.pid, idx=0)
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


@case('--itrace=be --ns', '--no-itrace', '-D', '--header-only', 'evlist', 'buildid-list')
def no_switch_event(c):
    """Switches are told by sched:sched_switch, of which there is none: perf uses no such trace."""
    s, t = c.program(), c.t0
    d = c.perf(priv=dict(have_sched_switch=1))
    d.comm('t').mmap2(c.path, tsc=t - 1000).itrace_start(t - 900)
    c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    d.auxtrace(c.pt.bytes)
    d.write(c.folder + '/perf.data')


SWITCHES = '--itrace=be --ns', '--itrace=i1i', '--itrace=be --show-switch-events'


def switch_of_thread(c, have, **switch):
    """By thread, and with --switch-events: nothing says the CPU.  perf ends without a word."""
    s, t = c.program(), c.t0
    st = mkperf.IDENTIFIER | mkperf.IP | mkperf.TID | mkperf.TIME
    d = c.perf(sample_type=st, priv=dict(have_sched_switch=have, per_cpu=0))
    d.comm('t').mmap2(c.path, tsc=t - 1000).itrace_start(t - 900).switch(t - 800, **switch)
    c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    d.auxtrace(c.pt.bytes, cpu=-1, tid=c.data.pid, idx=0)
    d.switch(t + 60000, **dict(switch, out=True))
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


for _have, _kind in ((0, None), (2, None), (0, (0, 0)), (3, (0, 0))):
    globals()['switch_of_thread_%d_%s' % (_have, 'own' if _kind is None else 'wide')] = case(
        *SWITCHES, known=[('*', ('reads', b' f3+0x0 (/build/t)'), 'Records')])(
            lambda c, have=_have, kind=_kind: switch_of_thread(c, have, other=kind))


@case(*SWITCHES)
def switch_of_thread_out(c):
    """Only out: perf has nothing to put anywhere."""
    switch_of_thread(c, 0, other=None, out=True)


@case(*SWITCHES, known=[('*', ('reads', b' f3+0x0 (/build/t)'), 'Records')])
def switch_not_wide(c):
    """A SWITCH out where CPU-wide ones were recorded: it names nobody who comes."""
    s = c.program()
    c.record().switch(c.t0 - 700, out=True, other=None)
    trace(c, s)


OF_SECOND = b't5000  5000   641.257928:          1'


@case(*SWITCHES[1:], known=[
    ('--itrace=i1i', ('reads', OF_SECOND + b'       instructions:u:            40102d f3+0x0'),
     'Records'),
    ('--itrace=be *', ('reads', OF_SECOND + b'           branches:u:            40102e f3+0x1'),
     'Records')])
def switch_by_id(c):
    """Two CPUs: a record tells its own only by its id, of which ID_INDEX says the CPU."""
    s, t = c.program(), c.t0
    st = mkperf.IDENTIFIER | mkperf.IP | mkperf.TID | mkperf.TIME
    d = c.perf(sample_type=st)
    d.attrs[-1].ids[:] = [101, 102]
    d.id_index([(100, 0, 0, -1), (101, 0, 0, -1), (102, 1, 1, -1)])
    for pid in (4242, 5000):
        d.comm('t%d' % pid, pid=pid).mmap2(c.path, tsc=t - 1000, pid=pid)
    for cpu, pid in ((0, 4242), (1, 5000)):
        d.kernel(14, 0, b'', t - 800 + cpu, pid, id_=101 + cpu)
        c.pt = type(c.pt)()
        c.pt.start(t + 100 * cpu).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
        d.auxtrace(c.pt.bytes, cpu=cpu)
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


@case('--itrace=i0nse -F+insn', '--itrace=e', '--itrace=be')
def adjacent_maps(c):
    """An instruction that begins in one map and ends in the next: perf reads on in the file of
    the first, and says that there is none where that ends."""
    s, t = c.program(), c.t0
    call = s._start  # of five bytes
    whole = c.code.elf()
    d = c.perf()
    d.comm('t')
    at = 0x1000 + call - 0x401000
    c.write_image('/build/ends', whole[:at + 2])
    for base, path in ((call & ~0xfff, c.path), (0x501000, '/build/ends')):
        d.mmap2(path, addr=base, size=call + 2 - (call & ~0xfff), tsc=t - 1000)
        d.mmap2('/build/next', addr=base + call + 2 - (call & ~0xfff), size=0x800, pgoff=0x200,
                tsc=t - 1000)
    c.write_image('/build/next', bytes(0x200) + b'\x90' * 0x22 + b'\xff\xe0')
    d.itrace_start(t - 900).switch(t - 800)
    c.pt.start(t).pge(s._start).pgd().pge(s._start + 0x100000).pgd()
    c.finish()


@case('--itrace=be', '-D')
def aux_flags(c):
    s, t = c.program(), c.t0
    d = c.record()
    p = c.pt.start(t).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    size = d.auxtrace(p.bytes)
    for i, flags in enumerate((1, 2, 4, 8, 0x100, 15)):
        d.aux(size * i, size, t + 100 * i, flags)
    d.lost(101, 3, t + 1000)
    d.exit(t + 70000)
    d.write(c.folder + '/perf.data')


@case('--itrace=be', '-D', '-F+misc',
      known=[('*', ('goes on', 0), 'Damaged files')])
def unknown_records(c):
    """K26: of types that a newer perf may write."""
    s = c.program()
    d = c.record()
    d.record(100, 0, b'\0' * 16).kernel(22, 0, b'\0' * 24, c.t0 - 700)
    trace(c, s)


@case('--itrace=be', '-D', '-F+misc',
      known=[('*', ('goes on', 234), 'Damaged files')])
def impossible_type(c):
    s = c.program()
    c.record().record(200, 0, b'\0' * 16)
    trace(c, s)


@case('--itrace=be', '-D', '-F+misc',
      known=[('*', ('goes on', 234), 'Damaged files')])
def record_of_no_event(c):
    s = c.program()
    c.record().kernel(14, 0, b'', c.t0 - 700, id_=999)
    trace(c, s)


@case('--itrace=be', '-D',
      known=[('*', ('goes on', 234), 'Damaged files')])
def index_of_no_event(c):
    """An ID_INDEX with an id that no event has."""
    s = c.program()
    c.record().record(69, 0, struct.pack('<5Q', 1, 999, 0, 1, 2**64 - 1))
    trace(c, s)


@case('-D', known=[('*', ('goes on', 234), 'Damaged files')])
def cut(c):
    """The file ends inside its last record.  (perf hangs where it has to decode.)"""
    s = c.program()
    trace(c, s)
    with open(c.folder + '/perf.data', 'rb+') as f:
        head = f.read(56)
        start, size = struct.unpack_from('<QQ', head, 40)
        f.truncate(start + size - 12)


@case('--header-only', '--header-only -I', '--header --itrace=e',
      known=[('*', 'refused', 'Not there yet')])
def header(c):
    s = c.program()
    d = c.perf()
    text = lambda t: len(t.encode() + b'\0').to_bytes(4, 'little') + t.encode() + b'\0'
    d.features.update(hostname=text('host'), osrelease=text('6.1.0'), version=text('6.1'),
                      cpudesc=text('A processor'), total_mem=(1 << 20).to_bytes(8, 'little'),
                      cmdline=(2).to_bytes(4, 'little') + text('perf') + text('record'))
    trace(c, s)


def filtered(c, text):
    """TIP.PGD without an ip at a direct branch out of the filter."""
    s = c.program()
    text += b'\0' * (8 - len(text) % 8)
    order = {'<': 'little', '>': 'big'}[mkperf.Recording.usual_order]
    words = [int.from_bytes(text[i:i + 8], order) for i in range(0, len(text), 8)]
    k = mkperf.Clock
    c.perf(priv=[6, k.shift, k.mult, k.zero, 1, 0x400, 0x800, 3, 0, 1, 0x200, 0x3c000, 100,
                 2, 2, 12, len(text.rstrip(b'\0'))] + words + [0])
    c.record()
    c.pt.start(c.t0).pge(s.f).tip(s._start + 5).pgd().pge(s.f).pgd(s._start + 5).pge(s.f)
    c.pt.tnt('T').pgd()
    c.finish()


@case('--itrace=be', '-D')
def address_filter(c):
    filtered(c, b'filter 0x1023/0x2@/build/t')


@case('--itrace=be', '-D')
def address_filter_spaces(c):
    filtered(c, b' tracestop  4 / 5 @ /bin/x , filter 0x1023 / 0x2 @ /build/t,start 9@/build/t')


@case('--itrace=be', '-D')
def address_filter_symbols(c):
    """perf record makes numbers of them; perf script does not look for them."""
    filtered(c, b'filter f #2 / g @ /build/t')


for _name, _text in (('action', b'filter 0x1023/0x2@/build/t garbage'), ('place', b'filter '),
                     ('file', b'filter 0x1023/0x2@'), ('space', b'filter0x1023@/build/t')):
    globals()['address_filter_bad_' + _name] = case('--itrace=be', '--no-itrace', known=[
        ('*', {rb'[^\n]*failed to process type: 70[^\n]*\n': b''}, 'Damaged files')])(
            lambda c, text=_text: filtered(c, text))


@case('--itrace=be', '', '-D', known=[
    ('--itrace=be', ('reads', b'401000 _start+0x0 (/build/t) =>           401023 f+0x0'),
     'Pipe-mode files'),
    ('', ('reads', b'psb offs: 0 '), 'Pipe-mode files'),
    ('-D', ('reads', b'.  00000000:  02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82 PSB\n'),
     'Pipe-mode files')])
def piped(c):
    """perf record's pipe format, in a file."""
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.finish()
    c.data.write_pipe(c.folder + '/perf.data')


@case('--itrace=i0ns', '--itrace=b', '--itrace=e', '--no-itrace', '-D',
      '--itrace=i1i --show-lost-events', '--itrace=i0ns -C 0', '--itrace=b --time 0,0.000001')
def lost_samples(c):
    """A twentieth of all is not worth a warning: those made from the trace are among them."""
    s = c.program()
    c.record()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.data.lost_samples(1, c.t0 - 600)
    c.finish()
