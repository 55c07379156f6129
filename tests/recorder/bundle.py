#!/usr/bin/env python3
"""bundle.py --ptrecord P --ptscript S - a bundle decodes anywhere, and hostile ones do no harm.

SPDX-License-Identifier: MIT

A program with its symbols in a file of their own, and one that makes code at run time, are recorded
and bundled; then all that they need goes, and the bundle must give the same text. Bundles with
names that lead elsewhere, links, lies and bombs must end with a message and leave nothing.
"""
import argparse
import glob
import io
import os
import re
import shutil
import stat
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402
import kernelcase  # noqa: E402
import mkelf  # noqa: E402
import mkpack  # noqa: E402
import mkperf  # noqa: E402
import jitdump  # noqa: E402
import ptasm  # noqa: E402

PROGRAM = r'''#include <stdio.h>
int __attribute__((noinline)) twice(int n) { return n * 2; }
int main(void) { int sum = 0; for (int i = 0; i < 300; i++) sum += twice(i); printf("%d\n", sum); }'''
FORMS = [['--itrace=be'], ['--itrace=i0nse', '-F', 'ip,sym,symoff,dso,srcline'], ['--insn-trace'],
         ['--call-trace'], ['--header'], ['--no-itrace', '--show-mmap-events']]
TEXT = 0xffffffff81000000
MARK = ('ptscript-bundle', b'ptscript bundle 1\n')


class Bench:
    def __init__(self, folder, args):
        self.folder, self.args = folder, args
        self.temp = os.path.join(folder, 'temp')
        os.mkdir(self.temp)
        self.env = {'PATH': '/usr/bin:/bin', 'HOME': folder, 'LC_ALL': 'C', 'TZ': 'UTC',
                    'TMPDIR': self.temp}

    def run(self, *argv):
        done = subprocess.run(argv, cwd=self.folder, env=self.env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=100)
        return done.stdout.decode('latin-1'), done.stderr.decode('latin-1'), done.returncode

    def ptscript(self, *argv):
        return self.run(self.args.ptscript, *argv)

    def good(self, *argv):
        out, err, rc = self.run(*argv)
        jitdump.check(rc == 0, '%s: %s' % (' '.join(argv), err))
        return out

    def path(self, name):
        return os.path.join(self.folder, name)

    def left(self):
        return os.listdir(self.temp)


def no_times(text):
    """perf says when the recording was made by the second, and where it is by its name."""
    return re.sub(r'(?m)^# (captured on|header version).*\n', '', text)


def texts(b, name):
    got = []
    for form in FORMS:
        out, err, rc = b.ptscript('script', '-i', name, *form)
        got.append((no_times(out), err.replace(name, 'R'), rc))
    return got


def split_program(b):
    """p, with its symbols and lines below usr/lib/debug of the folder `sym`."""
    with open(b.path('p.c'), 'w') as f:
        f.write(PROGRAM)
    b.good('gcc', '-g', '-O1', '-Wl,--build-id', 'p.c', '-o', 'p')
    b.good(b.args.ptrecord, '-o', 'data', '--symfs', 'sym', '--', './p')
    program = b.path('sym') + b.path('p')
    text = b.ptscript('doctor', '--symfs', 'sym', 'data')[0]
    hexa = re.search(r'/p,.* build id (\w{40})', text)[1]
    debug = b.path('sym/usr/lib/debug/.build-id/%s' % hexa[:2])
    os.makedirs(debug)
    b.good('objcopy', '--only-keep-debug', program, '%s/%s.debug' % (debug, hexa[2:]))
    b.good('strip', program)
    os.remove(b.path('p'))


def check_split(b):
    split_program(b)
    want = []
    for form in FORMS:
        out, err, rc = b.ptscript('script', '-i', 'data', '--symfs', 'sym', *form)
        want.append((no_times(out), err.replace('data', 'R'), rc))
    jitdump.check('twice+' in want[1][0] and 'p.c:2' in want[1][0], 'no symbols or lines')
    out = b.good(b.args.ptscript, 'bundle', 'data', '--symfs', 'sym', '-o', 'split.tar.zst')
    jitdump.check(re.search(r'^\d+ files?, \d+ bytes unpacked; needed and missing: 0$', out, re.M), out)
    shutil.move(b.path('sym'), b.path('gone'))
    for form, mine, theirs in zip(FORMS, texts(b, 'split.tar.zst'), want):
        jitdump.check(mine == theirs, 'not the same: ' + ' '.join(form))
    jitdump.check(not b.left(), 'files are left')


def injected(b, name):
    b.good(b.args.ptscript, 'inject', '-i', name, '-o', 'injected', '--itrace=i100i')
    return re.findall(r'instructions.*', b.ptscript('script', '-i', 'injected', '-F', 'event,ip,time')[0])


def check_jit(b, args):
    folder = b.path('jit')
    os.mkdir(folder)
    c = jitdump.Case(folder, args)
    c.put(c.ticks())
    recording = os.path.join('jit', 'data')
    want = texts(b, recording)
    samples = injected(b, recording)
    b.good(args.ptscript, 'bundle', recording, '-o', 'jit.tar.zst')
    shutil.move(folder, b.path('moved'))
    jitdump.check(samples and injected(b, 'jit.tar.zst') == samples, 'jit: not the same: inject')
    err, rc = b.ptscript('inject', '-f', '--vm-time-correlation', '-i', 'jit.tar.zst')[1:]
    jitdump.check(rc == 129 and 'in its place' in err, 'changed in its place: ' + err)
    for form, mine, theirs in zip(FORMS, texts(b, 'jit.tar.zst'), want):
        jitdump.check(mine[0] == theirs[0], 'jit: not the same: ' + ' '.join(form))
    out, _, rc = b.ptscript('doctor', 'jit.tar.zst')
    jitdump.check(rc == 0 and 'nothing is wrong' in out, out)


def check_output(b):
    bundle = [b.args.ptscript, 'bundle', 'data', '-o', 'split.tar.zst']
    with open(b.path('split.tar.zst'), 'rb') as f:
        was = f.read()
    out, err, rc = b.run(*bundle)
    jitdump.check(rc == 255 and 'File exists' in err, 'replaced')
    with open(b.path('split.tar.zst'), 'rb') as f:
        jitdump.check(f.read() == was, 'overwritten')
    # The program is not there any more: what is missing is told, and the status is 1.
    out, err, rc = b.run(*bundle, '--overwrite')
    jitdump.check(rc == 1 and 'no code for' in err and 'missing: 1' in out, out + err)
    jitdump.check(not glob.glob(b.path('split.tar.zst?*')), 'a temporary file is left')
    os.mkfifo(b.path('pipe'))
    with open(b.path('data'), 'rb') as f:
        was = f.read()
    for argv, status in ((['-i', 'split.tar.zst', '-o', 'x'], 255), (['-i', 'data'], 129),
                         (['-i', 'none', '-o', 'x'], 255), (['-i', 'data', '-o', 'no/x'], 255),
                         (['-i', 'data', '-o', '-'], 129), (['-i', 'data', '-o', 'pipe', '--overwrite'], 255),
                         (['-i', 'data', '-o', 'data', '--overwrite'], 255)):
        out, err, rc = b.ptscript('bundle', *argv)
        jitdump.check(rc == status and err and not os.path.exists(b.path('x')), '%s %s' % (argv, err))
    with open(b.path('data'), 'rb') as f:
        jitdump.check(f.read() == was, 'the recording is not replaced by its bundle')
    jitdump.check(stat.S_ISFIFO(os.stat(b.path('pipe')).st_mode), 'nor a pipe')
    os.remove(b.path('pipe'))
    with open(b.path('cut'), 'wb') as f:
        f.write(was[:len(was) * 2 // 3])
    err = b.ptscript('bundle', 'cut', '-o', 'cut.tar.zst')[1]
    jitdump.check(re.search(r'ptscript: cut: the data end inside a record .* \(at offset 0x', err), err)
    os.remove(b.path('cut'))
    os.remove(b.path('cut.tar.zst'))
    rc = b.ptscript('script', '-i', 'split.tar.zst', '--symfs', 'sym')[2]
    jitdump.check(rc == 129, 'a bundle with --symfs')
    jitdump.check(not b.left(), 'files are left')


def check_folder(b):
    """A recording that is a folder, with the kernel's code in one of its own."""
    os.makedirs(b.path('rec/kcore_dir/no'))
    shutil.copy(b.path('data'), b.path('rec/data'))
    for name in ('rec/kcore_dir/kcore', 'rec/kcore_dir/kallsyms', 'rec/other'):
        with open(b.path(name), 'w') as f:
            f.write(name)
    out = b.ptscript('bundle', 'rec', '-o', 'rec.tar.zst')[0]
    bare = b.ptscript('bundle', 'data', '-o', 'bare.tar.zst')[0]
    counts = [int(text.split()[0]) for text in (out, bare)]
    jitdump.check(counts[0] == counts[1] + 2, '%s%s' % (out, bare))
    want, got = (b.ptscript('script', '-i', name, '--itrace=be')[0] for name in ('rec', 'rec.tar.zst'))
    jitdump.check(want == got and want, 'a folder: other text')
    jitdump.check(not b.left(), 'files are left')


def same_elsewhere(b, name, decode, want, bundle):
    """A bundle that is made with these words, and then all that it was made of is gone."""
    out, err, rc = b.ptscript('bundle', *bundle, '-o', name + '.tar.zst')
    jitdump.check(rc == 0, '%s: %s%s' % (name, out, err))
    got = b.ptscript(*decode, '-i', name + '.tar.zst')
    jitdump.check(got == want and want[0], '%s: other text: %s' % (name, got[1]))


def check_leads_out(b):
    """A library of which nothing ran where it was traced: the program calls it, and the trace ends."""
    os.mkdir(b.path('out'))
    c = cases.Case(b.path('out'))
    program, library = c.program(), ptasm.Code(base=0x501000)
    library.func('there').ret()
    c.write_image('/build/lib', library.elf())
    c.record().mmap2('/build/lib', addr=0x501000, tsc=c.t0 - 900)
    c.pt.start(c.t0).pge(program._start).tnt('T').pgd(0x501000)
    c.finish()
    decode = ['script', '--itrace=be', '-F', 'ip,addr,sym,symoff,dso']
    recording, symfs = b.path('out/perf.data'), ['--symfs', b.path('out/symfs')]
    want = b.ptscript(*decode, '-i', recording, *symfs)
    jitdump.check('there+0x0 (/build/lib)' in want[0], 'it does not lead there: %s' % (want,))
    same_elsewhere(b, 'out', decode, want, [recording, *symfs])


def check_kernel(b):
    """Its code from the cache."""
    os.mkdir(b.path('k'))
    recording = kernelcase.unpack('k1', b.path('k'))
    kernelcase.cache(b.path('k'))
    decode = ['script', '--itrace=i1000ig16xe']
    dirs = ['--buildid-dir', b.path('k/cache')]
    want = b.ptscript(*dirs, *decode, '-i', recording + '/data')
    jitdump.check('do_syscall_64' in want[0] and not want[1], 'no kernel: ' + want[1])
    out, err, rc = b.ptscript('bundle', *dirs, recording + '/data', '-o', 'k.tar.zst')
    jitdump.check(rc == 0, 'kernel: %s%s' % (out, err))
    shutil.rmtree(b.path('k'))
    got = b.ptscript(*decode, '-i', 'k.tar.zst')
    jitdump.check(got == want, 'kernel: other text: ' + got[1])


def linked(build_id):
    """A vmlinux."""
    e = mkelf.Elf(2)
    text = e.section('.text', mkelf.PROGBITS, mkelf.ALLOC | mkelf.EXEC, TEXT, bytes(0x1000))
    e.build_id(build_id)
    e.symbols('.symtab', mkelf.SYMTAB, [('_text', 0, 1, 0, text, TEXT, 0),
                                        ('here', 2, 1, 0, text, TEXT + 0x100, 0x20)])
    return e.bytes()


def check_kernel_files(b):
    """A vmlinux by hand and from the cache; a list of symbols."""
    build_id = bytes(range(1, 21))
    w = mkperf.software()
    w.mmap('[kernel.kallsyms]_text', TEXT, 0x2000000, TEXT, None, 0xffffffff, mkperf.KERNEL)
    w.build_id('[kernel.kallsyms]', build_id, mkperf.KERNEL)
    w.comm('t', 1000)
    w.sample(TEXT + 0x108, 3000, misc=mkperf.KERNEL)
    w.write(b.path('kdata'))
    hexa = build_id.hex()
    cached = b.path('cache/.build-id/%s/%s/elf' % (hexa[:2], hexa[2:]))
    os.makedirs(os.path.dirname(cached))
    for path, what in (('vmlinux', linked(build_id)), (cached, linked(build_id)),
                       ('symbols', b'%x T _text\n%x t here\n%x t behind\n' % (
                           TEXT, TEXT + 0x100, TEXT + 0x120))):
        with open(b.path(path), 'wb') as f:
            f.write(what)
    decode = ['script', '-F', 'ip,sym,symoff,dso']
    want = (' %x here+0x8 ([kernel.kallsyms])\n' % (TEXT + 0x108), '', 0)
    for name, words in (('vmlinux', ['-k', 'vmlinux']), ('elf', ['--buildid-dir', 'cache']),
                        ('symbols', ['--kallsyms', 'symbols'])):
        same_elsewhere(b, name, decode, want, words + ['kdata'])


def check_signal(b):
    """Interrupted, and with nobody to read it."""
    for sig in (signal.SIGTERM, signal.SIGINT):
        p = subprocess.Popen([b.args.ptscript, 'script', '-i', 'jit.tar.zst', '--insn-trace'],
                             cwd=b.folder, env=b.env, stdout=subprocess.PIPE)
        p.stdout.read(1)
        jitdump.check(b.left(), 'nothing was unpacked')
        p.send_signal(sig)
        ends = 0 if sig == signal.SIGINT else -sig  # as perf does
        jitdump.check(p.wait(20) == ends and not b.left(), 'left after %s' % sig)
        p.stdout.close()
    p = subprocess.Popen([b.args.ptscript, 'script', '-i', 'jit.tar.zst', '--insn-trace'],
                         cwd=b.folder, env=b.env, stdout=subprocess.PIPE)
    p.stdout.read(1)
    p.stdout.close()
    p.wait(20)
    for _ in range(20):
        if b.left():
            time.sleep(0.1)
    jitdump.check(not b.left(), 'left after SIGPIPE')


def archive(members, mark=True):
    """Members: (name, bytes), or a TarInfo."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT) as tar:
        for m in ([MARK] if mark else []) + members:
            if isinstance(m, tarfile.TarInfo):
                tar.addfile(m)
                continue
            info = tarfile.TarInfo(m[0])
            info.size = len(m[1])
            tar.addfile(info, io.BytesIO(m[1]))
    return out.getvalue()


def special(name, kind, target=''):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def hostile(data):
    yield 'outside', archive([('../evil', b'x')])
    yield 'absolute', archive([('/tmp/pts-evil', b'x')])
    yield 'up inside', archive([('symfs/../../evil', b'x')])
    yield 'dot', archive([('symfs/./evil', b'x')])
    yield 'other name', archive([('evil', b'x')])
    yield 'below a file', archive([('perf.data', data), ('perf.data/evil', b'x')])
    yield 'twice', archive([('perf.data', data), ('perf.data', data)])
    yield 'symlink', archive([special('symfs', tarfile.SYMTYPE, '/tmp')])
    yield 'symlink used', archive([special('symfs/a', tarfile.SYMTYPE, '/tmp'),
                                   ('symfs/a/evil', b'x')])
    yield 'hard link', archive([special('symfs/a', tarfile.LNKTYPE, '/etc/passwd')])
    yield 'device', archive([special('symfs/a', tarfile.CHRTYPE)])
    yield 'fifo', archive([special('perf.data', tarfile.FIFOTYPE)])
    yield 'long name', archive([('symfs/' + 'n' * 300, b'x'), ('perf.data', data)])
    yield 'longer name', archive([('symfs/' + 'n/' * 3000 + 'n', b'x'), ('perf.data', data)])
    yield 'no mark', archive([('perf.data', data)], mark=False)
    yield 'other version', archive([(MARK[0], b'ptscript bundle 2\n'), ('perf.data', data)], mark=False)
    yield 'no recording', archive([('symfs/a', b'x')])
    yield 'a recording that is none', archive([('perf.data', b'none')])
    yield 'no tar', b'text' * 500
    whole = archive([('perf.data', data)])
    yield 'cut', whole[:len(whole) // 3]
    yield 'empty', b''
    bad = bytearray(whole)
    bad[600 + 500] ^= 1
    yield 'checksum', bytes(bad)


def check_hostile(b):
    with open(b.path('data'), 'rb') as f:
        data = f.read()
    before = sorted(os.listdir(b.folder))
    for what, tar in hostile(data):
        packed = mkpack.stored(tar)
        for name, raw in ((what, packed), (what + ', cut', packed[:-len(packed) // 3])):
            with open(b.path('h.tar.zst'), 'wb') as f:
                f.write(raw)
            _, err, rc = b.ptscript('script', '-i', 'h.tar.zst')
            jitdump.check(rc in (234, 255) and err, '%s: %d %s' % (name, rc, err))
            jitdump.check(not b.left(), name + ': files are left')
            os.remove(b.path('h.tar.zst'))
    # A member that says it has 200 MiB, in a few hundred bytes.
    big = tarfile.TarInfo('symfs/big')
    big.size = 200 << 20
    head = archive([])[:1024] + big.tobuf(tarfile.USTAR_FORMAT)
    with open(b.path('h.tar.zst'), 'wb') as f:
        f.write(mkpack.stored(head) + mkpack.repeated(0, 200 << 20))
    _, err, rc = b.ptscript('script', '-i', 'h.tar.zst')
    jitdump.check(rc in (234, 255) and 'unpacks to more than' in err, 'bomb: %s' % err)
    os.remove(b.path('h.tar.zst'))
    jitdump.check(not b.left() and sorted(os.listdir(b.folder)) == before, 'something was written')
    jitdump.check(not os.path.exists('/tmp/pts-evil'), 'something was written')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ptrecord', required=True, type=os.path.abspath)
    parser.add_argument('--ptscript', required=True, type=os.path.abspath)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            b = Bench(folder, args)
            check_split(b)
            check_jit(b, args)
            check_output(b)
            check_folder(b)
            check_leads_out(b)
            check_kernel(b)
            check_kernel_files(b)
            check_signal(b)
            check_hostile(b)
        except jitdump.Failed as why:
            print(why)
            return 1
    print('ok')
    return 0


if __name__ == '__main__':
    sys.exit(main())
