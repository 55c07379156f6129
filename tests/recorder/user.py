#!/usr/bin/env python3
"""user.py --ptrecord PROGRAM - what a user does to ptrecord, and what can go wrong around it.

SPDX-License-Identifier: MIT

Whatever happens there is an end, a message where something cannot be done, and nobody is left
behind; what was recorded until then is kept.
"""
import argparse
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

SECONDS = 60
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


def disk_full(user):
    status, err = user.end(user.start('--', 'true', output='/dev/full'))
    assert status == 1 and 'No space left' in err, err


def disk_fills(user):
    """The program is ended when nothing more can be kept."""
    def limit():
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    status, err = user.end(user.start('--', 'sh', '-c', SPIN, preexec_fn=limit))
    assert status == 1 and 'File too large' in err, err


def no_program(user):
    status, err = user.end(user.start('--', './missing'))
    assert status == 127 and './missing' in err, err
    status, err = user.end(user.start())
    assert status == 1 and 'no program' in err, err
    status, err = user.end(user.start('-e', 'cycles', '--', 'true'))
    assert status == 1 and 'cycles' in err, err


def senseless(user):
    """Options that would do nothing, or what no kernel does, together."""
    for options in ('--snapshot --aux-sample', '--pebs --aux-sample', '--aux-bytes 8192',
                    '--truncate 1 --snapshot', '--no-timestamps', '--own-switches --per-thread',
                    '--lost 2 -e intel_pt/tsc=0,mtc=0/u', '--pebs-lbr', '--pebs-xmm',
                    '--cpus 0', '--seed x', '-e intel_pt/cyc_thresh=16/u'):
        status, err = user.end(user.start(*options.split(), '--', 'touch', 'ran'))
        assert status == 1 and 'ptrecord: ' in err, (options, status, err)
        assert not os.path.exists(os.path.join(user.folder, 'ran')), 'ran in vain'


CASES = [ctrl_c, ctrl_c_twice, terminated, killed, enough_instructions, pipe_closed, fork_bomb,
         nowhere_to_write, old_files_kept, copied_once, disk_full, disk_fills, no_program, senseless]


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
