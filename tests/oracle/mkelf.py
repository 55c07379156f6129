# mkelf.py - makes 64-bit ELF files with any symbols one likes.
#
# SPDX-License-Identifier: MIT
import struct

PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, NOTE, DYNSYM = 1, 2, 3, 4, 8, 7, 11
ALLOC = 2


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
    """sections: list of [name, type, flags, addr, bytes or size, link, info, entsize]."""

    def __init__(self, kind=3, machine=62):
        self.kind, self.machine = kind, machine
        self.sections = []
        self.loads = None  # list of (vaddr, offset, filesz, memsz); None: from sections

    def section(self, name, type_, flags=0, addr=0, data=b'', link=0, info=0, entsize=0):
        self.sections.append([name, type_, flags, addr, data, link, info, entsize])
        return len(self.sections)

    def build_id(self, id_):
        self.section('.note.gnu.build-id', NOTE, ALLOC, 0,
                     struct.pack('<III4s', 4, len(id_), 3, b'GNU\0') + id_)

    def symbols(self, name, type_, symbols):
        """symbols: (name, type, bind, visibility, shndx, value, size)."""
        strings = Strings()
        body = bytes(24)
        for text, kind, bind, vis, shndx, value, size in symbols:
            body += struct.pack('<IBBHQQ', strings.add(text), bind << 4 | kind, vis, shndx,
                                value & (1 << 64) - 1, size & (1 << 64) - 1)
        strtab = self.section('.strtab' if type_ == SYMTAB else '.dynstr', STRTAB,
                              0, 0, strings.data)
        return self.section(name, type_, 0 if type_ == SYMTAB else ALLOC, 0, body, strtab, 0, 24)

    def bytes(self):
        names = Strings()
        sections = self.sections + [['.shstrtab', STRTAB, 0, 0, b'', 0, 0, 0]]
        name_at = [names.add(s[0]) for s in sections]
        sections[-1][4] = names.data
        count = len(sections)
        phn = len([s for s in sections if s[3]]) if self.loads is None else len(self.loads)
        at = 64 + 56 * phn
        body, heads, loads = b'', bytes(64), []
        for s, n in zip(sections, name_at):
            _, type_, flags, addr, data, link, info, entsize = s
            size = data if isinstance(data, int) else len(data)
            pad = -(at + len(body)) % 16
            body += bytes(pad)
            off = at + len(body)
            if not isinstance(data, int):
                body += data
            heads += struct.pack('<IIQQQQIIQQ', n, type_, flags, addr, off, size, link, info,
                                 1, entsize)
            if addr:
                loads.append((addr, off, 0 if isinstance(data, int) else size, size))
        if self.loads is not None:
            loads = self.loads
        phs = b''.join(struct.pack('<IIQQQQQQ', 1, 5, off, va, va, fs, ms, 16)
                       for va, off, fs, ms in loads)
        head = b'\x7fELF\2\1\1'.ljust(16, b'\0') + struct.pack(
            '<HHIQQQIHHHHHH', self.kind, self.machine, 1, 0, 64 if phn else 0,
            at + len(body), 0, 64, 56, phn, 64, count + 1, count)
        return head + phs + body + heads

    def write(self, path):
        import os
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as out:
            out.write(self.bytes())
