"""Instructions as text: perf 6.1 has no disassembler of its own, so what must be printed
stands here."""
from cases import case

SECTION = 'Instructions as text'

# What runs: address, place, text with symbols, text without.
RUN = [line.split('|') for line in """\
401000|_start+0x0|callq f+0x0|callq 0x401023
401023|f+0x0|nop |nop
401024|f+0x1|retq |retq
401005|_start+0x5|leaq 0x19(%rip), %rax|leaq 0x19(%rip), %rax
40100c|_start+0xc|callq *%rax|callq *%rax
401025|g+0x0|callq f+0x0|callq 0x401023
401023|f+0x0|nop |nop
401024|f+0x1|retq |retq
40102a|g+0x5|retq |retq
40100e|_start+0xe|movl $3, %ecx|movl $3, %ecx
401013|_start+0x13|decl %ecx|decl %ecx
401015|_start+0x15|jne _start+0x13|jne 0x401013
401013|_start+0x13|decl %ecx|decl %ecx
401015|_start+0x15|jne _start+0x13|jne 0x401013
401013|_start+0x13|decl %ecx|decl %ecx
401015|_start+0x15|jne _start+0x13|jne 0x401013
401017|_start+0x17|callq f2+0x0|callq 0x40102b
40102b|f2+0x0|jmp f3+0x0|jmp 0x40102d
40102d|f3+0x0|nop |nop
40102e|f3+0x1|retq |retq
40101c|_start+0x1c|movl $0x3c, %eax|movl $0x3c, %eax
401021|_start+0x21|syscall |syscall
""".splitlines()]
START = '               t  4242 [001]   641.257928663:            '


def lines(form):
    return ''.join(form.format(*r) + '\n' for r in RUN).encode()


@case('--insn-trace=disasm', '--insn-trace --xed', '--itrace=i1i -F ip,disasm',
      '--itrace=i1i -F ip,insn,insnlen --xed',
      known=[('*=disasm', ('reads', lines(START + '{0} {1} (/build/t)\t\t{2}')), SECTION),
             ('--insn-trace --xed',
              ('reads', lines(START + '{0} {1} (/build/t) \t\t{3}')), SECTION),
             ('*ip,disasm', ('reads', lines('           {0}\t\t{2}')), SECTION),
             ('*insnlen --xed', ('reads', b'           401000 ilen: 5 \t\tcallq 0x401023\n'
                                          b'           401023 ilen: 1 \t\tnop\n'), SECTION)])
def text(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    c.finish()
