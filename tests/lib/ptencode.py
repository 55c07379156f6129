"""ptencode.py - packets for what was executed, as a processor writes them.

SPDX-License-Identifier: MIT

An Encoder is given steps in order, Insn and Async, and writes TNT, TIP, FUP and what stands
around them by the rules of the manual (volume 3, Intel Processor Trace).  What it has written is
also kept as a list of (thread, address): the truth that a decoder has to find again.
"""
import collections

import ptasm

# tid, ip: whose and where; code: its bytes; tsc: when
Insn = collections.namedtuple('Insn', 'tid ip code tsc')
# An interrupt or fault between two instructions
Async = collections.namedtuple('Async', 'tid ip to tsc')

OTHER, COND, JMP, CALL, JMP_IND, CALL_IND, RET, FAR, CR3 = range(9)
PREFIXES = frozenset(b'\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65\xf0')
DEPTH = 64  # of the processor's own stack of return addresses


def classify(code):
    i = 0
    while code[i] in PREFIXES:
        i += 1
    if code[i] & 0xf0 == 0x40 and len(code) > i + 1:
        i += 1
    op, rest = code[i], code[i + 1:]
    if op & 0xf0 == 0x70 or 0xe0 <= op <= 0xe3:
        return COND
    if op == 0x0f:
        if rest[0] & 0xf0 == 0x80:
            return COND
        if rest[0] in (0x05, 0x07, 0x34, 0x35):
            return FAR
        if rest[0] == 0x22 and rest[1] >> 3 & 7 == 3:
            return CR3
        return OTHER
    if op == 0xff:
        kind = rest[0] >> 3 & 7
        return {2: CALL_IND, 3: FAR, 4: JMP_IND, 5: FAR}.get(kind, OTHER)
    return {0xe8: CALL, 0xe9: JMP, 0xeb: JMP, 0xc3: RET, 0xc2: RET, 0xcf: FAR, 0xca: FAR,
            0xcb: FAR, 0xcc: FAR, 0xcd: FAR, 0xea: FAR, 0x9a: FAR}.get(op, OTHER)


class Encoder:
    """traced: whether code of (tid, ip) is in the trace.  mtc: ticks between two MTC packets, as a
    power of two of the crystal clock (None: no MTC).  ratio: TSC ticks to one of its."""

    def __init__(self, traced=lambda tid, ip: True, mtc=3, ratio=20, compress=True, psb_every=4096,
                 cbr=24, bits=lambda ip: 64, cyc=False):
        self.traced, self.mtc, self.ratio, self.compress = traced, mtc, ratio, compress
        self.psb_every, self.cbr, self.bits, self.cyc = psb_every, cbr, bits, cyc
        self.cyc_at = None
        self.p = ptasm.Packets()
        self.out = []        # finished pieces
        self.truth = []
        self.pending = ''    # TNT bits not written yet
        self.stack = []
        self.last_ip = 0
        self.mode = None
        self.cr3 = 0x100000
        self.on = False
        self.since_psb = 0
        self.mtc_at = None
        self.tsc = 0
        self.sure = 0        # so much of the truth packets have told

    # -- packets ------------------------------------------------------------------------
    def size(self):
        return sum(map(len, self.out)) + len(self.p.bytes)

    def bytes(self):
        self.flush()
        return b''.join(self.out)

    def settle(self):
        self.out.append(self.p.bytes)
        self.since_psb += len(self.p.bytes)
        self.p = ptasm.Packets()

    def flush(self):
        if self.pending:
            self.cycles()
            self.p.tnt(self.pending)
            self.pending = ''
        self.settle()

    def cycles(self):
        """How many passed since they were told last."""
        if self.cyc:
            if self.cyc_at is not None and self.tsc > self.cyc_at:
                self.p.cyc(self.tsc - self.cyc_at)
            self.cyc_at = self.tsc

    def bit(self, taken):
        self.pending += 'T' if taken else 'N'
        if len(self.pending) == 6:
            self.flush()

    def form(self, ip):
        """The shortest way to tell an address behind the last one."""
        diff = (ip ^ self.last_ip) & (1 << 64) - 1
        self.last_ip = ip
        if not diff >> 16:
            return 1
        if not diff >> 32:
            return 2
        return 3  # sign-extended

    def ip_packet(self, write, ip):
        self.flush()
        self.cycles()
        write(self.p, ip, self.form(ip))
        self.settle()

    def tell_mode(self, ip):
        bits = self.bits(ip)
        if bits != self.mode:
            self.mode = bits
            self.flush()
            self.p.mode_exec(bits)

    def time(self, tsc):
        """Timing packets up to now."""
        self.tsc = max(self.tsc, tsc)
        if self.mtc is None:
            return
        now = self.tsc // self.ratio >> self.mtc
        if now - self.mtc_at > 200:
            self.flush()
            self.clock()
        while self.mtc_at < now:
            self.flush()
            self.mtc_at += 1
            self.cycles()
            self.p.mtc(self.mtc_at)

    def clock(self):
        self.p.tsc(self.tsc)
        if self.mtc is not None:
            ctc = self.tsc // self.ratio
            self.p.tma(ctc & 0xffff, self.tsc % self.ratio)
            self.mtc_at = ctc >> self.mtc

    def psb(self, ip=None):
        """ip: where execution is, if it is traced."""
        self.flush()
        self.p.psb()
        self.settle()
        self.clock()
        self.p.cbr(self.cbr)
        if ip is not None:
            self.mode = self.bits(ip)
            self.p.mode_exec(self.mode)
        self.p.pip(self.cr3)
        if ip is not None:
            self.p.fup(ip, 6)
        self.p.psbend()
        self.settle()
        self.since_psb = 0
        self.stack = []
        self.last_ip = ip or 0

    def overflow(self, tid, ip, tsc, clock=False, half_psb=False):
        """Packets were lost; execution is at ip now."""
        self.flush()
        del self.truth[self.sure:]
        if half_psb:
            self.p.psb()
            self.last_ip = 0
            self.clock()
        self.p.ovf()
        self.tsc = tsc
        self.stack = []
        if clock:
            self.clock()
        elif self.mtc is not None:
            self.mtc_at = self.tsc // self.ratio >> self.mtc
            self.p.mtc(self.mtc_at)
        self.on = bool(self.traced(tid, ip))
        if self.on:
            self.tell_mode(ip)
            self.flush()
            self.p.fup(ip, self.form(ip))
        self.sure = len(self.truth)
        self.settle()

    # -- execution ----------------------------------------------------------------------
    def start(self, tsc):
        self.tsc = tsc
        self.psb()

    def enter(self, tid, ip, tsc):
        """Control comes to ip from where nothing is traced."""
        if self.traced(tid, ip):
            self.time(tsc)
            self.tell_mode(ip)
            self.ip_packet(ptasm.Packets.pge, ip)
            self.on = True

    def leave(self):
        self.flush()
        self.cycles()
        self.p.pgd()
        self.settle()
        self.on = False

    def go(self, tid, ip, compressed=False):
        """An indirect transfer to ip."""
        if not self.traced(tid, ip):
            self.leave()
        elif compressed:
            self.bit(True)
        else:
            self.tell_mode(ip)
            self.ip_packet(ptasm.Packets.tip, ip)

    def insn(self, s, next_tid, nxt):
        """s was executed, and control is at nxt now, in next_tid."""
        cls, end = classify(s.code), s.ip + len(s.code)
        if cls == CR3:
            self.cr3 = (s.tid + 2) << 12
        if not self.on:
            self.time(s.tsc)
            if cls == CR3:
                self.flush()
                self.p.pip(self.cr3)
            if cls in (CALL, CALL_IND, RET):
                self.stack = []
            self.enter(next_tid, nxt, s.tsc)
            return
        self.truth.append((s.tid, s.ip))
        if cls == OTHER:
            assert nxt == end, (hex(s.ip), s.code, hex(nxt))
            return
        self.time(s.tsc)
        if cls == CR3:
            self.flush()
            self.p.pip(self.cr3)
        elif cls == COND:
            self.bit(nxt != end)
        elif cls == RET:
            top = self.stack.pop() if self.stack else None
            self.go(next_tid, nxt, self.compress and top == nxt)
        elif cls in (JMP_IND, CALL_IND, FAR):
            self.go(next_tid, nxt)
        if cls in (COND, RET, JMP_IND, CALL_IND, FAR):
            self.sure = len(self.truth)
        if cls == CALL_IND or (cls == CALL and nxt != end):
            self.stack = (self.stack + [end])[-DEPTH:]
        if self.since_psb > self.psb_every and self.on and cls != CR3:
            self.psb(nxt)

    def interrupt(self, s, next_tid):
        if not self.on:
            self.time(s.tsc)
            self.enter(next_tid, s.to, s.tsc)
            return
        self.time(s.tsc)
        self.ip_packet(ptasm.Packets.fup, s.ip)
        self.go(next_tid, s.to)
        self.sure = len(self.truth)

    def steps(self, steps, lost=()):
        """The last step must be an indirect branch, and ends the trace.  lost: (begin, end, how) of
        steps whose packets are lost."""
        self.start(steps[0].tsc)
        self.enter(steps[0].tid, steps[0].ip, steps[0].tsc)
        lost = list(lost)
        for i, (s, n) in enumerate(zip(steps, steps[1:])):
            if lost and i >= lost[0][0]:
                if i < lost[0][1] or not isinstance(s, Insn):
                    continue
                self.overflow(s.tid, s.ip, s.tsc, **lost.pop(0)[2])
            if isinstance(s, Insn):
                self.insn(s, n.tid, n.ip)
            else:
                self.interrupt(s, n.tid)
        last = steps[-1]
        if self.on:
            self.truth.append((last.tid, last.ip))
            self.time(last.tsc)
            self.leave()
        return self
