"""A small program from start to exit: calls, returns, a loop, cycles."""
from cases import case


@case('--itrace=bep -F+flags,+ipc --ns', '', '--call-trace', '--call-ret-trace',
      '--insn-trace -F+ipc,+insnlen', '--itrace=i3i', '--itrace=i5t', '--itrace=i1ms',
      '--itrace=qbi -F+flags,+addr', '--itrace=b -F hw:ip,addr', '--itrace=b -F+synth',
      '--itrace=i0nse --ns -F+insn,+insnlen,+ipc,-period', '--itrace=y0nse', '-D',
      '--no-itrace --show-task-events --show-mmap-events --show-switch-events --ns')
def program(c):
    s = c.program()
    c.perf(priv=dict(event_trace=0))  # no event trace: flags without the interrupt flag
    c.record()
    c.pt.start(c.t0).cyc(10).pge(s._start).cyc(20).tnt('T').cyc(5).tip(s.g).cyc(40)
    c.pt.tnt('TTTTNT').cyc(100).pgd()
    c.finish()


@case('--itrace=i1ig4', '--itrace=i4il3 -F+brstack,-period',
      '--itrace=i20il16 -F+brstackinsn')
def stacks(c):
    program(c)
