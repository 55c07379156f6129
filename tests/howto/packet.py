"""packet.py - docs/add-a-packet.md: a packet of a processor that does not exist yet.

SPDX-License-Identifier: MIT

BEACON says how bright a light is.  It tells so where execution is, or where the FUP behind it
says: two kinds of packet, one event.
"""
import os
import re

from run import TOP, Edit, read

PAGE = 'docs/add-a-packet.md'
MOST = 3

OPTIONS = ['-D', '--itrace=p -F comm,time,event,ip,sym,synth --ns']
SHOWN = '(?i)beacon'
IP_BIT = 0x80  # of the second byte
NOT_IN_TABLE = {0x13, 0x82, 0xa3, 0xc3}  # PSB and kin, see packets.def


def free_byte(packets):
    """A second byte that is not taken, with and without its bit for IP."""
    taken = NOT_IN_TABLE | {int(b, 16) for b in re.findall(r'^PTS_ENCODING\((0x\w+)', packets,
                                                           re.M)}
    return next(b for b in range(0x42, IP_BIT) if not {b, b | IP_BIT} & taken)


FREE = free_byte(read(os.path.join(TOP, 'include/ptscript/packets.def')))


def edits(tree):
    packets = 'include/ptscript/packets.def'
    made = 'synth/plan/made.def'
    number = 1 + max(map(int, re.findall(r'^PTS_PACKET\(\w+, *(\d+),',
                                         read(os.path.join(tree, packets)), re.M)))
    perfs = 1 + max(map(int, re.findall(r'SYNTH\((\d+)\)', read(os.path.join(tree, made)))))
    return [
        Edit(packets, r'^PTS_PACKET\(', '''\
PTS_PACKET(BEACON,     %d, "BEACON",            VALUE,  STEADY,                NOW, BEACON)
PTS_PACKET(BEACON_IP,  %d, "BEACON.IP",         VALUE,  STEADY,                FUP, BEACON)
''' % (number, number + 1)),
        Edit(packets, r'^PTS_ENCODING\(', '''\
PTS_ENCODING(%#04x, BEACON,      6, NOTHING,        BITS(2, 0, 32))
PTS_ENCODING(%#04x, BEACON_IP,   6, NOTHING,        BITS(2, 0, 32))
''' % (FREE, FREE | IP_BIT)),
        Edit('decoder/pt/events.def', r'^PT_EVENT\(', '''\
PT_EVENT(BEACON,      PAYLOAD | TELLS_IP)
'''),
        Edit(made, r'^MADE\(', '''\
MADE(BEACON, "beacon", SYNTH(%d), POWER, NOTHING, BEACON, 13, " IP: {0.0+1:u} light: {4.0+16:u}")
''' % perfs),
    ]


def recording(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start)
    c.pt.raw([2, FREE, 7, 0, 0, 0])
    c.pt.raw([2, FREE | IP_BIT, 0x39, 5, 0, 0]).fup(s.f)
    c.pt.tnt('T').tip(s.g).pgd()
    c.finish()


EXPECT = '''\
. 0000002e: 02 %02x 07 00 00 00 BEACON 0x7
. 00000034: 02 %02x 39 05 00 00 BEACON.IP 0x539
t 641.257928663: beacon: IP: 0 light: 7 401000 _start
t 641.257928663: beacon: IP: 1 light: 1337 401023 f
''' % (FREE, FREE | IP_BIT)
