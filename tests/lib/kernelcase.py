"""kernelcase.py - the recordings of testdata/kernel, unpacked.

SPDX-License-Identifier: MIT

They are of a whole system, its kernel's code included; mkkernel.py and mkkinds.py made them.
"""
import os
import re
import shutil
import struct
import tarfile

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'testdata')
NAMES = ('k1', 'k9')
KERNEL_ID = '3b43fad5034874490492495d552c0af6a5fab235'
LIBC = {'lib/x86_64-linux-gnu/libc.so.6': 'libc.so.6',
        'lib64/ld-linux-x86-64.so.2': 'ld-linux-x86-64.so.2'}


def extract(name, folder):
    with tarfile.open(os.path.join(TESTDATA, 'kernel', name + '.tar.xz')) as tar:
        tar.extractall(folder)


def unpack(name, folder):
    """FOLDER/perf.dir and FOLDER/symfs."""
    extract(name, folder)
    extract('images', folder)
    for to, file in LIBC.items():
        path = os.path.join(folder, 'symfs', to)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(os.path.join(TESTDATA, 'symfs/usr/lib/x86_64-linux-gnu', file), path)
    debug = os.path.join(folder, 'symfs', '.debug')
    link(debug, '[vdso]', os.listdir(debug + '/[vdso]')[0])
    return os.path.join(folder, 'perf.dir')


def build_id(path):
    """Of an ELF file, in hex: its note of that name."""
    with open(path, 'rb') as f:
        data = f.read()
    at = data.index(b'\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0') + 16
    return data[at:at + 20].hex()


def cache(folder):
    """FOLDER/cache, the same files as perf buildid-cache would keep them; those of the kernel
    are taken away from beside the recording."""
    top = os.path.join(folder, 'cache')
    symfs = os.path.join(folder, 'symfs')
    os.makedirs(top + '/.build-id')
    for where, _, files in os.walk(symfs):
        for file in files:
            path = os.path.join(where, file)
            if os.path.islink(where):
                continue
            name = path[len(symfs) + 1:] if file != 'vdso' else '[vdso]'
            keep(top, name, build_id(path), path)
    dates = os.path.join(top, '[kernel.kcore]', KERNEL_ID)
    os.makedirs(dates)
    shutil.move(os.path.join(folder, 'perf.dir', 'kcore_dir'), dates + '/2026112103000000')
    link(top, '[kernel.kallsyms]', KERNEL_ID)
    os.makedirs(os.path.join(top, '[kernel.kallsyms]', KERNEL_ID))


def link(top, name, ident):
    at = os.path.join(top, '.build-id', ident[:2])
    os.makedirs(at, exist_ok=True)
    os.symlink('../../%s/%s' % (name, ident), os.path.join(at, ident[2:]))


def keep(top, name, ident, path):
    with open(path, 'rb') as f:
        keep_bytes(top, name, ident, f.read())


def keep_bytes(top, name, ident, data):
    to = os.path.join(top, name, ident)
    os.makedirs(to)
    with open(os.path.join(to, 'vdso' if name == '[vdso]' else 'elf'), 'wb') as f:
        f.write(data)
    link(top, name, ident)


def expected(name):
    """Digests of its instructions as text: see mkkernel.py."""
    with open(os.path.join(TESTDATA, 'kernel', name + '.ips')) as f:
        return f.read().split()


# --- The same in other ways: mkkinds.py ----------------------------------------------------

TEXT, DISTANCE = 0xffffffff81000000, 0x1ae00000


def moved(ip):
    """Where an address of the kernel is in the kind `moved`."""
    return (ip + DISTANCE) % 2**64 if ip >= TEXT else ip


def move(core):
    """Everything in a kcore_dir."""
    with open(core + '/kcore', 'r+b') as f:
        head = bytearray(f.read(4096))
        at, = struct.unpack_from('<Q', head, 32)
        size, count = struct.unpack_from('<HH', head, 54)
        for i in range(at, at + size * count, size):
            struct.pack_into('<Q', head, i + 16, moved(struct.unpack_from('<Q', head, i + 16)[0]))
        f.seek(0)
        f.write(head)
    change(core + '/kallsyms', rb'(?m)^[0-9a-f]{16}', lambda m: b'%016x' % moved(int(m[0], 16)))
    change(core + '/modules', rb'0x([0-9a-f]{16})', lambda m: b'0x%016x' % moved(int(m[1], 16)))


def change(path, what, to):
    with open(path, 'rb') as f:
        text = f.read()
    with open(path, 'wb') as f:
        f.write(re.sub(what, to, text))


def patch(core, patches):
    """patches: lines of an address and the bytes there."""
    with open(core + '/kcore', 'r+b') as f:
        head = f.read(4096)
        at, = struct.unpack_from('<Q', head, 32)
        size, count = struct.unpack_from('<HH', head, 54)
        loads = [struct.unpack_from('<IIQQQQ', head, i) for i in range(at, at + size * count, size)]
        for line in patches.splitlines():
            ip, code = line.split()
            off = next(int(ip, 16) - addr + off for _, _, off, addr, _, n in loads
                       if addr <= int(ip, 16) < addr + n)
            f.seek(off)
            f.write(bytes.fromhex(code))


def kind_names(folder, end):
    return sorted(f[:-len(end)] for f in os.listdir(folder) if f.endswith(end))


def kinds(folder):
    """FOLDER/NAME.dir for each kind, beside symfs."""
    unpack('k1', folder)
    extract('kinds', folder)
    core = os.path.join(folder, 'perf.dir', 'kcore_dir')
    for name in kind_names(folder, '.data'):
        to = os.path.join(folder, name + '.dir')
        os.mkdir(to)
        os.rename(os.path.join(folder, name + '.data'), to + '/data')
        own = name in ('moved', 'no_mitigations', 'module_went')
        (shutil.copytree if own else os.symlink)(core, to + '/kcore_dir')
    move(os.path.join(folder, 'moved.dir', 'kcore_dir'))
    with open(os.path.join(folder, 'no_mitigations.patches')) as f:
        patch(os.path.join(folder, 'no_mitigations.dir', 'kcore_dir'), f.read())
    change(os.path.join(folder, 'module_went.dir', 'kcore_dir', 'modules'), rb'(?m)^loop .*\n', b'')
