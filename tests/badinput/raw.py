#!/usr/bin/env python3
"""raw.py - bare traces and side-band that are wrong, and command lines that make no sense.

SPDX-License-Identifier: MIT

    raw.py PTSCRIPT

A record that lies is told of, and everything that does not depend on it is printed.
"""
import os
import subprocess
import struct
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import mkelf  # noqa: E402,F401
import ptasm  # noqa: E402
import unwrap  # noqa: E402

sys.modules['cases'] = cases
LIMIT = 60  # seconds
failed = 0


class Bench:
    """One small recording, taken apart in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        case = cases.Case(folder)
        s = case.program()
        case.pt.start(case.t0).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
        case.record()
        case.data.aux(0, 64, case.t0 + 10)  # records that nothing depends on
        case.data.lost(7, 3, case.t0 + 20)
        case.finish()
        self.u = unwrap.Unwrapped(os.path.join(folder, 'perf.data'))
        self.image = os.path.join(folder, 'symfs/build/t')
        self.files = self.u.write(folder, 1)
        self.primary = self.read(self.files[1])
        self.sideband = (self.u.options(self.files)
                         + ['--symfs', os.path.join(folder, 'symfs')])

    @staticmethod
    def read(path):
        with open(path, 'rb') as f:
            return f.read()

    def put(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as f:
            f.write(data)
        return path

    def run(self, argv, stdin=subprocess.DEVNULL):
        done = subprocess.run([self.program] + argv, capture_output=True, timeout=LIMIT,
                              stdin=stdin, env=cases.environment(self.folder))
        err = done.stderr.decode(errors='replace')
        if done.returncode < 0 or 'Sanitizer' in err or 'runtime error' in err:
            fault('%s: status %d' % (' '.join(argv), done.returncode), err)
        return done.returncode, done.stdout, err

    def insns(self, argv):
        return self.run(argv + ['--itrace=i0ns', '-F', 'ip,insn'])


def fault(what, err=''):
    global failed
    failed += 1
    print('FAILED %s\n%s' % (what, err))


def want(name, result, status, text=''):
    if result[0] != status or text not in result[2]:
        fault('%s: status %d, not %d, or no "%s" in' % (name, result[0], status, text), result[2])


# --- Command lines ---------------------------------------------------------------------------

def usage(b):
    pt = ['--pt', b.files[0]]
    side = ['--pevent:primary', b.files[1]]
    for argv, text in (
            (pt + ['-i', 'x'], '--pt and --input exclude each other'),
            (['--image', b.image], "option `image' needs --pt"),
            (['--cpu', '6/85/4'], "option `cpu' needs --pt"),
            (['--pevent:sysroot', '/x'], "option `pevent:sysroot' needs --pt"),
            (pt + ['--mtc-freq', '99'], "option `mtc-freq' expects a number from 0 to 15"),
            (pt + ['--mtc-freq', '-1'], "option `mtc-freq' expects"),
            (pt + ['--mtc-freq', '3x'], "option `mtc-freq' expects"),
            (pt + ['--mtc-freq='], "option `mtc-freq' expects"),
            (pt + ['--nom-freq', '256'], "from 0 to 255"),
            (pt + ['--cpuid-0x15.ebx', '0x100000000'], "from 0 to 4294967295"),
            (pt + ['--pevent:time-zero', '0x10000000000000000'], 'from 0 to 18446744073709551615'),
            (pt + ['--pevent:time-shift', '64'], 'from 0 to 63'),
            (pt + ['--cpu', '6/'], 'FAMILY/MODEL/STEPPING'),
            (pt + ['--cpu', '6/85/4/1'], 'FAMILY/MODEL/STEPPING'),
            (pt + ['--cpu', '6/1000'], 'FAMILY/MODEL/STEPPING'),
            (pt + pt, "option `pt': one file is enough"),
            (pt + ['--pevent:vdso-x64', 'a', '--pevent:vdso-x64', 'b'], 'one file is enough'),
            (pt + ['--image', ':0x1000'], "option `image' expects a file"),
            (pt + ['--pevent:secondary', b.files[1]], 'need --pevent:primary'),
            (pt + ['--pevent:tsc-offset', '1'], 'need --pevent:primary'),
            (pt + side, '--pevent:primary needs --pevent:sample-type'),
            (pt + side + ['--pevent:sample-type', '0x10086'], 'no TIME_CONV record'),
            (pt + side + ['--pevent:sample-type', '0x8000000000000000'], 'sample_type'),
            (pt + ['--no-noretcomp'], "option `noretcomp' cannot be undone"),
            (pt + ['--ima', b.image], "unknown option `ima'"),
            (pt + ['--image', b.image, '--image', b.image], 'images overlap'),
            (pt + ['--image', b.image, '--image', b.files[0] + ':0x401010'], 'images overlap'),
            (pt + ['--image', b.files[0]], 'not an ELF file, its address must be given'),
            (pt + ['--image', b.files[0] + ':0xffffffff81000000'], 'code of kernels'),
            (pt + ['--image', b.files[0] + ':0x7fffffffffffffff'], 'code of kernels')):
        want(' '.join(argv), b.run(argv), 129, text)


def files(b):
    pt = ['--pt', b.files[0]]
    empty, folder = b.put('empty', b''), b.folder
    for argv, status, text in (
            (['--pt', empty], 255, 'zero-sized trace'),
            (['--pt', folder], 255, 'failed to open'),
            (['--pt', folder + '/none'], 255, 'No such file'),
            (pt + ['--image', folder + '/none'], 255, 'cannot be read'),
            (pt + ['--image', folder + ':0'], 255, 'is no regular file'),
            (pt + ['--image', empty + ':0'], 255, 'it is empty'),
            (pt + ['--image', b.put('rel', ptasm_object())], 255, 'nothing to load'),
            (pt + ['--pevent:vdso-x64', folder + '/none'], 255, 'cannot be read'),
            (pt + ['--pevent:vdso-ia32', folder + '/none'], 255, 'cannot be read'),
            (pt + ['--pevent:primary', folder + '/none', '--pevent:sample-type', '0'], 255,
             'No such file')):
        want(' '.join(argv), b.run(argv), status, text)


def ptasm_object():
    """An ELF file without program headers."""
    elf = bytearray(ptasm.Code().func('f').nop().elf())
    struct.pack_into('<H', elf, 56, 0)
    return bytes(elf)


# --- Good ones, that everything else is compared with ------------------------------------------

def fifo(b, data, make_argv):
    path = os.path.join(b.folder, 'fifo')
    os.mkfifo(path)

    def feed():
        with open(path, 'wb') as f:
            f.write(data)
    writer = threading.Thread(target=feed)
    writer.start()
    result = b.insns(make_argv(path))
    writer.join()
    os.unlink(path)
    return result


def ways_in(b):
    """The same from files, pipes and standard input."""
    good = b.insns(b.sideband)
    alone = b.insns(['--pt', b.files[0], '--image', b.image])
    if good[0] or good[1].count(b'insn:') < 10 or good[1] != alone[1]:
        fault('good ones: %d and %d instructions' % (good[1].count(b'\n'), alone[1].count(b'\n')))
    trace = b.read(b.files[0])
    results = [fifo(b, trace, lambda p: ['--pt', p, '--image', b.image]),
               fifo(b, b.primary, lambda p: [p if a == b.files[1] else a for a in b.sideband])]
    with open(b.files[0], 'rb') as f:
        argv = ['--pt', '-', '--image', b.image, '--itrace=i0ns', '-F', 'ip,insn']
        results.append(b.run(argv, f))
    moved = b.put('moved', b.read(b.image)[0x1000:])
    results.append(b.insns(['--pt', b.files[0], '--image', moved + ':0x401000']))
    results.append(b.insns(['--pt', b.files[0], '--image', b.image + ':0x401000']))
    for i, result in enumerate(results):
        if result[:2] != good[:2]:
            fault('way %d in: status %d' % (i, result[0]), result[2])
    return good


def moved_image(b):
    """A program linked for elsewhere, put where this one was linked for, symbols too."""
    def linked(base):
        code = cases.tiny_program()
        code.base = base
        return b.put('linked-%x' % base, code.elf()), code.asm()[1]
    (here, s), (there, _) = linked(0x701000), linked(0x401000)
    pt = ptasm.Packets().start(1000).pge(s._start).tnt('T').tip(s.g).tnt('TTTTNT').pgd()
    trace = ['--pt', b.put('moved.bin', pt.bytes), '--itrace=i0nsb',
             '-F', 'ip,sym,symoff,insn,addr']
    want_ = b.run(trace + ['--image', here])
    got = b.run(trace + ['--image', there + ':0x701000'])
    if want_[0] or want_[1].count(b' g+') < 2 or got[:2] != want_[:2]:
        fault('moved image: status %d' % got[0], got[2])


# --- Lies ------------------------------------------------------------------------------------

def size_lies(b, good):
    """Each record of the first file claims another size: those before it and the other file
    are used, and the instructions if nothing that they need is behind it."""
    at, needed = 0, True
    for kind, record in unwrap.records(b.primary):
        needed = needed and kind != 11  # AUX: all before it matters
        for size in (0, 7, 0xffff):
            lie = bytearray(b.primary)
            struct.pack_into('<H', lie, at + 6, size)
            b.put('primary.pevent', bytes(lie))
            result = b.insns(b.sideband)
            want('record at %#x of size %d' % (at, size), result, 234,
                 'primary.pevent: the data end inside a record')
            if not needed and result[1] != good[1]:
                fault('record at %#x of size %d: other instructions' % (at, size))
            shown = b.run(b.sideband + ['--no-itrace', '--show-mmap-events', '--show-lost-events',
                                        '--show-switch-events', '--show-task-events'])[1]
            if not good[3].startswith(shown[:max(0, len(shown) - 1)]):
                fault('record at %#x of size %d: others are shown' % (at, size))
        for size in (len(record) - 8, len(record) + 8):  # takes a part of its neighbour
            lie = bytearray(b.primary)
            struct.pack_into('<H', lie, at + 6, size)
            b.put('primary.pevent', bytes(lie))
            b.insns(b.sideband)
        at += len(record)
    b.put('primary.pevent', b.primary)


def other_lies(b, good):
    """What is in a record, not how long it is: all others are used."""
    at = 0
    for kind, record in unwrap.records(b.primary):
        for place in range(8, len(record), 4):
            for value in (0, 0xffffffff, 0x80000000):
                lie = bytearray(b.primary)
                struct.pack_into('<I', lie, at + place, value)
                b.put('primary.pevent', bytes(lie))
                result = b.run(b.sideband + ['--itrace=i0nse', '--show-mmap-events'])
                if result[0] not in (0, 234):
                    fault('word at %#x is %#x: status %d' % (at + place, value, result[0]),
                          result[2])
        lie = bytearray(b.primary)
        struct.pack_into('<I', lie, at, 200)
        b.put('primary.pevent', bytes(lie))
        want('record at %#x of type 200' % at, b.insns(b.sideband), 234, 'a damaged record')
        at += len(record)
    b.put('primary.pevent', b.primary)
    # in the other file nothing depends on it
    for junk in (b'\0' * 8, b'junk of no record', struct.pack('<IHH', 64, 0, 0xffff)):
        other = b.read(b.files[2])
        b.put('other.pevent', other + junk)
        result = b.insns(b.sideband)
        want('other file ends in junk', result, 234, 'other.pevent: ')
        if result[1] != good[1]:
            fault('other file ends in junk: other instructions')
        b.put('other.pevent', other)


def own_records(b, good):
    """Records that perf makes, which describe recordings, describe nothing here."""
    attr = struct.pack('<IHH', 64, 0, 8 + 128 + 8) + struct.pack('<II', 6, 128) + bytes(128)
    info = struct.pack('<IHH', 70, 0, 16) + struct.pack('<II', 1, 0)
    sample = struct.pack('<IHH', 9, 1, 24) + bytes(16)
    for name, record in (('attr', attr), ('info', info), ('sample', sample)):
        b.put('primary.pevent', record + b.primary)
        result = b.insns(b.sideband)
        if result[:2] != good[:2]:
            fault('%s in front: status %d' % (name, result[0]), result[2])
    b.put('primary.pevent', b.primary)
    b.put('primary.pevent', b'')  # then nothing says who ran
    want('no side-band in it', b.insns(b.sideband), 0)
    want('no code at all', b.insns(['--pt', b.files[0]]), 0, 'no code was given')
    b.put('primary.pevent', b.primary)


def cut_trace(b, good):
    """Instructions of a trace that ends early are the first of all."""
    trace = b.read(b.files[0])
    for n in range(1, len(trace)):
        result = b.insns(['--pt', b.put('cut', trace[:n]), '--image', b.image])
        if result[0] or not good[1].startswith(result[1]):
            fault('trace of %d bytes: status %d' % (n, result[0]), result[2])


def main():
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(os.path.abspath(sys.argv[1]), folder)
        usage(b)
        files(b)
        good = ways_in(b)
        moved_image(b)
        shown = b.run(b.sideband + ['--no-itrace', '--show-mmap-events', '--show-lost-events',
                                    '--show-switch-events', '--show-task-events'])[1]
        good = good + (shown,)
        size_lies(b, good)
        other_lies(b, good)
        own_records(b, good)
        cut_trace(b, good)
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
