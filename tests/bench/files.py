"""files.py - the commands that write a file, beside perf's: how each is told, and whether they wrote the same.

SPDX-License-Identifier: MIT
"""
import collections
import contextlib
import hashlib
import os
import shutil
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import exported  # noqa: E402

# perf, ours: the words; OUT is the file.
Writes = collections.namedtuple('Writes', 'name perf ours length written')


def injected(path):
    """Without what follows the data: that names the program."""
    with open(path, 'rb') as f:
        at, size = struct.unpack_from('<QQ', f.read(56), 40)
        f.seek(0)
        return f.read(at + size)


def database(path):
    return '\n'.join(exported.summary(path)).encode()


TO_SQLITE = 'export --to sqlite -o OUT --columns branches'
BY_SCRIPT = 'script -s %s OUT branches' % exported.SCRIPT
JOBS = [
    Writes('inject', 'inject --itrace=i100usle -o OUT', None, 'full', injected),
    Writes('export to SQLite', BY_SCRIPT, TO_SQLITE, 'mid', database),
    Writes('export with calls to SQLite', BY_SCRIPT + ' calls', TO_SQLITE + ' --calls', 'mid',
           database),
]


def usable(job):
    """What perf needs for it is there."""
    return job.written is not database or os.path.exists(exported.SCRIPT)


def words(job, program, out):
    """What `program` is told."""
    theirs = os.path.basename(program) == 'perf' or not job.ours
    return (job.perf if theirs else job.ours).replace('OUT', out)


@contextlib.contextmanager
def own_cache(recording, folder):
    """Commands are told of a copy of its cache: perf inject puts there what it has found."""
    cache = recording.buildid_dir
    if cache:
        shutil.copytree(cache, folder, symlinks=True)
    else:
        os.mkdir(folder)
    recording.buildid_dir = folder
    yield
    recording.buildid_dir = cache


def digest(job, out):
    """Of what was written; None where nothing was."""
    if not os.path.exists(out):
        return None
    return hashlib.sha256(job.written(out)).hexdigest()
