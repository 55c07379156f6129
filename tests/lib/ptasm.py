"""ptasm.py - code and Intel PT packets, written as a program writes them down.

SPDX-License-Identifier: MIT

Code assembles a handful of x86-64 instructions with labels and puts them into a small static
ELF file; Packets encodes a packet stream.  Both are plain byte builders: whatever a
processor would never write can be written too, which is the point of many cases.
"""
import hashlib
import struct

import mkelf


class Labels(dict):
    """Addresses by name, S.f or S['f']."""
    __getattr__ = dict.__getitem__


class Code:
    """Instructions in order; labels are resolved at the end by asm()."""

    def __init__(self, base=0x401000):
        self.base = base
        self.items = []    # bytes | (prefix bytes, label, displacement size)
        self.marks = {}    # label -> index of the item it precedes
        self.funcs = []    # labels that become symbols, in order

    def func(self, name):
        self.funcs.append(name)
        return self.label(name)

    def label(self, name):
        self.marks[name] = len(self.items)
        return self

    def raw(self, *byte_values):
        self.items.append(bytes(byte_values))
        return self

    def _rel(self, prefix, target, size):
        self.items.append((bytes(prefix), target, size))
        return self

    def call(self, to):
        return self._rel([0xe8], to, 4)

    def jmp(self, to, short=True):
        return self._rel([0xeb], to, 1) if short else self._rel([0xe9], to, 4)

    def jcc(self, to, cond=5, short=True):  # 5: not zero
        return (self._rel([0x70 | cond], to, 1) if short
                else self._rel([0x0f, 0x80 | cond], to, 4))

    def loop(self, to):
        return self._rel([0xe2], to, 1)

    def lea_rax(self, to):
        return self._rel([0x48, 0x8d, 0x05], to, 4)

    def xbegin(self, to):
        return self._rel([0xc7, 0xf8], to, 4)

    def nop(self, n=1):
        for _ in range(n):
            self.raw(0x90)
        return self

    def ret(self):
        return self.raw(0xc3)

    def call_rax(self):
        return self.raw(0xff, 0xd0)

    def jmp_rax(self):
        return self.raw(0xff, 0xe0)

    def syscall(self):
        return self.raw(0x0f, 0x05)

    def mov_eax(self, value):
        return self.raw(0xb8, *struct.pack('<I', value))

    def mov_ecx(self, value):
        return self.raw(0xb9, *struct.pack('<I', value))

    def dec_ecx(self):
        return self.raw(0xff, 0xc9)

    def asm(self):
        """(bytes, Labels)."""
        starts, at = [], self.base
        for item in self.items:
            starts.append(at)
            at += len(item) if isinstance(item, bytes) else len(item[0]) + item[2]
        starts.append(at)
        labels = Labels({name: starts[i] for name, i in self.marks.items()})
        out = b''
        for item in self.items:
            if isinstance(item, bytes):
                out += item
                continue
            prefix, target, size = item
            end = self.base + len(out) + len(prefix) + size
            to = labels[target] if isinstance(target, str) else target
            out += prefix + struct.pack({1: '<b', 4: '<i'}[size], to - end)
        return out, labels

    def elf(self, bits=64, symbols=True, build_id=None, objects=(), data=()):
        """A static executable: the code at file offset 0x1000, symbols sized up to the next
        one.  objects: more (name, addr, size); data: the same of no code.  build_id: b'' for none."""
        text, labels = self.asm()
        if build_id is None:
            build_id = hashlib.sha1(text).digest()
        e = mkelf.Elf(2, 62 if bits == 64 else 3, bits,
                      labels.get(self.funcs[0], self.base) if self.funcs else self.base)
        code = e.section('.text', mkelf.PROGBITS, mkelf.ALLOC | mkelf.EXEC, self.base, text,
                         align=0x1000)
        if build_id:
            e.build_id(build_id, self.base - 0x1000)
        if symbols and self.funcs or objects or data:
            found = (self._symbols(text, labels) if symbols else []) + list(objects)
            e.symbols('.symtab', mkelf.SYMTAB, [(name, 2, 1, 0, code, addr, size)
                                                for name, addr, size in found]
                      + [(name, 1, 1, 0, code, addr, size) for name, addr, size in data])
        return e.bytes()

    def _symbols(self, text, labels):
        at = sorted(labels[f] for f in self.funcs) + [self.base + len(text)]
        return [(f, labels[f], at[at.index(labels[f]) + 1] - labels[f])
                for f in self.funcs]


class Packets:
    """A packet stream.  Every method appends and returns self."""

    def __init__(self):
        self.bytes = b''

    def raw(self, data):
        self.bytes += bytes(data)
        return self

    def pad(self, n=1):
        return self.raw(b'\0' * n)

    # -- branches -----------------------------------------------------------------------
    def tnt(self, taken):
        """Oldest first, 'TTN'; up to six."""
        value = 1
        for t in taken:
            value = value << 1 | (t == 'T')
        assert 1 <= len(taken) <= 6
        return self.raw([value << 1])

    def tnt64(self, taken):
        value = 1
        for t in taken:
            value = value << 1 | (t == 'T')
        assert len(taken) <= 47
        return self.raw(b'\x02\xa3' + struct.pack('<Q', value)[:6])

    def _ip(self, low, ip, form):
        size = {0: 0, 1: 2, 2: 4, 3: 6, 4: 6, 6: 8, 5: 2, 7: 2}[form]
        return self.raw(bytes([low | form << 5])
                        + struct.pack('<Q', (ip or 0) & (1 << 64) - 1)[:size])

    def tip(self, ip=None, form=3):
        return self._ip(0x0d, ip, 0 if ip is None else form)

    def pge(self, ip=None, form=3):
        return self._ip(0x11, ip, 0 if ip is None else form)

    def pgd(self, ip=None, form=3):
        return self._ip(0x01, ip, 0 if ip is None else form)

    def fup(self, ip=None, form=3):
        return self._ip(0x1d, ip, 0 if ip is None else form)

    # -- state --------------------------------------------------------------------------
    def psb(self):
        return self.raw(b'\x02\x82' * 8)

    def psbend(self):
        return self.raw(b'\x02\x23')

    def ovf(self):
        return self.raw(b'\x02\xf3')

    def tracestop(self):
        return self.raw(b'\x02\x83')

    def mode_exec(self, bits=64, iflag=0):
        return self.raw([0x99, {16: 0, 64: 1, 32: 2}[bits] | iflag << 2])

    def mode_tsx(self, intx=0, abort=0):
        return self.raw([0x99, 0x20 | intx | abort << 1])

    def pip(self, cr3, nr=0):
        return self.raw(b'\x02\x43' + struct.pack('<Q', cr3 >> 5 << 1 | nr)[:6])

    def vmcs(self, base):
        return self.raw(b'\x02\xc8' + struct.pack('<Q', base)[:5])

    def mnt(self, payload):
        return self.raw(b'\x02\xc3\x88' + struct.pack('<Q', payload))

    # -- time ---------------------------------------------------------------------------
    def tsc(self, ticks):
        return self.raw(b'\x19' + struct.pack('<Q', ticks)[:7])

    def tma(self, ctc, fast):
        return self.raw(b'\x02\x73' + struct.pack('<H', ctc) + b'\0'
                        + struct.pack('<H', fast))

    def mtc(self, value):
        return self.raw([0x59, value & 255])

    def cbr(self, ratio):
        return self.raw([2, 3, ratio, 0])

    def cyc(self, n):
        if n < 32:
            return self.raw([n << 3 | 3])
        self.raw([(n & 31) << 3 | 7])
        n >>= 5
        while n > 127:
            self.raw([(n & 127) << 1 | 1])
            n >>= 7
        return self.raw([n << 1])

    # -- ptwrite, power, events, blocks ---------------------------------------------------
    def ptw(self, value, size=8, ip=False):
        return self.raw(bytes([2, 0x12 | (size == 8) << 5 | ip << 7])
                        + struct.pack('<Q', value)[:size])

    def mwait(self, hints, ext=0):
        return self.raw(b'\x02\xc2' + struct.pack('<II', hints, ext))

    def pwre(self, cstate, sub, hw=0):
        return self.raw(b'\x02\x22' + struct.pack('<H', hw << 7 | sub << 8 | cstate << 12))

    def exstop(self, ip=False):
        return self.raw([2, 0xe2 if ip else 0x62])

    def pwrx(self, last, deepest, wake):
        return self.raw(b'\x02\xa2' + struct.pack('<Q', deepest | last << 4 | wake << 8)[:5])

    def cfe(self, kind, vector=0, ip=False):
        return self.raw([2, 0x13, kind | ip << 7, vector])

    def evd(self, kind, payload):
        return self.raw(bytes([2, 0x53, kind]) + struct.pack('<Q', payload))

    def bbp(self, kind, four=False):
        return self.raw([2, 0x63, kind | four << 7])

    def bip(self, item, value, size=8):
        return self.raw(bytes([item << 3 | 4]) + struct.pack('<Q', value)[:size])

    def bep(self, ip=False):
        return self.raw([2, 0xb3 if ip else 0x33])

    def start(self, tsc, ctc=0xb23c, fast=0x30, cbr=0x1d, bits=64):
        """The PSB+ most cases begin with."""
        return (self.psb().mode_exec(bits).tsc(tsc).tma(ctc, fast).cbr(cbr).psbend())
