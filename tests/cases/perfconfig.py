"""perf's configuration: what its files may say, and which keys change anything."""
import os

import ptasm
from cases import case

SYNTAX = {
    'plain': b'[intel-pt]\n\tmispred-all = true\n',
    'cases': b'[INTEL-PT] Mispred-all=TRUE',
    'names': b'[intel-pt]\nmispred-All = true\n',
    'part': b'[intel-pt "x"]\nmispred-all = true\n',
    'parts': b'[x  "a\\"b"] c=1\n[y.z]\n[.]d=2\n[intel-pt]mispred-all=1\n',
    'remarks': b'# a\n ; b\n\n[intel-pt]\nmispred-all=yes ; "c\nd="#;\\t\\n\\b\\\\\\"" # e',
    'dos': b'\xef\xbb\xbf[intel-pt]\r\nmispred-all=on\r\nzz\r\n',
    'joined': b'[intel-pt]\nmispred-all=tr\\\nue\nx = a\\\n"b\n',
    'later': b'[intel-pt]\nmispred-all=1\nmispred-all=0\n[intel-pt]\nmispred-all=2k\n',
    'before': b'mispred-all=1\n[intel-pt]\nmispred-all=1\n',
    'bare': b'[intel-pt]\nmispred-all\n',
    'digit': b'[intel-pt]\nmispred-all=1\n1a=1\nmispred-all=0\n',
    'open': b'[intel-pt]\nmispred-all="1\n',
    'escape': b'[intel-pt]\nmispred-all=1\\q\n',
    'head': b'[intel-pt]\nmispred-all=1\n[a\nb=1\n',
    'head-part': b'[intel-pt]\nmispred-all=1\n[a "b\n"]\n',
    'no-head': b'[intel-pt]\nmispred-all=1\n[]\n',
    'long-section': b'[%s]\n[intel-pt]\nmispred-all=1\n[%s]\n' % (b'x' * 129, b'x' * 130),
    'long-part': b'[x "%s"]\n[xx "%s"]\n' % (b'x' * 126, b'x' * 126),
    'long-name': b'[intel-pt]\na%s=1\nmispred-all=1\na%s=1\n' % (b'x' * 245, b'x' * 246),
    'long-value': b'[intel-pt]\na=%s\nmispred-all=1\na=%s\n' % (b'x' * 1022, b'x' * 1023),
    'mark': b'\xef\xbb[intel-pt]\nmispred-all=1\n',
    'zero': b'[intel-pt]\nmispred-all=1\n\0',
    'empty': b'',
}
ANSWERS = ('no', 'off', 'FALSE', '', '0', '0x0', '1k', '-1', '4g', '4294967296', 'k', '1 k',
           'zz', '99999999999999999999')
LOOPS = ('0', '3', '-1', '7k', '4294967299', '', 'x')
STOPS = ('call-graph.order=x', 'call-graph.record-mode=f', 'call-graph.record-mode=lbr,x',
         'call-graph.record-mode=dwarf,99999', 'call-graph.dump-size=0',
         'call-graph.dump-size=65529', 'call-graph.print-type=caller', 'call-graph.threshold=',
         'call-graph.print-limit=x', 'call-graph.sort-key=x', 'hist.percentage=rel',
         'llvm.Clang-Opt=x', 'llvm.foo=1')
GOES_ON = ('call-graph.record-mode=,dwarf,,100,x', 'call-graph.record-mode=fp,x',
           'call-graph.dump-size=65521', 'call-graph.print-type=g', 'call-graph.threshold=1e',
           'call-graph.sort-key=', 'hist.percentage=absolute', 'llvm.clang-opt=x',
           'llvm.dump-obj=x', 'ui.show-headers=x', 'stat.big-num=x', 'stat.no-csv-summary=x',
           'stat.foo=x', 'tui.script=x', 'gtk.script=x', 'tui.evlist=x', 'core.foo=x',
           'core.proc-map-timeout=x', 'pager.script=x', 'color.ui=x', 'intel-pt.cache-divisor=x',
           'itrace.debug-log-buffer-size=x', 'annotate.addr2line=x', 'report.queue-size=x',
           'convert.queue-size=x', 'buildid-cache.debuginfod=x', 'buildid.foo=x')
STACKS = '--itrace=i1il4 -F ip,brstack'


def write(c, name, data):
    with open(os.path.join(c.folder, name), 'wb') as f:
        f.write(data)


def write_key(c, name, setting):
    section, key = setting.split('.', 1)
    write(c, name, ('[%s]\n%s\n' % (section, key)).encode())


def looping(c):
    """Loops that no packet tells of, of several lengths."""
    code = ptasm.Code()
    code.func('_start').jmp('a').label('b').jmp('c').label('a').jmp('b').label('c').jmp('d')
    code.label('e').jmp('f').label('d').jmp('e').label('f').call('g').jmp('h')
    code.func('g').ret().label('h').jmp('i').label('i').nop().call('g').syscall()
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).cbr(20).tnt('TT').pgd()
    c.finish()


@case(*('config=%s %s' % (name, STACKS) for name in SYNTAX))
def syntax(c):
    for name, data in SYNTAX.items():
        write(c, name, data)
    looping(c)


@case(*('config=a%d %s' % (i, STACKS) for i in range(len(ANSWERS))),
      *('config=l%d --itrace=be' % i for i in range(len(LOOPS))),
      'config=l6 --no-itrace', 'config=l6 -D', 'config=l6 --header-only', 'config=l6 -F zz',
      'config=l6 -C 99', 'config=none ' + STACKS, 'config=/ ' + STACKS)
def values(c):
    for i, value in enumerate(ANSWERS):
        write_key(c, 'a%d' % i, 'intel-pt.mispred-all=' + value)
    for i, value in enumerate(LOOPS):
        write_key(c, 'l%d' % i, 'intel-pt.max-loops=' + value)
    looping(c)


@case(*('config=s%d --no-itrace' % i for i in range(len(STOPS))),
      *('config=g%d --no-itrace' % i for i in range(len(GOES_ON))),
      'config=s0 --zzz', 'config=g7 --zzz', 'config=all --no-itrace')
def checks(c):
    for name, settings in (('s', STOPS), ('g', GOES_ON)):
        for i, setting in enumerate(settings):
            write_key(c, '%s%d' % (name, i), setting)
    write(c, 'all', b'[ui]\nshow-headers=x\n[tui]\nscript=x\nscript=y\n[stat]\nbig-num=x\n'
          b'[ui]\nx=1\n[stat]\nno-csv-summary=y\nbig-num=z\n[hist]\npercentage=q\n')
    looping(c)


@case('config=callers --itrace=i1ig8', 'config=callers --itrace=i1ig8 --stop-bt g')
def callers_first(c):
    """Also of stacks that were followed from the trace."""
    write_key(c, 'callers', 'call-graph.order=caller')
    looping(c)


@case('config=l3 --itrace=i1il4')
def inner(c):
    """Samples between branches do not begin the count of a loop anew."""
    write_key(c, 'l3', 'intel-pt.max-loops=3')
    looping(c)


@case(*('config=l%d --itrace=%s --ns' % (n, what) for n in (0, 2, 3) for what in ('i1ie', 'i3ie', 'be')),
      'config=l3 --itrace=i7il8e -F+brstack')
def between(c):
    """Samples of what is no branch do, however many branches there were without a packet."""
    for n in (0, 2, 3):
        write_key(c, 'l%d' % n, 'intel-pt.max-loops=%d' % n)
    code = ptasm.Code()
    code.func('_start')
    for i in (4, 2, 7, 1, 3, 6, 5, 0):  # jumps forth and back, and a nop
        code.jmp('n%d' % i).label('m%d' % i).nop()
    code.syscall()
    for i in range(8):
        code.label('n%d' % i).jmp('m%d' % i)
    s = c.program(code)
    c.pt.start(c.t0).pge(s._start).cbr(20).tnt('T').pgd()
    c.finish()
