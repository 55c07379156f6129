# symcases.py - files made to be difficult: every rule about symbols, and random tables.
#
# SPDX-License-Identifier: MIT
import os
import random
import shutil
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import mkelf  # noqa: E402
from mkelf import ALLOC, DYNSYM, NOBITS, PROGBITS, RELA, SYMTAB

NOTYPE, OBJECT, FUNC, SECTION, FILE, TLS, IFUNC = 0, 1, 2, 3, 4, 6, 10
LOCAL, GLOBAL, WEAK = 0, 1, 2
UNDEF, ABS, COMMON = 0, 0xfff1, 0xfff2

NAMES = '''f g foo _foo __foo ___foo bar longer_name SyS_read compat_SyS_read sys_read a$b
_Z3addii.cold _ZN3fooIiE3barEv.part.0 _Z3mainQ _ZTV3foo _ZThn8_N3foo3barEv
_ZZ4mainENKUlvE_clEv _GLOBAL__I_a _GLOBAL__sub_I_foo memcpy@GLIBC_2.2.5
__libc_start_main@@GLIBC_2.34 _Znwm@GLIBCXX_3.4 _ZN3fooC1Ev _ZN3fooC2Ev _Z1fSs _ZNKSt6vectorIiE4sizeEv
_ZN4core3fmt9Formatter3new17h0123456789abcdefE _RNvCs1234_7mycrate3foo _D3foo3barFZv
_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$7reserve17h0123456789abcdefE
__Z3foov ___Z3foov camlStdlib__List__map_123 camlFoo$2bx__bar camlfoo camlFoo__a$zz_ caml_Foo
camlX$3a$3d__y camlA___b Lorg/foo/Bar;baz(ILjava/lang/String;[J)V Lorg/foo/Bar;<init>()V
Ljava/lang/String; LFoo;x([[I[Lb/c;I)I La;b(V)V Lorg/Foo;bar(LLx;)V Lx;y() foo(int) La/b;c(I$d)
L;a(BCDFIJSZ) Lq;w(I[)V LA;b(LBCD;)V x)y Lorg/foo/Bar;baz([[[[[[[[[[[[[[[[[[[[[[[[I)V'''.split()


def blank(bind_id=None):
    e = mkelf.Elf()
    if bind_id:
        e.build_id(bind_id)
    return e


TEXT, INIT, RODATA, DATA, BSS, UNLIKELY, COMMENT = range(1, 8)


def sections(e, gap=0):
    e.section('.text', PROGBITS, ALLOC, 0x2000 + gap, bytes(0x400))
    e.section('.init', PROGBITS, ALLOC, 0x2400 + gap, bytes(0x40))
    e.section('.rodata', PROGBITS, ALLOC, 0x3000 + gap, bytes(0x100))
    e.section('.data.rel.ro', PROGBITS, ALLOC, 0x3100 + gap, bytes(0x100))
    e.section('.bss', NOBITS, ALLOC, 0x5000 + gap, 0x200)
    e.section('.text.unlikely', PROGBITS, ALLOC, 0x3200 + gap, bytes(0x80))
    e.section('.comment', PROGBITS, 0, 0, b'x')


RANGES = {TEXT: (0x2000, 0x400), INIT: (0x2400, 0x40), RODATA: (0x3000, 0x100),
          DATA: (0x3100, 0x100), BSS: (0x5000, 0x200), UNLIKELY: (0x3200, 0x80),
          COMMENT: (0, 16)}


def random_symbol(rng, dense):
    sec = rng.choice([TEXT] * 8 + [INIT, RODATA, DATA, BSS, UNLIKELY, COMMENT])
    base, size = RANGES[sec]
    value = base + rng.randrange(0, size, dense)
    length = rng.choice([0, 0, 1, dense, 2 * dense, rng.randrange(size), 1 << rng.randrange(12)])
    if rng.random() < 0.01:
        length = rng.choice([1 << 63, (1 << 64) - 1, 1 << 40, (1 << 64) - value])
    if rng.random() < 0.02:
        value = rng.choice([0, 1, 0x1fff, 0x9000, 0x123456, (1 << 64) - 16, 1 << 63])
    if rng.random() < 0.03:
        sec = rng.choice([UNDEF, ABS])
    name = rng.choice(NAMES) if rng.random() < 0.7 else 's%d' % rng.randrange(1000)
    if rng.random() < 0.02:
        name = ''
    kind = rng.choice([FUNC] * 8 + [NOTYPE] * 3 + [OBJECT, IFUNC, SECTION, FILE, TLS, 5, 13])
    return (name, kind, rng.choice([LOCAL, GLOBAL, GLOBAL, WEAK, 10]), rng.choice([0] * 6 + [1, 2, 3]),
            sec, value, length)


def plt(e, rng, imports):
    """.dynsym with imports, .rela.plt, .plt; some relocations have no symbol."""
    names = [rng.choice(NAMES) for _ in range(imports)]
    dynsym = e.symbols('.dynsym', DYNSYM, [(n, FUNC, GLOBAL, 0, UNDEF, 0, 0) for n in names] +
                       [random_symbol(rng, 16) for _ in range(rng.randrange(8))])
    order = [rng.randrange(0, imports + 1) for _ in range(imports)]
    body = b''.join(struct.pack('<QQq', 0, i << 32 | 7, 0) for i in order)
    e.section('.rela.plt', RELA, ALLOC, 0, body, dynsym, 0, 24)
    e.section('.plt', PROGBITS, ALLOC, 0x6000, bytes(16 * (imports + 1)), 0, 0,
              rng.choice([16, 16, 16, 0, 8]))


def random_file(seed):
    rng = random.Random(seed)
    e = blank(bytes(rng.randrange(256) for _ in range(20)) if seed % 3 else None)
    e.kind = rng.choice([2, 3, 1])
    e.machine = 62 if seed % 7 else 183
    if seed % 3:  # the build id is section 1
        e.sections.append(e.sections.pop(0))
    ids, e.sections = e.sections, []
    sections(e)
    e.sections += ids
    if rng.random() < 0.2:
        e.loads = []
    dense = rng.choice([1, 4, 16, 16, 32])
    count = rng.choice([1, 3, 10, 30, 100, 300])
    if rng.random() < 0.9:
        symbols = [random_symbol(rng, dense) for _ in range(count)]
        if seed % 10 == 9:  # names a section that does not exist: the load stops there
            at = rng.randrange(count)
            symbols[at] = ('broken', OBJECT, GLOBAL, 0, rng.choice([COMMON, 99]), 0, 8)
        e.symbols('.symtab', SYMTAB, symbols)
    if rng.random() < 0.6:
        plt(e, rng, rng.choice([1, 4, 20]))
    return e


def all_offsets(path):
    size = os.path.getsize(path)
    return sorted(set(range(0, min(size, 0x2000) + 64)) |
                  {a + d for a in (0x2000, 0x3000, 0x4000, 0x5000, 0x5200, 0x6000, 0x7000, 0x8000,
                                   0x123456) for d in range(-17, 18)} |
                  set(range(0x2000, 0x2480, 4)))


def random_files(program, compare, root, seeds):
    total = bad = 0
    for seed in seeds:
        path = '%s/bin/r%d' % (root, seed)
        random_file(seed).write(path)
        n, b = compare(program, path, ['--no-demangle'] if seed % 4 == 0 else [],
                       offsets=all_offsets(path))
        if b:
            print('seed %d: %d differences' % (seed, b))
        total, bad = total + n, bad + b
    return total, bad


ID, OTHER = bytes(range(1, 21)), bytes(range(2, 22))


def place_file(where, id_=ID, symtab=True, dynsym=False, link=None):
    e = blank()
    sections(e)
    name = where.replace('/', '_')
    symbols = [(name, FUNC, GLOBAL, 0, TEXT, 0x2000, 0x40)]
    if symtab:
        e.symbols('.symtab', SYMTAB, symbols)
    if dynsym:
        e.symbols('.dynsym', DYNSYM, [('dyn' + name, FUNC, GLOBAL, 0, TEXT, 0x2100, 0x40)])
    if id_:
        e.build_id(id_)
    if link:
        e.section('.gnu_debuglink', PROGBITS, 0, 0, (link.encode() + b'\0').ljust(16, b'\0') + b'crc!')
    return e


NAME = '/usr/lib/pts-test/prog'
PLACES = ['DIR/prog.dbg', 'DIR/.debug/prog.dbg', '.debug/.build-id/%s/elf', '.debug/.build-id/%s/debug',
          'usr/lib/debug' + NAME + '.debug', 'usr/lib/debug' + NAME,
          'usr/lib/debug/.build-id/%s.debug', NAME, 'DIR/.debug/prog',
          'usr/lib/debug/lib/pts-test/prog']


def place_path(root, place):
    h = ID.hex()
    place = place.replace('DIR', os.path.dirname(NAME)[1:])
    if '%s' in place:
        place = place % (h[:2] + '/' + h[2:])
    return root + '/' + place.lstrip('/')


def places(program, compare, root):
    """One differently named symbol at each place, removed one after the other."""
    total = bad = 0
    for variant in range(12):
        symfs = '%s/v%d' % (root, variant)
        for place in PLACES:
            wrong = variant == 2 and place != NAME or variant == 3 and place == PLACES[2]
            none = variant == 4 and place in PLACES[:6]
            e = place_file(place, None if none else OTHER if wrong else ID,
                           symtab=not (variant == 5 and place in PLACES[3:8]),
                           dynsym=variant in (5, 6, 7) and (place == NAME or variant == 6),
                           link='prog.dbg' if place == NAME else None)
            e.write(place_path(symfs, place))
        id_ = [ID, None, ID, ID, ID, ID, ID, ID, OTHER, ID[:16] + bytes(4), ID[:8], None][variant]
        for place in PLACES + [None]:
            offsets = list(range(0x0, 0x1200, 8))
            n, b = compare(program, NAME, [], symfs=symfs, build_id=id_, offsets=offsets)
            if b:
                print('variant %d, before %s went: %d differences' % (variant, place, b))
            total, bad = total + n, bad + b
            if place and os.path.exists(place_path(symfs, place)):
                os.remove(place_path(symfs, place))
    return total, bad


JIT = '''1000 10 plain
0x1010 0x10 with spaces in it
1020 0 empty
1030 10 ab
1040 10 abc
1050 10
zz 10 nonsense
1060 zz nonsense2
1070 20 overlap1
1078 20 overlap2
1078 8 overlap3
 1100 10 leading blank
1110  10 two blanks
1120\t10\ttabs
-1 10 minus
1130 10 La/b;c(I)V
1140 10 _Z3foov
1150,10,commas
ffffffffffffffffffff 1 toobig
1160 10 last without line feed'''


def jit(program, compare, root):
    pid = 4242
    path = '/tmp/perf-%d.map' % pid
    if os.path.exists(path):
        return 0, 0
    try:
        with open(path, 'w') as out:
            out.write(JIT)
        return compare(program, path, [], offsets=list(range(0xff0, 0x1200)), jit=True)
    finally:
        os.remove(path)


def run(program, compare, seeds=range(60)):
    root = tempfile.mkdtemp(prefix='pts-sym-')
    total = bad = 0
    try:
        for name, result in (('random tables', random_files(program, compare, root, seeds)),
                             ('places', places(program, compare, root)),
                             ('jit map', jit(program, compare, root))):
            print('%s: %d addresses, %d differences' % ((name,) + result))
            total, bad = total + result[0], bad + result[1]
    finally:
        shutil.rmtree(root)
    return total, bad
