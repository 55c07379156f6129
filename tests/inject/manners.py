#!/usr/bin/env python3
"""manners.py PTSCRIPT - what inject does to files: those that are there, full disks, ends by force.

SPDX-License-Identifier: MIT

A new recording is whole when it has its name, and what had the name before is kept.
"""
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '..', '..')
sys.path.insert(0, os.path.join(TOP, 'tests/lib'))
import cases  # noqa: E402
import mkfeat  # noqa: E402
import mkjit  # noqa: E402
import mkperf  # noqa: E402
import mksample as ms  # noqa: E402
CAPTURE = os.path.join(TOP, 'testdata/emu-mix/perf.data')
SYMFS = os.path.join(TOP, 'testdata/symfs')
TRACE = ['--symfs', SYMFS, '--itrace=i50il']
bad = 0


def check(what, holds):
    global bad
    if not holds:
        print('WRONG  ' + what)
        bad += 1


def inject(folder, *words, most=None, **kw):
    def limit():
        if most:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    return subprocess.run([sys.argv[1], 'inject', *words], cwd=folder, capture_output=True,
                          timeout=60, preexec_fn=limit,
                          env={'HOME': folder, 'LC_ALL': 'C', 'PATH': os.environ['PATH'],
                               **{k: v for k, v in os.environ.items()
                                  if k.endswith('SAN_OPTIONS')}}, **kw)


def read(*path):
    with open(os.path.join(*path), 'rb') as f:
        return f.read()


def write(text, *path):
    with open(os.path.join(*path), 'w') as f:
        f.write(text)


def what_is_there(d):
    """Is kept as .old, an older one of that is replaced; an empty one is no loss."""
    check('a new one', inject(d, '-i', CAPTURE, '-o', 'new').returncode == 0)
    first = read(d, 'new')
    check('only for its owner', os.stat(os.path.join(d, 'new')).st_mode & 0o777 == 0o600)
    for text in 'one', 'two':
        write(text, d, 'new')
        check('over ' + text, inject(d, '-i', CAPTURE, '-o', 'new').returncode == 0)
        check('kept ' + text, read(d, 'new.old') == text.encode() and read(d, 'new') == first)
    write('', d, 'empty')
    inject(d, '-i', CAPTURE, '-o', 'empty')
    check('nothing to keep', read(d, 'empty')[:8] == first[:8] and not os.path.exists(d + '/empty.old'))
    check('no more files', sorted(os.listdir(d)) == ['empty', 'new', 'new.old'])


def own_input(d):
    shutil.copy(CAPTURE, d + '/a')
    check('over its input', inject(d, '-i', 'a', '-o', 'a', *TRACE).returncode == 0)
    check('which is kept', read(d, 'a.old') == read(CAPTURE) and read(d, 'a') != read(CAPTURE))


def links(d):
    """A link is renamed like a file; nothing is written through it."""
    write('mine', d, 'target')
    os.symlink('target', d + '/new')
    check('over a link', inject(d, '-i', CAPTURE, '-o', 'new').returncode == 0)
    check('not through it', read(d, 'target') == b'mine' and not os.path.islink(d + '/new'))
    check('kept', os.readlink(d + '/new.old') == 'target')


def full_disk(d):
    write('mine', d, 'new')
    whole = inject(d, '-i', CAPTURE, '-o', 'whole', *TRACE)
    size = os.stat(d + '/whole').st_size
    check('whole', whole.returncode == 0)
    for most in 1, 4096, size // 2, size - 1:
        r = inject(d, '-i', CAPTURE, '-o', 'new', *TRACE, most=most)
        check('no room beyond %d' % most, r.returncode == 255 and b'too large' in r.stderr)
        check('untouched', read(d, 'new') == b'mine')
    check('nothing left', sorted(os.listdir(d)) == ['new', 'whole'])


def not_there(d):
    r = inject(d, '-i', CAPTURE, '-o', 'no/new')
    check('no folder', r.returncode == 255 and r.stderr.decode() == (
        'failed to open no/new : No such file or directory\n'
        'failed to create output file: No such file or directory\n'))
    r = inject(d, '-i', 'none', '-o', 'new')
    check('no input', r.returncode == 255 and not os.listdir(d))


def damaged(d):
    write('mine', d, 'new')
    with open(d + '/cut', 'wb') as f:
        f.write(read(CAPTURE)[:15000])
    r = inject(d, '-i', 'cut', '-o', 'new')
    check('a cut one', r.returncode == 255 and read(d, 'new') == b'mine' and r.stderr)


def killed(d):
    """While it waits for more of its input."""
    p = subprocess.Popen([sys.argv[1], 'inject', '-i', '-', '-o', 'new'], cwd=d,
                         stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    p.stdin.write(b'PERFILE2' + bytes([16, 0, 0, 0, 0, 0, 0, 0]))
    p.stdin.flush()
    p.kill()
    p.communicate()
    check('killed', not os.listdir(d))


def folders(d):
    """With kernel code a recording's folder leads to a folder, else to a file."""
    os.makedirs(d + '/in/kcore_dir/deep')
    os.makedirs(d + '/in/kcore_dir__7')
    shutil.copy(CAPTURE, d + '/in/data')
    write('symbols', d, 'in/kcore_dir/kallsyms')
    os.symlink('/nowhere', d + '/in/kcore_dir/kcore')
    check('a folder', inject(d, '-i', 'in', '-o', 'new').returncode == 0)
    check('kernel', read(d, 'new/kcore_dir/kallsyms') == b'symbols')
    check('a link stays one', os.readlink(d + '/new/kcore_dir/kcore') == '/nowhere')
    check('of guests', os.path.isdir(d + '/new/kcore_dir__7'))
    check('its data', read(d, 'new/data')[:8] == b'PERFILE2')
    for _ in range(2):
        check('again', inject(d, '-i', 'in', '-o', 'new').returncode == 0)
    check('kept', sorted(os.listdir(d)) == ['in', 'new', 'new.old'])
    write('mine', d, 'new.old/thesis')
    r = inject(d, '-i', 'in', '-o', 'new')
    check('no stranger is removed', r.returncode == 255 and read(d, 'new.old/thesis') == b'mine')
    r = inject(d, '-i', 'in', '-o', 'file', '--strip', *TRACE)
    check('a file', r.returncode == 0 and os.path.isfile(d + '/file'))
    check('nothing left', sorted(os.listdir(d)) == ['file', 'in', 'new', 'new.old'])


def cache_untouched(d):
    """perf fills the cache, with the local kernel's symbols under the recorded id, too."""
    inject(d, '-i', CAPTURE, '-o', 'new', *TRACE)
    check('no cache', sorted(os.listdir(d)) == ['new'])


def pipe_is_a_recording(d):
    """What goes to a pipe is what goes to a file, in another order of header and records."""
    r = inject(d, '-i', CAPTURE, '-o', '-', *TRACE)
    check('piped', r.returncode == 0)
    inject(d, '-i', CAPTURE, '-o', 'new', *TRACE)
    script = [sys.argv[1], 'script', '-F', 'tid,time,ip,sym,brstack', '--symfs', SYMFS]
    one = subprocess.run([*script, '-i', 'new'], cwd=d, capture_output=True).stdout
    two = subprocess.run([*script, '-i', '-'], cwd=d, capture_output=True, input=r.stdout).stdout
    check('the same samples', one == two and one.count(b'\n') > 100)


def formats_into_a_pipe(d):
    """Those of the recording, where perf record has them: perf writes others, at a wrong place."""
    kind = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.RAW
    recording = mkperf.Recording([mkperf.Attr(2, 314, ms.SAMPLE_ID_ALL, kind, [1])])
    f = mkfeat.Features()
    recording.features['tracing_data'] = f.tracing_data({'sched': [
        f.trace_format('sched_switch', 314, ['char prev_comm[4]', 'pid_t next_pid'])
        .replace('"x"', '"%s %d", REC->prev_comm, REC->next_pid')]})
    recording.features['event_desc'] = f.event_desc(
        [(a.bytes(recording.pack), 'sched:sched_switch', a.ids) for a in recording.attrs])
    for i in range(3):
        recording.sample(0x401000, 2000 + i, attr=recording.attrs[0],
                         raw=struct.pack('<HHi3sxii', 314, 0, 7, b'abc', i, 0))
    recording.finished_round().write(d + '/perf.data')
    piped = inject(d, '-i', 'perf.data', '-o', '-')
    script = [['perf', 'script']] if shutil.which('perf') else []
    for program in script + [[sys.argv[1], 'script']]:
        one = subprocess.run([*program, '-i', 'perf.data'], cwd=d, capture_output=True)
        two = subprocess.run([*program, '-i', '-'], cwd=d, capture_output=True, input=piped.stdout)
        check('formats in a pipe', one.stdout == two.stdout and b'abc 2' in two.stdout)
    again = inject(d, '-i', '-', '-o', '-', input=piped.stdout)
    check('from one pipe into another', again.stdout == piped.stdout)


def jitdumps(d):
    """Files of functions are whole or not there, and nothing is written through a link."""
    recording = mkperf.Recording([mkperf.Attr(1, 0, mkperf.PerfData().attrs[1].flags | 1 << 25, 7,
                                              [1], clockid=1)])
    recording.comm('t', 900).mmap2('./jit-4242.dump', tsc=1000).write(d + '/perf.data')
    text = mkjit.Jitdump(4242, ticks=False).load(2000, 4096, bytes(5000), 'f', 1).data
    r = inject(d, '-j', '-i', 'perf.data', '-o', 'new')
    check('no dump', r.returncode == 255 and b'not there' in r.stderr)
    with open(d + '/jit-4242.dump', 'wb') as f:
        f.write(text)
    write('mine', d, 'target')
    os.symlink('target', d + '/jitted-4242-1.so')
    r = inject(d, '-j', '-i', 'perf.data', '-o', 'new', most=4096)
    check('no room', b'cannot create jit ELF' in r.stderr)
    check('nothing half', os.path.islink(d + '/jitted-4242-1.so'))
    for name in 'one', 'two':
        check(name, inject(d, '-j', '-i', 'perf.data', '-o', name).returncode == 0)
    check('not through a link', read(d, 'target') == b'mine')
    check('whole', read(d, 'jitted-4242-1.so')[:4] == b'\x7fELF')
    os.chmod(d + '/jit-4242.dump', 0)
    os.rename(d + '/jit-4242.dump', d + '/a')
    os.symlink('a', d + '/jit-4242.dump')
    r = inject(d, '-j', '-i', 'perf.data', '-o', 'three')
    check('a link', r.returncode == 255 and b'a link' in r.stderr)
    check('nothing left', sorted(os.listdir(d)) == ['a', 'jit-4242.dump', 'jitted-4242-1.so', 'new',
                                                    'one', 'perf.data', 'target', 'two'])


def in_place(d):
    """With --vm-time-correlation the recording keeps its name, mode and links; what it was is kept."""
    fn = [fn for _, name, fn in cases.cases(['vm_time']) if name == 'vm_time.options'][0]
    vm = '--vm-time-correlation'
    fn(cases.Case(d))
    before = read(d, 'perf.data')
    os.chmod(d + '/perf.data', 0o640)
    os.symlink('perf.data', d + '/link')
    inode = os.stat(d + '/perf.data').st_ino
    for words, told in (([vm], b'Input file name'), (['-i', '-', vm, '-f'], b'Input file name'),
                        (['-i', 'link', vm], b'--force'), (['-i', 'link', vm, '-f', '-o', 'x'], b'Output')):
        r = inject(d, *words)
        check('asks %r' % told, r.returncode == 255 and told in r.stderr)
    for word in vm + '=dry-run', vm + '=5 -':
        inject(d, '-f', '-i', 'link', word)
        check('nothing written', os.stat(d + '/perf.data').st_ino == inode)
    r = inject(d, '-f', '-i', 'link', vm, most=500)
    check('full disk', r.returncode == 255 and read(d, 'perf.data') == before)
    check('nothing left', sorted(os.listdir(d)) == ['link', 'perf.data', 'symfs'])
    check('changed', inject(d, '-f', '-i', 'link', vm).returncode == 0)
    after = read(d, 'perf.data')
    check('kept', read(d, 'perf.data.old') == before and len(after) == len(before) and after != before)
    check('the same but for its bytes', os.path.islink(d + '/link')
          and os.stat(d + '/perf.data').st_mode & 0o777 == 0o640)
    r = inject(d, '-f', '-i', 'perf.data', vm + '=0x1000')
    check('not the old one', r.returncode == 255 and b'perf.data.old is there' in r.stderr
          and read(d, 'perf.data') == after and read(d, 'perf.data.old') == before)


for scene in (what_is_there, own_input, links, full_disk, not_there, damaged, killed, folders,
              jitdumps, cache_untouched, in_place, pipe_is_a_recording,
              formats_into_a_pipe):
    with tempfile.TemporaryDirectory() as folder:
        scene(folder)
print('%d wrong' % bad)
sys.exit(bad != 0)
