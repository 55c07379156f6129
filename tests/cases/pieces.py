"""Trace in pieces that may overlap: snapshots, and AUX samples."""
from cases import case
import mkperf
import mksample

ALL = ('--itrace=be --ns -F+flags', '--itrace=i1ie', '', '-D', '--itrace=beZ')
CONFIG = 0x300e601
NO_TSC = CONFIG & ~(mkperf.TSC | mkperf.MTC)


def rounds(c, n, timed=True):
    """The program n times, a PSB+ before each; where each PSB+ begins, and the end."""
    s, at = c.program(), []
    for i in range(n):
        at.append(len(c.pt.bytes))
        c.pt.psb().mode_exec()
        if timed:
            c.pt.tsc(c.t0 + 1000 * i).cbr(20 + i)
        c.pt.psbend().pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    return at + [len(c.pt.bytes)]


def pieces(c, *cuts, config=CONFIG, pad=b'\0', **kw):
    """Each of cuts, (from, to) or bytes, as one AUXTRACE record of a snapshot recording."""
    d = c.perf(config=config, priv=dict(snapshot=1), **kw)
    c.record()
    for i, cut in enumerate(cuts):
        data = cut if isinstance(cut, bytes) else c.pt.bytes[cut[0]:cut[1]]
        d.auxtrace(data + pad * (-len(data) % 8), ref=c.t0 + 3000 * i)
    d.aux(0, 100, c.t0 + 50000).switch(c.t0 + 60000, out=True).exit(c.t0 + 70000)
    d.write(c.folder + '/perf.data')


@case(*ALL, 'export branches calls --itrace=be')
def apart(c):
    at = rounds(c, 4)
    pieces(c, (at[0], at[2]), (at[2], at[4]))


@case(*ALL)
def overlapping(c):
    """The second has the end of the first, and the third that of the second."""
    at = rounds(c, 5)
    pieces(c, (at[0], at[3]), (at[1], at[4]), (at[1] + 20, at[5]))


@case(*ALL)
def overlapping_inside(c):
    """A piece ends inside a round, even inside a PSB+."""
    at = rounds(c, 5)
    pieces(c, (at[0], at[1] + 44), (at[1], at[3] + 20), (at[2], at[3] + 26), (at[2], at[5]))


@case(*ALL)
def nothing_new(c):
    at = rounds(c, 4)
    pieces(c, (at[0], at[3]), (at[1], at[3]), (at[0], at[2]), (at[2], at[4]))


@case(*ALL, 'export branches calls --itrace=be')
def nothing_to_begin_with(c):
    """Pieces without a PSB, or with none but at the end."""
    at = rounds(c, 4)
    pieces(c, (at[0] + 1, at[1]), (at[0], at[1]), (at[1] + 16, at[2]), (at[2] + 3, at[3] + 16),
           (at[2], at[4]))


@case(*ALL)
def padded(c):
    """With other bytes than zero, which belong to neither."""
    at = rounds(c, 4)
    pieces(c, (at[0], at[2] + 3), (at[1], at[3] + 5), (at[1], at[4]), pad=b'\x47')


@case(*ALL)
def older_again(c):
    """Pieces in the wrong order."""
    at = rounds(c, 5)
    pieces(c, (at[2], at[5]), (at[0], at[3]), (at[1], at[4]))


@case(*ALL)
def without_tsc(c):
    at = rounds(c, 5, timed=False)
    pieces(c, (at[0], at[3]), (at[1], at[4]), (at[1], at[5]), config=NO_TSC)


@case(*ALL)
def without_tsc_apart(c):
    at = rounds(c, 4, timed=False)
    pieces(c, (at[0], at[2] + 4), (at[2], at[4]), (at[0], at[1]), config=NO_TSC)


@case(*ALL)
def empty_ones(c):
    at = rounds(c, 4)
    pieces(c, b'', (at[0], at[2]), b'', b'\0' * 8, (at[1], at[4]))


@case(*ALL)
def not_snapshots(c):
    """What continues need not begin with a PSB."""
    at = rounds(c, 4)
    d = c.perf(config=CONFIG)
    c.record()
    for a, b in ((at[0], at[1] + 24), (at[1] + 24, at[4])):
        d.auxtrace(c.pt.bytes[a:b])
    d.aux(0, 100, c.t0 + 50000).exit(c.t0 + 70000)
    d.write(c.folder + '/perf.data')


# -- AUX samples ----------------------------------------------------------------------------

SAMPLE = mkperf.IDENTIFIER | mkperf.IP | mkperf.TID | mkperf.TIME | mkperf.CPU


def sampled(c, *cuts, index=True, timed=True, tid=-1, cpus=(1,), config=CONFIG, switch=3):
    """Each of cuts as the AUX part of a sample of another event: (from, to[, which CPU])."""
    sample_type = SAMPLE if timed else SAMPLE & ~mkperf.TIME
    flags = mkperf.SAMPLE_ID_ALL | mkperf.EXCLUDE_KERNEL | mkperf.EXCLUDE_HV
    side = flags | mkperf.MMAP | mkperf.COMM | mkperf.TASK | mkperf.MMAP2 | mkperf.CONTEXT_SWITCH
    ids = [200 + i for i in range(len(cpus))]
    attrs = [mkperf.Attr(6, config, flags, sample_type, [100 + i for i in range(len(cpus))]),
             mkperf.Attr(0, 0, flags, sample_type | mksample.AUX, ids, aux_sample_size=4096),
             mkperf.Attr(1, 9, side, sample_type, [300])]
    d = c.perf(attrs=attrs, priv=dict(have_sched_switch=switch))
    if index:
        d.id_index([(first + i, i, cpu, tid) for first in (100, 200)
                    for i, cpu in enumerate(cpus)] + [(300, 0, -1, -1)])
        d.chunks.reverse()  # perf record writes it in front of AUXTRACE_INFO
    c.record()
    for i, (a, b, *which) in enumerate(cuts):
        n = which[0] if which else 0
        data = c.pt.bytes[a:b]
        d.sample(0x401000 + i, c.t0 + 2000 * (i + 1), attr=attrs[1], id_=ids[n], cpu=cpus[n],
                 aux=data + b'\0' * (-len(data) % 8))
    d.switch(c.t0 + 60000, out=True).exit(c.t0 + 70000)
    d.write(c.folder + '/perf.data')


@case(*ALL)
def samples(c):
    at = rounds(c, 5)
    sampled(c, (at[0], at[2]), (at[1], at[3] + 9), (at[2], at[5]))


@case(*ALL)
def samples_of_two_cpus(c):
    at = rounds(c, 6)
    sampled(c, (at[0], at[2]), (at[1], at[3], 1), (at[1], at[4]), (at[2], at[6], 1),
            cpus=(1, 2))


@case(*ALL)
def samples_of_a_thread(c):
    at = rounds(c, 5)
    sampled(c, (at[0], at[2]), (at[1], at[5]), tid=4242, cpus=(-1,), switch=0)


@case(*ALL, 'export branches calls --itrace=be')
def samples_without_time(c):
    at = rounds(c, 5)
    sampled(c, (at[0], at[2]), (at[1], at[3]), (at[1], at[3]), (at[4], at[5]), timed=False)


@case(*ALL)
def samples_without_index(c):
    """Nothing says which buffer they are from."""
    at = rounds(c, 3)
    sampled(c, (at[0], at[2]), (at[1], at[3]), index=False)


@case(*ALL)
def samples_with_nothing(c):
    at = rounds(c, 3)
    sampled(c, (0, 0), (at[0], at[2]), (at[0] + 3, at[1]), (at[1], at[3]))


@case('--itrace=be', '-D', known=[('*', ('goes on', 234), 'Damaged files')])
def samples_of_no_counter(c):
    """Their id is not in the header."""
    at = rounds(c, 3)
    sampled(c, (at[0], at[2]))
    c.data.chunks = [chunk.replace((200).to_bytes(8, 'little'), (999).to_bytes(8, 'little'))
                     if chunk[:4] == b'\x09\0\0\0' else chunk for chunk in c.data.chunks]
    c.data.write(c.folder + '/perf.data')
