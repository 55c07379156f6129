"""inputs.py - the recordings of the benchmark: those that data.py made, one of a real processor,
and samples all over many programs.

SPDX-License-Identifier: MIT
"""
import collections
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, 'tests', d) for d in ('lib', 'oracle')]
import apart  # noqa: E402
import mkperf  # noqa: E402
import oracle  # noqa: E402
import symbols  # noqa: E402

ADDRESSES = int(os.environ.get('PTS_BENCH_ADDRESSES', '1000000'))
IMAGES, APART = 200, 0x10000000
MRUBY = {'full': 50, 'mid': 10, 'short': 1.4}  # megabytes of trace

COMMANDS = {'script': [], 'report': ['--stdio'], 'inject': [], 'export': []}  # and what each needs

# data: of ptscript; perf_data: the same for perf, which reads no jitdump.
# pt, branches: bytes of trace, and branches that its packets decide; 0: not known
File = collections.namedtuple('File', 'data perf_data pt branches')


class Recording:
    def __init__(self, name, files, symfs=None, buildid_dir=None, folder=None):
        self.name, self.files, self.folder = name, files, folder
        self.symfs, self.buildid_dir = symfs, buildid_dir

    def command(self, program, length, options):
        """What PROGRAM (perf or ptscript) is told to read a file of this. A dump is of one file.
        OPTIONS are of script, or begin with another command."""
        file = self.files[length]
        perf = os.path.basename(program) == 'perf' and '-D' not in options
        words = options.split()
        command = words.pop(0) if words[0] in COMMANDS else 'script'
        argv = [program] + (['--buildid-dir', self.buildid_dir] if self.buildid_dir else [])
        argv += [command] + COMMANDS[command]
        if self.symfs and command != 'inject':  # which has no such option
            argv += ['--symfs', self.symfs]
        return argv + ['-i', file.perf_data if perf else file.data] + words


def existing(path):
    return path if os.path.exists(path) else None


def made(folder):
    """A recording that data.py made."""
    with open(os.path.join(folder, 'info.json')) as f:
        info = json.load(f)
    files = {}
    for length, i in info.items():
        data = os.path.join(folder, length + '.data')
        files[length] = File(data, existing(data + '.injected') or data, i['pt'], i['branches'])
    symfs = existing(os.path.join(folder, 'symfs'))
    return Recording(os.path.basename(folder), files, symfs,
                     existing(os.path.join(folder, 'symfs', '.debug')), folder)


def kernel(folder):
    """Recordings of a whole system."""
    with open(os.path.join(folder, 'info.json')) as f:
        info = json.load(f)
    for name, i in info.items():
        data = os.path.join(folder, name, 'perf.dir')
        yield Recording('kernel-' + name, {'full': File(data, data, i['pt'], i['branches'])},
                        os.path.join(folder, name, 'symfs'))


def all_made(folder):
    for info in sorted(glob.glob(os.path.join(folder, '*', 'info.json'))):
        where = os.path.dirname(info)
        if os.path.basename(where) == 'kernel':
            yield from kernel(where)
        else:
            yield made(where)


def repeated(data, megabytes):
    """The file with its AUXTRACE record and data repeated in place, offsets running on.

    Every other record stays as it is; the AUXTRACE index of the header is left out (perf
    then finds the buffers by reading the records)."""
    data_off, data_size = struct.unpack_from('<QQ', data, 40)
    features = struct.unpack_from('<Q', data, 72)[0]
    out = []
    for kind, record, aux in apart.records(data):
        if kind != apart.AUXTRACE:
            out.append(record)
            continue
        for n in range(max(1, int(megabytes * 1000000) // len(aux))):
            out.append(record[:16] + struct.pack('<Q', n * len(aux)) + record[24:] + aux)
    body = b''.join(out)
    kept, sections = [], data_off + data_size
    for bit in range(64):
        if features >> bit & 1:
            off, size = struct.unpack_from('<QQ', data, sections)
            sections += 16
            if bit != 18:
                kept.append((bit, data[off:off + size]))
    table, blob = b'', b''
    start = data_off + len(body) + 16 * len(kept)
    for _, value in kept:
        table += struct.pack('<QQ', start + len(blob), len(value))
        blob += value
    front = bytearray(data[:data_off])
    struct.pack_into('<Q', front, 48, len(body))
    struct.pack_into('<Q', front, 72, features & ~(1 << 18))
    return bytes(front) + body + table + blob


def real(tmp, ptcount):
    """The recording of a real processor beside the checkout, its trace again and again; it has no
    timing packets."""
    shared = oracle.shared_folder()
    folder = os.path.join(shared or '', 'traces', 'real-mruby')
    if not shared or not os.path.exists(folder + '/perf.data'):
        print('real-mruby: not beside the checkout (PTS_SHARED), skipped')
        return
    files = {}
    with open(folder + '/perf.data', 'rb') as f:
        data = f.read()
    for length, megabytes in MRUBY.items():
        path = os.path.join(tmp, length + '.data')
        with open(path, 'wb') as to:
            to.write(repeated(data, megabytes))
        traces = apart.write(path, os.path.join(tmp, 'trace'))
        count = subprocess.run([ptcount] + traces, capture_output=True, text=True).stdout
        files[length] = File(path, path, sum(map(os.path.getsize, traces)), int(count))
        shutil.rmtree(os.path.join(tmp, 'trace'))
    yield Recording('real-mruby, repeated', files, existing(folder + '/symfs'))


def many_images(tmp):
    """Samples all over copies of a program, one after the other in no order."""
    program = os.path.join(tmp, 'words')
    subprocess.run(['g++', '-g', '-O2', '-o', program,
                    os.path.join(TOP, 'tests', 'oracle', 'src', 'words.cc')], check=True)
    code = [at for s in symbols.Elf(program).sections if s[2] & 4
            for at in range(s[4], s[4] + s[5])]
    dice, w = random.Random(1), mkperf.software().comm('t', 1000)
    for i in range(IMAGES):
        shutil.copy(program, program + str(i))
        w.mmap2(program + str(i), APART * (i + 1), 0x100000, 0, 1001 + i)
    for i in range(ADDRESSES):
        w.sample(APART * (dice.randrange(IMAGES) + 1) + dice.choice(code), 3000 + i)
    path = os.path.join(tmp, 'lines.data')
    w.write(path)
    return Recording('%d addresses in %d images' % (ADDRESSES, IMAGES),
                     {'full': File(path, path, 0, 0)})
