"""inject --vm-time-correlation (J08): times of guests become those of the host, in place."""
import mkperf
from cases import case
from mkperf import CPU, IDENTIFIER, IP, TID, TIME
from mksample import AUX

VM = 'inject --vm-time-correlation'
FORCED, DRY = VM + ' --force', VM + '=dry-run'
MODES = (FORCED, DRY)
OFFSET = 0xffff_e427_22c6_4c41  # as in perf's manual
LATE = 1 << 40                  # when a piece of trace was read out
CTC, PERIOD = 50, 3             # ticks to one of the crystal clock, bits of it to an MTC


class Machine:
    """Writes packets with a clock that goes on: of the host, and for guests with an offset."""

    def __init__(self, pt, now):
        self.pt, self.now = pt, now

    def tell(self, offset=0, tma=True):
        self.pt.tsc(self.now + offset & (1 << 56) - 1)
        if tma:
            self.pt.tma(self.now // CTC & 0xffff, self.now % CTC)
        return self

    def psb(self, offset=0, nr=None, vmcs=None, end=True, tma=True):
        """nr: whether a guest runs, None: nothing says."""
        self.pt.psb().mode_exec()
        if nr is not None:
            self.pt.pip(0x2000, nr)
        if vmcs is not None:
            self.pt.vmcs(vmcs)
        self.tell(offset, tma).pt.cbr(0x1d)
        if end:
            self.pt.psbend()
        return self

    def run(self, periods=1):
        """So many MTCs pass."""
        for _ in range(periods):
            step = CTC << PERIOD
            self.now = self.now // step * step + step
            self.pt.tnt('T').mtc(self.now // step)
        self.now += 123
        return self

    def runs_guest(self, offset, vmcs):
        self.pt.pip(0x3000, 1).vmcs(vmcs)
        return self.tell(offset)

    def runs_host(self):
        self.pt.pip(0x2000, 0)
        return self


def begin(c, **kw):
    """A program, usual side-band, and a host that is traced from the beginning."""
    s = c.program()
    c.record(**kw)
    m = Machine(c.pt, c.t0)
    return s, m


def finish(c, **kw):
    c.pt.pgd()
    c.finish(**{'ref': LATE, **kw})


def enters(c, vmcs=0x1bff6a, offset=OFFSET):
    """The host, its guest for a while with a PSB in it, and the host again."""
    s, m = begin(c)
    m.psb(nr=0)
    c.pt.pge(s._start)
    m.run(3).psb(offset, nr=1, vmcs=vmcs).run(2).psb(offset, nr=1, vmcs=vmcs).run(1)
    m.tell(offset).run(2).runs_host().run(1).psb(nr=0).run(1)
    return s, m


ARGUMENTS = [VM + o for o in (
    '', ' --force', '="dry-run 0xffffe42722c64c41"', '=" 0xffffe42722c64c41" --force',
    '="dry-run 0x10 0xffffe42722c64c41" --force',
    '="dry-run 0xffffe42722c64c41:0x1bff6a"', '="0xffffe42722c64c41 : 0x1bff6a, 0x1bff6b" -f',
    '="dry-run 99999999999999999999"', '=0x10:0x1bff6a,0x12 -f', '="0x10 : 0x1 0x20:0x1bff6a" -f',
    '=:1 -f', '=0x10: -f', '=0x10:0 -f', '=0x10:1, -f', '="dry-run-1"', '="  dry-run 010"', '= -f',
    '=dry-run --strip', '=dry-run --itrace=e', ' -f --itrace=b', '=dry-run --no-itrace', ' -f -j',
    ' -f --no-itrace', ' -f --guest-data=none,1', ' -f -b', '=dry-run --buildid-all', ' -f -b --itrace=e',
    '=dry-run --itrace=bZ', '=dry-run --itrace', ' --no-vm-time-correlation',
    '="0xffffe42722c64c41" --vm-time-correlation=dry-run')]


# Samples that perf makes without an event for them.
IDS = {rb'Warning:\n1 samples with id [^\n]*\n': b''}


@case(*ARGUMENTS, known=[('*--buildid-all*', 'refused', 'Not there yet'), ('* -b*', 'refused', 'Not there yet'),
                         ('* --itrace', IDS, 'inject'), ('*999*', {b'exit 222': b'exit 234'}, 'inject')])
def options(c):
    enters(c)
    finish(c)


@case(*MODES)
def several_machines(c):
    """Each has its offset, and is named by its control structure."""
    s, m = begin(c)
    m.psb(nr=0)
    c.pt.pge(s._start)
    for vmcs, offset in ((0x11, -0x1000000000), (0x12, 0x500000), (0x11, -0x1000000000)):
        m.run(3).psb(offset, 1, vmcs).run(2).tell(offset).run(1).psb(0, 0).run(1)
        m.runs_guest(offset, vmcs).run(1).runs_host().run(1)
    finish(c)


@case(*MODES, VM + '=0x500000 -f')
def first_is_a_guest(c):
    s, m = begin(c)
    m.psb(0x500000, nr=1, vmcs=0x11)
    c.pt.pge(s._start)
    m.run(3).psb(0x500000, nr=1, vmcs=0x11).run(2)
    finish(c)


@case(*MODES, VM + '=0x500000 -f')
def nothing_says_who(c):
    """Without PIP the time alone tells host from guest."""
    s, m = begin(c)
    m.psb()
    c.pt.pge(s._start)
    m.run(2).psb().run(2).psb(-0x1000000000).run(2).psb(-0x1000000000, vmcs=0x12).run(1)
    c.pt.pgd()
    m.run(1).tell(0x500000).run(1).tell().psb(0x500000).run(1)
    c.pt.pge(s._start)
    finish(c)


@case(*MODES, VM + '=0x500000 -f')
def without_control_structure(c):
    s, m = begin(c)
    m.psb(nr=0)
    c.pt.pge(s._start)
    m.run(2).psb(0x500000, nr=1).run(2).psb(0x500000, nr=1, vmcs=0xffffffffff).run(1)
    m.tell(0x500000).run(1)
    finish(c)


@case(*MODES)
def interrupted(c):
    """What ends tracing or the clock between two times."""
    s, m = begin(c)
    m.psb(nr=0)
    c.pt.pge(s._start)
    m.run(2).psb(OFFSET, 1, 0x11).run(1)
    c.pt.pgd()
    m.run(1).psb(OFFSET, 1, 0x11).run(1)
    c.pt.ovf()
    m.tell(OFFSET)
    c.pt.fup(s._start)
    m.run(1).tell(OFFSET).psb(OFFSET, 1, 0x11).run(1)
    c.pt.ovf()
    m.run(2).tell(OFFSET).run(1)
    c.pt.tracestop()
    m.run(1).psb(OFFSET, 1, 0x12).run(1).psb(OFFSET, 1, 0x12, end=False)
    c.pt.tnt('T')
    m.run(1).tell(OFFSET, tma=False).run(1).tell(OFFSET)
    c.pt.cyc(7).mtc(3).cyc(9).tma(5, 5)
    m.psb(OFFSET, 1, 0x12)
    finish(c)


@case(*MODES)
def damaged(c):
    s, m = enters(c)
    c.pt.raw(b'\x02\xff\x02\xff')
    m.run(1).psb(OFFSET, 1, 0x1bff6a)
    c.pt.raw(b'\xff')
    m.run(1).psb(OFFSET + 5, 1, 0x22, end=False)
    c.pt.raw(b'\x02\xff').psbend()
    m.run(1).tell(OFFSET).run(1)
    finish(c)


@case(*MODES)
def times_of_pebs(c):
    s, m = begin(c)
    m.psb(nr=0)
    c.pt.pge(s._start)

    def record(offset):
        c.pt.bbp(4).bip(0, s.f).bip(2, m.now + offset & (1 << 64) - 1).bip(1, 5).bbp(5)
        c.pt.bip(2, 77).bep()
    record(0)
    m.run(2).psb(OFFSET, 1, 0x11).run(1)
    record(OFFSET)
    m.run(1).psb(OFFSET, 1, 0x11).run(1)
    record(OFFSET)
    m.runs_host()
    record(0)
    c.pt.pgd()
    record(OFFSET)
    record(5)
    finish(c)


@case(*MODES)
def no_time_of_reading(c):
    """When a piece was read out is not known."""
    enters(c)
    finish(c, ref=0)


@case(*MODES)
def several_queues(c):
    """They are gone through one after the other, and know what others found out."""
    s = c.program()
    d = c.record()
    size = 0
    for cpu in (3, 0, 1, 2):
        c.pt = type(c.pt)()
        m = Machine(c.pt, c.t0 + 1000 * cpu)
        m.psb(nr=0)
        c.pt.pge(s._start)
        m.run(1).psb(OFFSET + cpu % 2, 1, 0x20 + cpu % 2).run(1).psb(OFFSET, 1, 0x20 + cpu).run(1)
        m.tell(OFFSET)
        c.pt.raw(b'\x02\xff').pgd()
        size += d.auxtrace(c.pt.bytes, cpu=cpu, ref=LATE)
        # a second piece of it
        c.pt = type(c.pt)()
        m.tell(OFFSET).run(2).psb(OFFSET, 1, 0x20 + cpu).run(1)
        d.auxtrace(c.pt.bytes, cpu=cpu, ref=LATE + 5)
    d.aux(0, size, c.t0 + 50000).lost(101, 3, c.t0 + 50010)
    d.aux(0, size, c.t0 + 50020, 1).exit(c.t0 + 70000).finished_round()
    d.write(c.folder + '/perf.data')


def pieces(c, **priv):
    """A host and guest in snapshots that have parts in common."""
    s, m = begin(c, priv={'snapshot': 1, **priv})
    m.psb(nr=0)
    c.pt.pge(s._start)
    m.run(2).psb(OFFSET, 1, 0x11).run(1).psb(OFFSET, 1, 0x11).run(2).psb(nr=0).run(1)
    one = c.pt.bytes
    c.pt.pad(-len(one) % 8)
    at = len(c.pt.bytes)
    m.psb(nr=0).run(2).psb(OFFSET, 1, 0x11).run(1)
    both = c.pt.bytes
    c.data.auxtrace(one, ref=LATE)
    c.data.auxtrace(both[at // 2:], ref=LATE + 1)
    c.data.auxtrace(both[both.index(b'\x02\x82' * 8, 40):], ref=LATE + 2)
    c.data.aux(0, len(both), c.t0 + 50000).exit(c.t0 + 70000).finished_round()
    c.data.write(c.folder + '/perf.data')


@case(*MODES)
def snapshots(c):
    pieces(c)


@case(*MODES)
def in_samples(c):
    s = c.program()
    st = IDENTIFIER | IP | TID | TIME | CPU
    flags = mkperf.PerfData().attrs[1].flags
    counter = mkperf.Attr(1, 0, flags, st | AUX, [102], aux_sample_size=4096)
    d = c.perf(attrs=[mkperf.Attr(6, mkperf.PT_CONFIG, flags, st, [100]), counter])
    c.record()
    for i in range(3):
        c.pt = type(c.pt)()
        m = Machine(c.pt, c.t0 + 5000 * i)
        m.psb(nr=0)
        c.pt.pge(s._start)
        m.run(1).psb(OFFSET, 1, 0x20 + i).run(1).psb(OFFSET, 1, 0x21).run(1)
        d.sample(s.f, c.t0 + 5000 * i + 4000, attr=counter, aux=c.pt.bytes)
    d.exit(c.t0 + 70000).finished_round()
    d.write(c.folder + '/perf.data')


def other(c, **kw):
    c.program()
    c.record(**kw)
    Machine(c.pt, c.t0).psb(OFFSET, 1, 0x11).run(3).psb(OFFSET, 1, 0x11)
    finish(c)


@case(*MODES)
def without_tsc(c):
    other(c, config=mkperf.PT_CONFIG & ~mkperf.TSC)


@case(*MODES, VM + '="dry-run 99999999999999999999"')
def without_mtc(c):
    other(c, config=mkperf.PT_CONFIG & ~mkperf.MTC)


@case(*MODES)
def without_trace(c):
    d = c.data = mkperf.software()
    d.comm('t', 1000).sample(0x401000, 2000)
    d.write(c.folder + '/perf.data')


@case(*MODES)
def period_above_tma(c):
    """An MTC period whose bits TMA does not have all."""
    other(c, config=mkperf.PT_CONFIG & ~0x3c000 | 10 << 14)


@case(*MODES)
def odd_ratio(c):
    other(c, priv={'ctc_n': 151, 'ctc_d': 3})


@case(*MODES)
def unknown_ratio(c):
    other(c, priv={'ctc_n': 0})
