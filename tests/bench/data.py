#!/usr/bin/env python3
"""data.py --ptrecord P --ptscript P --ptcount P FOLDER - recordings for `make bench`.

SPDX-License-Identifier: MIT

Programs of several kinds, recorded as users record: with CYC and MTC, with MTC only, returns
compressed. Each NAME-KIND folder has the recording in three lengths (every instruction as text
is a hundred times the work of decoding), the code, the bare trace of the longest, and info.json,
written last. What has that is not made again; a program that is not installed is skipped.

PTS_BENCH_SCALE: all of it shorter, 0.1 for a tenth.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(TOP, 'tests', d) for d in ('lib', 'oracle', 'recorder')]
import apart  # noqa: E402
import jitdump  # noqa: E402
import mkjit  # noqa: E402
import oracle  # noqa: E402

SCALE = float(os.environ.get('PTS_BENCH_SCALE', '1'))
# The recorder's core takes three cycles for an instruction: with this period there are as many
# MTCs among them as a real core makes with the usual one, 3.
KINDS = {'cyc': 'intel_pt/cyc,mtc_period=5/u', 'mtc': 'intel_pt/mtc_period=5/u',
         'tsc': 'intel_pt/mtc=0/u'}
MID, SHORT = 40, 6  # million instructions: for text of branches, and of instructions
# name: the command, million instructions, kinds
PROGRAMS = {
    'python3': (['/usr/bin/python3', '-S', '../src/life.py', '200'], 360, ('cyc', 'mtc')),
    'cc1': (['{cc1}', '-quiet', '-O2', '../src/unit.i', '-o', '/dev/null'], 330,
            ('cyc', 'mtc', 'tsc')),
    'xz': (['/usr/bin/xz', '-T1', '-6', '-c', '../src/text'], 600, ('cyc', 'mtc')),
    'server': (['../src/server', '10000'], 180, ('cyc', 'mtc')),
    'jit': (['../src/jit', '10000'], 300, ('cyc', 'mtc')),
}
# of python3, the same run again and again: 200 MB, and some of it
LONG_MILLION, LONG_TIMES = 80, {'full': 14, 'mid': 2}


class Maker:
    def __init__(self, args):
        self.args, self.out = args, os.path.abspath(args.folder)
        self.src = os.path.join(self.out, 'src')
        self.cpus = sorted(os.sched_getaffinity(0))
        self.lock = threading.Lock()

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def sources(self):
        """FOLDER/src: what is recorded, and its input."""
        os.makedirs(self.src, exist_ok=True)
        programs = os.path.join(HERE, 'programs')
        shutil.copy(os.path.join(programs, 'life.py'), self.src)
        with open(os.path.join(self.src, 'text'), 'wb') as to:
            for file in sorted(glob.glob(TOP + '/*/**/*.c', recursive=True)):
                with open(file, 'rb') as f:
                    to.write(f.read())
        unit = os.path.join(TOP, 'synth', 'print', 'line', 'out_perf.c')
        for tool, argv in (
                ('gcc', ['-E', '-P', '-std=gnu11', '-D_GNU_SOURCE', '-I' + TOP,
                         '-I' + TOP + '/include', unit, '-o', 'unit.i']),
                ('gcc', ['-O2', '-static', programs + '/jit.c', '-o', 'jit']),
                ('g++', ['-O2', '-g', '-pthread', programs + '/server.cc', '-o', 'server'])):
            if shutil.which(tool):
                subprocess.run([tool] + argv, cwd=self.src, check=True)

    def command(self, name, folder):
        """Its words, or None when it is not installed."""
        argv = list(PROGRAMS[name][0])
        if argv[0] == '{cc1}':
            if not shutil.which('gcc'):
                return None
            argv[0] = subprocess.run(['gcc', '-print-prog-name=cc1'], capture_output=True,
                                     text=True, check=True).stdout.strip()
        return argv if os.path.exists(os.path.join(folder, argv[0])) else None

    def record(self, folder, name, kind, million, argv, more=()):
        """FOLDER/NAME.data"""
        cap = ['--max-insns', str(int(million * SCALE * 1000000))]
        out = ['-o', name + '.data', '-e', KINDS[kind]]
        subprocess.run([self.args.ptrecord] + out + cap + list(more) + ['--'] + argv, cwd=folder,
                       stdout=subprocess.DEVNULL, check=True)

    def counted(self, folder, file, keep=False):
        """What a table wants to know of a recording; its trace stays where it is wanted."""
        with tempfile.TemporaryDirectory(dir=folder) as tmp:
            files = apart.write(os.path.join(folder, file),
                                os.path.join(folder, 'trace') if keep else tmp)
            done = subprocess.run([self.args.ptcount] + files, capture_output=True, text=True,
                                  check=True)
            size = sum(os.path.getsize(f) for f in files)
        return {'pt': size, 'branches': int(done.stdout)}

    def one(self, name, kind):
        """NAME-KIND, in all lengths."""
        folder = os.path.join(self.out, '%s-%s' % (name, kind))
        argv = self.command(name, folder)
        jit = name == 'jit'
        info = {}
        for length, million in (('full', PROGRAMS[name][1]), ('mid', MID), ('short', SHORT)):
            more = ['--no-vdso'] if jit else ['--symfs', 'symfs'] if length == 'full' else []
            self.record(folder, length, kind, million, argv, more)
            if jit:
                self.jit_times(folder, length)
            info[length] = self.counted(folder, length + '.data', length == 'full' and not jit)
        if not jit:
            self.images(folder)
        return info

    def images(self, folder):
        path = os.path.join(folder, 'full.data')
        with open(os.path.join(folder, 'images'), 'w') as f:
            f.writelines(apart.images(path, os.path.join(folder, 'symfs')))

    def jit_times(self, folder, length):
        """The times of the recording go into the jitdump of the latest run; perf gets a recording
        with the code in it."""
        dump = max(glob.glob(folder + '/jit-*.dump'), key=os.path.getmtime)
        data = os.path.join(folder, length + '.data')
        text = subprocess.run([self.args.ptscript, '-i', data, '--no-itrace', '--show-task-events',
                               '--ns'], capture_output=True, text=True, check=True).stdout
        with open(data, 'rb') as f:
            clock = jitdump.clock_of(f.read())
        times = {int(n): jitdump.ticks_of(int(s) * 10**9 + int(ns), *clock) for s, ns, n in
                 re.findall(r'(\d+)\.(\d{9}): PERF_RECORD_COMM: jit:(\d+)', text)}
        with open(dump, 'rb') as f:
            stamped = mkjit.stamped(complete(f.read(), max(times, default=0)), times)
        with open(dump, 'wb') as f:
            f.write(stamped)
        if shutil.which('perf'):
            subprocess.run(['perf', 'inject', '-j', '-i', data, '-o', data + '.injected'],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def long(self):
        folder = os.path.join(self.out, 'python3-long')
        argv = self.command('python3', folder)
        info = {}
        for length, times in LONG_TIMES.items():
            self.record(folder, length, 'cyc', LONG_MILLION, argv,
                        ['--symfs', 'symfs', '--repeat', str(times)])
            info[length] = self.counted(folder, length + '.data')
        return info

    def kernel(self):
        """Recordings of a whole system that lie beside the checkout."""
        unpack = os.path.join(oracle.shared_folder(), 'traces', 'kernel', 'unpack.sh')
        folder = os.path.join(self.out, 'kernel')
        subprocess.run(['bash', unpack, folder], check=True, stdout=subprocess.DEVNULL)
        return {name: self.counted(folder, name + '/perf.dir/data') for name in ('k1', 'k9', 'k13')}

    def make(self, title, work, *args):
        """One folder, by WORK, when it is not there yet."""
        folder = os.path.join(self.out, title)
        if os.path.exists(os.path.join(folder, 'info.json')):
            return self.say('%s: there already' % title)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        start = time.monotonic()
        info = work(*args)
        with open(os.path.join(folder, 'info.json'), 'w') as f:
            json.dump(info, f, indent=1)
        sizes = ', '.join('%s %.1f MB' % (n, i['pt'] / 1e6) for n, i in info.items())
        return self.say('%s: %s of trace, %.0f s' % (title, sizes, time.monotonic() - start))

    def all(self):
        self.say('recording into %s, %d programs at a time' % (self.out, len(self.cpus)))
        self.sources()
        works = [('python3-long', self.long)]
        for name, (_, _, kinds) in PROGRAMS.items():
            if self.command(name, self.src) is None:
                self.say('%s: not installed, skipped' % name)
                continue
            works += [('%s-%s' % (name, kind), self.one, name, kind) for kind in kinds]
        shared = oracle.shared_folder()
        if shared and os.path.exists(shared + '/traces/kernel/unpack.sh') and shutil.which('xz'):
            works.append(('kernel', self.kernel))
        else:
            self.say('kernel: no recordings beside the checkout (PTS_SHARED), skipped')
        with concurrent.futures.ThreadPoolExecutor(len(self.cpus), initializer=self.pin) as pool:
            for done in [pool.submit(self.make, *work) for work in works]:
                done.result()

    def pin(self):
        """This thread, and so the recorder and the program that it stops and starts, to a CPU."""
        with self.lock:
            os.sched_setaffinity(0, {self.cpus.pop()})


def complete(dump, number):
    """Up to the record of this number: one that was cut, or came after the recording's end, is
    left out."""
    at = mkjit.HEADER
    while at + 16 <= len(dump):
        size = int.from_bytes(dump[at + 4:at + 8], 'little')
        if at + size > len(dump) or int.from_bytes(dump[at + 8:at + 16], 'little') > number:
            break
        at += size
    return dump[:at]


def main():
    ap = argparse.ArgumentParser()
    for program in ('ptrecord', 'ptscript', 'ptcount'):
        ap.add_argument('--' + program, required=True, type=os.path.abspath)
    ap.add_argument('folder')
    Maker(ap.parse_args()).all()
    return 0


if __name__ == '__main__':
    sys.exit(main())
