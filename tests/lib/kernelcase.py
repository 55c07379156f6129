"""kernelcase.py - the recordings of testdata/kernel, unpacked.

SPDX-License-Identifier: MIT

They are of a whole system, its kernel's code included; mkkernel.py made them.
"""
import os
import shutil
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
