"""PEBS by way of the trace: records that are cut off, and that no processor writes."""
import ptasm
from cases import case
from mksample import ADDR, REGS_INTR
from pebscase import BASIC, GPRS, MEMORY, O, basic, begin, block, end, event

ODD = O + ('--itrace=obeip -F+flags,+addr,+iregs', '-D')


def odd(*options):
    """A case of a trace that no processor writes."""
    def mark(fn):
        def make(c):
            s = begin(c, event(ADDR | REGS_INTR, sample_regs_intr=1 << 8 | 1 << 9))
            fn(c, s)
            end(c, s)
        return case(*(options or ODD))(make)
    return mark


@odd()
def bep_alone(c, s):
    c.pt.bep().bep(ip=True).fup(s.f)


@odd()
def bep_twice(c, s):
    """The second one tells what the first did."""
    block(c, {BASIC: basic(c, s.f), MEMORY: {0: 5}}, s.f)
    c.pt.bep().tnt('T').bep(ip=True).fup(s._start + 5)


@odd()
def bep_without_fup(c, s):
    block(c, {BASIC: basic(c, s.f)})
    c.pt.bep(ip=True).tnt('T').bep(ip=True).bep()


@odd()
def cut_by_tnt(c, s):
    """What follows is no item, and the next group begins a new record."""
    c.pt.bbp(BASIC).bip(0, s.f).tnt('T').bbp(MEMORY).bip(0, 5).bep()


@odd()
def cut_by_tip(c, s):
    c.pt.tnt('T').bbp(BASIC).bip(0, s.f).tip(s.g).bbp(MEMORY).bip(0, 5).bep(ip=True).fup(s.g)
    c.pt.tnt('T')


@odd()
def cut_by_psb(c, s):
    c.pt.bbp(BASIC).bip(0, s.f).bip(2, c.t0)
    c.pt.psb().mode_exec().tsc(c.t0 + 4000).cbr(20).fup(s.f).psbend()
    c.pt.bbp(GPRS).bip(1, s.f + 1).bip(0, 9).bep()


@odd()
def cut_by_overflow(c, s):
    c.pt.bbp(BASIC).bip(0, s.f).ovf().fup(s.f).bbp(MEMORY).bip(0, 9).bep().bep()


@odd()
def cut_by_bad_packet(c, s):
    c.pt.bbp(BASIC).bip(0, s.f).raw(b'\x02\x00').bip(2, c.t0 + 9).bep()


@odd()
def packets_inside(c, s):
    """Those that may stand in a block."""
    c.pt.bbp(BASIC).bip(0, s.f).pad(3).tsc(c.t0 + 700).cbr(0x22).mtc(9).cyc(5).bip(1, 1)
    c.pt.mnt(5).exstop().pwrx(1, 1, 1).fup(s.f).bip(2, c.t0 + 3).bep()


@odd()
def other_groups(c, s):
    """Groups that are not known, and a group twice."""
    for kind in (0, 2, 3, 6, 7, 11, 15, 17, 31):
        c.pt.bbp(kind).bip(0, 0x999).bip(31, 0x999)
    c.pt.bbp(BASIC).bip(0, s.g).bip(0, s.f).bbp(MEMORY).bip(0, 1).bip(5, 2).bbp(BASIC).bip(2, c.t0)
    c.pt.bbp(GPRS, four=True).bip(0, 2**32 - 1, size=4).bbp(GPRS).bip(1, 2**63 - 1).bep()


@odd()
def item_outside(c, s):
    """Without a group before it an item is a TNT."""
    c.pt.bip(0, 0).bep()


@case(*O)
def cut_by_end(c):
    s = begin(c, event())
    c.pt.bbp(BASIC).bip(0, s.f).raw([2 << 3 | 4, 1, 2])
    c.finish()


@case(*O)
def cut_by_buffer(c):
    """A block that goes on in the next buffer."""
    s = begin(c, event(ADDR))
    c.pt.tnt('T').bbp(BASIC).bip(0, s.f).bip(1, 1)
    c.data.auxtrace(c.pt.bytes + b'\0' * (-len(c.pt.bytes) % 8))
    c.pt = ptasm.Packets()
    c.pt.bip(2, c.t0 + 10).bbp(MEMORY).bip(0, 5).bep().tip(s.g).pgd()
    c.finish()
