"""pebscase.py - what the cases of PEBS by way of the trace share.

SPDX-License-Identifier: MIT
"""
import mksample as ms
from mkperf import PT_CONFIG, Attr
from mksample import (AUX_OUTPUT, CPU, EXCLUDE_HV, EXCLUDE_KERNEL, IDENTIFIER, IP, SAMPLE_ID_ALL,
                      TID, TIME)

BASE = IDENTIFIER | IP | TID | TIME | CPU
USER = EXCLUDE_HV | EXCLUDE_KERNEL | SAMPLE_ID_ALL
SIDE = USER | ms.MMAP | ms.COMM | ms.TASK | ms.MMAP2 | ms.COMM_EXEC | ms.CONTEXT_SWITCH
RAW = 4  # PERF_TYPE_RAW
GPRS, BASIC, MEMORY, LBR, XMM = 1, 4, 5, 8, 16
REGS = 0xff03ff  # those that PEBS has
FIRST, INDEX = 200, 1  # id of the first PEBS event; the queue of CPU 1
WHERE = '-F comm,tid,cpu,time,event,ip,sym,addr,period'
O = ('', '--itrace=o', '--itrace=beo %s --ns' % WHERE)


def event(sample_type=0, kind=RAW, config=0x3c, flags=0, period=1000, **kw):
    return dict(kind=kind, config=config, flags=USER | AUX_OUTPUT | flags,
                sample_type=BASE | sample_type, period=period, **kw)


def begin(c, *events, config=PT_CONFIG, cpuid=None, sample_type=BASE, kernel=False, **kw):
    """The trace (id 100), the side-band (101), PEBS events (200 ...), and code."""
    flags = USER & ~EXCLUDE_KERNEL if kernel else USER
    side = Attr(1, 9, SIDE, sample_type, [101])
    attrs = [Attr(6, config, flags, sample_type, [100]), side]
    attrs += [Attr(ids=[FIRST + i], **e) for i, e in enumerate(events)]
    s = c.program()
    d = c.perf(attrs=attrs, **kw)
    d.from_attr = side
    if cpuid:
        d.features['cpuid'] = d.pack('I', 64) + cpuid.encode().ljust(64, b'\0')
    d.id_index([(i, INDEX, 1, -1) for a in attrs for i in a.ids])
    c.record()
    c.pt.start(c.t0).pge(s._start)
    return s


def block(c, groups, ip=None, four=()):
    """groups: {type: {item: value}}; ip: of the FUP behind it, None for none."""
    for kind, items in groups.items():
        c.pt.bbp(kind, kind in four)
        for item, value in items.items():
            c.pt.bip(item, value % 2**64, 4 if kind in four else 8)
    c.pt.bep(ip is not None)
    if ip is not None:
        c.pt.fup(ip)


def basic(c, ip, after=100, counters=1):
    return {0: ip, 1: counters, 2: c.t0 + after}


def end(c, s):
    c.pt.tnt('T').tip(s.g).pgd()
    c.finish()
