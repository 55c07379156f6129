# symbols.py - compares our symbols with those of perf script, address by address.
#
# SPDX-License-Identifier: MIT
#
# symbols.py SYM_PRINT [--no-demangle] [--limit N] [--symfs DIR] [--cases | FILE...]
#
# For every symbol of a file: start-1, start, start+1, middle, end-1, end, end+1, and every
# 8 bytes of the .plt sections.  --cases builds the purpose-made files of symcases.py first.
# Exit status 77 (skipped) when perf is missing.
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import mkperf  # noqa: E402

BASE = 0x10000000


class Elf:
    """Just enough of a 64-bit ELF file to know where symbols are."""

    def __init__(self, path):
        self.data = d = open(path, 'rb').read()
        self.sections, self.loads, self.build_id = [], [], None
        if d[:5] != b'\x7fELF\x02':
            return
        phoff, shoff = struct.unpack_from('<QQ', d, 32)
        phes, phn, shes, shn, shstr = struct.unpack_from('<HHHHH', d, 54)
        for i in range(phn):
            kind, _, off, va, _, fsz, msz, _ = struct.unpack_from('<IIQQQQQQ', d, phoff + i * phes)
            if kind == 1:
                self.loads.append((va, max(fsz, msz), off))
        for i in range(shn):
            self.sections.append(struct.unpack_from('<IIQQQQIIQQ', d, shoff + i * shes))
        self.names = self.body(self.sections[shstr]) if shn else b''
        note = self.named('.note.gnu.build-id')
        if note:
            self.build_id = self.body(note)[16:36]

    def body(self, s):
        return self.data[s[4]:s[4] + s[5]]

    def name(self, s):
        return self.names[s[0]:self.names.index(b'\0', s[0])].decode()

    def named(self, name):
        for s in self.sections:
            if self.name(s) == name:
                return s

    def symbols(self):
        for s in self.sections:
            if s[1] in (2, 11):
                body = self.body(s)
                for at in range(24, len(body) - 23, 24):
                    _, info, _, shndx, value, size = struct.unpack_from('<IBBHQQ', body, at)
                    if shndx:
                        yield value, size, shndx

    def offset(self, value, shndx):
        for va, size, off in self.loads:
            if va <= value < va + size:
                return value - va + off
        if shndx < len(self.sections):
            return value - self.sections[shndx][3] + self.sections[shndx][4]
        return value


def debug_file(elf, symfs):
    if elf.build_id:
        h = elf.build_id.hex()
        path = '%s/usr/lib/debug/.build-id/%s/%s.debug' % (symfs, h[:2], h[2:])
        if os.path.exists(path):
            return Elf(path)


def addresses(path, symfs, limit):
    elf = Elf(symfs + path)
    found = set()
    for e in filter(None, (elf, debug_file(elf, symfs))):
        for value, size, shndx in e.symbols():
            start = elf.offset(value, shndx)
            for a in (-1, 0, 1, size // 2, size - 1, size, size + 1):
                found.add(start + a)
    for s in elf.sections:
        if elf.name(s).startswith('.plt'):
            found.update(range(s[4], s[4] + s[5], 8))
    found = sorted(a for a in found if 0 <= a < 1 << 40)
    if limit and len(found) > limit:
        step = len(found) // limit + 1
        found = found[::step]
    return found


def recording(path, base, offsets, build_id=None):
    """Samples at these offsets of a file mapped at base."""
    w = mkperf.software().comm('t', 1000)
    w.mmap2(path, base, (max(offsets) | 0xfff) + 1, 0, 2000, build_id=build_id)
    for i, a in enumerate(offsets):
        w.sample(base + a, 3000 + i)
    return w


def perf_answers(path, offsets, options, build_id=None, jit=False):
    base = 0 if jit else BASE
    w = recording('//anon' if jit else path, base, offsets, build_id)
    with tempfile.TemporaryDirectory() as tmp:
        file = tmp + '/perf.data'
        w.write(file)
        env = dict(os.environ, HOME=tmp, LC_ALL='C', PAGER='cat')
        out = subprocess.run(['perf', 'script', '-i', file, '-F', 'ip,sym,symoff'] + options,
                             env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = out.stdout.decode('latin-1').split('\n')[:-1]
    got = []
    for line in lines:
        ip, _, rest = line.strip(' ').partition(' ')
        got.append((int(ip, 16) - base, rest))
    if [a for a, _ in got] != offsets:
        raise SystemExit('perf printed %d lines for %d samples of %s' % (len(got), len(offsets), path))
    return [s.strip(' ') for _, s in got]


def our_answers(program, path, offsets, options, build_id=None, jit=False):
    if build_id:
        options = options + ['--id', build_id.hex()]
    options = options + ['--map-start', '%x' % (0 if jit else BASE)]
    text = ''.join('%x\n' % a for a in offsets)
    out = subprocess.run([program] + options + [path], input=text.encode(),
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return out.stdout.decode('latin-1').split('\n')[:-1]


def compare(program, path, options, limit=0, symfs='', build_id=None, offsets=None,
            jit=False):
    """Returns (addresses, differences)."""
    options = options + (['--symfs', symfs] if symfs else [])
    if offsets is None:
        offsets = addresses(path, symfs, limit)
    if not offsets:
        return 0, 0
    theirs = perf_answers(path, offsets, options, build_id, jit)
    ours = our_answers(program, path, offsets, options, build_id, jit)
    bad = [(a, t, o) for a, t, o in zip(offsets, theirs, ours) if t != o]
    for a, t, o in bad[:5]:
        print('%s %#x: perf %s, we %s' % (path, a, t, o))
    return len(offsets), len(bad)


def main():
    args = sys.argv[1:]
    program = args.pop(0)
    options, files, limit, symfs, cases = [], [], 0, '', False
    while args:
        a = args.pop(0)
        if a == '--no-demangle':
            options.append(a)
        elif a == '--limit':
            limit = int(args.pop(0))
        elif a == '--symfs':
            symfs = args.pop(0)
        elif a == '--cases':
            cases = True
        else:
            files.append(a)
    if not shutil.which('perf'):
        print('skipped: no perf')
        return 77
    total = bad = 0
    if cases:
        import symcases
        total, bad = symcases.run(program, compare)
    for f in files:
        if not os.path.exists(symfs + f):
            print('%s: not here' % f)
            continue
        path = f if symfs else os.path.realpath(f)
        n, b = compare(program, path, options, limit, symfs)
        print('%s: %d addresses, %d differences' % (f, n, b))
        total, bad = total + n, bad + b
    print('%d addresses, %d differences' % (total, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
