"""The same recording in every container perf.data has (rows C of the tables).

C01 header_*, version_*, attrs_of_no_size; C02 attr_of_*, and features.attr_*; C03 and C04 are
features.py; C05 *_standard_input, and sideband.piped, the pipes of features.py and damage.py;
C06 sideband.piped; C07 directory*; C08 compressed*; C09 other_byte_order*, and all cases once
more in oracle/foreign.py; C10 killed, and sideband.cut; C11 badinput/owner.sh; C12
sideband.no_index, and unit/test_file_lies.c; C13 tools.id_index, records.ids_*, pieces.py; C14
tools.rounds, records.comm (times 0), unit/test_perf_rec.c.
"""
import copy
import os
import struct

from cases import case
import mkpack
import mkperf

ALL = ('', '-D', '--itrace=be --ns', '--show-task-events --show-mmap-events '
       '--show-switch-events --ns', '--dump-unsorted-raw-trace')
# perf 6.1 cannot read these at all
OURS = [('-D', ('reads', b'PERF_RECORD_COMM: t:4242/4242'), 'Compressed records'),
        ('', ('reads', b'cbr: 29 freq: 2900 MHz (242%)'), 'Compressed records'),
        ('*', ('reads', b'_start+0x5 (/build/t)'), 'Compressed records')]


def trace(c):
    s = c.program()
    c.record()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()


def finish(c, **kw):
    trace(c)
    c.finish()
    mkpack.pack(c.data, **kw).write(c.folder + '/perf.data')


@case(*ALL)
def compressed(c):
    finish(c)


@case(*ALL)
def compressed_in_pieces(c):
    """Each record takes many COMPRESSED ones, which end inside headers and blocks."""
    finish(c, how=lambda data: mkpack.stored(data, 5), piece=29)


@case('', '-D', '--itrace=be --ns', known=OURS)
def compressed_in_crumbs(c):
    """So small that some hold nothing, where perf 6.1 gives up."""
    finish(c, how=mkpack.stored, piece=3)


@case(*ALL)
def compressed_between_others(c):
    c.perf()
    finish(c, how=lambda data: mkpack.stored(data, 5), piece=29,
           between=c.data.pack('IHH', 68, 0, 8))


@case('', '-D', known=OURS)
def compressed_in_words(c):
    """COMPRESSED2, which newer perf writes."""
    finish(c, piece=13, kind=mkpack.COMPRESSED2)


@case('', '-D', known=OURS)
def compressed_without_the_feature(c):
    finish(c, with_feature=False)


@case('-F comm,tid,cpu,time,ip', '-D', '--dump-unsorted-raw-trace', '--header')
def compressed_in_a_pipe(c):
    """Without a trace, with which perf 6.1 loses its place in pipes."""
    mkpack.pack(samples(simple(), 1000, 50, 100), how=lambda data: mkpack.stored(data, 5),
                piece=29).write_pipe(c.folder + '/perf.data')


def samples(d, first, count, step, cpu=0, **fields):
    for i in range(count):
        d.sample(0x401000 + i, first + i * step, cpu=cpu, **fields)
    return d


def simple(pid=4242, more=0):
    """A recording of a software event; for a second file of it, too."""
    attr = mkperf.Attr(1, 0, mkperf.SAMPLE_ID_ALL, mkperf.IDENTIFIER | mkperf.IP | mkperf.TID
                       | mkperf.TIME | mkperf.CPU | more, [1])
    d = mkperf.Recording([attr], pid=pid)
    d.features.update({'arch': d.pack('I', 8) + b'x86_64\0\0', 'nrcpus': d.pack('II', 4, 4)})
    d.comm('t')
    return d


RAW = ('-F comm,tid,cpu,time,ip', '-D', '--dump-unsorted-raw-trace')


@case('', *('stdin=perf.data%s%s' % (where, o) for where in ('', ' -i -')
            for o in ('', ' -D', ' --show-task-events')),
      'stdin=perf.data evlist -i -', 'stdin=perf.data evlist', 'stdin=perf.data -i perf.data')
def pipe_on_standard_input(c):
    """C05.  Without -i a pipe is read, or else perf.data."""
    samples(simple(), 1000, 5, 100).finished_round().write_pipe(c.folder + '/perf.data')


@case('stdin=perf.data -i -', 'stdin=perf.data', 'stdin=nothing -i -', known=[
    ('stdin=perf.data*', ('reads', b'401004'), 'Pipe-mode files')])
def no_pipe_on_standard_input(c):
    """C05"""
    samples(simple(), 1000, 5, 100).write(c.folder + '/perf.data')
    with open(c.folder + '/nothing', 'wb'):
        pass


@case(*RAW)
def directory(c):
    d = simple()
    mkpack.write_dir(d, c.folder + '/perf.data', {
        'data.0': samples(simple(), 1000, 5, 100), 'data.1': samples(simple(), 1050, 5, 100, 1),
        'data.2': simple().finished_round()})


@case(*RAW)
def directory_of_one_file(c):
    """As perf record --kcore makes: no DIR_FORMAT, or 0."""
    mkpack.write_dir(samples(simple(), 1000, 5, 100), c.folder + '/perf.data', {}, version=None)


@case(*RAW, 'evlist', '-i perf.data/data -F ip')
def directory_with_kernels(c):
    """C07: what --kcore and --guest-... leave beside the data."""
    path = c.folder + '/perf.data'
    d = samples(simple(), 1000, 5, 100)
    mkpack.write_dir(d, path, {}, version=None)
    for folder in ('kcore_dir', 'kcore_dir__77'):
        os.mkdir(path + '/' + folder)
        for name, text in (('kallsyms', 'ffffffff81000000 T _text\n'), ('modules', ''),
                           ('kcore', '')):
            with open('%s/%s/%s' % (path, folder, name), 'w') as f:
                f.write(text)


@case(*RAW)
def directory_compressed(c):
    """Each file has a stream of its own."""
    one, two = (mkpack.pack(samples(simple(), 1000 + 50 * i, 50, 100, i), piece=29,
                            how=lambda data: mkpack.stored(data, 5)) for i in (0, 1))
    mkpack.write_dir(mkpack.pack(simple()), c.folder + '/perf.data',
                     {'data.0': one, 'data.1': two})


@case(RAW[0])
def directory_in_turns(c):
    """Files longer than what perf reads at once: it shows when all times are the same."""
    big = [samples(simple(more=mkperf.RAW), 1000, 90, 0, i, raw=bytes(60004)) for i in (0, 1)]
    mkpack.write_dir(simple(more=mkperf.RAW), c.folder + '/perf.data',
                     {'data.0': big[0], 'data.1': big[1]})


@case('', '-D', '--itrace=be --ns', known=[
    ('', ('reads', b'psb offs: 0 '), 'Directories'),
    ('-D', ('reads', b'.  00000000:  02 82 02 82 02 82 02 82 02 82 02 82 02 82 02 82 PSB\n'),
     'Directories'),
    ('*', ('reads', b'_start+0x5 (/build/t)'), 'Directories')])
def directory_with_trace(c):
    """The trace beside the main file: perf 6.1 looks for it in the main file."""
    trace(c)
    d = c.data
    c.finish()
    os.remove(c.folder + '/perf.data')
    other = copy.copy(d)
    at = d.aux_at[0]
    other.chunks = d.chunks[at:at + 2]
    d.chunks = d.chunks[:at] + d.chunks[at + 2:]
    d.aux_at = []
    mkpack.write_dir(d, c.folder + '/perf.data', {'data.0': other})


@case(*RAW, known=[('*', {b'234\n@@@ stderr\n': b'255\n@@@ stderr\nperf.data: no data files in it\n'},
                    'Directories')])
def directory_without_files(c):
    mkpack.write_dir(simple(), c.folder + '/perf.data', {})


@case(*RAW, known=[('*', {b'assertion failed at util/data.c:95':
                          b'perf.data: directories of version 2 are not supported'},
                    'Directories')])
def directory_of_a_newer_version(c):
    mkpack.write_dir(simple(), c.folder + '/perf.data', {'data.0': simple()}, version=2)


@case(*ALL, '-I --header-only', known=[
    ('*', {b'0x1000 08:01 12345 0\\]: ---p': b'0x1000 08:01 12345 0]: r-xp'},
     'Files of the other byte order')])
def other_byte_order(c):
    """More of it in tests/oracle/foreign.py."""
    c.perf(order='>')
    trace(c)
    c.finish()


@case('', '-D', '--itrace=be --ns', known=[
    ('-D', ('reads', b'PERF_RECORD_COMM: t:4242/4242'), 'Compressed records'),
    ('*', ('reads', b'_start+0x5 (/build/t)'), 'Compressed records')])
def other_byte_order_compressed(c):
    c.perf(order='>')
    finish(c, how=lambda data: mkpack.stored(data, 5), piece=29)


def rewrite(c, change):
    """Changes the file that was written: change(bytearray)."""
    path = c.folder + '/perf.data'
    with open(path, 'rb') as f:
        raw = bytearray(f.read())
    with open(path, 'wb') as f:
        f.write(change(raw) or raw)


def set_words(c, *words):
    """words: (offset, value) of 64-bit words, in the byte order of the file."""
    def change(raw):
        for at, value in words:
            raw[at:at + 8] = c.data.pack('Q', value)
    rewrite(c, change)


def first_version(c, size, order='<'):
    attr = mkperf.Attr(1, 0, mkperf.SAMPLE_ID_ALL, mkperf.IDENTIFIER | mkperf.IP | mkperf.TID
                       | mkperf.TIME | mkperf.CPU, [1], size=size)
    c.data = samples(mkperf.Recording([attr], order=order), 1000, 3, 100)
    c.data.write(c.folder + '/perf.data')
    rewrite(c, lambda raw: raw.__setitem__(slice(0, 8), b'PERFFILE'))


VERSIONS = RAW + ('--header-only', 'evlist -v')
for _size in (64, 72, 80, 96, 104):
    for _order, _name in (('<', 'little'), ('>', 'big')):
        globals()['version_1_of_%d_%s' % (_size, _name)] = case(*VERSIONS)(
            lambda c, size=_size, order=_order: first_version(c, size, order))


@case(*RAW)
def version_1_of_another_size(c):
    first_version(c, 112)


@case(*ALL, known=[
    ('-D', ('reads', b'PERF_RECORD_COMM: t:4242/4242'), 'Files that lack something'),
    ('--dump*', ('reads', b'PERF_RECORD_COMM: t:4242/4242'), 'Files that lack something'),
    ('--show*', ('reads', b'PERF_RECORD_COMM: t:4242/4242'), 'Files that lack something'),
    ('', ('reads', b'cbr: 29 freq: 2900 MHz (242%)'), 'Files that lack something'),
    ('*', ('reads', b'_start+0x5 (/build/t)'), 'Files that lack something')])
def killed(c):
    """perf record did not live to write how much data there is, nor what comes behind it."""
    trace(c)
    c.finish()
    rewrite(c, lambda raw: raw[:sum(struct.unpack(c.data.pack.order + 'QQ', raw[40:56]))])
    set_words(c, (48, 0))


@case(*ALL)
def header_of_another_size(c):
    trace(c)
    c.finish()
    set_words(c, (8, 96))


@case(*ALL, '--header-only')
def header_without_features(c):
    """As it was before there were any."""
    trace(c)
    c.finish()
    set_words(c, (8, 72))


@case(*RAW)
def attrs_of_no_size(c):
    c.data = samples(simple(), 1000, 3, 100)
    c.data.write(c.folder + '/perf.data')
    set_words(c, (16, 0))


def sized(c, size, order='<', at=None):
    """An event whose attributes take `size` bytes, with a byte set at `at`."""
    attr = mkperf.Attr(1, 0, mkperf.SAMPLE_ID_ALL, mkperf.IDENTIFIER | mkperf.IP | mkperf.TID
                       | mkperf.TIME | mkperf.CPU, [1], size=size)
    c.data = samples(mkperf.Recording([attr], order=order), 1000, 3, 100)
    c.data.write(c.folder + '/perf.data')
    if at is not None:
        rewrite(c, lambda raw: raw.__setitem__(104 + 8 + at, 1))


@case(*VERSIONS)
def attr_of_128(c):
    sized(c, 128)


NEWER = [('--header-only', ('reads', b'# header version : 1'), 'Attributes of newer kernels'),
         ('evlist*', ('reads', b'cpu-clock:HG: '), 'Attributes of newer kernels'),
         ('*', ('reads', b'401000'), 'Attributes of newer kernels')]


@case(*VERSIONS, known=NEWER)
def attr_of_136(c):
    sized(c, 136)


@case(*VERSIONS, known=NEWER)
def attr_of_160(c):
    sized(c, 160)


@case(*VERSIONS)
def attr_of_160_in_use(c):
    sized(c, 160, at=150)


@case(*VERSIONS)
def attr_of_56(c):
    sized(c, 56)


NOWHERE = '-i nowhere '


@case(*(NOWHERE + o for o in ('--itrace=!', '-F foo', '-F +insn,ip', '--reltime --deltatime', '--itrace=be',
                              '--kallsyms none --itrace=i9z', '--time x',
                              # first what is said of the words, then the kernel's files, then the rest
                              '--kallsyms none -F hw:comm -F hw:ip', '-k none --reltime --deltatime',
                              '--kallsyms none -F comm,foo')),
      'report --kallsyms none -i nowhere', 'report -k none -i nowhere',
      'inject -i nowhere -o new --itrace=!', 'inject -i nowhere -o new --strip')
def nowhere(c):
    """Wrong options are told before it is found that there is no such file."""
    sized(c, 128)
