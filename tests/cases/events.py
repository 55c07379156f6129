"""Everything that is not a branch: transactions, power, ptwrite, event trace, PEBS."""
from cases import case
import ptasm

E = ('--itrace=bexwpoI -F+flags,+addr --ns', '--itrace=xwpI -F+synth')


def begin(c, **kw):
    s = c.program()
    c.pt.start(c.t0).pge(s._start)
    return s


@case(*E)
def transaction_commit(c):
    s = begin(c)
    c.pt.mode_tsx(intx=1).fup(s.f).tnt('T').mode_tsx().fup(s._start + 5).tip(s.g).pgd()
    c.finish()


@case(*E)
def transaction_abort(c):
    s = begin(c)
    c.pt.mode_tsx(intx=1).fup(s.f).mode_tsx(abort=1).fup(s.f + 1).tip(s.g).tnt('T').pgd()
    c.finish()


@case(*E)
def transaction_abort_pgd(c):
    s = begin(c)
    c.pt.mode_tsx(intx=1).fup(s.f).mode_tsx(abort=1).fup(s.f + 1).pgd(s.g)
    c.pt.mode_tsx().pge(s.g).tnt('T').pgd()
    c.finish()


@case(*E)
def transaction_no_fup(c):
    s = begin(c)
    c.pt.mode_tsx(intx=1).tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def transaction_in_psb(c):
    s = c.program()
    c.pt.psb().mode_tsx(intx=1).mode_exec().tsc(c.t0).cbr(29).fup(s._start).psbend()
    c.pt.tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def ptwrite(c):
    s = begin(c)
    c.pt.ptw(0x1122334455667788, ip=True).fup(s.f).ptw(7, size=4).ptw(8, size=8)
    c.pt.ptw(0x20544f4749542020, size=8).ptw(0x00414243, size=4, ip=True).fup(s.f + 1)
    c.pt.tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def ptwrite_no_fup(c):
    s = begin(c)
    c.pt.ptw(1, ip=True).tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E, known=[('*', {rb'(pwre:.*?pwre:[^\n]*)hw: 0 cstate: 2 sub-cstate: 1':
                         rb'\1hw: 1 cstate: 5 sub-cstate: 3'}, 'Power events')])
def power(c):
    s = begin(c)
    c.pt.mwait(0x20, 1).pwre(2, 1).fup(s.f).exstop(ip=True).fup(s.f).pwrx(1, 2, 8)
    c.pt.exstop().pwre(5, 3, hw=1).pwrx(15, 3, 1).pwrx(0, 0, 2).cbr(9).tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def power_traced_off(c):
    s = begin(c)
    c.pt.tnt('T').pgd().mwait(0x10).pwre(1, 0).exstop().pwrx(1, 1, 1).pge(s.g).tnt('T').pgd()
    c.finish()


@case(*E)
def mwait_without_fup(c):
    """The next interrupt's FUP is taken for the MWAIT's."""
    s = begin(c)
    c.pt.mwait(0x10).tnt('T').fup(s._start + 5).tip(s.g).tnt('T').fup(s._start + 0xe).pgd()
    c.finish()


@case(*E)
def exstop_no_fup(c):
    s = begin(c)
    c.pt.exstop(ip=True).tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def event_trace(c):
    s = begin(c)
    for kind in range(1, 32, 3):
        c.pt.cfe(kind, 3)
    c.pt.evd(1, 2).evd(2, 3).cfe(1, 33, ip=True).fup(s.f).fup(s.f).tip(s.g)
    c.pt.cfe(2, 0).tip(s.f).cfe(4, 1, ip=True).fup(s.f).tip(s.g).tnt('T').pgd()
    c.finish()


@case(*E)
def event_data_overflow(c):
    s = begin(c)
    for i in range(70):
        c.pt.evd(i & 63, i)
    c.pt.cfe(1, 1).tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def interrupt_flag(c):
    s = begin(c)
    c.pt.mode_exec(iflag=1).fup(s.f).tnt('T').mode_exec(iflag=0).tip(s.g)
    c.pt.mode_exec(iflag=1).fup(s.g).tnt('T').pgd().mode_exec(iflag=0).pge(s.g).tnt('T').pgd()
    c.finish()


@case(*E)
def overflow(c):
    s = begin(c)
    c.pt.tnt('T').ovf().fup(s.g).tnt('T').tip(s.f).ovf().pge(s.f2).ovf().tip(s.g).ovf()
    c.pt.psb().mode_exec().tsc(c.t0 + 8000).cbr(20).fup(s.f).psbend().tip(s.g).pgd()
    c.finish()


@case(*E)
def overflow_in_psb(c):
    s = c.program()
    c.pt.psb().mode_exec().tsc(c.t0).ovf().fup(s.f).tip(s.g).tnt('T')
    c.pt.psb().mode_exec().tsc(c.t0 + 9000).cbr(20).fup(s.f).psbend().tip(s.g).pgd()
    c.finish()


@case(*E, known=[('*', {rb'4 (instruction trace errors)': rb'3 \1',
                         rb' instruction trace[^\n]*ip 0x40100c code 3: Bad packet\n': b'',
                         rb'(641\.25940100)6': rb'\g<1>5'},
                   'TRIG packets')])
def bad_packets(c):
    s = begin(c)
    c.pt.raw(b'\x02\x00').tnt('T').raw(b'\x99\xff').tip(s.g).raw(b'\xd9\x00').tnt('T').pgd()
    c.finish()


@case('--itrace=i0nse -F ip', known=[('*', ('reads', b"""           401000
           401023
           401024
"""), 'TRIG packets')])
def trigger_with_address(c):
    """The FUP behind it says where it was; no interrupt."""
    s = begin(c)
    c.pt.raw(b'\xd9\xc0\x1a\0\0').fup(s.f).tnt('T').pgd()
    c.finish()


@case(*E)
def rubbish_before_psb(c):
    s = c.program()
    c.pt.raw(bytes(range(1, 200))).start(c.t0).pge(s._start).tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def no_psb(c):
    s = c.program()
    c.pt.pge(s._start).tnt('T').tip(s.g).pgd()
    c.finish()


@case(*E)
def empty(c):
    c.program()
    c.finish()


@case(*E)
def psb_with_tnt(c):
    """PSB+ cut short by packets that do not belong there."""
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T')
    c.pt.psb().tsc(c.t0 + 5000).tnt('T').fup(s.f).psbend().tip(s.g).pgd()
    c.finish()


@case('--itrace=bep', '--itrace=ep')
def psb_with_ratio_and_tnt(c):
    """The new ratio is told at the next branch: a call, after which there is no code."""
    code = ptasm.Code()
    code.func('_start').jcc('f').nop().func('f').raw(0xe8, 0, 0, 0, 0x60)
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).tnt('T').psb().cbr(50).tnt('T').pgd()
    c.finish()


@case(*E)
def psb_with_pge(c):
    s = c.program()
    c.pt.psb().tsc(c.t0).pge(s._start).tnt('T').psbend().tip(s.g).pgd()
    c.finish()


@case(*E)
def psb_with_trace_stop(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T')
    c.pt.psb().tsc(c.t0 + 6000).tracestop().psbend().pge(s.f).tip(s.g).pgd()
    c.finish()


@case(*E)
def pebs_block(c):
    """A PEBS record through PT without an event that asked for it."""
    s = begin(c)
    c.pt.bbp(4).bip(0, s.f).bip(1, 1).bip(2, c.t0).bbp(1).bip(0, 2).bip(1, s.f).bep(ip=True)
    c.pt.fup(s.f).tnt('T').bbp(5, four=True).bip(0, 9, size=4).bep().tip(s.g).pgd()
    c.finish()


@case(*E)
def pip_and_vmcs(c):
    s = begin(c)
    c.pt.pip(0x12345000).tnt('T').pip(0x12345000, nr=1).vmcs(7).tip(s.g).mnt(3).tnt('T').pgd()
    c.finish()
