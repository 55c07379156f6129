#!/usr/bin/env python3
"""shrink.py SHRINK - every recording of tests/cases, getting shorter while it is open.

SPDX-License-Identifier: MIT
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import cases  # noqa: E402


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        cases.write([], folder)
        found = sorted(os.path.join(where, name) for where, _, names in os.walk(folder)
                 for name in names if name == 'perf.data')
        return subprocess.run([program] + cases.sample(found)).returncode


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1])))
