"""Transactions, the interrupt flag, event trace, ptwrite and every kind of error."""
from cases import case

ALL = '--itrace=bexwpI -F+flags,+addr --ns'


@case(ALL, '--itrace=e', '--itrace=e-o', '--itrace=be-l', '--itrace=xI', '-D', '')
def everything(c):
    s, p = c.program(), c.pt
    c.perf()
    c.record()
    p.start(c.t0)
    p.mode_exec(iflag=1).cyc(10).pge(s._start, form=3)
    p.mode_tsx(intx=1).fup(s.f)                  # begin at f
    p.tnt('T')                                   # return inside it
    p.mode_tsx().fup(s._start + 5)               # commit
    p.mode_tsx(intx=1).fup(s._start + 0xc)       # begin again
    p.tip(s.g)
    p.mode_tsx(abort=1).fup(s.g).tip(s._start + 0xe)
    p.cfe(1, 14, ip=True).fup(s._start + 0x13)   # an interrupt
    p.mode_exec(iflag=0).tip(s.f)
    p.fup(s.f).mode_exec(iflag=1).tip(s._start + 0x13)
    p.mode_exec(iflag=0).fup(s._start + 0x13)    # as CLI does
    p.ptw(0x41424344, size=4)
    p.tnt('N').tnt('T')
    p.fup(s._start + 0x1c).pgd()                 # asynchronous end
    p.pge(s._start + 0x13).tip(s.g)              # a TIP where a conditional jump stands
    p.ovf().fup(s.f)
    p.tnt('T')
    c.finish(flags=5)                            # AUX: truncated, partial
