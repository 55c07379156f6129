#!/usr/bin/env python3
"""cache.py PTSCRIPT - the same commands to ptscript and to perf, each with a cache of its own.

SPDX-License-Identifier: MIT

After each command the caches must be equal: folders, files, links and what is in them, but for
`probes`, and hard links, which ptscript does not make; so must be what was printed.
"""
import gzip
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import ptasm  # noqa: E402

RECORDING = os.path.join(HERE, '..', '..', 'testdata', 'emu-mix', 'perf.data')
SYMFS = os.path.join(HERE, '..', '..', 'testdata', 'symfs')
DATE = r'/2\d{15}\b'
LIBC = '/usr/lib/x86_64-linux-gnu/libc.so.6'


def program(path, code):
    c = ptasm.Code()
    c.func('_start').mov_eax(code).syscall()
    if os.path.exists(path):
        os.remove(path)  # perf's cache may have the same file
    with open(path, 'wb') as f:
        f.write(c.elf())


TEXT, MODULES, MEMORY = 0xffffffff81000000, 0xffffffffc0200000, 0xffff888000000000
KERNEL = [(MEMORY, 0x3000), (TEXT, 0xa000), (MODULES - 0x1000, 0x8000)]
KALLSYMS = '''%x T _text
%x T _stext
%x t some
%x T _etext
%x D data
%x t fat_a\t[vfat]
%x t fat_b\t[vfat]
''' % (TEXT, TEXT + 0x200, TEXT + 0x1000, TEXT + 0x5800, TEXT + 0x9000, MODULES + 0x10,
       MODULES + 0x1500)
LOADED = 'vfat 8192 0 - Live 0x%x\n' % MODULES


def kcore(segments):
    """An image of memory: each page of it has a number."""
    heads, body, at = b'', b'', 0x1000
    for i, (addr, size) in enumerate(segments):
        heads += struct.pack('<IIQQQQQQ', 1, 7, at, addr, 0, size, size, 0x1000)
        body += b''.join(bytes([16 * i + k + 1]) * 0x1000 for k in range(size >> 12))
        at += size
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack(
        '<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    return (head + heads).ljust(0x1000, b'\0') + body


def machine(root, memory=kcore(KERNEL), kallsyms=KALLSYMS, modules=LOADED, build_id=b'k' * 20):
    """What a kernel shows of itself, below a folder; None: it does not."""
    for path, what in (('proc/kcore', memory), ('proc/kallsyms', kallsyms),
                       ('proc/modules', modules),
                       ('sys/kernel/notes', build_id and
                        struct.pack('<III', 4, len(build_id), 3) + b'GNU\0' + build_id)):
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.remove(path)
        if what is not None:
            with open(path, 'wb') as f:
                f.write(what.encode() if isinstance(what, str) else what)


def kernels():
    """Kernels, and what is beside them."""
    trampolines = '%x t __entry_SYSCALL_64_trampoline\n' % (MEMORY + 0x1000)
    return {
        'none': {}, 'again': {}, 'no_modules': {'modules': '', 'kallsyms': KALLSYMS[:-70]},
        'moved': {'modules': LOADED.replace('c02', 'c03')},
        'renamed': {'modules': LOADED.replace('vfat', 'nfat')},
        'more': {'modules': LOADED + 'fat 4096 1 vfat, Live 0x%x (OE)\n' % (MODULES - 0x800)},
        'used': {'modules': LOADED.replace('8192 0', '8192 7')},
        'other_bytes': {'memory': kcore(KERNEL).replace(b'\x12', b'\x13')},
        'text': {'kallsyms': KALLSYMS.replace('000 T _text', '100 T _text')},
        'stext': {'kallsyms': KALLSYMS.replace('200 T _stext', '300 T _stext')},
        'no_text': {'kallsyms': KALLSYMS.replace('_text', 'text_')},
        'no_id': {'build_id': None}, 'short_id': {'build_id': b'short678'},
        'no_kcore': {'memory': None, 'build_id': b'n' * 20},
        'no_kallsyms': {'kallsyms': None}, 'no_modules_file': {'modules': None},
        'hidden': {'kallsyms': re.sub('(?m)^[0-9a-f]+', '0' * 16, KALLSYMS)},
        'garbage': {'memory': b'garbage ' * 999, 'build_id': b'g' * 20},
        'other': {'memory': kcore(KERNEL[:1]), 'build_id': b'o' * 20},
        'ends': {'build_id': b'e' * 20, 'kallsyms': KALLSYMS.replace('_etext', 'etext')},
        'module_symbols': {'build_id': b'm' * 20, 'modules': LOADED.replace('c02', 'c01')},
        'no_symbols': {'build_id': b's' * 20, 'kallsyms': KALLSYMS.split('ffffffffc')[0]},
        'twice': {'build_id': b't' * 20, 'memory': kcore(KERNEL + [(TEXT - 0x1000, 0xb000)])},
        'late': {'build_id': b'l' * 20, 'memory': kcore([(TEXT + 0x1000, 0x9000)])},
        'part': {'build_id': b'p' * 20, 'memory': kcore([(TEXT - 0x1000, 0x4000)])},
        'trampoline': {'build_id': b'x' * 20, 'kallsyms': KALLSYMS + trampolines},
        'kernel_only': {'build_id': b'y' * 20, 'memory': kcore(KERNEL[1:2])},
    }


def packed_modules(folder):
    """Of m; one is called otherwise, one is cut."""
    with open(os.path.join(folder, 'm'), 'rb') as f:
        plain = f.read()
    xz, gz = lzma.compress(plain), gzip.compress(plain)
    for name, what in (('m.ko.xz', xz), ('m.ko.gz', gz), ('m.gz', gz), ('m.ko', xz),
                       ('cut.ko.xz', xz[:len(xz) // 2])):
        with open(os.path.join(folder, name), 'wb') as f:
            f.write(what)


def listing(top):
    """{path: what is there}"""
    found = {}
    for where, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(where, name)
            short = os.path.relpath(path, top)
            if os.path.islink(path):
                found[short] = os.readlink(path)
            elif os.path.isdir(path):
                found[short] = 'folder %o' % (os.stat(path).st_mode & 0o777)
            elif name == 'probes':
                found[short] = 'probes'
            else:
                with open(path, 'rb') as f:
                    found[short] = f.read()
    # When it was is as good as which of them it was.
    dates = sorted({d for path in found for d in re.findall(DATE, path)})
    return {re.sub(DATE, lambda m: '/%d' % dates.index(m[0]), path): what
            for path, what in found.items()}


def run(command, home, words, folder):
    env = {'HOME': home, 'LC_ALL': 'C', 'PATH': os.environ['PATH'], 'PAGER': 'cat'}
    done = subprocess.run([command] + words, cwd=folder, env=env, capture_output=True,
                          stdin=subprocess.DEVNULL)
    err = done.stderr.decode().split('\n Usage: ')[0].replace(home, 'HOME')
    err = re.sub(DATE, '/DATE', err)
    # The reason that perf gives is that of some call before; it also talks of its own work.
    err = ''.join(line.split(': ')[0] + '\n' if line.startswith("Couldn't") else line + '\n'
                  for line in err.splitlines()
                  if not line.startswith(('build <', 'Error in lsdir', 'ptscript: ', 'lzma: ',
                                           'Failed to decompress')))
    return done.returncode, done.stdout.decode(), err


def steps(folder):
    """Commands, and what happens between them."""
    def make(name, code):
        return lambda: program(os.path.join(folder, name), code)

    def leave(name):
        return lambda: os.remove(os.path.join(folder, name))

    def text(name):
        def write():
            with open(os.path.join(folder, name), 'w') as f:
                f.write('no program\n')
        return write

    yield make('a', 1), make('b', 2), make('c', 3), text('text')
    yield '-l', '-v -l', '-P', '-v -P', '-v -p a', '-v -r a'
    yield '-a a', '-v -a a', '-v -a b,a', '-l', '-v -a text,gone,c', '-a text,gone'
    yield lambda: os.symlink('c', os.path.join(folder, 'link')),
    yield '-v -a link', '-l', '-v -r link', '-l', '-v -r text', '-r gone', '-v -r b', '-v -r b', '-r b'
    yield make('a', 4),
    yield '-l', '-v -r a', '-v -u a', '-v -u a', '-l', '-v -p a', '-v -p a', '-p a', '-l'
    yield '-v -a a,b,c', leave('b'), '-l', '-v -p gone', '-p gone'
    yield '-v -u gone', '-u text', '-v -a a -r c -p a -u c', '-l'
    yield ('-M ' + RECORDING, '-v -a ' + LIBC, '-M ' + RECORDING, '-a a -M ' + RECORDING,
           '-v -M ' + RECORDING, '-M gone', '-M a')
    yield '-v -P', '-l', '', '-v', '-f', '-l -P', '-l -a a', 'word', '-a a word'
    yield '-v -l --debuginfod=', '--debuginfod -v -l'
    yield make('m', 7), lambda: packed_modules(folder)
    yield '-v -a m.ko.xz,m.ko.gz,m.gz,m.ko,cut.ko.xz', '-l', '-v -r m.ko.xz', '-v -u m.ko.gz', '-l'
    for name, kernel in kernels().items():
        yield (lambda kernel=kernel: machine(os.path.join(folder, 'root'), **kernel),
               '-v -k %s/root/proc/kcore' % folder)
    yield (lambda: machine(os.path.join(folder, 'root'), build_id=b'f' * 20),
           '-a a -k root/proc/kcore_', '-k %s/root/proc/kallsyms' % folder, '-v -k kcore',
           '-k %s/root/proc/kcore' % folder, '-l -k kcore', '-v -f -k %s/root/proc/kcore' % folder)


def compare(ptscript):
    done = 0
    with tempfile.TemporaryDirectory() as tmp:
        home = {}
        for name in 'perf', 'ours':
            home[name] = os.path.join(tmp, name)
            os.mkdir(home[name])
        folder = os.path.join(tmp, 'work')
        os.mkdir(folder)
        for group in steps(folder):
            for step in group:
                if callable(step):
                    step()
                    continue
                words = ['buildid-cache'] + step.split()
                want = run('perf', home['perf'], words, folder)
                got = run(ptscript, home['ours'], words, folder)
                want = want[:2] + (want[2].replace('WARNING: debuginfod support requested, but '
                                                   'perf is not built with it\n', ''),)
                if want[0] == 129:  # words of our own
                    want, got = want[0], got[0]
                assert want == got, '%s: perf %r, ptscript %r' % (step, want, got)
                a = listing(os.path.join(home['perf'], '.debug'))
                b = listing(os.path.join(home['ours'], '.debug'))
                other = [p for p in sorted({*a, *b}) if a.get(p) != b.get(p)
                         and not p.endswith('probes')]
                assert not other, '%s: %s' % (step, other)
                done += 1
    print('%d commands: the same' % done)


def all_of_it(ptscript):
    """--all, which perf does not have: also what is another program by now."""
    with tempfile.TemporaryDirectory() as tmp:
        program(os.path.join(tmp, 'a'), 1)
        run(ptscript, tmp, ['buildid-cache', '-a', 'a'], tmp)
        program(os.path.join(tmp, 'a'), 2)
        here = run(ptscript, tmp, ['buildid-cache', '-l'], tmp)[1]
        kept = run(ptscript, tmp, ['buildid-cache', '-l', '--all'], tmp)[1]
        assert not here and kept.endswith(' %s/a\n' % os.path.realpath(tmp)), (here, kept)
        # A list that has a file twice, which perf passes over as a whole.
        run(ptscript, tmp, ['buildid-cache', '-a', 'a,a'], tmp)
        assert run(ptscript, tmp, ['buildid-cache', '-l'], tmp)[1]
        # The program in the cache is not the one that is written over.
        with open(os.path.join(tmp, 'a'), 'r+b') as f:
            f.write(b'gone')
        assert 'gone' not in str(listing(os.path.join(tmp, '.debug')).values())
        for pid, status in (0, 129), (-5, 129), (1 << 30, 255), (1 << 33, 129):
            done = run(ptscript, tmp, ['buildid-cache', '-a', 'a', '--target-ns=%d' % pid], tmp)
            assert done[0] == status and done[2], done


def container(folder):
    """A process that has another file system at FOLDER/inside, or None."""
    os.mkdir(folder + '/inside')
    program(folder + '/prog', 9)
    script = ('mount -t tmpfs none inside && cp prog inside && ln -s %s/inside/prog inside/link '
              '&& ln -s /../../../..%s/inside inside/up && echo ready && exec sleep 60')
    for user in '-m', '-rm':
        p = subprocess.Popen(['unshare', user, 'sh', '-c', script % (folder, folder)], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if p.stdout.readline() == b'ready\n':
            return p
        p.wait()
    return None


def of_a_process(ptscript, with_perf):
    """Files that only a process in a container sees."""
    with tempfile.TemporaryDirectory() as tmp:
        tmp = os.path.realpath(tmp)
        p = container(tmp)
        if p is None:
            print('no container can be made here: not tested')
            return
        said = {}
        for name, command in (('ours', ptscript), ('perf', 'perf'))[:1 + with_perf]:
            home = os.path.join(tmp, name)
            os.mkdir(home)
            said[name] = [run(command, home, [
                'buildid-cache', '-v', '--target-ns=%d' % p.pid, *words.split()], tmp)
                + (listing(home),) for words in (
                    '-a TMP/inside/link,TMP/inside/gone', '-r TMP/inside/prog', '-r TMP/prog',
                    '-u TMP/inside/up/prog', '-l', '-p TMP/inside/link', '-p TMP/inside/gone')
                for words in [words.replace('TMP', tmp)]]
        p.kill()
        p.wait()
        added = said['ours'][0]
        assert 'prog: Ok' in added[2] or 'link: Ok' in added[2], added
        assert any((tmp + '/inside/prog')[1:] in path for path in added[3]), added
        if with_perf and os.geteuid() == 0:
            for ours, perfs in zip(*said.values()):
                assert [str(x).replace('/ours', '/perf') for x in ours[:3]] == [
                    str(x) for x in perfs[:3]], (ours[:3], perfs[:3])
                assert ours[3] == perfs[3], (ours, perfs)


def archives(ptscript, with_perf):
    """What comes out of them is equal, whoever made it; long names, too."""
    with tempfile.TemporaryDirectory() as tmp:
        data = os.path.join(tmp, 'perf.data')
        shutil.copy(RECORDING, data)
        empty = run(ptscript, tmp, ['archive', data], tmp)
        assert empty[0] == 0 and 'Now please run' in empty[1], empty
        # Files of the recording under a name that takes more than a header has room for.
        deep = os.path.join(tmp, *['d' * 60] * 3)
        shutil.copytree(SYMFS, deep, ignore=lambda *_: ['.debug'])
        for where, _, files in os.walk(deep):
            run(ptscript, tmp, ['buildid-cache', '-a', ','.join(files)], where)
        found = {}
        for name, command in (('ours', ptscript), ('perf', 'perf'))[:1 + with_perf]:
            done = run(command, tmp, ['archive', data], tmp)
            assert done[0] == 0 and done[1] == empty[1], done
            os.mkdir(os.path.join(tmp, name))
            subprocess.run(['tar', 'xf', data + '.tar.bz2', '-C', os.path.join(tmp, name)],
                           check=True)
            found[name] = listing(os.path.join(tmp, name))
            os.remove(data + '.tar.bz2')
        assert len(found['ours']) > 5 and len({str(f) for f in found.values()}) == 1, found
        cache = listing(os.path.join(tmp, '.debug'))
        assert all(cache[path] == what for path, what in found['ours'].items())
        # Files that are none, and words behind the first, which nobody looks at.
        with open(os.path.join(tmp, 'bad'), 'w') as out:
            out.write('no recording')
        os.mkdir(os.path.join(tmp, 'folder'))
        for words in (['gone'], ['bad'], ['folder'], ['gone', data], [data, 'gone'], []):
            said = [run(command, tmp, ['archive', *words], tmp)[:2]
                    for command in (ptscript, 'perf')[:1 + with_perf]]
            assert said[0] == said[-1], said
            assert said[0][0] == (0 if words in ([data, 'gone'], []) else 1), said
        done = subprocess.run([ptscript, 'archive'], cwd=tmp, input='', text=True, capture_output=True,
                              env={**os.environ, 'HOME': tmp}, check=False)
        assert done.returncode == 0 and 'Now please run' in done.stdout, done
        done = run(ptscript, tmp, ['archive', '-'], tmp)
        assert done[0] == 129 and not os.path.exists(os.path.join(tmp, '-.tar.bz2')), done


if __name__ == '__main__':
    all_of_it(sys.argv[1])
    of_a_process(sys.argv[1], shutil.which('perf') is not None)
    archives(sys.argv[1], shutil.which('perf') is not None)
    if not shutil.which('perf'):
        print('perf is not installed: not compared')
        sys.exit(77)
    compare(sys.argv[1])
