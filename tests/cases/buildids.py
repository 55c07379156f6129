"""buildid-list: which dsos have which build id, and which of them samples hit (B01-B03, B06)."""
from cases import case
from mkperf import KERNEL, USER, Attr, Recording
import mksample as ms
from reccase import SIDE, times

GUEST_KERNEL, GUEST_USER = 4, 5
BASE = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.PERIOD
LIST = ('buildid-list', 'buildid-list -H', 'buildid-list -v', 'buildid-list --with-hits -f words')


def some_id(n, size=20):
    return bytes(range(n, n + size))


def recording():
    d = Recording([Attr(1, 0, SIDE, BASE, [100])])
    return d.comm('prog', 1000)


def write(c, d):
    d.write(c.folder + '/perf.data')


def header(d):
    d.build_id('[kernel.kallsyms]', some_id(1), KERNEL)
    d.build_id('[vfat]', some_id(2), KERNEL)
    d.build_id('/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz', some_id(3), KERNEL)
    d.build_id('/usr/bin/prog', some_id(4))
    d.build_id('/usr/lib/libc.so.6', some_id(5, 16))
    d.build_id('[vdso]', some_id(6, 8))


@case(*LIST)
def of_the_header(c):
    d = recording()
    header(d)
    write(c, d)


@case(*LIST)
def twice(c):
    """A later entry of a name has the id; that of another guest is another dso."""
    d = recording()
    header(d)
    d.build_id('/usr/bin/prog', some_id(7))
    d.build_id('[vfat]', some_id(8), KERNEL)
    d.build_id('/usr/bin/prog', some_id(9), GUEST_USER, 7)
    write(c, d)


@case(*LIST)
def of_guests(c):
    """By process, behind the host's."""
    d = recording()
    for pid in (300, 7, 0, -5):
        d.build_id('[guest.kernel.kallsyms]', some_id(10 + pid % 50), GUEST_KERNEL, pid)
        d.build_id('/bin/guest', some_id(20 + pid % 50), GUEST_USER, pid)
        d.build_id('/bin/user', some_id(30 + pid % 50), USER, pid)
    d.build_id('/bin/prog', some_id(4))
    write(c, d)


@case(*LIST)
def of_no_mode(c):
    """Neither kernel nor user: passed over, as all of another mode."""
    d = recording()
    for mode in range(8):
        d.build_id('/bin/mode%d' % mode, some_id(mode), mode)
    write(c, d)


def run(d):
    """Samples in two of three programs and in the kernel, not in its module."""
    t = times()
    d.mmap('[kernel.kallsyms]_text', 0xffffffff81000000, 0x1000000, 0xffffffff81000000,
           misc=KERNEL, pid=-1)
    d.mmap('/lib/modules/6.1/kernel/fs/fat/vfat.ko', 0xffffffffc0000000, 0x10000,
           misc=KERNEL, pid=-1)
    d.mmap2('/usr/bin/prog', tsc=next(t))
    d.mmap2('/usr/lib/libc.so.6', 0x7f0000000000, 0x10000, 0, next(t))
    d.mmap2('/usr/lib/unused.so', 0x7f0000100000, 0x10000, 0, next(t))
    d.mmap2('//anon', 0x7f0000200000, 0x10000, 0, next(t))
    for ip, misc in ((0x401010, USER), (0x7f0000000100, USER), (0x7f0000200100, USER),
                     (0xffffffff81000100, KERNEL), (0x401010, KERNEL), (0x7f0000100000, 3),
                     (0x7f0000100000, GUEST_USER), (0x500000, USER)):
        d.sample(ip, next(t), misc=misc)
    d.sample(0x401000, next(t), pid=77)
    return d


@case(*LIST)
def hit(c):
    d = run(recording())
    header(d)
    write(c, d)


@case('buildid-list', 'buildid-list -H')
def hit_without_ids(c):
    write(c, run(recording()))


@case(*LIST, 'stdin=perf.data buildid-list', 'stdin=perf.data buildid-list -H -i -')
def of_a_pipe(c):
    """Its build ids are records."""
    d = recording()
    for path, mode, n in (('[kernel.kallsyms]', KERNEL, 1), ('/usr/bin/prog', USER, 4),
                          ('/usr/lib/unused.so', USER, 9)):
        body = d.pack('i', -1) + some_id(n) + b'\x14\0\0\0' + path.encode() + b'\0' * (
            8 - len(path) % 8)
        d.record(67, mode | 1 << 15, body)
    run(d).write_pipe(c.folder + '/perf.data')


@case(*LIST)
def of_maps(c):
    """MMAP2 records have them."""
    d, t = recording(), times()
    d.mmap2('/usr/bin/prog', tsc=next(t), build_id=some_id(4))
    d.mmap2('/usr/lib/libc.so.6', 0x7f0000000000, 0x10000, 0, next(t), build_id=some_id(5))
    d.sample(0x401010, next(t))
    write(c, d)


@case(*LIST, known=[('*', ('reads', some_id(4).hex().encode() + b' /build/t\n'), 'Build ids')])
def of_maps_of_a_trace(c):
    """perf lists what samples hit, and a trace has none."""
    c.program()
    d, t = c.perf(), c.t0
    d.comm('t')
    d.mmap2(c.path, tsc=t - 1000, build_id=some_id(4))
    d.itrace_start(t - 900)
    d.switch(t - 800)
    c.pt.start(c.t0)
    c.finish()


@case(*LIST)
def of_a_trace(c):
    """All of the header, also with -H."""
    c.program()
    d = c.record()
    header(d)
    c.pt.start(c.t0)
    c.finish()


@case('buildid-list', 'buildid-list -v -H')
def of_no_recording(c):
    """An ELF file: its own."""
    c.program(build_id=some_id(3))
    with open(c.folder + '/symfs' + c.path, 'rb') as f, open(c.folder + '/perf.data', 'wb') as to:
        to.write(f.read())


@case('buildid-list', 'buildid-list -i perf.datum', 'buildid-list -x')
def of_nothing(c):
    with open(c.folder + '/perf.data', 'w') as f:
        f.write('no recording\n')


ZEROS = '--itrace=be', 'buildid-list', 'buildid-list -H', '--itrace=i1i -F ip,sym,dso'


@case(*ZEROS)
def zeros_in_the_header(c):
    """Any file is the one, but perf has no symbols of it."""
    s = c.program(build_id=some_id(3))
    c.perf().build_id(c.path, bytes(20))
    c.record()
    c.pt.start(c.t0).pge(s._start).tnt('T').pgd()
    c.finish()


@case(*ZEROS)
def zeros_of_a_map(c):
    s = c.program(build_id=some_id(3))
    c.perf().comm('t').mmap2(c.path, build_id=bytes(20), tsc=c.t0 - 1000)
    c.data.itrace_start(c.t0 - 900).switch(c.t0 - 800)
    c.pt.start(c.t0).pge(s._start).tnt('T').pgd()
    c.finish()
