"""Control flow: each packet that decides a branch, and the ways code and trace disagree."""
from cases import case, tiny_program
import ptasm

B = ('--itrace=be -F+flags,+addr', '--itrace=i1ie -F+insn,+insnlen')


def begin(c, **kw):
    s = c.program(**kw)
    c.pt.start(c.t0).pge(s._start)
    return s


@case(*B)
def tip_forms(c):
    """Every compressed form of an IP after a full one."""
    s = begin(c)
    c.pt.tnt('T').tip(s.g, form=1).tnt('TT').pgd(form=0).pge(s._start, form=6)
    c.pt.tnt('T').tip(s.g, form=2).tnt('TT').pgd().pge(s._start, form=4).tnt('T')
    c.pt.tip(s.g, form=3).tnt('TTTTN').tnt('T').pgd()
    c.finish()


@case(*B)
def tnt_long(c):
    s = begin(c)
    c.pt.tnt64('T').tip(s.g).tnt64('TTTTNT').pgd()
    c.finish()


@case(*B)
def deferred_tip(c):
    """TNT bits left over when an indirect branch is reached: TIP comes first."""
    s = begin(c)
    c.pt.tnt('TT').tip(s.g).tnt('TTTNT').pgd()
    c.finish()


@case(*B)
def deferred_tip_missing(c):
    s = begin(c)
    c.pt.tnt('TT').cyc(3).tip(s.g).tnt('TTTNT').pgd()
    c.finish()


@case(*B)
def uncompressed_returns(c):
    """NoRETComp: every RET has a TIP."""
    s = c.program()
    c.record(config=0x300e601 | 0x800)
    c.pt.start(c.t0).pge(s._start).tip(s._start + 5).tip(s.g).tip(s.g + 5)
    c.pt.tip(s._start + 0xe).tnt('TTN').tip(s._start + 0x1c).pgd()
    c.finish()


@case(*B)
def return_mismatch(c):
    """A compressed RET with a bit that says not taken, and one on an empty stack."""
    s = begin(c)
    c.pt.tnt('N').tip(s.g).pgd().pge(s.f3).tnt('T').pge(s._start).tnt('T').pgd()
    c.finish()


@case(*B)
def return_by_tip(c):
    """RET to where nobody called from."""
    s = begin(c)
    c.pt.tip(s.g).tnt('T').tip(s._start).tnt('T').tip(s.f2).tip(s._start + 0xe).tnt('TTNT')
    c.pt.pgd()
    c.finish()


@case(*B)
def conditional_for_tip(c):
    s = begin(c)
    c.pt.tnt('T').tnt('N').pge(s._start + 0xe).tip(s.g).tip(s.f).pgd()
    c.finish()


@case(*B)
def missing_code(c):
    """Out of the map: no code there."""
    s = begin(c)
    c.pt.tnt('T').tip(0x700000).tnt('T').tip(s.g).tnt('TT').pgd()
    c.finish()


@case(*B)
def bad_instruction(c):
    code = ptasm.Code().func('_start').nop(2).raw(0x06).func('f').ret()
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).tnt('T').pge(s.f).tip(s._start).pgd()
    c.finish()


@case(B[0], '--itrace=i1ms')
def endless_loop(c):
    code = ptasm.Code().func('_start').nop().jmp('_start')
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).tnt('T').pge(s._start).pgd()
    c.finish()


@case(*B)
def call_next(c):
    """call +0 pushes nothing on the processor's return stack."""
    code = ptasm.Code().func('_start').call('next').label('next').raw(0x58)
    code.call('f').mov_eax(1).syscall().func('f').ret()
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).tnt('T').pgd()
    c.finish()


@case(*B)
def kinds(c):
    """One of each class of branch instruction."""
    code = ptasm.Code().func('_start').loop('_start').jcc('far', short=False).nop()
    code.label('far').jmp('over', short=False).raw(0xcc).label('over')
    code.raw(0xff, 0x24, 0x25, 0, 0, 0, 0).func('g').raw(0xcd, 0x80).raw(0xcf)
    code.func('h').raw(0x0f, 0x07).func('k').raw(0x0f, 0x34).func('m').raw(0x0f, 0x35)
    code.func('n').raw(0x0f, 0x01, 0xc2).func('o').raw(0xcb).func('q').raw(0xc2, 8, 0)
    code.func('r').raw(0x0f, 0x05).func('u').raw(0xe3, 0).func('v').raw(0xf4, 0x90)
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).tnt('TNT').tip(s.g).tip(s.g + 2).tip(s.h).tip(s.k)
    c.pt.tip(s.m).tip(s.n).tip(s.o).tip(s.q).tip(s.r).tip(s.u).tnt('T')
    c.pt.fup(s.v + 1).tip(s.r).pgd()
    c.finish()


@case(*B)
def asynchronous(c):
    """Interrupts: FUP, then TIP or TIP.PGD, with what may stand between them."""
    s = begin(c)
    c.pt.fup(s.f).tip(s.g).fup(s.g).pip(0x1000000).cbr(20).mtc(1).mode_exec().tip(s.f)
    c.pt.fup(s.f + 1).cyc(3).pgd(s.g).pge(s.f2).fup(s.f3).tnt('T').pge(s.f2).fup(s.f3).pgd()
    c.finish()


@case(*B)
def fup_elsewhere(c):
    """A FUP the code does not lead to."""
    s = begin(c)
    c.pt.fup(s.f2).tip(s.g).tnt('T').tip(s._start).pgd()
    c.finish()


@case(*B)
def trace_stop(c):
    s = begin(c)
    c.pt.tnt('T').pgd(s.g).tracestop().pge(s.g).tnt('T').pgd()
    c.finish()


@case(*B, '--itrace=bei1i')
def no_symbols(c):
    s = begin(c, symbols=False)
    c.pt.tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.finish()


@case(*B)
def bits32(c):
    """A 32-bit program."""
    code = ptasm.Code().func('_start').call('f').raw(0x40).raw(0x48).raw(0xff, 0xe0)
    code.func('f').nop().ret()
    s = c.program(code, bits=32)
    c.pt.start(c.t0, bits=32).pge(s._start).tnt('T').tip(s.f).pgd()
    c.finish()


@case('--itrace=i0nse -F ip', '--itrace=be -F ip,addr',
      known=[('*be*', ('reads', b'fffff000 =>             1000\n'), '32- and 64-bit code'),
             ('*', ('reads', b' fffff000\n             1000\n'), '32- and 64-bit code')])
def bits32_wrap(c):
    """A jump over the end of the 4 GiB: its target is counted in 32 bits."""
    code = ptasm.Code().func('_start').raw(0xe9, *(0x1ffb).to_bytes(4, 'little')).nop(11).ret()
    c.program(code, bits=32)
    d = c.perf()
    d.comm('t').mmap2(c.path, addr=0xfffff000, tsc=c.t0 - 1000)
    d.mmap2(c.path, addr=0x1000, pgoff=0x1010, tsc=c.t0 - 900)
    d.itrace_start(c.t0 - 800).switch(c.t0 - 700)
    c.pt.start(c.t0, bits=32).pge(0xfffff000).pgd()
    c.finish()


@case('--itrace=i1i -F+insn', '--itrace=i2i', '--itrace=i7i', '--itrace=i1t', '--itrace=i10us',
      '--itrace=i100ns', '--itrace=i0ns -F tid,ip', '--itrace=ie', '--itrace=i', '--itrace=cr',
      '--itrace=c', '--itrace=r', '--itrace=bs3', '--itrace=q', '--itrace=qq', '--itrace=bZ',
      '--itrace=A', '--itrace=bi2iA -F+ipc', '--itrace=i2i --itrace=be',
      '--itrace=i3t --itrace=i2i', '--itrace=i2i --call-trace')
def letters(c):
    s = begin(c)
    for _ in range(3):
        c.pt.cyc(7).tnt('T').tip(s.g).mtc(0x90).tnt('TT').tnt('TTN').cyc(9).tnt('T').pgd()
        c.pt.pge(s._start)
    c.finish()


@case('--itrace=i0nse -F ip')
def a_prefix_behind_rex(c):
    """The processor ignores such a REX, and the 66 makes an immediate of two bytes; perf takes both bytes for an
    instruction."""
    code = ptasm.Code()
    code.func('_start').raw(0x48, 0x66, 0x90)
    code.raw(0x48, 0x66, 0x05, 0xeb, 0x10).raw(0x41, 0x48, 0x89, 0xc1).jmp_rax()
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).tip(s._start).pgd()
    c.finish()


def add_with_rex2(c, family):
    """perf 6.1 takes it for aad."""
    code = ptasm.Code()
    code.func('_start').raw(0xd5, 0x10, 0x01, 0xc0).jmp_rax()
    s = c.program(code)
    d = c.record()
    d.features['cpuid'] = d.pack('I', 64) + (b'GenuineIntel,%d,1,0' % family).ljust(64, b'\0')
    c.pt.start(c.t0).pge(s._start).tip(s._start).pgd()
    c.finish()


@case('--itrace=i0nse -F ip')
def rex2_before_apx(c):
    add_with_rex2(c, 6)


@case('--itrace=i0nse -F ip', known=[('*', ('reads', b"""           401000
           401004
"""), '32- and 64-bit code')])
def rex2_of_apx(c):
    add_with_rex2(c, 19)
