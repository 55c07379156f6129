#!/usr/bin/env python3
"""user.py --ptrecord PROGRAM - what a user does to ptrecord, and what can go wrong around it.

SPDX-License-Identifier: MIT

Whatever happens there is an end, a message where something cannot be done, and nobody is left
behind; what was recorded until then is kept.
"""
import argparse
import errno
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SECONDS = 60
TRACER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs', 'tracer.c')
# Says that it runs, and then either runs or sleeps; deaf to polite signals or not.
SPIN = 'echo 1; while :; do :; done'
SLEEP = 'echo 1; exec sleep 1000'
DEAF = 'trap "" INT TERM HUP; '


class User:
    def __init__(self, ptrecord, folder):
        self.ptrecord = os.path.abspath(ptrecord)
        self.folder = folder
        self.data = os.path.join(folder, 'perf.data')

    def start(self, *argv, output=None, **how):
        """In a session of its own, as a terminal's foreground."""
        how = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **how}
        return subprocess.Popen([self.ptrecord, '-o', output or self.data] + list(argv),
                                cwd=self.folder, start_new_session=True, **how)

    @staticmethod
    def is_left(group):
        """Somebody of it, after a while."""
        for _ in range(100):
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                return False
            time.sleep(0.05)
        os.killpg(group, signal.SIGKILL)
        return True

    def end(self, p):
        """Status and messages; nobody may be left of its session."""
        try:
            _, err = p.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            raise AssertionError('hangs')
        assert not self.is_left(p.pid), 'somebody is left'
        return p.returncode, (err or b'').decode(errors='replace')

    def check_kept(self):
        """There is a whole recording with some trace in it."""
        with open(self.data, 'rb') as f:
            data = f.read()
        assert data[:8] == b'PERFILE2', 'no recording'
        at, size = struct.unpack_from('<QQ', data, 40)
        kinds = set()
        end = at + size
        while at < end:
            kind, _, length = struct.unpack_from('<IHH', data, at)
            aux = struct.unpack_from('<Q', data, at + 8)[0] if kind == 71 else 0
            kinds.add(kind)
            assert length, 'a record of no length'
            at += length + aux
        assert at == end and {71, 11, 68} <= kinds, 'not all of it is there: %s' % kinds


def stop(user, code, *signals):
    """Status after these signals: SIGINT to all, as a terminal sends it, others to ptrecord."""
    p = user.start('--', 'sh', '-c', code)
    p.stdout.read(1)
    for n, sig in enumerate(signals):
        if n:
            time.sleep(0.3)
        (os.killpg if sig == signal.SIGINT else os.kill)(p.pid, sig)
    status, _ = user.end(p)
    user.check_kept()
    return status


def ctrl_c(user):
    assert stop(user, SPIN, signal.SIGINT) == 130
    assert stop(user, SLEEP, signal.SIGINT) == 130


def ctrl_c_twice(user):
    assert stop(user, DEAF + SPIN, signal.SIGINT, signal.SIGINT) == 130
    assert stop(user, DEAF + SLEEP, signal.SIGINT, signal.SIGINT) == 130


def terminated(user):
    assert stop(user, DEAF + SPIN, signal.SIGTERM) == 143
    assert stop(user, DEAF + SLEEP, signal.SIGTERM) == 143
    assert stop(user, SLEEP, signal.SIGHUP) == 129


def killed(user):
    """The program goes with it, even if nothing is kept."""
    p = user.start('--', 'sh', '-c', DEAF + SLEEP)
    p.stdout.read(1)
    p.kill()
    user.end(p)


def enough_instructions(user):
    status, _ = user.end(user.start('--max-insns', '50000', '--', 'sh', '-c', SPIN))
    assert status == 0
    user.check_kept()


def pipe_closed(user):
    p = user.start('--', 'yes')
    p.stdout.read(1)
    p.stdout.close()
    assert p.wait(timeout=SECONDS) == 128 + signal.SIGPIPE
    p.stderr.close()
    user.check_kept()


def fork_bomb(user):
    """Bounded by the user's limit; ptrecord only has to follow."""
    bomb = 'f() { [ $1 = 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; wait; }; f 5'
    status, _ = user.end(user.start('--', 'sh', '-c', bomb))
    assert status == 0
    user.check_kept()


def nowhere_to_write(user):
    for output in ('missing/perf.data', '.'):
        status, err = user.end(user.start('--', 'touch', 'ran', output=output))
        assert status == 1 and output in err, err
        assert not os.path.exists(os.path.join(user.folder, 'ran')), 'ran in vain'


def old_files_kept(user):
    """As perf record: what has the name of a new file gets another name."""
    mine = {'perf.data': user.data, 'truth': os.path.join(user.folder, 'truth')}
    for name in mine:
        with open(mine[name], 'w') as f:
            f.write('mine: ' + name)
    status, err = user.end(user.start('--truth', mine['truth'], '--', 'true'))
    assert status == 0, err
    user.check_kept()
    for name in mine:
        with open(mine[name] + '.old') as f:
            assert f.read() == 'mine: ' + name


def copied_once(user):
    """What is there already is not copied again, so nothing gets another name."""
    code = os.path.join(user.folder, 'code')
    for _ in range(2):
        status, err = user.end(user.start('--symfs', code, '--', 'sh', '-c', 'true; exec true'))
        assert status == 0, err
    files = [name for _, _, names in os.walk(code) for name in names]
    assert 'vdso' in files and not [name for name in files if name.endswith('.old')], files


def debug_files(user):
    """Files with symbols come along: by debug link, by path, by build id."""
    os.mkdir(os.path.join(user.folder, '.debug'))
    program = os.path.join(user.folder, 'linked')
    built = subprocess.run(
        ['sh', '-ec', 'echo "int main(void) { return 0; }" | gcc -g -x c -o linked - -Wl,--build-id\n'
         'objcopy --only-keep-debug linked .debug/other.dbg\ncp .debug/other.dbg .debug/linked\n'
         'strip linked\ncd .debug\nobjcopy --add-gnu-debuglink=other.dbg ../linked'],
        cwd=user.folder, capture_output=True)
    if built.returncode:
        return
    status, err = user.end(user.start('--symfs', 'code', '--', program))
    assert status == 0, err
    code = os.path.join(user.folder, 'code')
    for name in ('linked', '.debug/other.dbg', '.debug/linked'):
        for root in (user.folder, code + os.path.realpath(user.folder)):
            assert os.path.isfile(os.path.join(root, name)), (root, name)
    libc = '/usr/lib/x86_64-linux-gnu/libc.so.6'
    ids = subprocess.run(['readelf', '-n', libc], capture_output=True, text=True).stdout
    if 'Build ID: ' in ids:
        own = ids.split('Build ID: ')[1].split()[0]
        debug = '/usr/lib/debug/.build-id/%s/%s.debug' % (own[:2], own[2:])
        assert os.path.exists(debug) == os.path.exists(code + debug), debug


def disk_full(user):
    status, err = user.end(user.start('--', 'true', output='/dev/full'))
    assert status == 1 and 'No space left' in err, err


def old_files(user):
    """A recording and a list from before."""
    files = {name: 'mine: ' + name for name in ('perf.data', 'truth')}
    for name, text in files.items():
        with open(os.path.join(user.folder, name), 'w') as f:
            f.write(text)
    return files


def check_untouched(user, files):
    """As it was before, and nothing beside it."""
    for name, text in files.items():
        with open(os.path.join(user.folder, name)) as f:
            assert f.read() == text, name + ' is another one'
    there = os.listdir(user.folder)
    assert sorted(there) == sorted(files), there


def limited(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def disk_fills(user):
    """The program is ended when nothing more can be kept; what was there before stays."""
    files = old_files(user)
    for code, size in ((SPIN, 1 << 16), ('true', 1 << 12)):
        status, err = user.end(user.start('--', 'sh', '-c', code, preexec_fn=limited(size)))
        assert status == 1 and 'perf.data: File too large; there is no recording' in err, err
        check_untouched(user, files)


def small_disk(user):
    """A file system of its own, where one can be had."""
    code = ('mount -t tmpfs -o size=64k none . || exit 77; cd "$PWD"; echo mine > perf.data; '
            '%s -- sh -c "while :; do :; done"; echo $?; cat perf.data; ls' % user.ptrecord)
    p = subprocess.Popen(['unshare', '-m', 'timeout', '-s', 'KILL', str(SECONDS), 'sh', '-c', code],
                         cwd=user.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = p.communicate()
    if p.returncode in (1, 77) and b'ptrecord' not in err:
        return
    assert out == b'1\nmine\nperf.data\n', (out, err)
    assert b'perf.data: No space left on device; there is no recording' in err, err


def list_fills(user):
    """Without room for the list of instructions or for copies there is still a recording."""
    with open(os.path.join(user.folder, 'truth'), 'w') as f:
        f.write('mine')
    status, err = user.end(user.start('--truth', 'truth', '--symfs', 'code', '--', 'true',
                                      preexec_fn=limited(1 << 17)))
    assert status == 1, (status, err)
    assert 'truth: File too large; there is no list' in err, err
    assert 'File too large; it is not copied' in err, err
    user.check_kept()
    with open(os.path.join(user.folder, 'truth')) as f:
        assert f.read() == 'mine'
    copies = [name for _, _, names in os.walk(os.path.join(user.folder, 'code')) for name in names]
    assert not [name for name in copies if name.startswith('libc')], copies


def name_taken(user):
    """The old one cannot be moved away at the end: the new one is there under another name."""
    os.mkdir(user.data + '.old')
    with open(user.data, 'w') as f:
        f.write('mine')
    with open(os.path.join(user.data + '.old', 'x'), 'w'):
        pass
    status, err = user.end(user.start('--', 'true'))
    assert status == 1 and 'the recording is %s.new0' % user.data in err, err
    with open(user.data) as f:
        assert f.read() == 'mine'
    user.data += '.new0'
    user.check_kept()


def links(user):
    """Through a link to nothing, as to a larger disk, the file is made where that leads."""
    target = os.path.join(user.folder, 'elsewhere')
    os.symlink(target, user.data)
    status, err = user.end(user.start('--', 'true'))
    assert status == 0 and os.path.islink(user.data) and os.path.isfile(target), err
    user.check_kept()


def killed_early(user):
    """Whatever ends ptrecord: the old recording is there, and nothing else."""
    files = old_files(user)
    p = user.start('--truth', 'truth', '--', 'sh', '-c', SPIN)
    p.stdout.read(1)
    p.kill()
    user.end(p)
    check_untouched(user, files)


def no_program(user):
    """Statuses are those of a shell, and no file is touched."""
    files = old_files(user)
    script = os.path.join(user.folder, 'script')
    with open(script, 'w') as f:
        f.write('#!/missing/interpreter\n')
    os.chmod(script, 0o755)
    text = os.path.join(user.folder, 'text')
    with open(text, 'w') as f:
        f.write('no program')
    files.update({'script': '#!/missing/interpreter\n', 'text': 'no program'})
    for program, code, words in (('./missing', 127, 'No such file'), ('missing', 127, 'No such'),
                                 ('', 127, 'No such file'), ('./text/x', 127, 'Not a directory'),
                                 ('./text', 126, 'Permission denied'), ('.', 126, 'Permission'),
                                 ('./script', 126, 'what is to interpret it: No such file')):
        status, err = user.end(user.start('--truth', 'truth', '--symfs', 'code', '--', program))
        said = 'ptrecord: %s: %s' % (program, words)
        assert status == code and said in err and 'nothing was recorded' in err, (status, err)
        check_untouched(user, files)
    status, err = user.end(user.start())
    assert status == 1 and 'no program' in err, err
    status, err = user.end(user.start('-e', 'cycles', '--', 'true'))
    assert status == 1 and 'cycles' in err, err
    check_untouched(user, files)


def tracers(user):
    """Programs that trace are told why they cannot, once; other failures are their own."""
    tracer = os.path.join(user.folder, 'tracer')
    if subprocess.run(['gcc', '-static', '-o', tracer, TRACER],
                      capture_output=True).returncode:
        return
    for how, call in (('me', 'TRACEME'), ('seize', 'SEIZE'), ('attach', 'ATTACH'), ('peek', None)):
        status, err = user.end(user.start('--', tracer, how))
        assert status == (errno.EPERM if call else errno.ESRCH), (how, status, err)
        assert err.count('is refused, as ptrecord traces') == (call is not None), err
        assert not call or 'ptrace(PTRACE_%s) is refused' % call in err, err
        user.check_kept()


def senseless(user):
    """Options that would do nothing, or what no kernel does, together."""
    for options in ('--snapshot --aux-sample', '--pebs --aux-sample', '--aux-bytes 8192',
                    '--truncate 1 --snapshot', '--no-timestamps', '--own-switches --per-thread',
                    '--lost 2 -e intel_pt/tsc=0,mtc=0/u', '--pebs-lbr', '--pebs-xmm',
                    '--cpus 0', '--seed x', '-e intel_pt/cyc_thresh=16/u'):
        status, err = user.end(user.start(*options.split(), '--', 'touch', 'ran'))
        assert status == 1 and 'ptrecord: ' in err, (options, status, err)
        assert not os.path.exists(os.path.join(user.folder, 'ran')), 'ran in vain'


def tells(user):
    """At the end: what was written, how many instructions ran, how the program ended."""
    for options, code, status in ((), 'exit 3', 3), (('--max-insns', '5000'), 'exit 3', 0), \
                                 ((), 'kill -9 $$', 137):
        done, err = user.end(user.start(*options, '--truth', 'truth', '--', 'sh', '-c', code))
        size = os.path.getsize(user.data)
        count = os.path.getsize(os.path.join(user.folder, 'truth')) // 12
        assert done == status, done
        assert err == 'ptrecord: wrote %.3f MB to %s, %d instructions, exit status %d\n' % (
            size / 1e6, user.data, count, status), err
    assert user.end(user.start('-q', '--', 'true')) == (0, '')
    version = subprocess.run([user.ptrecord, '--version'], capture_output=True, text=True)
    assert version.returncode == 0 and version.stdout.startswith('ptrecord '), version


CASES = [ctrl_c, ctrl_c_twice, terminated, killed, enough_instructions, pipe_closed, fork_bomb,
         nowhere_to_write, old_files_kept, copied_once, debug_files, disk_full, disk_fills,
         small_disk, list_fills, name_taken, links, killed_early, no_program, tracers, senseless,
         tells]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ptrecord', required=True)
    args = parser.parse_args()
    bad = 0
    for case in CASES:
        folder = tempfile.mkdtemp()
        try:
            case(User(args.ptrecord, folder))
        except (AssertionError, OSError, subprocess.TimeoutExpired) as wrong:
            bad += 1
            print('%s: %s' % (case.__name__, wrong or 'other status'))
        finally:
            shutil.rmtree(folder)
    print('%d cases, %d failed' % (len(CASES), bad))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
