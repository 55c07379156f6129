#!/usr/bin/env python3
"""kinds.py --ptrecord PROGRAM - every packet and record that ptrecord can write, it writes.

SPDX-License-Identifier: MIT

A few recordings together must hold each kind of the table, as perf's dump shows it, and some
of them in the order or at the distance that the processor's manual says.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import record

# name: program of record.py, options
RECORDINGS = {
    'plain': ('recurse', '-e intel_pt/psb_period=0/u'),
    'threads': ('threads', '--cpus 2 --slice 2000 --lost 5'),
    'own': ('threads', '--cpus 2 --slice 2000 --own-switches --buildid-mmap'),
    'extra': ('extra', '-e intel_pt/ptw,fup_on_ptw,cyc/u'),
    'events': ('signals', '-e intel_pt/pwr_evt,event/u --pebs --max-insns 200000'),
    'no-branch': ('signals', '-e intel_pt/branch=0,event/u'),
    'pebs': ('switch', '--pebs --pebs-xmm --pebs-lbr'),
    'far': ('dl', '-e intel_pt/psb_period=0,noretcomp/u'),
    'quiet-ptw': ('extra', '-e intel_pt/ptw/u'),
    'faults': ('threads', '-e intel_pt/psb_period=0/u --overflow 3 --truncate 3'),
    'rep': ('rep', '--interrupts 1'),
    '32': ('branches32', ''),
    'thread': ('threads', '--per-thread'),
    'snapshot': ('switch', '--snapshot --aux-bytes 4096 -e intel_pt/psb_period=0/u'),
    'sample': ('recurse', '--aux-sample'),
}

# recording: what its dump must hold, each a regular expression.
PACKETS = {
    'plain': ['PSB', 'PSBEND', 'PAD', 'TSC 0x', 'TMA CTC', 'CBR 0x', 'MTC 0x', 'MODE.Exec IF:0 64',
              r'MODE.TSX TXAbort:0 InTX:0', 'FUP 0x', 'TIP 0x', 'TIP.PGE 0x', 'TIP.PGD no ip',
              r'TNT [NT]+ \(1\)', r'TNT [NT]{6} \(6\)', r'TNT [NT]{47} \(47\)'],
    'extra': ['CYC 0x', 'PTWRITE 0x.* IP:1', 'MODE.TSX TXAbort:0 InTX:1',
              'MODE.TSX TXAbort:1 InTX:0'],
    'events': ['MWAIT 0x', 'PWRE 0x', 'PWRX 0x', 'EXSTOP IP:1', 'EXSTOP IP:0',
               'CFE IP:0 Type 0x01', 'CFE IP:0 Type 0x02', 'EVD Type 0x00', 'MODE.Exec IF:1 64',
               'BBP SZ 8-byte Type 0x1', 'BBP SZ 8-byte Type 0x4', 'BBP SZ 8-byte Type 0x5',
               'BIP ID', 'BEP IP:1'],
    'quiet-ptw': ['PTWRITE 0x.* IP:0'],
    'faults': ['OVF'],
    '32': ['MODE.Exec IF:0 32'],
    'no-branch': ['CFE IP:1 Type 0x01'],
    'pebs': ['BBP SZ 8-byte Type 0x8', 'BBP SZ 8-byte Type 0x9', 'BBP SZ 8-byte Type 0xa',
             'BBP SZ 8-byte Type 0x10', r'BIP ID 0x1d'],
}
# The ways to write an IP, by the upper bits of the packet's first byte.
IP_FORMS = {0: 'none', 1: '16 bits', 2: '32 bits', 3: '48 bits extended', 4: '48 bits',
            6: '64 bits'}
RECORDS = {
    'threads': ['TIME_CONV', 'ID_INDEX', 'AUXTRACE_INFO', 'EVENT_UPDATE', 'THREAD_MAP', 'CPU_MAP',
                'COMM exec', 'COMM', r'MMAP2 .* [0-9a-f]+:[0-9a-f]+ \d+ \d+\]: r', 'FORK', 'EXIT',
                'ITRACE_START', 'AUX offset', 'AUXTRACE size', 'SWITCH_CPU_WIDE IN',
                'SWITCH_CPU_WIDE OUT preempt', 'SWITCH_CPU_WIDE OUT  ', 'LOST', 'FINISHED_ROUND',
                'FINISHED_INIT'],
    'own': ['SWITCH IN', 'SWITCH OUT preempt', 'SWITCH OUT  ', r'MMAP2 .*<[0-9a-f]{40}>'],
    'faults': [r'AUX offset.*flags: 0x1 \[T\]'],
    'snapshot': [r'AUX offset.*flags: 0x2 \[O\]'],
    'sample': [r'SAMPLE\('],
}
FEATURES = ['hostname', 'os release', 'perf version', 'arch', 'nrcpus online', 'cpudesc', 'cpuid',
            'total memory', 'cmdline', 'sibling sockets', 'node0 meminfo', 'event : name',
            'pmu mappings', 'time of first sample']


def dump_of(ptrecord, name, folder):
    program, options = RECORDINGS[name]
    data = os.path.join(folder, name + '.data')
    command = record.OWN[program][1].split()
    subprocess.run([ptrecord, '-o', data] + options.split() + ['--'] + command, cwd=folder,
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(['perf', 'script', '-D', '--header', '-I', '-f', '-i', data],
                              capture_output=True, env=record.environment(home))
    return re.sub(r'\x1b\[[0-9;]*m', '', done.stdout.decode(errors='replace'))


def packets_of(dump):
    """(offset, bytes, text) of each line of the dump that is a packet."""
    line = re.compile(r'^\.  ([0-9a-f]{8}): ((?: [0-9a-f]{2})+) +(\S.*)$', re.M)
    return [(int(at, 16), bytes.fromhex(raw), text.strip())
            for at, raw, text in line.findall(dump)]


def missing_kinds(packets, dumps):
    for name, wanted in PACKETS.items():
        for kind in wanted:
            if not any(re.match(kind, text) for _, _, text in packets[name]):
                yield '%s: no packet %s' % (name, kind)
    for name, wanted in RECORDS.items():
        for kind in wanted:
            if not re.search(r'PERF_RECORD_' + kind, dumps[name]):
                yield '%s: no record %s' % (name, kind)
    for feature in FEATURES:
        if not re.search('^# ' + feature, dumps['threads'], re.M):
            yield 'threads: no header line ' + feature


def missing_forms(packets):
    seen = {raw[0] >> 5 for found in packets.values() for _, raw, text in found
            if re.match(r'(TIP|FUP)', text)}
    for form, name in IP_FORMS.items():
        if form not in seen:
            yield 'no IP of ' + name


def wrong_psbs(packets, period):
    """PSB+ is whole, and comes every 2048 << period bytes or soon after."""
    whole = (r'PSB( PAD)*( TSC TMA)?( CBR)( MODE.Exec)?( MODE.TSX FUP)? PSBEND')
    names = ' '.join(text.split()[0] for _, _, text in packets)
    for m in re.finditer(r'PSB .*?PSBEND', names):
        if not re.fullmatch(whole, m[0]):
            yield 'PSB+ of ' + m[0]
    at = [offset for offset, _, text in packets if text == 'PSB']
    for one, other in zip(at, at[1:]):
        if other > one and not 0 <= other - one - (2048 << period) < 64:
            yield 'PSBs at %#x and %#x' % (one, other)


def interrupted_rep(packets):
    """Tracing goes on at an instruction and stops at it again: it is not executed yet."""
    tell = [t for _, _, t in packets if t.startswith(('TIP', 'FUP'))]
    return any(a.startswith('TIP.PGE 0x') and b == 'FUP' + a[7:] for a, b in zip(tell, tell[1:]))


def deep_returns(packets):
    """Of calls nested more than 64 deep: there are returns that cannot be compressed."""
    tips = [raw for _, raw, text in packets if text.startswith('TIP 0x')]
    return len(tips) > len(set(tips)) + 64


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ptrecord', required=True)
    ptrecord = os.path.abspath(parser.parse_args().ptrecord)
    if not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        wanted = {program for program, _ in RECORDINGS.values()}
        built = {name for name, _, _ in record.programs(folder, wanted)}
        dumps = {name: dump_of(ptrecord, name, folder)
                 for name in RECORDINGS if RECORDINGS[name][0] in built}
    for table in (PACKETS, RECORDS):
        for name in set(table) - set(dumps):
            del table[name]
    packets = {name: packets_of(dump) for name, dump in dumps.items()}
    wrong = list(missing_kinds(packets, dumps)) + list(missing_forms(packets))
    wrong += list(wrong_psbs(packets['plain'], 0))
    if not interrupted_rep(packets['rep']):
        wrong.append('no repeated instruction was interrupted')
    if not deep_returns(packets['plain']):
        wrong.append('all returns are compressed')
    for text in wrong[:20]:
        print(text)
    print('%d recordings, %d packets, %d wrong' % (
        len(dumps), sum(map(len, packets.values())), len(wrong)))
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
