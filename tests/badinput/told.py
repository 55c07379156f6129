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
import samples  # noqa: E402
import tracepoints  # noqa: E402


def cut_samples(keep):
    def cut(c):
        tracepoints.formats(c, ['"%d", REC->i', '"%d", REC->h'], keep=keep)
    return cut


# case, options, exit status, what is said; None: nothing of trace or tracepoints
TOLD = [
    (damage.trace_of_no_kind, [], 234, 'trace without an AUXTRACE_INFO record'),
    (damage.trace_of_no_kind, ['-D'], 234, 'trace without an AUXTRACE_INFO record'),
    (damage.trace_of_no_kind, ['--no-itrace'], 0, None),
    (damage.trace_of_unknown_kind, [], 234, 'trace of type 77: only Intel PT'),
    (damage.trace_of_unknown_kind, ['--no-itrace'], 0, None),
    (samples.aux, [], 0, 'have pieces of trace, which were not decoded'),
    (samples.aux, ['-D'], 0, None),
    (samples.aux, ['--no-itrace'], 0, None),
    (guests.recorded_samples, [], 0, '2 samples of guests (virtual machines) are not shown'),
    (cut_samples(20), [], 0, '2 samples of tracepoints end before the fields of their format do'),
    (cut_samples(20), ['-F', 'ip'], 0, None),
    (cut_samples(None), [], 0, None),
]


def main():
    for case, options, status, words in TOLD:
        with tempfile.TemporaryDirectory() as folder:
            cases.make(case, folder)
            done = subprocess.run(
                [sys.argv[1], 'script', '-f', '-i', folder + '/perf.data', *options],
                capture_output=True)
        said = done.stderr.decode()
        right = words in said if words else ' trace' not in said.replace("'trace' not valid for", '')
        assert done.returncode == status and right, '%s %s: %d, %s' % (
            case.__name__, options, done.returncode, said)
    print('%d passed, 0 failed' % len(TOLD))


if __name__ == '__main__':
    main()
