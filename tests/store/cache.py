#!/usr/bin/env python3
"""cache.py PTSCRIPT - the same commands to ptscript and to perf, each with a cache of its own.

SPDX-License-Identifier: MIT

After each command the caches must be equal: folders, files, links and what is in them, but for
`probes`, and hard links, which ptscript does not make; so must be what was printed.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import ptasm  # noqa: E402

RECORDING = os.path.join(HERE, '..', '..', 'testdata', 'emu-mix', 'perf.data')
SYMFS = os.path.join(HERE, '..', '..', 'testdata', 'symfs')
LIBC = '/usr/lib/x86_64-linux-gnu/libc.so.6'


def program(path, code):
    c = ptasm.Code()
    c.func('_start').mov_eax(code).syscall()
    if os.path.exists(path):
        os.remove(path)  # perf's cache may have the same file
    with open(path, 'wb') as f:
        f.write(c.elf())


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
    return found


def run(command, home, words, folder):
    env = {'HOME': home, 'LC_ALL': 'C', 'PATH': os.environ['PATH'], 'PAGER': 'cat'}
    done = subprocess.run([command] + words, cwd=folder, env=env, capture_output=True,
                          stdin=subprocess.DEVNULL)
    err = done.stderr.decode().split('\n Usage: ')[0].replace(home, 'HOME')
    # The reason that perf gives is that of some call before; it also talks of its own work.
    err = ''.join(line.split(': ')[0] + '\n' if line.startswith("Couldn't") else line + '\n'
                  for line in err.splitlines()
                  if not line.startswith(('build <', 'Error in lsdir', 'ptscript: ')))
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
        for word in '--kcore=/proc/kcore', '--target-ns=1':
            done = run(ptscript, tmp, ['buildid-cache', '-a', 'a', word], tmp)
            assert done[0] == 129 and 'not supported' in done[2], done


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
        done = run(ptscript, tmp, ['archive', 'gone'], tmp)
        assert done[0] == 255, done
        done = run(ptscript, tmp, ['archive', data, data], tmp)
        assert done[0] == 129, done


if __name__ == '__main__':
    all_of_it(sys.argv[1])
    archives(sys.argv[1], shutil.which('perf') is not None)
    if not shutil.which('perf'):
        print('perf is not installed: not compared')
        sys.exit(77)
    compare(sys.argv[1])
