"""Every record of the kernel (rows K of the record tables): its dump, its line, its effect."""
from cases import case
from mkperf import (FORK_EXEC, KERNEL, MMAP_BUILD_ID, MMAP_DATA, USER, Attr, Recording, zstr)
import mksample as ms
from reccase import ALL_IDS, SHOW, SIDE, finish, recording, times

OPTIONS = ('-D', '--dump-unsorted-raw-trace', SHOW + ' -F +misc', SHOW + ' --ns', '')


@case(*OPTIONS)
def mmap(c):
    """K01"""
    d, t = recording(), times()
    d.comm('t', next(t))
    d.mmap('/bin/a', 0x400000, 0x2000, 0, next(t))
    d.mmap('/bin/data', 0x600000, 0x1000, 0x1000, next(t), misc=USER | MMAP_DATA)
    d.mmap('//anon', 0, 0, 0, next(t), pid=0).mmap('a b', 1, 2**64 - 1, 2**63, next(t))
    d.mmap('/lib/modules/6.1/k.ko', 0xffffffffc0000000, 0x1000, 0, next(t), -1, KERNEL)
    for mode in range(8):
        d.mmap('/bin/m%d' % mode, 0x700000 + mode * 0x1000, 0x1000, 0, next(t), misc=mode)
    d.mmap('/bin/x', 0x10000, 0x1000, 0, next(t), pid=77, tid=78)
    d.mmap('', 0x20000, 0x1000, 0, next(t))
    finish(c, d)


@case(*OPTIONS)
def mmap2(c):
    """K02"""
    d, t = recording(), times()
    d.comm('t', next(t))
    for prot in range(16):
        d.mmap2('/bin/p%d' % prot, 0x400000 + prot * 0x1000, tsc=next(t), prot=prot)
    for flags in (0, 1, 2, 3, 0x40002):
        d.mmap2('//anon', 0x500000, tsc=next(t), flags=flags)
    d.mmap2('/bin/big', 2**64 - 4096, 4096, 2**64 - 1, next(t), dev=(0xfff, 0xfffff),
            inode=2**64 - 1, generation=2**63)
    d.mmap2('/bin/data', 0x600000, tsc=next(t), prot=3, misc=USER | MMAP_DATA)
    finish(c, d)


@case(*OPTIONS, known=[('', {rb'assertion failed at util/build-id.c:1010\n': b''}, 'Records')])
def mmap2_build_id(c):
    """K03"""
    d, t = recording(), times()
    d.comm('t', next(t))
    for size in (20, 16, 1, 8):
        d.mmap2('/bin/a%d' % size, 0x400000 + size * 0x1000, tsc=next(t),
                build_id=bytes(range(0xa0, 0xa0 + size)))
    for size in (0, 21, 255):
        body = d.pack('IIQQQ', 7, 7, 0x900000 + size * 0x1000, 0x1000, 0)
        d.kernel(10, USER | MMAP_BUILD_ID, body + d.pack('BBH', size, 1, 2) + bytes(range(20))
                 + d.pack('II', 5, 2) + zstr('/bin/b%d' % size), next(t))
    finish(c, d)


@case(*OPTIONS)
def comm(c):
    """K04"""
    d, t = recording(), times()
    d.comm('one', next(t)).comm('two', next(t), exec_=True).comm('a b', next(t), tid=77)
    d.comm('0123456789abcde', next(t), pid=5).comm('', next(t), pid=6)
    d.comm('swap', next(t), pid=0).comm('minus', next(t), pid=-1).comm('late', None, pid=8)
    d.comm('quote"\\\t', next(t), pid=9)
    finish(c, d)


@case(*OPTIONS)
def fork_and_exit(c):
    """K05"""
    d, t = recording(), times()
    d.comm('t', next(t)).fork(next(t), 4243).fork(next(t), 4300, 4300, 4242, 4243)
    d.fork(next(t), 4400, 4400, 4242, 4242, misc=FORK_EXEC).comm('c', next(t), 4400)
    d.exit(next(t), tid=4243).exit(next(t), 4300).fork(next(t), 5, 5, 0, 0).exit(next(t), 99)
    finish(c, d)


@case(*OPTIONS)
def aux(c):
    """K06"""
    d, t = recording(), times()
    for flags in (0, 1, 2, 4, 8, 7, 0x100, 0xff00, 2**64 - 1):
        d.aux(flags, 0x1000, next(t), flags)
    d.aux(0, 0, next(t))
    finish(c, d)


@case(*OPTIONS)
def itrace_start(c):
    """K07"""
    d, t = recording(), times()
    d.itrace_start(next(t)).itrace_start(next(t), 7, 8).itrace_start(next(t), -1)
    finish(c, d)


@case(*OPTIONS, 'report -D')
def lost(c):
    """K08, K09"""
    d, t = recording(), times()
    d.lost(100, 1, next(t)).lost(0, 2**64 - 1, next(t)).lost(999, 77, next(t))
    d.lost_samples(5, next(t)).lost_samples(2**40, next(t), id_=100)
    d.lost_samples(5, next(t)).kernel(13, 1 << 15, d.pack('Q', 3), next(t))
    finish(c, d)


@case(*OPTIONS)
def switch(c):
    """K10, K11"""
    d, t = recording(), times()
    d.comm('t', next(t))
    for other in (None, (7, 8), (0, 0), (-1, -1), (123456, 1234567)):
        for out, preempt in ((0, 0), (1, 0), (1, 1), (0, 1)):
            d.switch(next(t), out, other, preempt=preempt)
    finish(c, d)


@case(*OPTIONS)
def namespaces(c):
    """K12"""
    d, t = recording(), times()
    d.comm('t', next(t))
    for count in (7, 8, 10, 1, 4, 5):
        d.namespaces(next(t), count=count)
    d.namespaces(next(t), inode=0)  # it was gone
    finish(c, d)


@case(*OPTIONS)
def ksymbol(c):
    """K13"""
    d, t = recording(), times()
    for kind in range(4):
        for flags in (0, 1, 0xffff):
            d.ksymbol(0xffffffffc0000000 + 0x1000 * kind, 64, 'sym_%d' % kind, next(t), kind, flags)
    d.ksymbol(0xffffffffc0009000, 2**32 - 1, 'bpf_prog_0123456789abcdef_x', next(t))
    finish(c, d)


@case('-D', '', '-F ip,sym,symoff,dso', '-S bpf_prog_a', '--dsos bpf_prog_a',
      '--dsos /lib/modules/6.1/kernel/some-mod.ko', '--dsos [some_mod]', '--dsos bpf_trampoline_1', 'report -s dso,sym --no-children')
def ksymbol_places(c):
    """K13: samples in the code that KSYMBOL records tell of."""
    d, t = recording(), times()
    d.mmap('[kernel.kallsyms]_text', 0xffffffff81000000, 0x1000000, 0xffffffff81000000, next(t),
           -1, KERNEL)
    at = 0xffffffffc0000000
    d.ksymbol(at, 64, 'bpf_prog_a', next(t)).ksymbol(at + 64, 64, 'bpf_trampoline_1', next(t))
    d.ksymbol(at + 128, 64, 'kprobe_insn', next(t), kind=2)
    d.ksymbol(at + 192, 0, 'empty', next(t)).ksymbol(0xffffffff81000100, 16, 'inside', next(t))
    d.mmap('/lib/modules/6.1/kernel/some-mod.ko', at + 0x10000, 0x1000, 0, next(t), -1, KERNEL)

    def samples():
        for off in (0, 1, 63, 64, 100, 127, 128, 191, 192, 193):
            d.sample(at + off, next(t), misc=KERNEL)
        d.sample(0xffffffff81000108, next(t), misc=KERNEL)
        d.sample(at + 0x10008, next(t), misc=KERNEL)
        d.text_poke(at + 5, b'1', b'2', next(t))
    samples()
    d.ksymbol(at, 64, 'bpf_prog_a', next(t), flags=1)
    d.ksymbol(at + 128, 64, 'kprobe_insn', next(t), kind=2, flags=1)
    samples()
    finish(c, d)


@case(*OPTIONS)
def bpf_event(c):
    """K14"""
    d, t = recording(), times()
    for kind in range(4):
        d.bpf_event(kind, 12 + kind, next(t), flags=kind * 0x1111)
    finish(c, d)


@case(*OPTIONS)
def cgroup(c):
    """K15"""
    d, t = recording(), times()
    d.cgroup(1, '/', next(t)).cgroup(2**64 - 1, '/user.slice/a b', next(t)).cgroup(0, '', next(t))
    finish(c, d)


@case(*OPTIONS)
def text_poke(c):
    """K16"""
    d, t = recording(), times()
    d.mmap('[kernel.kallsyms]_text', 0xffffffff81000000, 0x1000000, 0xffffffff81000000, next(t),
           -1, KERNEL)
    for old, new in ((5, 5), (0, 5), (5, 0), (1, 16), (17, 32), (33, 1), (0, 0)):
        d.text_poke(0xffffffff81000010, bytes(range(old)), bytes(range(0x80, 0x80 + new)), next(t))
    finish(c, d)


@case(*OPTIONS)
def aux_output_hw_id(c):
    """K17"""
    d, t = recording(), times()
    d.aux_output_hw_id(0, next(t)).aux_output_hw_id(2**64 - 1, next(t), id_=100)
    finish(c, d)


@case(*OPTIONS)
def throttle(c):
    """K18"""
    d, t = recording(), times()
    d.throttle(next(t), 100, 7).throttle(next(t), 100, 7, un=True).throttle(next(t), 999)
    finish(c, d)


def read_formats(c, formats):
    attrs = [Attr(1, i, SIDE, ALL_IDS, [100 + i], read_format=f) for i, f in enumerate(formats)]
    d, t = Recording(attrs), times()
    for i, a in enumerate(attrs):
        d.read(next(t), a, values=[(1000 + i, a.ids[0], 3)], enabled=50, running=40)
    finish(c, d)


@case(*OPTIONS)
def read(c):
    """K19, one counter: all read formats."""
    read_formats(c, [f for f in range(32) if not f & ms.GROUP])


@case(*OPTIONS)
def read_group(c):
    """K19, groups: perf takes them for one counter."""
    read_formats(c, [f for f in range(32) if f & ms.GROUP])


@case(*OPTIONS)
def no_sample_ids(c):
    """Events without sample_id_all: the records have nothing behind their bodies."""
    d, t = recording(flags=SIDE & ~ms.SAMPLE_ID_ALL), times()
    d.comm('t', next(t)).mmap2('/bin/a', tsc=next(t)).fork(next(t), 4243).exit(next(t), tid=4243)
    d.switch(next(t), other=(1, 2)).lost(100, 5, next(t)).cgroup(5, '/a', next(t))
    d.namespaces(next(t)).throttle(next(t), 100).bpf_event(1, 2, next(t))
    d.aux(0, 1, next(t)).itrace_start(next(t)).aux_output_hw_id(5, next(t))
    d.ksymbol(0xffffffffc0000000, 5, 'k', next(t)).lost_samples(4, next(t))
    finish(c, d)


def id_words(c, sample_type):
    """The same records with other words behind them."""
    d, t = recording(sample_type), times()
    d.comm('t', next(t)).mmap2('/bin/a', tsc=next(t)).fork(next(t), 4243).exit(next(t), tid=4243)
    d.switch(next(t), other=(1, 2)).lost(100, 5, next(t), ).cgroup(5, '/a', next(t))
    d.comm('other', next(t), exec_=True)
    finish(c, d)


EACH = ('task', 'mmap', 'switch', 'namespace', 'cgroup', 'lost', 'bpf', 'text-poke')


@case(*('--show-%s-events%s' % (kind, more) for kind in EACH for more in ('', ' --ns -F+misc')),
      *('-D --show-%s-events' % kind for kind in EACH), '--show-task-events --show-mmap-events', '--show-switch-events -C 0',
      '--show-mmap-events --tid 77', '--show-task-events -F comm,tid', '--show-lost-events -F ip')
def each_shown_alone(c):
    """T12: what each option shows of a recording that has all records."""
    d, t = recording(), times()
    d.comm('t', next(t)).comm('n', next(t), tid=77, exec_=True)
    d.mmap('/bin/a', 0x400000, 0x1000, 0, next(t)).mmap2('/bin/b', 0x500000, tsc=next(t))
    d.fork(next(t), 4300, 4300, 4242, 4242).exit(next(t), 4300)
    d.switch(next(t), other=(7, 8)).switch(next(t), out=True).switch(next(t), other=(1, 2), cpu=0)
    d.namespaces(next(t)).cgroup(5, '/a', next(t)).lost(100, 5, next(t)).lost_samples(4, next(t))
    d.ksymbol(0xffffffffc0000000, 64, 'k', next(t)).aux(0, 64, next(t)).itrace_start(next(t))
    d.text_poke(0xffffffff81000010, b'12345', b'67890', next(t)).throttle(next(t), 100)
    d.aux_output_hw_id(5, next(t)).read(next(t), d.attrs[0], values=[(5, 100, 0)])
    finish(c, d)


for number, words in enumerate((
        ms.IP | ms.TID, ms.IP | ms.TIME, ms.IP | ms.TID | ms.TIME | ms.ID,
        ms.IP | ms.TID | ms.TIME | ms.CPU | ms.IDENTIFIER, ms.IP | ms.IDENTIFIER,
        ms.IP | ms.ID | ms.STREAM_ID | ms.CPU, ms.TID | ms.TIME | ms.IDENTIFIER)):
    globals()['ids_%d' % number] = case(*OPTIONS)(lambda c, words=words: id_words(c, words))
