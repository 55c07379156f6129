#!/usr/bin/env python3
"""bench.py PROGRAM REPORT - speed and memory beside perf's, on the same files.

SPDX-License-Identifier: MIT

Outputs are compared first (by hash); a job whose output differs is reported as such and not
timed.  Then perf and ptscript run in turn, RUNS times each; the medians count.  user+sys and
wall seconds come from the kernel (wait4), the peak of resident memory from time(1): a child
of ours would start with our own peak.

Input: the recording of a real processor beside the checkout, its AUX data repeated to
PTS_BENCH_MB (50) megabytes, when it is there; and a bundled one.  For source lines:
PTS_BENCH_ADDRESSES (200000) samples in 200 copies of a program with debug information.
"""
import hashlib
import os
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, 'tests', 'oracle'))
sys.path.insert(0, os.path.join(TOP, 'tests', 'lib'))
import mkperf  # noqa: E402
import oracle  # noqa: E402
import symbols  # noqa: E402

RUNS = int(os.environ.get('PTS_BENCH_RUNS', '5'))
MEGABYTES = int(os.environ.get('PTS_BENCH_MB', '50'))
ADDRESSES = int(os.environ.get('PTS_BENCH_ADDRESSES', '200000'))
IMAGES, APART = 200, 0x10000000
# name, options, share of PTS_BENCH_MB (every instruction is 25 times the text of branches)
JOBS = [('decode only', '--itrace=e', 1), ('all branches', '--itrace=b', 0.2),
        ('every instruction', '--insn-trace', 0.03), ('dump', '-D', 0.4)]
AUXTRACE = 71


def repeated(data, megabytes):
    """The file with its AUXTRACE record and data repeated in place, offsets running on.

    Every other record stays as it is; the AUXTRACE index of the header is left out (perf
    then finds the buffers by reading the records)."""
    header = struct.unpack_from('<8sQQQQQQQQQQQQ', data)
    attrs_off, attrs_size, data_off, data_size = header[3:7]
    features = header[9]
    records, at, end = [], data_off, data_off + data_size
    while at < end:
        kind, _, size = struct.unpack_from('<IHH', data, at)
        extra = struct.unpack_from('<Q', data, at + 8)[0] if kind == AUXTRACE else 0
        records.append((kind, data[at:at + size], data[at + size:at + size + extra]))
        at += size + extra
    out = []
    for kind, record, aux in records:
        if kind != AUXTRACE:
            out.append(record)
            continue
        for n in range(max(1, int(megabytes * 1000000) // len(aux))):
            out.append(record[:16] + struct.pack('<Q', n * len(aux)) + record[24:] + aux)
    body = b''.join(out)
    kept, sections = [], end
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


def measure(argv, out):
    """(wall, user+sys, peak MB, exit status)"""
    with open(out, 'wb') as f, tempfile.NamedTemporaryFile('r') as peak:
        start = time.monotonic()
        child = subprocess.Popen(['/usr/bin/time', '-f', '%M', '-o', peak.name] + argv,
                                 stdin=subprocess.DEVNULL, stdout=f,
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        seconds = time.monotonic() - start
        return (seconds, usage.ru_utime + usage.ru_stime,
                int(peak.read().split()[-1]) / 1000, status)


def output_hash(argv):
    digest, size = hashlib.sha256(), 0
    with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as child:
        while True:
            block = child.stdout.read(1 << 20)
            if not block:
                break
            digest.update(block)
            size += len(block)
    return digest.hexdigest(), size


def compare(perf, ours):
    """A row's numbers, or None when the outputs differ."""
    a, b = output_hash(perf), output_hash(ours)
    if a != b:
        return None
    rows = {'perf': [], 'ptscript': []}
    for _ in range(RUNS):
        rows['perf'].append(measure(perf, os.devnull))
        rows['ptscript'].append(measure(ours, os.devnull))
    return a[1], {who: [statistics.median(r[i] for r in runs) for i in range(3)]
                  for who, runs in rows.items()}


def inputs():
    """(name, capture, whether to repeat it)"""
    for capture in oracle.captures():
        if capture.name == 'emu-ls':
            yield capture.name, capture, False
        elif capture.name == 'real-mruby':
            yield capture.name + ', AUX data repeated', capture, True


def enlarged(capture, megabytes, tmp):
    big = os.path.join(tmp, 'perf.data')
    with open(capture.data, 'rb') as f, open(big, 'wb') as to:
        to.write(repeated(f.read(), megabytes))
    return oracle.Capture(capture.name, big, capture.symfs, capture.buildid_dir)


def machine():
    with open('/proc/cpuinfo') as f:
        model = next((l.split(':')[1].strip() for l in f if l.startswith('model name')), '?')
    return '%s, %d CPUs' % (model, os.cpu_count())


def row(program, job, options, capture):
    prefix = ['--buildid-dir', capture.buildid_dir] if capture.buildid_dir else []
    rest = capture.common() + [options]
    got = compare(['perf'] + prefix + ['script'] + rest, [program] + prefix + rest)
    start = '| %s | `%s` | %.1f MB | ' % (job, options, os.path.getsize(capture.data) / 1e6)
    if got is None:
        return start + 'differs | | | | | | | |'
    size, r = got
    p, o = r['perf'], r['ptscript']
    return start + '%.1f MB | %.2f s | %.2f s | %.2f | %.2f s | %.2f s | %.0f | %.0f |' % (
        size / 1e6, p[0], o[0], p[0] / o[0], p[1], o[1], p[2], o[2])


def heading(name):
    return ['## %s' % name, '', '| job | options | file | output | perf wall | ptscript wall '
            '| ratio | perf CPU | ptscript CPU | perf MB | ptscript MB |',
            '|---|---|---|---|---|---|---|---|---|---|---|']


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
    w.write(os.path.join(tmp, 'lines.data'))
    return oracle.Capture('lines', os.path.join(tmp, 'lines.data'), None, None)


def lines_table(program, tmp):
    lines = heading('%d addresses in %d images' % (ADDRESSES, IMAGES))
    lines.append(row(program, 'source lines', '-Fip,srcline', many_images(tmp)))
    print(lines[-1], flush=True)
    return lines + ['']


def table(program, name, capture, repeat, tmp):
    lines = heading(name)
    for job, options, share in JOBS:
        used = enlarged(capture, MEGABYTES * share, tmp) if repeat else capture
        lines.append(row(program, job, options, used))
        print(lines[-1], flush=True)
    return lines + ['']


def main():
    program, report = os.path.abspath(sys.argv[1]), sys.argv[2]
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    os.environ.update(LC_ALL='C', TZ='UTC', PAGER='cat')
    version = subprocess.run(['perf', '--version'], capture_output=True, text=True).stdout
    lines = ['# Speed beside perf', '',
             'Written by `make bench`: %s, %s; medians of %d alternating runs, output to '
             '/dev/null, outputs found equal first. Ratio: perf wall / ptscript wall, above 1 '
             'ptscript is faster.' % (version.strip(), machine(), RUNS), '']
    with tempfile.TemporaryDirectory() as tmp:
        os.environ['HOME'] = tmp
        for name, capture, repeat in inputs():
            print(name)
            lines += table(program, name, capture, repeat, tmp)
        if shutil.which('g++'):
            lines += lines_table(program, tmp)
    with open(report, 'w') as f:
        f.write('\n'.join(lines))
    return 0


if __name__ == '__main__':
    sys.exit(main())
