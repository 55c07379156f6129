"""itrace_letter.py - docs/add-an-itrace-letter.md: a letter for something that is seen already.

SPDX-License-Identifier: MIT

With E there is a sample wherever the trace ends, which the decoder tells anyway.
"""
import os
import re

from run import Edit, read

PAGE = 'docs/add-an-itrace-letter.md'
MOST = 2

OPTIONS = ['--itrace=E -F comm,time,event,ip,sym,synth --ns']
SHOWN = 'end:'


def edits(tree):
    made = 'synth/plan/made.def'
    perfs = 1 + max(map(int, re.findall(r'SYNTH\((\d+)\)', read(os.path.join(tree, made)))))
    return [
        Edit('include/ptscript/itrace.def', r'^ITRACE\(',
             'ITRACE(\'E\', ENDS, NONE, "where the trace ends")\n'),
        Edit(made, r'^MADE\(',
             'MADE(END, "end", SYNTH(%d), ENDS, NOTHING, TRACE_END, 13,'
             ' " flags: {0.0+32:u}")\n' % perfs),
    ]


def recording(c):
    s = c.program()
    c.pt.start(c.t0).pge(s._start).tnt('T').pgd().pge(s.g).tnt('T').tip(s.f2).pgd()
    c.finish()


EXPECT = '''\
t 641.257928663: end: flags: 0 40100c _start
t 641.257928666: end: flags: 0 40102e f3
'''
