#!/usr/bin/env python3
"""tracepoints.py - samples of every tracepoint of this machine, made up, against perf.

SPDX-License-Identifier: MIT

    tracepoints.py [--ptscript PROGRAM] [--order '<' or '>'] [--seed N] [--samples N] [SYSTEM...]

The formats are the running kernel's (tracefs), the bytes of the samples random but for what
must lie inside a sample: data of dynamic fields, and counts.  Exit status 77 (skipped) when
perf or the formats are missing.
"""
import argparse
import glob
import os
import random
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import cases  # noqa: E402
import mkfeat  # noqa: E402
import mksample as ms  # noqa: E402
from mkperf import Attr, Recording  # noqa: E402

TRACEFS = '/sys/kernel/tracing'
FIELD = re.compile(r'\tfield:(.*?);\toffset:(\d+);\tsize:(\d+);')
AT_ONCE = 40
TYPES = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.RAW


class Format:
    def __init__(self, path):
        self.system, self.name = path.split('/')[-3:-1]
        with open(path) as f:
            self.text = f.read()
        self.id = int(re.search(r'^ID: (\d+)', self.text, re.M).group(1))
        self.fields = [(d, int(o), int(s)) for d, o, s in FIELD.findall(self.text)]
        # perf prints addresses of its own for these, or reads what lies behind the sample
        self.own_addresses = re.search(r'%p\W.*__get_(rel_)?dynamic_array\(', self.text)


def number(rnd, size):
    """Often small, a flag, or what is just negative."""
    values = [rnd.randrange(10), 1 << rnd.randrange(8 * size), (1 << 8 * size) - rnd.randrange(1, 4),
              rnd.randrange(1 << min(8 * size, 12)), rnd.randrange(1 << 8 * size)]
    return rnd.choice(values)


def sample_of(rnd, fmt, pack):
    end = max(o + s for _, o, s in fmt.fields)
    raw = bytearray(end)
    tail = bytearray()
    order = 'little' if pack.order == '<' else 'big'
    counts = re.search(r'__print_(array|hex)', fmt.text)
    for decl, off, size in fmt.fields:
        name = re.sub(r'\[.*', '', decl).split()[-1]
        if name == 'common_type':
            v = fmt.id.to_bytes(size, order)
        elif decl.startswith(('__data_loc', '__rel_loc')):
            data = (b'text%d' % rnd.randrange(100) + b'\0' if 'char' in decl
                    else rnd.randbytes(rnd.choice((0, 4, 8, 16, 32))))
            at = end + len(tail) - (off + size if decl.startswith('__rel') else 0)
            v = (len(data) << 16 | at).to_bytes(size, order)
            tail += data + bytes(-len(data) % 8)
        elif '[' in decl and re.search(r'\bchar\b', decl):
            v = b''.join(rnd.choice((b'a', b'z', b'/', b'0')) for _ in range(rnd.randrange(size)))
            v = v.ljust(size, b'\0')
        elif size in (1, 2, 4, 8) and '[' not in decl:
            v = (rnd.randrange(6) if counts else number(rnd, size)).to_bytes(size, order)
        else:
            v = rnd.randbytes(size)
        raw[off:off + size] = v
    raw += tail + bytes(64)
    return bytes(raw) + bytes((4 - len(raw)) % 8)


def recording(rnd, formats, count, order, folder):
    """perf.data with samples of these events."""
    d = Recording([Attr(2, f.id, ms.SAMPLE_ID_ALL, TYPES, [1000 + f.id]) for f in formats],
                  order=order)
    feat = mkfeat.Features(d.pack)
    systems = {}
    for f in formats:
        systems.setdefault(f.system, []).append(f.text)
    d.features['tracing_data'] = feat.tracing_data(
        {s: t for s, t in systems.items() if s != 'ftrace'}, ftrace=systems.get('ftrace', ()),
        strings='0x7 : "seven\\n"\n')
    d.features['event_desc'] = feat.event_desc(
        [(a.bytes(d.pack), '%s:%s' % (f.system, f.name), a.ids) for a, f in zip(d.attrs, formats)])
    d.comm('prog', 1000)
    for i in range(count):
        for a, f in zip(d.attrs, formats):
            d.sample(0x401000, 2000 + i, attr=a, raw=sample_of(rnd, f, d.pack))
    d.write(folder + '/perf.data')


def without_messages(option, result):
    """perf says of each format that it cannot read why."""
    status, out, _ = result
    return cases.text_of(option, (status, out, b''))


def compare(ours, formats, args):
    """How many events differ, and what is said of them."""
    rnd = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as tmp:
        recording(rnd, formats, args.samples, args.order, tmp)
        option = '-F event,trace'
        want, got = (without_messages(option, cases.run(command, option, tmp))
                     for command in (cases.PERF, ours))
        if cases.agree(want, got):
            return 0
        print(', '.join('%s:%s' % (f.system, f.name) for f in formats[:3]), '...')
        print(cases.difference(want, got))
        return 1


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', default='build/dev/ptscript')
    ap.add_argument('--order', default='<')
    ap.add_argument('--seed', type=int, default=1)
    ap.add_argument('--samples', type=int, default=5)
    ap.add_argument('systems', nargs='*')
    args = ap.parse_args()
    paths = sorted(glob.glob(TRACEFS + '/events/*/*/format'))
    if not shutil.which('perf') or not paths:
        print('perf is not installed, or the formats of tracepoints cannot be read: skipped')
        return 77
    formats = [Format(p) for p in paths]
    formats = [f for f in formats if f.system != 'ftrace' and not f.own_addresses
               and (not args.systems or f.system in args.systems)]
    bad = sum(compare([os.path.abspath(args.ptscript)], formats[i:i + AT_ONCE], args)
              for i in range(0, len(formats), AT_ONCE))
    print('%d tracepoints, %d groups of %d differ' % (len(formats), bad, AT_ONCE))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
