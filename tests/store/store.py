#!/usr/bin/env python3
"""store.py --ptscript P [--ptrecord R] [--shim LIBRARY] [NAME...] - files into the build-id cache.

SPDX-License-Identifier: MIT

What a recording knows is stored whole, right and inside of the cache, or not at all, whatever
names it has, whatever a server sends, whoever else stores, and when the disk is full.
"""
import argparse
import concurrent.futures
import errno
import gzip
import lzma
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'lib')]
import mkpack  # noqa: E402
import mkperf  # noqa: E402
import ptasm  # noqa: E402
import servers  # noqa: E402
from cache import listing, machine  # noqa: E402

TESTDATA = os.path.join(HERE, '..', '..', 'testdata')
SECONDS = 60
LOOP = '''
int twice(int x) { return x * %d; }
void _start(void) { volatile int n = 0; for (int i = 0; i < 1000; i++) n += twice(i);
    __asm__ volatile("syscall" :: "a"(60), "D"(0)); }
'''


class Machine:
    """A home, and the program under test in it."""

    def __init__(self, args, folder):
        self.args, self.home = args, folder
        os.makedirs(folder, exist_ok=True)
        self.cache = os.path.join(folder, '.debug')

    def run(self, *words, kill_after=None, **env):
        env = {'HOME': self.home, 'LC_ALL': 'C', 'PATH': os.environ['PATH'], 'TMPDIR': self.home,
               **{k: v for k, v in os.environ.items() if k.endswith('SAN_OPTIONS')}, **env}
        p = subprocess.Popen([self.args.ptscript, *words], cwd=self.home, env=env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        if kill_after is not None:
            time.sleep(kill_after)
            p.send_signal(signal.SIGKILL)
        out, err = p.communicate(timeout=SECONDS)
        return p.returncode, out.decode(), err.decode()

    def store(self, data, *more, **env):
        return self.run('buildid-list', '--store', '-i', data, *more, **env)

    def files(self):
        return listing(self.cache)

    def inside(self):
        """Nothing half, nothing empty, no link that leads anywhere else."""
        found = self.files()
        for path, what in found.items():
            full = os.path.join(self.cache, path)
            assert not os.path.basename(path).startswith('.ptscript'), path
            if os.path.islink(full):
                there = os.path.realpath(full)
                assert there.startswith(os.path.realpath(self.cache) + '/'), (path, there)
                assert os.path.isdir(there), path
            elif os.path.isdir(full):
                assert os.listdir(full), 'empty: ' + path
        return found


def build(path, factor):
    """A program with a build id, which it returns."""
    source = path + '.c'
    with open(source, 'w') as f:
        f.write(LOOP % factor)
    subprocess.run(['gcc', '-O1', '-fno-inline', '-nostdlib', '-static', '-Wl,--build-id=sha1',
                    '-o', path, source], check=True)
    notes = subprocess.run(['readelf', '-n', path], check=True, capture_output=True, text=True)
    return notes.stdout.split('Build ID: ')[1].split()[0]


def elf(build_id):
    c = ptasm.Code()
    c.func('_start').mov_eax(60).syscall()
    return c.elf(build_id=build_id)


def some_id(n, size=20):
    return bytes((n * 7 + i) % 256 for i in range(size))


def recording(path, names):
    """Of these names and ids, which are in its header."""
    d = mkperf.Recording([mkperf.Attr(1, 0, mkperf.SAMPLE_ID_ALL, 1 << 16, [100])])
    d.comm('prog')
    for name, build_id in names:
        d.build_id(name, build_id)
    d.write(path)


# --- The story ------------------------------------------------------------------------

def story(args, folder):
    """Recorded on one machine, rebuilt there, decoded on another."""
    a, b = Machine(args, folder + '/a'), Machine(args, folder + '/b')
    program, data = folder + '/opt/prog', folder + '/perf.data'
    os.makedirs(folder + '/opt')
    os.makedirs(folder + '/kept')
    recorded = build(program, 3)
    subprocess.run([args.ptrecord, '-o', data, '--', program], check=True,
                   capture_output=True)
    decode = ('--itrace=be', '-F', 'ip,sym,symoff,dso,flags', '-i', data)
    wanted = a.run(*decode)
    assert wanted[0] == 0 and 'twice+0x' in wanted[1] and 'error' not in wanted[1], wanted

    shutil.move(program, folder + '/kept/prog')
    rebuilt = build(program, 5)
    got = b.run(*decode)
    assert 'instruction trace error' in got[1] and got[1] != wanted[1], got
    assert recorded in got[2] and rebuilt in got[2], got[2]
    assert not b.files()

    vdso = 'OK %s [vdso]\n' % b.store(data)[1].split('OK ')[1].split()[0]
    got = b.store(data)
    assert got[:2] == (1, 'FAIL %s %s\n' % (recorded, program) + vdso), got
    assert recorded in got[2] and rebuilt in got[2], got[2]
    assert recorded not in str(b.files())

    if not servers.Debuginfod.is_here():
        print('debuginfod is not installed: the story ends here')
        return
    server = servers.Debuginfod(folder + '/kept', recorded)
    try:
        got = b.store(data, '--no-debuginfod', DEBUGINFOD_URLS=server.url)
        assert got[0] == 1 and recorded not in str(b.files()), got
        got = b.store(data, DEBUGINFOD_URLS=server.url)
        assert got[:2] == (0, 'OK %s %s\n' % (recorded, program) + vdso), got
        c = Machine(args, folder + '/c')  # the same in one, asked for by an option
        got = c.run('script', '--store', '--debuginfod=' + server.url, *decode)
        assert got[:2] == wanted[:2] and 'OK ' + recorded in got[2], got
    finally:
        server.stop()
    assert b.inside() == c.inside()
    assert b.run(*decode)[:2] == wanted[:2]
    with open(folder + '/kept/prog', 'rb') as f:
        assert b.files()[program[1:] + '/' + recorded + '/elf'] == f.read()
    assert b.store(data)[:2] == (0, 'OK %s %s\n' % (recorded, program) + vdso)


# --- Servers --------------------------------------------------------------------------

def no_server_is_asked(args, folder):
    """Unless somebody says so."""
    m, server = Machine(args, folder + '/home'), servers.Hostile(servers.fails)
    data = folder + '/perf.data'
    recording(data, [('/no/such/file', some_id(1))])
    for words in (('buildid-list',), ('script',), ('script', '-D'), ('evlist',)):
        m.run(*words, '-i', data, DEBUGINFOD_URLS=server.url)
    m.store(data, '--no-debuginfod', DEBUGINFOD_URLS=server.url)
    m.run('buildid-cache', '-l', DEBUGINFOD_URLS=server.url)
    with open(m.home + '/.perfconfig', 'w') as f:
        f.write('[buildid-cache]\n\tdebuginfod = %s\n' % server.url)
    for words in ('buildid-list',), ('script',), ('script', '--itrace=e'), ('doctor',):
        m.run(*words, '-i', data)
    m.store(data, '--no-debuginfod')
    assert not server.asked, server.asked
    m.store(data)
    assert server.asked, 'not as perf is configured'
    os.remove(m.home + '/.perfconfig')
    server.asked.clear()
    shutil.rmtree(m.home + '/.cache', ignore_errors=True)
    m.store(data, DEBUGINFOD_URLS=server.url)
    assert server.asked
    server.stop()


def bad_server(args, folder, name, answer, says):
    m, server = Machine(args, folder + '/' + name), servers.Hostile(answer)
    data = m.home + '/perf.data'
    recording(data, [('/no/such/file', some_id(16)), ('/nor/this', some_id(17))])
    started = time.time()
    got = m.store(data, '--debuginfod=' + server.url, DEBUGINFOD_TIMEOUT='1',
                  DEBUGINFOD_MAXSIZE='1000000')
    server.stop()
    assert server.asked, name
    assert got[0] == 1 and got[1].count('FAIL ') == 2, (name, got)
    assert says in got[2], (name, got)
    assert not os.path.exists(m.cache) or not m.inside(), (name, m.files())
    kept = sum(os.path.getsize(os.path.join(w, f)) for w, _, fs in os.walk(m.home) for f in fs)
    assert kept < 1 << 20, (name, kept)
    assert time.time() - started < 20, name


def bad_servers(args, folder):
    other = elf(some_id(9))
    with open(folder + '/own', 'wb') as f:
        f.write(elf(some_id(16)))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for done in [pool.submit(bad_server, args, folder, *each) for each in (
                ('nothing', servers.nothing, 'nothing came for 1 seconds'),
                ('silent', servers.silent_body, 'nothing came for 1 seconds'),
                ('endless', servers.endless, 'more than 1000000 bytes'),
                ('garbage', servers.sends(b'\x7fELF garbage' * 999), 'missing'),
                ('empty', servers.sends(b''), ''),
                ('short', servers.sends(other, 1 << 16), ''),
                ('other', servers.sends(other), some_id(9).hex()),
                ('round', servers.leads_to(None), ''),
                ('elsewhere', servers.leads_to('file://' + folder + '/own'), ''),
                ('fails', servers.fails, ''))]:
            done.result()


# --- Names and links ------------------------------------------------------------------

def confined(args, folder):
    """Names that lead out, links that are there already; the server has whatever is wanted."""
    m = Machine(args, folder + '/home')
    out = folder + '/out'
    os.makedirs(out)
    os.makedirs(m.cache + '/usr')
    os.symlink(out, m.cache + '/link')
    os.symlink(out, m.cache + '/usr/lib')
    os.symlink('/', m.cache + '/root')
    up = '/..' * 30
    names = [up + out + '/a', '/..', '/usr/../../b', '../c', 'd', '', '/', '/.', '[/e]', '[../f]',
             '/link/g', '/usr/lib/h', '/root' + out + '/i', '/.build-id/j', '/.build-id/ab/cd',
             '//anon/../../k', '/' + 'l' * 256, '/m' * 2040, '[vdso]/../n', '/ok/o', '[p]', '//q']
    good = {'/ok/o', '[p]', '//q', }
    ids = {name: some_id(i + 1) for i, name in enumerate(names)}
    ids['/one byte'], ids['/no byte'] = b'\xaa', b''
    recording(folder + '/perf.data', ids.items())

    def serve(h):
        wanted = bytes.fromhex(h.path.split('/')[2])
        servers.sends(elf(wanted))(h)
    server = servers.Hostile(serve)
    got = m.store(folder + '/perf.data', '--debuginfod=' + server.url)
    lines = got[1].split('\n')[:-1]
    ok = {line.split(' ', 2)[2] for line in lines if line.startswith('OK ')}
    assert ok == good, (ok, got)
    assert not os.listdir(out), os.listdir(out)
    assert os.path.islink(m.cache + '/link') and os.path.islink(m.cache + '/usr/lib')
    assert sorted(os.listdir(folder)) == ['home', 'out', 'perf.data'], os.listdir(folder)

    # The links by build id may lead out, too: what they lead to is not touched.
    m = Machine(args, folder + '/home2')
    os.makedirs(out + '/victim')
    with open(out + '/victim/elf', 'wb') as f:
        f.write(elf(some_id(1)))
    os.makedirs(m.cache + '/.build-id/' + some_id(1).hex()[:2])
    os.symlink('../../../../out/victim', m.cache + '/.build-id/%s/%s' % (
        some_id(1).hex()[:2], some_id(1).hex()[2:]))
    os.symlink(out, m.cache + '/.build-id/' + some_id(2).hex()[:2])
    recording(folder + '/perf.data', [('/x', some_id(1)), ('/y', some_id(2))])
    got = m.store(folder + '/perf.data', '--debuginfod=' + server.url)
    server.stop()
    assert got[1].startswith('OK ') and '\nFAIL ' in got[1], got
    m.run('buildid-cache', '-P')
    assert os.listdir(out) == ['victim'] and os.listdir(out + '/victim') == ['elf']


def recorded_name_is_a_link(args, folder):
    """A whole cache that is somewhere else is the user's affair."""
    m = Machine(args, folder + '/home')
    os.makedirs(folder + '/disk')
    os.symlink(folder + '/disk', m.cache)
    with open(folder + '/prog', 'wb') as f:
        f.write(elf(some_id(1)))
    recording(folder + '/perf.data', [(folder + '/prog', some_id(1))])
    assert m.store(folder + '/perf.data')[0] == 0
    assert os.path.isdir(folder + '/disk/.build-id')


def packed(args, folder):
    """Modules as they are installed: their build id is that of what is in them."""
    m = Machine(args, folder + '/home')
    packs = {'.xz': lzma.compress, '.gz': gzip.compress, '.zst': mkpack.stored, '': bytes}
    names, kept = [], {}
    for n, (end, pack) in enumerate(packs.items()):
        for wanted in n, 100 + n:  # what is there, and another build
            name = '%s/m%d.ko%s' % (folder, wanted, end)
            names.append((name, some_id(wanted)))
            kept[name] = pack(elf(some_id(n)))
            with open(name, 'wb') as f:
                f.write(kept[name])
    recording(folder + '/perf.data', names)
    status, out, err = m.store(folder + '/perf.data')
    lines = out.splitlines()
    assert status == 1 and len(lines) == len(names), (out, err)
    found = m.inside()
    for i, ((name, wanted), line) in enumerate(zip(names, lines)):
        good = i % 2 == 0
        assert line == '%s %s %s' % ('OK' if good else 'FAIL', wanted.hex(), name), line
        path = '%s/%s/elf' % (name[1:], wanted.hex())
        assert found.get(path) == (kept[name] if good else None), name
    assert some_id(0).hex() in err and some_id(100).hex() in err, err


# --- Several, and a full disk ----------------------------------------------------------

def capture(folder):
    """One with libraries, below a symfs of its own; returns words for it."""
    symfs = folder + '/symfs'
    shutil.copytree(TESTDATA + '/symfs', symfs, ignore=lambda *_: ['.debug'])
    return os.path.join(TESTDATA, 'emu-ls', 'perf.data'), '--symfs', symfs


def at_once(args, folder):
    data, *symfs = capture(folder)
    m = Machine(args, folder + '/symfs')
    m.store(data, *symfs)
    wanted = m.inside()
    assert len(wanted) > 20
    for kill in (False, True):
        shutil.rmtree(m.cache)
        words = [args.ptscript, 'buildid-list', '--store', '-i', data, *symfs]
        several = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    env={'HOME': m.home}) for _ in range(6)]
        if kill:
            for i, p in enumerate(several):
                time.sleep(0.001 * i)
                p.kill()
        outs = [p.communicate(timeout=SECONDS)[0] for p in several]
        if kill:
            m.store(data, *symfs)
        else:
            assert len(set(outs)) == 1 and outs[0].count(b'OK') == 5, outs
        assert m.inside() == wanted


def full_disk(args, folder):
    data, *symfs = capture(folder)
    m = Machine(args, folder + '/symfs')
    m.store(data, *symfs)
    whole = m.inside()
    for at in (1, 2, 3, 10, 33, 34, 50, 70):
        shutil.rmtree(m.cache)
        got = m.store(data, *symfs, LD_PRELOAD=args.shim, FAULT_KIND='write', FAULT_AT=str(at),
                      FAULT_ERROR=str(errno.ENOSPC), FAULT_ON='1')
        assert got[0] != 0, (at, got)
        found = m.inside() if os.path.exists(m.cache) else {}
        assert not {p: w for p, w in found.items() if whole.get(p) != w}, at
        # Who has a link has the file.
        assert sum('.build-id/' in p and '..' in str(w) for p, w in found.items()) == sum(
            p.endswith('/elf') for p in found), at
    assert m.store(data, *symfs)[1].count('OK') == 5 and m.inside() == whole


# --- The memory of a kernel ------------------------------------------------------------

def kernels(args, folder):
    """Of several at once one stores it; links lead nowhere; what a killed one left goes."""
    m, root, out = Machine(args, folder + '/home'), folder + '/root', folder + '/out'
    build, words = '[kernel.kcore]/' + b'k'.hex() * 20, ('buildid-cache', '-v', '-k')
    machine(root)
    os.makedirs(out)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = [pool.submit(m.run, *words, root + '/proc/kcore') for _ in range(6)]
        said = ''.join(d.result()[2] for d in done)
    assert said.count('kcore added') == 1 and said.count('same kcore') == 5, said
    wanted = m.inside()
    assert len(wanted) == 6, wanted

    # A folder of that kernel that is elsewhere is not looked into; then the one above it.
    place = os.path.join(m.cache, build)
    moved = os.listdir(place)[0]
    shutil.move(os.path.join(place, moved), out)
    os.symlink(os.path.join(out, moved), os.path.join(place, '2020'))
    left = os.path.join(place, '.ptscript-1')
    os.makedirs(left + '/deep')
    assert 'kcore added' in m.run(*words, root + '/proc/kcore')[2]
    assert not os.path.exists(left) and len(os.listdir(out + '/' + moved)) == 3
    shutil.rmtree(place)
    for link in place, os.path.dirname(place):
        os.symlink(out, link)
        got = m.run(*words, root + '/proc/kcore')
        assert "Couldn't add" in got[2] and os.listdir(out) == [moved], got
        os.remove(link)
        if link == place:
            os.rmdir(os.path.dirname(place))

    # A kernel that is not all there; a disk that is full: nothing is left.
    if args.shim:
        for at in range(1, 12):
            got = m.run(*words, root + '/proc/kcore', LD_PRELOAD=args.shim, FAULT_KIND='write',
                        FAULT_AT=str(at), FAULT_ERROR=str(errno.ENOSPC), FAULT_ON='1')
            if 'kcore added' in got[2]:
                break
            assert got[0] != 0 or "Couldn't add" in got[2], (at, got)
            assert not m.files(), (at, m.files())
        assert at > 3, got
        shutil.rmtree(m.cache, ignore_errors=True)
    os.truncate(root + '/proc/kcore', 0x5000)
    got = m.run(*words, root + '/proc/kcore')
    assert 'ends too early' in got[2] and not m.files(), (got, m.files())


TESTS = (story, kernels, packed, no_server_is_asked, bad_servers, confined, recorded_name_is_a_link, at_once,
         full_disk)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', required=True)
    ap.add_argument('--ptrecord')
    ap.add_argument('--shim')
    ap.add_argument('names', nargs='*')
    args = ap.parse_args()
    for name in 'ptscript', 'ptrecord', 'shim':
        setattr(args, name, getattr(args, name) and os.path.abspath(getattr(args, name)))
    failed = 0
    for test in TESTS:
        if args.names and test.__name__ not in args.names:
            continue
        if (test is full_disk and not args.shim) or (test is story and not args.ptrecord):
            print('skipped %s: what it needs was not given' % test.__name__)
            continue
        with tempfile.TemporaryDirectory() as folder:
            started = time.time()
            try:
                test(args, os.path.realpath(folder))
                print('passed %s (%.1f s)' % (test.__name__, time.time() - started))
            except (AssertionError, subprocess.SubprocessError) as e:
                failed += 1
                print('FAILED %s: %s' % (test.__name__, e))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
