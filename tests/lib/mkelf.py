"""mkelf.py - makes ELF files with any sections and symbols one likes.

SPDX-License-Identifier: MIT
"""
import os
import struct

PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, NOTE, DYNSYM = 1, 2, 3, 4, 8, 7, 11
ALLOC, EXEC = 2, 4

# Layouts of 64 and 32 bits.  A program header is given in the order of 64 bits.
WIDE = {'header': '<HHIQQQIHHHHHH', 'segment': '<IIQQQQQQ', 'section': '<IIQQQQIIQQ',
        'symbol': '<IBBHQQ', 'sizes': (64, 56, 64)}
NARROW = {'header': '<HHIIIIIHHHHHH', 'segment': '<IIIIIIII', 'section': '<IIIIIIIIII',
          'symbol': '<IIIBBH', 'sizes': (52, 32, 40)}


class Strings:
    def __init__(self):
        self.data = b'\0'

    def add(self, text):
        if not text:
            return 0
        at = len(self.data)
        self.data += text.encode('latin-1') + b'\0'
        return at


class Elf:
    """sections: list of [name, type, flags, addr, bytes or size, link, info, entsize, align];
    align is that of their place in the file."""

    def __init__(self, kind=3, machine=62, bits=64, entry=0):
        self.kind, self.machine, self.bits, self.entry = kind, machine, bits, entry
        self.layout = WIDE if bits == 64 else NARROW
        self.sections = []
        self.loads = None  # list of (vaddr, offset, filesz, memsz); None: from sections

    def section(self, name, type_, flags=0, addr=0, data=b'', link=0, info=0, entsize=0,
                align=16):
        self.sections.append([name, type_, flags, addr, data, link, info, entsize, align])
        return len(self.sections)

    def build_id(self, id_, addr=0):
        self.section('.note.gnu.build-id', NOTE, ALLOC, addr,
                     struct.pack('<III4s', 4, len(id_), 3, b'GNU\0') + id_, align=4)

    def symbol(self, name_at, kind, bind, vis, shndx, value, size):
        value, size = value & (1 << self.bits) - 1, size & (1 << self.bits) - 1
        info = bind << 4 | kind
        if self.bits == 64:
            return struct.pack(WIDE['symbol'], name_at, info, vis, shndx, value, size)
        return struct.pack(NARROW['symbol'], name_at, value, size, info, vis, shndx)

    def symbols(self, name, type_, symbols):
        """symbols: (name, type, bind, visibility, shndx, value, size)."""
        strings = Strings()
        size = struct.calcsize(self.layout['symbol'])
        body = bytes(size)
        for text, *rest in symbols:
            body += self.symbol(strings.add(text), *rest)
        strtab = self.section('.strtab' if type_ == SYMTAB else '.dynstr', STRTAB,
                              0, 0, strings.data)
        return self.section(name, type_, 0 if type_ == SYMTAB else ALLOC, 0, body, strtab, 0,
                            size)

    def segment(self, type_, va, off, filesz, memsz):
        """Readable and executable; notes are PT_NOTE."""
        kind = 4 if type_ == NOTE else 1
        if self.bits == 64:
            return struct.pack(WIDE['segment'], kind, 5, off, va, va, filesz, memsz, 16)
        return struct.pack(NARROW['segment'], kind, off, va, va, filesz, memsz, 5, 16)

    def bytes(self):
        names = Strings()
        sections = self.sections + [['.shstrtab', STRTAB, 0, 0, b'', 0, 0, 0, 1]]
        name_at = [names.add(s[0]) for s in sections]
        sections[-1][4] = names.data
        count = len(sections)
        phn = len([s for s in sections if s[3]]) if self.loads is None else len(self.loads)
        head_size, ph_size, sh_size = self.layout['sizes']
        at = head_size + ph_size * phn
        body, heads, loads = b'', bytes(sh_size), []
        for s, n in zip(sections, name_at):
            _, type_, flags, addr, data, link, info, entsize, align = s
            size = data if isinstance(data, int) else len(data)
            body += bytes(-(at + len(body)) % align)
            off = at + len(body)
            if not isinstance(data, int):
                body += data
            heads += struct.pack(self.layout['section'], n, type_, flags, addr, off, size, link,
                                 info, 1, entsize)
            if addr:
                loads.append((type_, addr, off, 0 if isinstance(data, int) else size, size))
        if self.loads is not None:
            loads = [(PROGBITS,) + load for load in self.loads]
        body += bytes(-(at + len(body)) % 8)
        head = b'\x7fELF' + bytes([self.bits // 32, 1, 1]).ljust(12, b'\0') + struct.pack(
            self.layout['header'], self.kind, self.machine, 1, self.entry,
            head_size if phn else 0, at + len(body), 0, head_size, ph_size, phn, sh_size,
            count + 1, count)
        return head + b''.join(self.segment(*p) for p in loads) + body + heads

    def write(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as out:
            out.write(self.bytes())
