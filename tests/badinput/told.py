#!/usr/bin/env python3
"""told.py PROGRAM - what cannot be decoded is never passed over without a word.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'lib'), os.path.join(HERE, '..', 'cases')]
import cases  # noqa: E402
import damage  # noqa: E402
import guests  # noqa: E402
import kernel_files  # noqa: E402
import mkvmlinux  # noqa: E402
import samples  # noqa: E402
import sideband  # noqa: E402
import tracepoints  # noqa: E402


def cut_samples(keep):
    def cut(c):
        tracepoints.formats(c, ['"%d", REC->i', '"%d", REC->h'], keep=keep)
    return cut


def damaged_head(old, new):
    def damage_it(c):
        tracepoints.formats(c, ['"%d", REC->i', '"%d", REC->h'], changes=[(old, new)])
    return damage_it


def kernel(c):
    """Files of a kernel that are of no use, beside good ones."""
    kernel_files.names_of_kallsyms(c)
    with open(c.folder + '/kallsyms', 'rb') as f:
        kallsyms = f.read()
    kernel_files.put(c, 'elsewhere/kallsyms', kallsyms)
    kernel_files.put(c, 'elsewhere/modules', b'fat 8192 1 - Live 0xffffffffc0300000\n')
    kernel_files.put(c, 'elsewhere/kcore', b'a copy of some other memory')
    kernel_files.put(c, 'damaged/kallsyms', kallsyms)
    kernel_files.put(c, 'damaged/modules', b'fat 8192 1 - Live 0xffffffffc0200000\n')
    kernel_files.put(c, 'damaged/kcore', b'\x7fELF\2\1\1' + bytes(57))
    whole = mkvmlinux.kcore((kernel_files.TEXT, bytes(8192)))
    module = (kernel_files.MODULES, bytes(4096))
    between = mkvmlinux.kcore((kernel_files.TEXT, bytes(8192)), module)[:-4096]
    for folder, core in ('whole', whole), ('cut', whole[:-4096]), ('between', between):
        kernel_files.put(c, folder + '/kallsyms', kallsyms)
        kernel_files.put(c, folder + '/modules', b'fat 8192 1 - Live 0xffffffffc0200000\n')
        kernel_files.put(c, folder + '/kcore', core)
    kernel_files.put(c, 'other', kernel_files.vmlinux(kernel_files.OTHER_ID))
    kernel_files.put(c, 'hidden', b''.join(b'0' * 16 + line[16:]
                                           for line in kallsyms.splitlines(True)))
    kernel_files.put(c, 'no_ref', kallsyms.replace(b' _text\n', b' no_text\n'))
    os.mkfifo(c.folder + '/fifo')


def guest_files(how):
    """A guest's kernel, whose list of symbols is empty, or its code cut."""
    def damage_it(c):
        guests.kernel_of_any(c)
        os.truncate(c.folder + '/guest/' + ('kallsyms' if how == 'empty' else 'kcore'),
                    0 if how == 'empty' else 4096 + 1024)
    damage_it.__name__ = 'guest_files_%s' % how
    return damage_it


NO_LIST = "it is no list of a kernel's symbols, or all its addresses are hidden (0): it is not used"

# case, options of script or another command,  exit status, what is said; None: nothing of trace or tracepoints
TOLD = [
    (damage.trace_of_no_kind, [], 234, 'trace without an AUXTRACE_INFO record'),
    (damage.trace_of_no_kind, ['-D'], 234, 'trace without an AUXTRACE_INFO record'),
    (damage.trace_of_no_kind, ['--no-itrace'], 0, None),
    (damage.trace_of_unknown_kind, [], 234, 'trace of type 77: only Intel PT'),
    (damage.trace_of_unknown_kind, ['--no-itrace'], 0, None),
    *((sideband.no_switch_event, command, status, 'missing sched_switch event\n0x198 [0xa0]: failed to process')
      for command, status in (([], 234), (['doctor'], 234), (['report'], 0),
                              (['-F', 'ip', '--per-event-dump'], 234))),
    (samples.aux, [], 0, 'have pieces of trace, which were not decoded'),
    (samples.aux, ['-D'], 0, None),
    (samples.aux, ['--no-itrace'], 0, None),
    (guests.recorded_samples, [], 0, '2 samples of guests (virtual machines) are not shown'),
    (cut_samples(20), [], 0, '2 samples of tracepoints end before the fields of their format do'),
    (cut_samples(20), ['-F', 'ip'], 0, None),
    (cut_samples(None), [], 0, None),
    *((damaged_head(*head), [], 0, '1 sample of tracepoints is shown without text')
      for head in (('ID: 300', 'ID: 999'), ('ID: 300', 'IX: 300'), ('name: e0', 'nome: e0'))),
    (damaged_head('ID: 300', 'ID: 999'), ['-F', 'ip'], 0, None),
    (kernel, ['--kallsyms', 'kallsyms'], 0, None),
    (kernel, ['--vmlinux', 'vmlinux'], 0, None),
    *((kernel, ['--kallsyms', f], 0, 'ptscript: %s: %s' % (f, NO_LIST))
      for f in ('empty', 'c', 'fifo', '/dev/zero', 'vmlinux', 'hidden')),
    *((kernel, ['--vmlinux', f], 0, 'ptscript: %s: it is no vmlinux: it is not used' % f)
      for f in ('empty', 'c', 'fifo', '/dev/zero', 'kallsyms')),
    (kernel, ['--vmlinux', 'other'], 0, 'ptscript: other: build id 09090909'),
    (kernel, ['--kallsyms', 'no_ref'], 0, 'ptscript: no_ref: it has no symbol _text, by which'),
    (kernel, ['--kallsyms', 'elsewhere/kallsyms'], 0, 'was not where the recording has it'),
    (kernel, ['--kallsyms', 'damaged/kallsyms'], 0, 'is not used: it has no memory in it'),
    (kernel, ['--kallsyms', 'whole/kallsyms'], 0, None),
    (kernel, ['--kallsyms', 'cut/kallsyms'], 0,
     'ptscript: cut/kallsyms: the kcore beside it is shorter than its headers say'),
    (kernel, ['--kallsyms', 'between/kallsyms'], 0,
     'ptscript: between/kallsyms: the kcore beside it is shorter than its headers say'),
    (guest_files('empty'), ['--guestkallsyms', 'guest/kallsyms'], 0,
     'ptscript: guest/kallsyms: it is no list'),
    (guest_files('cut'), ['--guestkallsyms', 'guest/kallsyms'], 0,
     'ptscript: guest/kallsyms: the kcore beside it is shorter than its headers say'),
]


def main():
    for case, options, status, words in TOLD:
        command = ['script', '-f']
        if options and not options[0].startswith('-'):
            command, options = options[:1], options[1:]
        with tempfile.TemporaryDirectory() as folder:
            cases.make(case, folder)
            done = subprocess.run(
                [os.path.abspath(sys.argv[1]), *command, '-i', folder + '/perf.data', *options],
                capture_output=True, cwd=folder, timeout=60)
        said = done.stderr.decode()
        right = words in said if words else not any(
            w in said.replace("'trace' not valid for", '') for w in (' trace', 'not used'))
        assert done.returncode == status and right, '%s %s: %d, %s' % (
            case.__name__, options, done.returncode, said)
    print('%d passed, 0 failed' % len(TOLD))


if __name__ == '__main__':
    main()
