"""mkvmlinux.py - a kernel and its modules as the files that they were linked as.

SPDX-License-Identifier: MIT
"""
import gzip
import lzma
import struct

import mkelf
import mkkernel

NOTYPE, OBJECT, FUNC = 0, 1, 2
LOCAL, GLOBAL, WEAK = 0, 1, 2


class Linked:
    """A file with sections at addresses, and symbols in them by the name of the section:
    sections (name, address, bytes), symbols (name, section, address, size, type, binding)."""

    def __init__(self, kind, sections, symbols, build_id, more=()):
        self.elf = mkelf.Elf(kind)
        if kind == 1:
            self.elf.loads = []
        number = {}
        for name, addr, data in sections:
            flags = mkelf.ALLOC | (mkelf.EXEC if 'text' in name else 0)
            number[name] = self.elf.section(name, mkelf.PROGBITS, flags, addr, data)
        for name, data in more:
            self.elf.section(name, mkelf.PROGBITS, mkelf.ALLOC, 0, data)
        if build_id:
            self.elf.build_id(build_id)
        if symbols:
            self.elf.symbols('.symtab', mkelf.SYMTAB, [
                (name, type_, bind, 0, number[section] if section in number else section,
                 value, size) for name, section, value, size, type_, bind in symbols])

    def bytes(self):
        return self.elf.bytes()


def vmlinux(sections, symbols, build_id):
    """ET_EXEC, linked at the addresses of its sections."""
    return Linked(2, sections, symbols, build_id).bytes()


def module(sections, symbols, build_id, name='fat'):
    """ET_REL: all sections begin at 0."""
    this = bytes(24) + name.encode().ljust(56, b'\0') + bytes(816)
    return Linked(1, [(n, 0, data) for n, data in sections], symbols, build_id,
                  [('.gnu.linkonce.this_module', this)]).bytes()


def zstd(data):
    """One frame of blocks that are stored as they are."""
    out, room = struct.pack('<IBI', 0xfd2fb528, 0xa0, len(data)), 1 << 16
    for at in range(0, len(data), room):
        block = data[at:at + room]
        last = at + room >= len(data)
        out += struct.pack('<I', len(block) << 3 | last)[:3] + block
    return out


def packed(data, path):
    """As the name of the file says."""
    if path.endswith('.gz'):
        return gzip.compress(data, mtime=0)
    if path.endswith('.xz'):
        return lzma.compress(data, check=lzma.CHECK_CRC32)
    return zstd(data) if path.endswith('.zst') else data


def kcore(*parts):
    """A copy of memory: (address, bytes) each, at whole pages."""
    head = b'\x7fELF\2\1\1'.ljust(16, b'\0') + struct.pack(
        '<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, len(parts), 64, 0, 0)
    body = b''
    for addr, data in parts:
        data = data.ljust((len(data) + 4095) // 4096 * 4096, b'\x90')
        head += struct.pack('<IIQQQQQQ', 1, 7, 0x1000 + len(body), addr, 0, len(data), len(data),
                            0x1000)
        body += data
    return head.ljust(0x1000, b'\0') + body


# --- Of a kernel that was copied from memory ----------------------------------------------

class Copied:
    """A kcore_dir: bytes by address, and the symbols of kallsyms by owner, None for the kernel's
    own."""

    def __init__(self, folder):
        with open(folder + '/kcore', 'rb') as f:
            self.core = f.read()
        self.loads = list(mkkernel.loads(self.core))
        self.symbols = {}
        with open(folder + '/kallsyms', encoding='ascii') as f:
            for line in f:
                address, type_, name = line.rstrip('\n').split(' ', 2)
                name, _, owner = name.partition('\t')
                if type_ in 'tTwW' and int(address, 16):
                    self.symbols.setdefault(owner or None, []).append(
                        (int(address, 16), type_, name))

    def bytes(self, start, end):
        for off, addr, size in self.loads:
            if addr <= start and end <= addr + size:
                return self.core[off + start - addr:off + end - addr]
        raise ValueError('%#x is in no segment' % start)

    def text(self, owner, start, end):
        """(code, symbols) of what lies there; a symbol ends where the next one begins."""
        inside = sorted(s for s in self.symbols.get(owner, []) if start <= s[0] < end)
        ends = [s[0] for s in inside[1:]] + [end]
        base = start if owner else 0
        return self.bytes(start, end), [
            (name, '.text', at - base, stop - at, FUNC,
             {'t': LOCAL, 'T': GLOBAL}.get(type_, WEAK))
            for (at, type_, name), stop in zip(inside, ends)]
