"""Every packet, as -D names it; the decoder's view of the same bytes is of no interest."""
from cases import case


@case('-D', '-D --no-itrace', '--dump-unsorted-raw-trace')
def packets(c):
    p = c.pt
    c.perf()
    c.record()
    p.start(c.t0)
    p.tnt('N').tnt('TTTTTT').tnt('TNTTN').tnt64('TNNT' * 11 + 'TTN').tnt64('N')
    p.tip().tip(0x201, form=1).tip(0x12345678, form=2).tip(0xffff800000001234, form=3)
    p.tip(0x800000001234, form=4).tip(0x1122334455667788, form=6)
    p.pge(0x401000).pgd().pgd(0x401000).fup(0x401000).fup()
    p.pip(0x1fea1a000).pip(0x1fea1a000, nr=1).vmcs(0x504030201).mnt(0x1122334455667788)
    p.mtc(0x7f).cyc(1).cyc(0x20).cyc(0xfff).cyc(0x123456789abc).raw(b'\xff' * 9 + b'\x0e')
    p.tma(0xc080, 0x1ff).cbr(0x2a).tsc(0x11223344556677)
    p.ptw(0x12345678, size=4).ptw(0x6f6c6c6548, ip=True).ptw(1, size=4, ip=True).ptw(2)
    p.mwait(0x60, 1).pwre(3, 4, hw=1).pwre(1, 0).exstop().exstop(ip=True).pwrx(2, 2, 4)
    p.evd(0, 0x8877665544332211).evd(63, 7).cfe(1, 14, ip=True).cfe(31, 255)
    p.bbp(1, four=True).bip(31, 0x4030201, size=4).bep()
    p.bbp(4).bip(0, 0x0807060504030201).tsc(1).bip(2, 3).bep(ip=True).fup(0x401000)
    p.mode_exec(16).mode_exec(32, iflag=1).mode_exec(64).mode_tsx(1).mode_tsx(0, 1)
    p.ovf().tracestop().pad(20).psb().psbend()
    p.raw(b'\xd9\x01\x02')         # TRIG, unknown to perf 6.1
    p.raw(b'\x02\x00\x02\xff')     # unknown extended opcodes
    p.raw(b'\x99\x03\x99\xe0')     # MODE with reserved values
    p.raw(b'\xad\x01\x02')         # TIP with a reserved IP form
    p.raw(b'\xff' * 10 + b'\x02')  # a CYC that is too long
    p.raw(b'\x02\x82\x02\x83')     # half a PSB
    p.raw(b'\x19\x01\x02')         # TSC, cut by the end of the buffer
    c.finish()
