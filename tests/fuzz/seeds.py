#!/usr/bin/env python3
"""seeds.py DIR [PTRECORD] - what the fuzz targets start from: the recordings of the test cases.

SPDX-License-Identifier: MIT

DIR/perf_file/NAME   a recording                     DIR/symfs   the programs of them all
DIR/records/NAME     the same
DIR/session/NAME     the same, and one byte that chooses options
DIR/pkt/NAME         its packets
DIR/flow/NAME        settings, code and packets (fuzz_flow.c says how)
DIR/tracepoint/NAME  a format of a tracepoint and bytes for a sample of it
DIR/kallsyms/NAME    a list of the kernel's symbols
DIR/raw/NAME         settings, packets, side-band and program (fuzz_raw.c says how)
DIR/jitdump/NAME     a jitdump, of each byte order
DIR/tar/NAME         heads of an archive's members

Also what campaigns found and a merge kept: corpus/NAME.tar.xz goes to DIR/NAME.
With PTRECORD also recordings of a small program, in each way of tests/oracle/recordings.txt.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import mkjit  # noqa: E402
import unwrap  # noqa: E402

SETTINGS = bytes([0x16, 3, 100, 0x2c, 0, 0, 0, 0])


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), 'wb') as f:
        f.write(data)


def flow_seed(case, number):
    code = case.code.asm()[0] if case.code else b'\x90\xc3'
    code = code[:1020]
    code += b'\x90' * (-len(code) % 4)
    head = bytearray(SETTINGS)
    head[0] |= number & 1  # every other one without times
    return bytes(head) + bytes([len(code) // 4]) + code + case.pt.bytes


def tracepoint_seeds(number, name, data, to):
    """The print fmts in a recording, with its fields and bytes that make a sample."""
    formats = re.findall(rb'\n\n((?:\tfield:[^\n]*\n)+)\nprint fmt: ([^\n]*\n)', data)
    for i, (fields, text) in enumerate(formats):
        sample = bytes((number * 7 + i * 3 + j) % 256 for j in range(120)) + b'text' + bytes(4)
        write(os.path.join(to, 'tracepoint'), '%s.%d' % (name, i),
              bytes([(number + i) % 8]) + text + b'\0' + fields + b'\0' + sample)


def raw_seed(recording, program, number):
    """None when the recording is not of the plain kind."""
    try:
        u = unwrap.Unwrapped(recording)
    except (ValueError, IsADirectoryError):
        return None
    with tempfile.TemporaryDirectory() as tmp:
        parts = []
        for file in u.write(tmp, list(u.trace)[0]):
            with open(file, 'rb') as f:
                parts.append(f.read()[:0xffff])
    with open(program, 'rb') as f:
        image = f.read()
    head = struct.pack('<BBBBBB', 3 - number % 5 // 4, number & 3, u.sample_type & 0xff,
                       u.sample_type >> 16 & 1, 3 | 12 << 4, 49)
    return head + struct.pack('<HHH', *map(len, parts)) + b''.join(parts) + image


def jitdump_seed(order):
    return (mkjit.Jitdump(7, order=order)
            .lines(1, 0x1000, [(0x1000, 3, '/a.js'), (0x1001, 4, None), (0x1002, 9, 'b.js')])
            .load(2, 0x1000, b'\x90\x90\xc3', 'f', 0).unwind(3)
            .load(4, 0x2000, b'\xeb\xfe', 'g', 1).move(5, 0x2000, 0x3000, 2, 1)
            .load(6, 0x1000, b'\xc3', 'f', 2).close(7).data)


def tar_seeds(to):
    for name in ('perf.data', 'symfs/' + 'n' * 200):
        info = tarfile.TarInfo(name)
        info.size = 1234
        head = info.tobuf(tarfile.PAX_FORMAT)
        write(os.path.join(to, 'tar'), str(len(name)), head)
        write(os.path.join(to, 'tar'), str(len(name)) + '.body', head[512:])


def main(to):
    for name, text in KALLSYMS.items():
        write(os.path.join(to, 'kallsyms'), name, text)
    tar_seeds(to)
    for name, order in (('little', '<'), ('big', '>')):
        write(os.path.join(to, 'jitdump'), name, jitdump_seed(order))
    for number, (_, name, fn) in enumerate(cases.cases([])):
        if name.startswith(('kernel.', 'kernel_kinds.')):  # so large that they only take time
            continue
        with tempfile.TemporaryDirectory() as tmp:
            case = cases.Case(tmp)
            case.path = '/build/t%d' % number  # each its own: they share one symfs
            fn(case)
            file = os.path.join(tmp, 'perf.data')
            if os.path.isdir(file):  # its main file
                file = os.path.join(file, 'data')
            with open(file, 'rb') as f:
                data = f.read()
            pipe = os.path.join(tmp, 'pipe.data')
            if os.path.exists(pipe):
                with open(pipe, 'rb') as f:
                    for kind in ('perf_file', 'records'):
                        write(os.path.join(to, kind), name + '.pipe', f.read())
                        f.seek(0)
            if os.path.isdir(os.path.join(tmp, 'symfs')):
                shutil.copytree(os.path.join(tmp, 'symfs'), os.path.join(to, 'symfs'),
                                dirs_exist_ok=True)
            program = os.path.join(tmp, 'symfs') + case.path
            raw = raw_seed(file, program, number) if os.path.exists(program) else None
        write(os.path.join(to, 'perf_file'), name, data)
        write(os.path.join(to, 'records'), name, data)
        write(os.path.join(to, 'session'), name, data + bytes([number * 37 % 256]))
        tracepoint_seeds(number, name, data, to)
        if raw:
            write(os.path.join(to, 'raw'), name, raw)
        if case.pt.bytes:
            write(os.path.join(to, 'pkt'), name, case.pt.bytes)
            write(os.path.join(to, 'flow'), name, flow_seed(case, number))


KALLSYMS = {
    'usual': b'ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 t a\n'
             b'ffffffffc0200000 t f\t[a]\nffffffffc0300000 d g\t[b]\nffffffffc0300000 t h\t[c]\n',
    'no_end': b'0 A x\n1 T _text',
    'odd': b'\n\n 1 T a\n1\n1 T\n1 T \n11111111111111111 T a\nffffffffffffffff W z\t\n1 \0 a\n',
}


def found(to):
    """Kept by keep.sh: inputs that reach what the others here do not."""
    corpus = os.path.join(HERE, 'corpus')
    for file in sorted(os.listdir(corpus)):
        if file.endswith('.tar.xz'):
            with tarfile.open(os.path.join(corpus, file)) as archive:
                for member in archive:
                    write(os.path.join(to, file[:-7]), 'found.' + member.name,
                          archive.extractfile(member).read())


PROGRAM = b"""int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(5) != 5; }
"""


def recorded(ptrecord, to):
    with tempfile.TemporaryDirectory() as tmp:
        program = os.path.join(tmp, 'small')
        subprocess.run(['cc', '-O1', '-static', '-o', program, '-x', 'c', '-'], input=PROGRAM,
                       check=True)
        with open(os.path.join(HERE, '..', 'oracle', 'recordings.txt')) as f:
            ways = [line.rstrip('\n').split('\t') for line in f if not line.startswith('#')]
        for number, (name, *_, options) in enumerate(ways):
            file = os.path.join(tmp, name)
            subprocess.run([ptrecord, '-o', file, '--symfs', os.path.join(to, 'symfs'),
                            *options.split(), '--', program], check=True, capture_output=True)
            with open(file, 'rb') as f:
                data = f.read()
            for kind in ('perf_file', 'records', 'session'):
                end = bytes([number * 37 % 256]) if kind == 'session' else b''
                write(os.path.join(to, kind), 'recorded.' + name, data + end)


if __name__ == '__main__':
    main(sys.argv[1])
    found(sys.argv[1])
    if sys.argv[2:] and sys.argv[2]:
        recorded(os.path.abspath(sys.argv[2]), sys.argv[1])
