"""Decoding with less detail: q (no code is followed), qq (PSB+ only), A (cycles earlier)."""
from cases import case
from mkperf import PT_CONFIG

Q = ('--itrace=qbixwpeI -F+flags,+addr --ns', '--itrace=qqbixwpeI -F+flags,+addr --ns',
     '--itrace=qbe', '--itrace=qi100us -F+insn,+insnlen')


@case(*Q)
def branches(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tip().tnt('TN').tip(s.f, form=1)
    c.pt.fup(s.f + 1).tip(s.f2).fup(s.f2).pgd().pge().pge(s.f3).fup(s.f3).pgd(s.f)
    c.pt.pge(s.g).pgd(s.f3).fup(s.g).pgd().pgd()
    c.finish()


@case(*Q)
def psb_in_the_middle(c):
    s = c.program()
    c.pt.psb().mode_exec().tsc(c.t0).cbr(29).fup(s._start).psbend().tnt('T').tip(s.g)
    c.pt.psb().tsc(c.t0 + 3000).fup(s.g + 1).psbend().tip(s.f)
    c.pt.psb().tsc(c.t0 + 6000).psbend().tip(s.f3, form=1)
    c.pt.psb().tsc(c.t0 + 9000).fup(s.f).tnt('T').psbend().tip(s.g)
    c.pt.psb().tsc(c.t0 + 9100).cbr(20).ovf().fup(s.f2).tip(s.g).pgd()
    c.finish()


@case(*Q)
def events(c):
    s = c.program()
    p = c.pt.start(c.t0).pge(s._start)
    p.ptw(5, ip=True).fup(s.f).ptw(6).ptw(7, ip=True).fup().fup(s.f + 1).tip(s.g)
    p.mwait(0x60, 1).fup(s.g).mwait(0x60, 1).pwre(2, 1).fup(s.g + 1).exstop(ip=True).fup(s.g)
    p.exstop().pwrx(2, 2, 1).cbr(24).evd(0, 0x1234).cfe(1, 14, ip=True).fup(s.f)
    p.evd(1, 2).cfe(1, 14).fup(s.f).tip(s.g).mode_exec(iflag=1).fup(s.g)
    p.mode_exec(iflag=0).tip(s.f).mode_tsx(intx=1).fup(s.f).mode_tsx().fup(s.g)
    p.mode_tsx(intx=1).fup(s.f).mode_tsx(abort=1).fup(s.f + 1).tip(s.g).pgd()
    p.cfe(2).ptw(8, ip=True).fup(s.f).fup(s.g)
    c.finish()


@case(*Q)
def faults(c):
    s = c.program()
    p = c.pt.start(c.t0).pge(s._start).tip(s.g).ovf().fup(s.f).tip(s.g).ovf().tip(s.f)
    p.ovf().pge(s.f2).fup(s.f).tnt('T').tip(s.g).raw(b'\x02\x00').tip(s.f).tip(0x500000)
    p.tracestop().fup(s.f).pge(s.g).pgd()
    c.finish()


@case('--itrace=bixpe -F+flags,+addr --ns', '--itrace=qi100us', '--itrace=qqbi', '')
def recorded_without_tnt(c):
    s = c.program()
    c.perf(config=PT_CONFIG | 1 << 55)
    c.pt.start(c.t0).pge(s._start).tip(s.g).fup(s.g + 1).tip(s.f).tip(s.f3).pgd()
    c.finish()


@case('--itrace=Abi1i -F+ipc,+flags,+addr', '--itrace=bi1i -F+ipc,+flags,+addr',
      '--itrace=Abi3i -F+ipc,+insn --ns', '--itrace=Aqbi -F+ipc')
def cycles_earlier(c):
    s = c.program()
    c.pt.start(c.t0).cyc(10).pge(s._start).cyc(20).tnt('T').cyc(5).tip(s.g).cyc(40)
    c.pt.mtc(0x33).tnt('T').cyc(7).tnt('TTTNT').cyc(100).pgd()
    c.finish()


@case('--itrace=Abi1i -F+ipc,+flags,+addr', '--itrace=Abi2ie -F+ipc --ns')
def cycles_from_time(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start).mtc(0x65).tnt('T').mtc(0x66).tip(s.g).mtc(0x67)
    c.pt.tnt('T').mtc(0x68).tnt('TTTNT').ovf().fup(s.g).mtc(0x69).tnt('TT').pgd()
    c.finish()
