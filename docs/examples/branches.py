#!/usr/bin/env python3
"""branches.py - how many branches each function of a recording took.

SPDX-License-Identifier: MIT

    branches.py LIBRARY RECORDING [SYMFS]

What branches.c does, with nothing but Python's own ctypes: LIBRARY is libptscript.so.  The
structs below are those of ptscript/sample.h; their first members are enough, as each tells its
size.
"""
import collections
import ctypes as c
import os
import sys

WANT_SYMBOL = 1 << 1
ROW_SAMPLE = 1
END, OK = 1, 0


class Diag(c.Structure):
    _fields_ = [('status', c.c_int), ('queue', c.c_uint32), ('offset', c.c_uint64),
                ('text', c.c_char * 240)]


class OpenOpts(c.Structure):
    _fields_ = [('size', c.c_size_t), ('force', c.c_int), ('symfs', c.c_char_p)]


class Option(c.Structure):
    _fields_ = [('name', c.c_char_p), ('value', c.c_char_p)]


class SamplesOpts(c.Structure):
    _fields_ = [('size', c.c_size_t), ('options', c.POINTER(Option)),
                ('option_count', c.c_size_t), ('want', c.c_uint32)]


class Row(c.Structure):
    _fields_ = ([(n, c.c_uint64) for n in
                 'time ip addr period insn_cnt cyc_cnt payload'.split()]
                + [(n, c.c_int32) for n in 'pid tid cpu'.split()]
                + [(n, c.c_uint32) for n in
                   'type flags event comm sym dso addr_sym addr_dso symoff addr_symoff '
                   'chain chain_n'.split()]
                + [('insn_len', c.c_uint8), ('insn', c.c_uint8 * 15)])


class Batch(c.Structure):
    _fields_ = [('size', c.c_size_t), ('rows', c.c_void_p), ('n', c.c_size_t),
                ('row_size', c.c_size_t)]


def sized(kind, **members):
    return kind(size=c.sizeof(kind), **members)


def check(status, why):
    if status < 0:
        sys.exit('branches.py: ' + why.text.decode(errors='replace'))
    return status


def rows_of(batch):
    """The rows where they lie: nothing is copied."""
    for i in range(batch.n):
        yield Row.from_address(batch.rows + i * batch.row_size)


def count(lib, recording, symfs):
    """recording and symfs: bytes, which the library goes on using while the session lives."""
    session, stream, why = c.c_void_p(), c.c_void_p(), Diag()
    opts = sized(OpenOpts, symfs=symfs)
    check(lib.pts_session_open(recording, c.byref(opts), c.byref(session), c.byref(why)), why)
    options = (Option * 1)(Option(b'itrace', b'b'))
    rows = sized(SamplesOpts, options=options, option_count=1, want=WANT_SYMBOL)
    check(lib.pts_samples_open(session, c.byref(rows), c.byref(stream), c.byref(why)), why)
    batch, counts = sized(Batch), collections.Counter()
    while (status := lib.pts_stream_next_batch(stream, c.byref(batch), c.byref(why))) == OK:
        counts.update(row.sym for row in rows_of(batch) if row.type == ROW_SAMPLE)
    named = {(lib.pts_stream_string(stream, i, None) or b'[unknown]').decode(): n
             for i, n in sorted(counts.items())}
    lib.pts_stream_close(stream)
    lib.pts_session_close(session)
    return named, status, why


def main():
    if len(sys.argv) < 3:
        sys.exit('branches.py LIBRARY RECORDING [SYMFS]')
    lib = c.CDLL(sys.argv[1])
    lib.pts_stream_string.restype = c.c_char_p
    lib.pts_stream_string.argtypes = [c.c_void_p, c.c_uint32, c.c_void_p]
    lib.pts_stream_close.argtypes = lib.pts_session_close.argtypes = [c.c_void_p]
    recording, *symfs = map(os.fsencode, sys.argv[2:])
    named, status, why = count(lib, recording, symfs[0] if symfs else None)
    for name, n in named.items():
        print(n, name)
    check(status, why)  # a damaged file is told when all of it was used


if __name__ == '__main__':
    main()
