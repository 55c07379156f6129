"""report: rows, columns, call graphs, branches and lists of perf report --stdio (R01-R05, R07-R12)."""
import mkfeat
import ptasm
from cases import case
from mkperf import KERNEL, Attr, Recording
from mksample import (ADDR, BRANCH_STACK, CALLCHAIN, CGROUP, CHAIN_KERNEL, CHAIN_USER, CODE_PAGE_SIZE, CPU,
                      DATA_PAGE_SIZE, DATA_SRC, IDENTIFIER, IP, PERIOD, PHYS_ADDR, TID, TIME, TRANSACTION, WEIGHT, WEIGHT_STRUCT, branch)
from reccase import SIDE, times

LONG = 'w' * 420
BASE = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
ROWS = tuple('report ' + o for o in (
    '', '-q', '-n', '--show-total-period -n', '--show-cpu-utilization', '-s dso', '-s sym',
    '-s comm', '-s pid,cpu', '-s pid,comm -w 3,1,2', '-s pid,cpu -w 3,7,2', '-s pid,cpu -w 3,8,2', '-s pid,cpu -w 3,9,2', '-s pid -w 3,5 -t ,', '-s pid -t ,',
    '-s pid,comm,cpu -n', '-s +cpu', '-s time', '-s time --time-quantum 1us --ns',
    '-F overhead,sym', '-F sample,period,overhead,comm', '-F +period', '-s sym -F +dso', '-s symbol',
    '-t ,', '-t | -n', '-t :', '-w 10,20', '-w 0,0,30', '-w 1030', '-w ""', '-w 9 --no-column-widths', '--percent-limit 20', '--percent-limit nan', '-d prog', '-d prog,other',
    '-c prog', '-c prog,nobody', '-S a', '-S a,b', '-S 0x401000', '--tid 77', '--pid 4242 -c prog',
    '--percentage relative -d prog', '-t , -F comm,sample,period', '-w 10,10,20,30 -c prog -s sym,comm', '-c prog -s sym,dso,comm',
    '-C 0 -s parent', '-F +overhead_children', '-s comm,overhead_children', '-t : -c prog -s sym,comm', '-t : -F comm,overhead_us,overhead', '-w 27,3 --group -n', '-w 27,3 -n', '--time 10%-50%', '--time 1,', '-C 0', '-C 1,2', '-U',
    '--no-children', '--header', '--header-only', '-I --header', '-g none', '-g', '-b', '-C 9999', '-C 9999 -q', '--time x -c prog', '--raw-trace', '--time x --switch-on none -c prog', '--stdio-color', '--stdio-color always -w 3,20 -n',
    '--stdio-color=never', '--stdio-color=odd', '--no-stdio-color', '--stdio-color=1 -t ,', '--stdio-color -t ,', '-s nonsense',
    '-F nonsense', '-s symbol_from', '--time nonsense', '-C nonsense', '-C 9999,9998-9999', '--no-skip-empty'))
CHAINS = tuple('report ' + o for o in (
    '', '--no-children', '-g none', '-g none --no-children', '-g caller', '-g callee',
    '-g graph,10,callee --no-children', '-g fractal', '-g fractal,20,caller', '-g flat', '-g folded',
    '-g flat,5,1 --no-children', '-g folded,count --no-children', '-g graph,0.5,period', '-g graph,count',
    '-g graph,0.5,1', '-G --no-children', '-s sym', '-s sym --no-children', '-s comm', '-s dso -g caller',
    '--max-stack 1', '--max-stack 2 --no-children', '-d prog', '-S a', '--percent-limit 30',
    '--percentage relative -d prog', '-U', '-t , -g folded', '-F overhead_children,sym', '-F overhead,sym',
    '--no-children -g', '-g flat -g --percent-limit 3 -g --no-children',
    '--ignore-callees ^b$', '--ignore-callees a|b --no-children', '--ignore-callees b -g callee -s sym --show-cpu-utilization', '--ignore-callees a -d t -c prog -n',
    '--ignore-callees b -p a -s sym,srcline', '--ignore-callees nosuch -G', '--stdio-color -g fractal,2', '--stdio-color always -g folded --show-cpu-utilization', '--stdio-color -g flat,count',
    '-g branch --no-children', '-g graph,nan', '-g fractal,inf', '--percent-limit nan --hierarchy -s comm,dso'))
ORDER = tuple('report ' + o for o in (
    '-s comm,sym', '-s comm,sym -G', '-s sym', '-s comm,sym --no-children', '-s pid,addr -g graph,6', '-s addr,dso,sym -G -g none',
    '-s addr -g folded,4'))
BRANCHES = tuple('report ' + o for o in (
    '', '-s weight,local_weight,dso_to', '-s dso_from,dso_to', '-s symbol_from,symbol_to', '-s sym',
    '-v', '-v -s sym,addr_to', '-v -s symbol_from,symbol_to -t ,', '-s srcline_from,srcline_to', '-s comm,srcline_to', '-s addr_from,addr_to', '-s addr_to,comm -t ,',
    '-s srcline', '-s srcfile,comm',
    '-s symbol', '--no-branch-stack', '-b', '-s cycles', '-d prog', '--percent-limit 10', '--hierarchy -s comm,symbol_from',
    '--hierarchy -s dso_to,{symbol_from,symbol_to} -n -d prog'))
TRACE = tuple('report ' + o for o in (
    '', '--no-children', '-g none', '--no-itrace', '--itrace', '--itrace=i1i', '--itrace=i1ig',
    '--itrace=i1ig --no-children', '--itrace=i2ig -g flat', '--itrace=i1il4', '--itrace=bl', '--itrace=be',
    '--itrace=i1il -s dso_from,symbol_to', '--itrace=i1i -s sym', '--itrace=pwe', '--itrace=i1i -C 0',
    '--itrace=i1il --no-branch-stack', '--itrace=x', '--itrace=i1ibg', '--itrace=i1ibg -s dso -g callee',
    '--stitch-lbr --itrace=i1igl', '--stitch-lbr --itrace=i1il --branch-history', '--stitch-lbr -g none --itrace=i1igl --no-children',
    '--stitch-lbr --itrace=i1il', '--stitch-lbr --itrace=i1ig'))
HISTORY = ('report -s cycles,local_weight', 'report -F comm,parent', 'report -q -C 0') + tuple('report --branch-history' + o for o in (
    '', ' --no-children', ' -g caller --no-children', ' -G -s sym', ' --itrace=x', ' -g flat', ' -g folded,count',
    ' -g fractal,5', ' -g fractal,10', ' -g fractal,50 --no-children', ' --max-stack 3', ' --max-stack 2 --no-children', ' -s sym,srcline -b', ' -U', ' -s symbol',
    ' --no-branch-stack', ' -g graph,0.5,2,callee --no-children', ' --ignore-callees b', ' --ignore-callees ^a -s sym --no-children')) + (
    'report --no-branch-stack -g branch', 'report --no-branch-stack -g branch,callee,address --no-children','report -s comm', 'report -s dso_from -q',
    'report -s cycles', 'report -s dso_to -g address', 'report --no-branch-stack -g address',
    'report --no-branch-stack -g srcline,callee --no-children')
LISTS = tuple('report ' + o for o in (
    '--tasks', '--mmaps', '--tasks -q', '--mmaps --header', '--tasks --header-only', '--tasks --stats',
    '--tasks -s nonsense', '--mmaps --tasks', '--hierarchy -F sym', '-s ' + LONG, '-F comm,' + LONG, '-s parent -p %s(' % LONG, '-p x(', '-p x( -s comm', '-F parent -p x(', '-s comm,{par,dso} -p x(', '--' + LONG))
KEYS = tuple('report ' + o for o in (
    '-F overhead', '-v', '-v -s sym,dso --no-children', '-v -s sym -t ,', '-s symbol_size,dso_size --no-children', '-s symbol_size', '-s dso_size,comm', '-s addr', '-s addr --no-children',
    '-s srcfile,sym --no-children', '-s trace,comm', '-p a -s sym', '-p a|b -x -s sym --no-children', '-p ^b -x', '-p (',
    '-x', '-s parent,sym', '-p _start -G -s comm', '-p a -g none -x', '-p main -F overhead,sym', '-s srcline -g address',
    '--parent a --no-exclude-other -b', '-T', '-T --pretty raw', '-T -q', '--no-group', '--no-group -s srcfile', '-s srcline',
    '-D', '-D --disable-order', '-D -C 0 --header', '-s sym,ipc_null', '-F sym,ipc_null'))
CONFIG = ('report.percent-limit=5', 'report.children=false', 'report.children=zz', 'report.queue-size=1M',
          'report.queue-size=x', 'report.sort_order=dso,sym', 'report.sort_order=nonsense', 'report.skip-empty=no',
          'report.group=false', 'report.foo=x', 'hist.percentage=relative', 'call-graph.order=callee',
          'call-graph.order=', 'call-graph.print-type=fractal', 'call-graph.print-type=folded',
          'call-graph.threshold=30', 'call-graph.sort-key=address', 'call-graph.print-limit=1')


def calls():
    """Calls in calls, a tail call, a function without a return."""
    c = ptasm.Code()
    c.func('_start').call('a').call('a').nop().syscall()
    c.func('a').nop().call('b').nop().ret()
    c.func('b').call('c').jmp('tail')
    c.func('c').call('next').label('next').raw(0x58).call('d').ret()
    c.func('d').nop(2).lea_rax('b').call_rax().ret()
    c.func('tail').nop().ret()
    return c


def program(c, d):
    """Two functions and what is in no symbol."""
    c.program(calls())
    return program_of(d, c)


def program_of(d, c):
    return d.comm('prog', 1000).mmap2(c.path, tsc=2000).mmap2('/lib/other', 0x7000000, tsc=2500)


def spread(c, d, renamed=4243, **more):
    """Samples in functions, between them, in other files and in no file; of several threads."""
    s, t = c.code.asm()[1], times()
    places = [s._start, s.a, s.a, s.b, s.b, s.b, s.tail, s.d, 0x7000010, 0x7000010, 0x12345, 0]
    for n, ip in enumerate(places * 3):
        tid = 4242 + n % 5 * (n % 2)
        d.sample(ip, next(t), tid=tid, cpu=n % 3, period=100 + n * 7, **{
            k: v(n, s) for k, v in more.items()})
    d.comm('renamed-thread', next(t), tid=renamed)
    for n in range(4):
        d.sample(s.c + n, next(t), tid=4243, period=999, **{k: v(n, s) for k, v in more.items()})
    d.sample(0xffffffff81000000, next(t), misc=KERNEL, period=5, **{
        k: v(0, s) for k, v in more.items()})
    d.write(c.folder + '/perf.data')


SCREEN = tuple('report -s comm,dso ' + o for o in (
    '-m', '--no-modules', '--asm-raw', '--disable-order', '--objdump x', '--percent-type hits-global', '--prefix /x', '--prefix-strip 3',
    '--prefix /x --prefix-strip 3', '--samples 3', '--source', '-M intel', '--tui', '--no-prefix', '--prefix-strip 3 --no-prefix-strip',
    '--no-tui --no-source --no-asm-raw --no-objdump', '--stats --tasks -q', '--mem-mode -b -q'))


@case(*SCREEN, *ROWS, 'report -F ipc_null,comm -w 1', *('report ' + o for o in (
    '--max-stack -1', '--max-stack -1 --no-children', '--time-quantum 10 -s time', '--time-quantum x', '-s +', '-F +', '-s + -F comm',
    '-t ""', r'-t "\t" -s comm', '-t " " -s comm,dso,pid', '-t l -s comm,dso')), *('report -s comm,dso -w ' + w for w in ('x', '9,x', '9x,5', ',', ',9', '12,,9', '9,', '0x10')), 'report -F ipc_null,comm -w 9', 'report -q --time x', 'report -q --time 1,x', 'report -q --time 10%/2')
def rows(c):
    spread(c, program(c, Recording([Attr(1, 0, SIDE, BASE, [100])])))


def chain_of(n, s):
    user = [[s.a, s._start], [s.b, s.a, s._start], [s.next, s.c, s.b, s.a, s._start],
            [0x7000020, s.b, s.a], [], [s.b, s.b, s.a, 0x99999]][n % 6]
    kernel = [CHAIN_KERNEL, 0xffffffff81000000] if n % 4 == 3 else []
    return kernel + [CHAIN_USER] + user


@case(*CHAINS)
def chains(c):
    spread(c, program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])])), chain=chain_of)


@case(*('report ' + o for o in (
    '-g graph,10', '-g graph,20', '-g graph,5,callee', '-g caller,15 --no-children', '-g graph,25,count -s comm', '-g folded,10', '-g flat,15',
    '-g fractal,20', '-s sym -g graph,10', '-s srcline -g graph,10', '-s sym,srcline', '-s dso,srcline', '-s dso,srcline --no-children', '-s srcfile,sym -G', '-s sym -G -g graph,30,period')))
def chains_at_the_limit(c):
    """Twenty samples, so that chains weigh just what must be shown; some end within others, functions call
    themselves, and a row is that of a sample and of its callers: one of a single sample is met twice."""
    d, t = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])])), times()
    s = c.code.asm()[1]
    ways = ([s.a, s._start], [s.b, s.a, s._start], [s.b, s.a, s._start], [s.c, s.b, s.a, s._start], [s.a, s.b, s.a, s._start],
            [s.a, s.a, s.a, s._start], [s.d, s.c, s.b, s.a, s._start], [s.b, s.b, s.a, s.b, s._start], [s._start], [s.tail, s.a])
    for n in range(19):
        chain = ways[n * 7 % 10 if n < 13 else n % 4]
        d.sample(chain[0], next(t), cpu=0, period=100, chain=[CHAIN_USER] + chain)
    d.sample(0x7000010, next(t), cpu=0, period=100, chain=[CHAIN_USER, 0x7000010, s.tail, s._start + 3])
    d.write(c.folder + '/perf.data')


@case(*('report ' + o for o in ('--no-children', '-g flat -s comm', '-g folded -v -s comm', '-s sym -w 30 -g none', '-s srcline -g none',
                                '-s srcfile -g none', '-s srcfile -g srcline')), '-F ip,sym,symoff,srcline')
def long_names(c):
    """Of functions; some have colons in them, as a line has behind its file."""
    names = ['ns::' + 'f' * 1016, 'ns::' + 'g' * 1020, 'h' * 1023, 'i' * 1024, 'ns::(anonymous namespace)::' + 'k' * 1500, 'a::b']
    code = ptasm.Code()
    for name in names:
        code.func(name).nop(3).ret()
    c.program(code)
    d, t = program_of(Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])]), c), times()
    at = code.asm()[1]
    for n, name in enumerate(names):
        d.sample(at[name], next(t), period=100 + n, chain=[CHAIN_USER] + [at[k] + 1 for k in names[n:] + names[:2]])
    d.write(c.folder + '/perf.data')


@case(*('report -s symbol_size,%s -g %s' % o for o in (('srcline', 'address'), ('srcline', 'function'), ('srcfile', 'address,callee'))),
      'report -s symbol_size,srcline -g address --no-children')
def met_again(c):
    """A function that calls itself: perf compares what is met again in a chain, and looks for its line then.  The longest line is
    that of such a row of one sample."""
    names = ['long' * 20, 'short', 'once' * 15, 'last']
    code = ptasm.Code()
    for n, name in enumerate(names):
        code.func(name).nop(3 + n).ret()
    c.program(code)
    d, t = Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])]).comm('prog', 1000).mmap2(c.path, tsc=2000), times()
    at = [code.asm()[1][name] + 1 for name in names]
    for n, chain in enumerate(([3, 0, 0, 0, 1], [3, 1, 1], [3, 2, 3])):
        d.sample(at[3] - n % 2, next(t), period=100 + n, chain=[CHAIN_USER] + [at[k] for k in chain])
    d.write(c.folder + '/perf.data')


@case(*ORDER)
def order(c):
    """Addresses so far apart that their order goes in a circle: perf misses rows that it has, and
    finds them when it goes over all of them again.  Many weigh the same."""
    d, t = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])])), times()
    seed = 23
    for n in range(60):
        chain = []
        for _ in range(1 + n * 5 % 7):
            seed = (seed * 1103515245 + 12345) % (1 << 31)
            chain.append((seed >> 8) % 24 * ((1 << 64) // 24) + 0x1000)
        d.sample(chain[0], next(t), cpu=0, period=100, chain=[CHAIN_USER] + chain)
    d.write(c.folder + '/perf.data')


@case(*('report ' + o for o in (
    '-s comm,sym -G', '-s comm,sym', '-s comm --no-children', '-s comm,pid,sym', '-F comm,overhead', '-F comm,overhead,sym', '-s comm,dso --hierarchy')))
def names_that_come_late(c):
    """Threads with samples before their names, others that begin anew (FORK) before or behind their end or their
    first samples: perf has put rows in place by names that they no longer have.  Many weigh the same."""
    d, t = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])], pid=77)), times()
    s, seed = c.code.asm()[1], 35
    places = [s._start, s.a, s.b, s.c, s.d, s.tail, s.next]
    for n in range(60):
        seed = (seed * 1103515245 + 12345) % (1 << 31)
        tid, what = 77 + (seed >> 8) % 5, (seed >> 12) % 16
        if what == 1:
            d.comm('prog', next(t), tid=tid)
        elif n > 30 and what == 2 and tid != 77:
            d.fork(next(t), tid)
        elif what == 3:
            d.exit(next(t), tid=tid)
        else:
            chain = [places[(seed >> 3 * k) % 7] + k % 2 for k in range(1 + (seed >> 20) % 4)]
            d.sample(chain[0], next(t), tid=tid, cpu=0, period=100, chain=[CHAIN_USER] + chain)
    d.write(c.folder + '/perf.data')


def stack_of(n, s):
    known = [branch(s._start + 5, s.a, mispred=1), branch(s.a + 1, s.b, predicted=1),
             branch(0x500000, 0x401023, in_tx=1), branch(s.b, 0, abort=1, cycles=0xffff),
             branch(0, s.a, cycles=1), branch(s.b, 0xffffffff81000000), branch(s.d, 0x7000010)]
    return known[n % 3:3 + n % 5]


@case(*BRANCHES, *('report -b -s %s,sym_to -w %d,%d' % (k, n, n) for k in ('cycles', 'ipc_lbr', 'ipc_null') for n in (1, 9)))
def branches(c):
    d = program(c, Recording([Attr(1, 0, SIDE, BASE | BRANCH_STACK, [100])]))
    d.features['branch_stack'] = b''
    spread(c, d, branches=stack_of)


def rounds(n, s):
    """Loops, branches of all kinds, and calls that the chain has, too."""
    loop = [branch(s.b + 5, s.b, cycles=3 + n % 4, predicted=1), branch(s.b + 2, s.b + 4, predicted=n % 2)]
    return (loop * (n % 4) + [branch(s.a + 1, s.b, type_=4, cycles=9), branch(s._start, s.a, type_=1 + n % 12)]
            + loop * (n % 3) + [branch(0x7000010, s._start, abort=n % 5 == 0, type_=1)])


@case(*HISTORY)
def history(c):
    d = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN | BRANCH_STACK, [100])]))
    c.write_image('/lib/other', c.code.elf())
    d.features['branch_stack'] = b''
    spread(c, d, branches=rounds, chain=chain_of)


# perf looks for a row by the names that threads have now, and misses one that was put where its old name
# belonged: the row is made once more, and branches count as the first one of that.
def kinds_of_branches(c, renamed):
    d = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN | BRANCH_STACK, [100])]))
    c.write_image('/lib/other', c.code.elf())
    d.features['branch_stack'] = b''
    spread(c, d, branches=rounds, chain=chain_of, renamed=renamed)


@case('report', 'report -w 12,9 -T')
def kinds_of_a_renamed_thread(c):
    kinds_of_branches(c, 4243)


@case('report', 'report -w 12,9 -T', 'report -v -q', 'report -q -v -s sym')
def kinds_of_threads_that_keep_their_names(c):
    kinds_of_branches(c, 4999)


# perf crashes; these are the rows of one that does not (docs/compat.md).
BLOCKS = (b'           57.34%             496        3.12%           5' + b' ' * 52 + b'[      0 ->       5]' + b' ' * 21 + b't\n'
          b'           42.66%             369        5.62%           9' + b' ' * 52 + b'[      0 ->       1]' + b' ' * 21 + b't\n')
FEW_BLOCKS = BLOCKS[:BLOCKS.index(b'\n') + 1] + b'#\n'
SHORT_BLOCKS = b'57.34%;496;3.12%;5;[      0 ->       5];t\n42.66%;369;5.62%;9;[      0 ->       1];t\n'


@case('report --total-cycles', 'report --total-cycles --percent-limit 50', 'report --total-cycles -t \";\"',
      known=[('*cycles', ('reads', BLOCKS), 'report'), ('*50', ('reads', FEW_BLOCKS), 'report'),
             ('*;*', ('reads', SHORT_BLOCKS), 'report')])
def blocks(c):
    kinds_of_branches(c, 4999)


@case('report --branch-history', 'report --branch-history --no-children', 'report --branch-history -s sym -G')
def history_alone(c):
    d = program(c, Recording([Attr(1, 0, SIDE, BASE | BRANCH_STACK, [100])]))
    c.write_image('/lib/other', c.code.elf())
    d.features['branch_stack'] = b''
    spread(c, d, branches=rounds)


@case('report --branch-history', 'report --branch-history --hierarchy', 'report -g srcline,callee -s srcline --no-children')
def history_of_chains(c):
    d = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])]))
    c.write_image('/lib/other', c.code.elf())
    spread(c, d, chain=chain_of)


@case(*KEYS, 'report -s srcfile,sym', 'report -s sym,srcline --no-children', 'report -s srcline -w 10,10,4')
def keys(c):
    """Also counters of threads, of which one is read twice."""
    d = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100]), Attr(1, 1, SIDE, BASE, [101])]))
    c.write_image('/lib/other', c.code.elf())
    for n, attr in enumerate((d.attrs[0], d.attrs[1], d.attrs[1])):
        d.read(3000 + n, attr, pid=4242, tid=4242 + n % 2, values=[(12345678 * (n + 1), 0)])
    spread(c, d, chain=chain_of)


@case(*('config=c%d report -d prog,t' % n for n in range(len(CONFIG))), 'config=c1 report --children -g fractal',
      'config=c5 report -s +pid --no-children', 'config=c0 report --percent-limit 1', 'config=c11 report -g caller')
def config(c):
    for n, setting in enumerate(CONFIG):
        section, key = setting.split('.', 1)
        with open('%s/c%d' % (c.folder, n), 'w') as f:
            f.write('[%s]\n%s\n' % (section, key))
    d = program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])]))
    c.write_image('/lib/other', c.code.elf())
    spread(c, d, chain=chain_of)


@case(*LISTS)
def lists(c):
    """Threads in the order of perf's tables, a parent that forks before it is named, a tid that is used again,
    one that only a sample knows; maps of all kinds."""
    c.program(calls())
    d, t = Recording([Attr(1, 0, SIDE, BASE, [100])]), times()
    d.comm('prog', 1000, pid=10, tid=10)
    d.mmap2(c.path, tsc=2000, pid=10, tid=10)
    d.mmap2('//anon', 0x8000000, tsc=2100, pid=10, tid=10)
    d.mmap2('[vdso]', 0x9000000, tsc=2200, pid=10, tid=10)
    d.mmap('/lib/old', 0xa000000, 0x2000, tsc=2300, pid=10, tid=10)
    d.mmap2('/lib/cut', 0x8000800, 0x400, tsc=2400, pid=10, tid=10)
    d.fork(next(t), 300, pid=300, ppid=10, ptid=10)
    d.fork(next(t), 301, pid=300, ppid=300, ptid=300)
    d.fork(next(t), 11, pid=11, ppid=300, ptid=301)
    d.fork(next(t), 555, pid=555, ppid=554, ptid=554)
    d.comm('again', next(t), pid=300, tid=301)
    d.fork(next(t), 300, pid=300, ppid=11, ptid=11)
    d.comm('more words', next(t), pid=700, tid=701)
    d.exit(next(t), pid=11, tid=11)
    d.sample(0x401000, next(t), tid=999, pid=999)
    d.write(c.folder + '/perf.data')


@case('report --mmaps')
def build_id_maps(c):
    """Where maps have build ids, a part of these stands in the place of the inode: that of the file's first map."""
    d, t = Recording([Attr(1, 0, SIDE, BASE, [100])]), times()
    d.comm('prog', 1000, pid=10, tid=10)
    for i, (path, id_) in enumerate((
            ('/bin/prog', bytes(range(1, 21))), ('/lib/short', bytes(range(1, 9))), ('/lib/both', bytes(range(21, 41))),
            ('/lib/without', None), ('[vdso]', bytes(range(41, 61))), ('[vsyscall]', None),
            ('//anon', bytes(range(51, 71))), ('/lib/two', bytes(range(61, 81))), ('/lib/two', bytes(range(71, 91))),
            ('/lib/zero', bytes(20)), ('/bin/prog', bytes(range(1, 21))), ('/lib/long', bytes(range(81, 101))))):
        d.mmap2(path, 0x400000 + i * 0x10000, 0x1000, 0, next(t), pid=10, tid=10, build_id=id_)
    d.sample(0x400100, next(t), pid=10)
    d.write(c.folder + '/perf.data')


@case('report --hierarchy --itrace=i1i', 'report --itrace=i1il4 --branch-history', 'report --itrace=i1igl4 --branch-history',
      'report --branch-history', 'report --itrace=i1i --branch-history', 'report --itrace=bgl8 --branch-history -G',
      'report --itrace=i1ig -g address', 'report --itrace=i1il200 --branch-history --no-children', 'report --total-cycles --itrace=i1il', 'report --total-cycles --itrace=i1i -t ,', 'report --total-cycles --itrace=bl -q', 'report --itrace=i1ig -p a', 'report --tasks', 'report --mmaps')
def ways(c):
    s = c.program(calls())
    p = c.pt.start(c.t0).pge(s._start)
    p.tip(s.b).cbr(20).ptw(5).tnt('TTTT').tip(s.a + 1).tnt('TT')
    c.finish()


@case(*TRACE)
def trace(c):
    s = c.program(calls())
    p = c.pt.start(c.t0).pge(s._start)
    p.tip(s.b).cbr(20).ptw(5).tnt('TTTT').tip(s.a + 1).tnt('TT')
    c.finish()


MORE = ('socket', 'local_weight', 'weight', 'transaction', 'cgroup', 'cgroup_id', 'code_page_size', 'local_ins_lat',
        'ins_lat', 'local_p_stage_cyc', 'p_stage_cyc')
MORE_KEYS = tuple('report -s ' + k for k in ('p_stage,local_p', 'p_stage_cyc,comm -n', *MORE, *('sym,' + k for k in MORE))) + tuple(
    'report --no-children -s %s,comm' % k for k in MORE) + tuple('report -F overhead,sample,comm,%s -t ,' % k for k in MORE)


SOCKET_WIDTHS = tuple('report -F comm,socket -w 10,%d' % n for n in (1, 2, 3, 4, 20, 40))


def more(c, types, topology=True, chains=True):
    """What few samples have, and what only records tell of."""
    s = c.program(calls())
    types |= BASE | (CALLCHAIN if chains else 0)
    d = Recording([Attr(1, 0, SIDE, types, [100])])
    if topology:
        f = mkfeat.Features(d.pack)
        d.features['nrcpus'] = f.nrcpus(4, 4)
        d.features['cpu_topology'] = f.cpu_topology(['0-1', '2-3'], ['0', '1', '2', '3'], [(0, 0), (1, 0), (0, 1), (1, 1)])
    program(c, d)
    d.cgroup(7, '/machine', 1200).cgroup(9, '/user/one', 1300)
    d.namespaces(1250)
    for i in range(24):
        chain = (CHAIN_USER, s.a + 4 * (i % 3), s._start + 8) if chains else ()
        d.sample((s.a, s.b, s._start)[i % 3] + i % 2, 2000 + 10 * i, cpu=i % 4, period=100 + i, chain=chain,
                 weight=(0, 5, 5, 70000)[i % 4], latency=(i % 3, 2 * (i % 2)), cgroup=(0, 7, 9, 11)[i % 4],
                 transaction=(0, 1, 2, 0x1ff, 3 << 32 | 0x41)[i % 5], code_page_size=(0, 4096, 2 << 20)[i % 3])
    d.finished_round().write(c.folder + '/perf.data')


@case(*MORE_KEYS, *SOCKET_WIDTHS, *('report ' + o for o in (
    '--socket-filter 0', '--socket-filter 1 --no-children', '--socket-filter 2', '--socket-filter 1 -s socket,comm -q',
    '--socket-filter 0 --percentage relative -n', '--socket-filter 2 --percentage relative', '--socket-filter 1 --percentage relative -c nobody', '--socket-filter -1', '--socket-filter 1 -s cpu -g none')))
def more_keys(c):
    more(c, WEIGHT_STRUCT | CODE_PAGE_SIZE | CGROUP | TRANSACTION)


@case(*MORE_KEYS, *SOCKET_WIDTHS, 'report --socket-filter 0 -n', 'report --socket-filter 0 -s cpu')
def more_keys_alone(c):
    more(c, WEIGHT | CGROUP, topology=False, chains=False)


MEM_KEYS = ('symbol_daddr', 'dso_daddr', 'locked', 'tlb', 'mem', 'snoop', 'symbol_iaddr', 'phys_daddr', 'data_page_size', 'blocked')
MEM = tuple('report --mem-mode ' + o for o in (
    '', '-v', '-n', '-t ,', '-q', '-w 10,20,5,9', '-s mem', '-s sym,mem -g none', '-s +comm', '-s symbol,dso_daddr', '-F overhead,sample,mem,tlb',
    '-g caller -s dso_daddr,locked', '-d prog,t --percentage relative', '-c prog',
    '-s symbol_daddr,weight', '-U -s symbol_daddr,symbol_iaddr', '-s symbol_from', '-s nosuch', '--percent-limit 5', '--itrace=i1il',
    '-s phys,data_page -F +period', '--header-only', '--group')) + tuple('report --mem-mode -s ' + k for k in MEM_KEYS) + tuple(
    'report --mem-mode -F %s,weight,comm -t ;' % k for k in MEM_KEYS)


def accesses(c, types):
    """Loads and stores of data in symbols, in files, in the kernel and nowhere."""
    s = c.program(calls(), data=[('table', 0x401800, 64), ('a_longer_name_of_data', 0x401840, 8)])
    d = program_of(Recording([Attr(1, 0, SIDE, BASE | types, [100])]), c)
    to = [0x401800, 0x401808, 0x401844, 0x401900, s.a, 0x7000123, 0x99000, 0, 0xffffffff81000010]
    for i in range(90):
        source = 2 << i % 2 | 1 << 5 + i % 13 | (2 << 5 if i % 3 else 4 << 5) | 1 << 19 + i % 5 | (i % 4) << 24 | 1 << 26 + i % 7
        source |= (i % 16) << 33 | (i % 2) << 37 | (i % 3) << 38 | (i % 8) << 40 | (i % 5 == 4) << 43
        chain = (CHAIN_USER, (s.a, s.b)[i % 2], s._start + 8) if types & CALLCHAIN else ()
        d.sample((s.a, s.b, s._start, 0x12345)[i % 4], 3000 + 10 * i, cpu=i % 2, addr=to[i % 9], weight=(0, 5, 700)[i % 3],
                 data_src=0 if i % 20 == 19 else source, phys_addr=(0, 0x1000, 0x123456789)[i % 3], chain=chain,
                 data_page_size=(0, 4096, 2 << 20)[i % 3], **({'misc': KERNEL} if i % 11 == 10 else {}))
    d.finished_round().write(c.folder + '/perf.data')


@case(*MEM, 'report --no-group -b --mem-mode')
def mem(c):
    accesses(c, ADDR | DATA_SRC | WEIGHT | PHYS_ADDR | DATA_PAGE_SIZE)


@case(*MEM)
def mem_with_chains(c):
    accesses(c, ADDR | DATA_SRC | CALLCHAIN)


@case('report --mem-mode', 'report --mem-mode -q', 'report --mem-mode -s mem')
def mem_of_none(c):
    accesses(c, ADDR)


LINES = tuple('report --mem-mode -s ' + o for o in (
    'dcacheline', 'dcacheline,sym', 'dcacheline,symbol_daddr,pid', 'dcach -v', 'mem,dcacheline -t ,', 'dcacheline -w 9', 'dcacheline,dso_daddr --no-children -n',
    'pid,dcacheline,comm -F +dcacheline', 'dcacheline,local_weight --hierarchy'))


@case(*LINES, 'report -s dcacheline', 'report --mem-mode -F overhead,dcacheline')
def mem_lines(c):
    accesses(c, ADDR | DATA_SRC)


@case(*LINES)
def mem_lines_of_many_maps(c):
    """Data that processes share or have alone, of files that an inode tells apart, or its generation where it is known, in the kernel."""
    s = c.program(calls(), data=[('table', 0x401800, 64)])
    d = program_of(Recording([Attr(1, 0, SIDE, BASE | ADDR | DATA_SRC, [100])]), c)
    for pid in (4242, 77):
        d.comm('p%d' % pid, 1000, pid=pid, tid=pid)
        for i, (path, kw) in enumerate((
                ('/shared', dict(flags=1, prot=3)), ('/shared', dict(flags=1, prot=3, inode=9)), ('/shared', dict(flags=1, prot=7, inode=9)),
                ('/dev/zero', dict(flags=1, prot=3, dev=(0, 0), inode=0)), ('//anon', dict(flags=2, prot=3, dev=(0, 0), inode=0)),
                ('/private', dict(flags=2, prot=3, generation=5)), ('/private', dict(flags=2, prot=3, generation=6)), ('/private', dict(flags=2, prot=3)))):
            d.mmap2(path, addr=0x10000000 * (i + 1), size=0x10000, pgoff=0x1000 * i, tsc=1500 + i, pid=pid, tid=pid, **kw)
    to = [0x10000000 * (i + 1) + off for i in range(8) for off in (0x40, 0x7f, 0x1080)] + [0x401810, 0x7f, 0xffffffff81000050]
    for i in range(120):
        pid = (4242, 77)[i % 2]
        d.sample((s.a, s.b)[i % 3 == 0], 3000 + 10 * i, cpu=i % 2, pid=pid, tid=pid, addr=to[i * 11 % len(to)], data_src=2 << i % 2 | 1 << 5 + i % 3,
                 **({'misc': KERNEL} if i % 7 == 6 else {}))
    d.finished_round().write(c.folder + '/perf.data')


GROUPS = tuple('report ' + o for o in (
    '', '--no-children', '-g none', '-s comm,dso', '-n --show-total-period -s sym', '-t , -n', '--no-group', '--group',
    '--percent-limit 5', '--show-cpu-utilization -s sym', '-F sample,comm,sym', '-w 10,20,30 -s sym', '-w 1,1,1,1 -n', '-w 300 -n',
    '--percentage relative -d prog', '-F overhead_children,sym,overhead', '-g caller', '--no-skip-empty', '--stats',
    '--stats --no-skip-empty', '-s symbol,comm --no-children', '-c prog', '-s pid,cpu', '--tid 77', '-q', '--switch-on event-1', '--switch-off event-1 -n', '--switch-on none',
    '--switch-on event-3 --switch-off event-0 --show-on-off-events -s comm', '--switch-on event-3 --header-only',
    '--switch-off none --header-only', '--switch-on event-3 --stats', '--symbol-filter=a', '--symbol-filter=tail -s comm -n',
    '--symbol-filter=a --percentage relative --no-group', '--symbol-filter=none -s dso,pid', '--hierarchy', '--hierarchy -t , -n',
    '--hierarchy --group -s dso,{pid,sym} -c prog', '--hierarchy --no-group -g none', '--hierarchy -d prog -s dso,sym --percentage relative',
    '--hierarchy --group -w 10,20,30 -s comm,sym --percent-limit 5'))
SORTED = tuple('report --group-sort-idx ' + o for o in (
    '1', '1 -n --no-children', '3 -s comm,sym --no-children', '2 --no-children -g none', '-1 --no-children', '9 --no-children', '0', '1 --no-group'))


# perf prints its help of the option
UNGROUPED = tuple('report --group-sort-idx 1 ' + o for o in (
    '--group', '-q -s nosuch', '--header-only', '--stats', '--switch-on none', '--hierarchy -F comm'))
NO_GROUP = {rb'        --group-sort-idx <n>\n[^\n]*\n': b'--group-sort-idx is for events of a group: see --group\n'}


def grouped(c, types, groups, kinds=((1, 0), (1, 1), (1, 2), (1, 3)), pipe=False, **kw):
    """Events of groups; none has all rows, and one no samples."""
    s = c.program(calls())
    d = Recording([Attr(*k, SIDE, BASE | types, [100 + i], **kw) for i, k in enumerate(kinds)])
    f = mkfeat.Features(d.pack)
    d.features['nrcpus'] = f.nrcpus(4, 4)
    d.features['event_desc'] = f.event_desc([(a.bytes(d.pack), 'event-%d' % i, a.ids)
                                             for i, a in enumerate(d.attrs)])
    if groups:
        d.features['group_desc'] = f.group_desc(groups)
    if pipe:
        d.features['cpu_topology'] = f.cpu_topology(['0-1', '2-3'], ['0', '1', '2', '3'], [(0, 0), (1, 0), (0, 1), (1, 1)])
    program(c, d)
    places = [s._start, s.a, s.b, s.c, s.d, s.tail, 0x7000010, 0x12345]
    for i in range(40):
        n = (0, 1, 3, 1, 0)[i % 5]
        chain = (CHAIN_USER, places[(i + n) % 8], s.a + 4, s._start + 8) if types & CALLCHAIN else ()
        d.sample(places[(i + n) % (8 - n)], 2000 + 10 * i, attr=d.attrs[n], tid=4242 + (i % 7 == 0), cpu=i % 3,
                 period=100 + 10 * i, chain=chain)
    d.finished_round()
    if pipe:
        d.write_pipe(c.folder + '/perf.data', last=pipe == 'last')
    else:
        d.write(c.folder + '/perf.data')


@case(*GROUPS, *SORTED, '-F +metric', known=[('-F *', 'refused', 'Not there yet')])
def groups(c):
    """The one that leads the second group has no samples, so perf leaves that out."""
    grouped(c, 0, [('{anon_group}', 0, 2), ('name', 2, 2)])


@case(*GROUPS, *SORTED)
def group_of_all(c):
    grouped(c, CALLCHAIN, [('all', 0, 4)])


@case(*GROUPS, *SORTED, *UNGROUPED, known=[('*', NO_GROUP, 'report')])
def groups_made(c):
    grouped(c, CALLCHAIN, [])


PIPED = tuple('stdin=perf.data report' + o for o in (
    '', ' --group', ' --no-group', ' -n -s sym', ' -g none -s comm', ' -I', ' -q -I', ' --hierarchy', ' -C 0', ' -s socket,sym -g none'))
PIPED += ('report --header', 'report --header-only', 'report --header -I -q', 'report --header --tasks')  # which prints the file's time


@case(*PIPED)
def groups_in_a_pipe(c):
    """perf knows of them when it prints, and not when it looks at its options."""
    grouped(c, CALLCHAIN, [('{anon_group}', 0, 2), ('name', 2, 2)], pipe=True)


@case(*PIPED)
def no_groups_in_a_pipe(c):
    """--group makes none where nothing says that features end."""
    grouped(c, 0, [], pipe=True)


@case(*PIPED)
def groups_made_in_a_pipe(c):
    grouped(c, 0, [], pipe='last')


@case(*('report --show-ref-call-graph' + o for o in ('', ' --no-children', ' -g caller,5', ' -s sym -n', ' --group', ' --time 0%-60%')), 'report -s comm,sym')
def chains_of_another_event(c):
    """Callers of what has no chain are those of the sample before it."""
    s = c.program(calls())
    d = Recording([Attr(1, 0, SIDE, BASE, [100]), Attr(1, 1, SIDE, BASE | CALLCHAIN, [101])])
    f = mkfeat.Features(d.pack)
    d.features['event_desc'] = f.event_desc([(a.bytes(d.pack), name, a.ids) for a, name in zip(
        d.attrs, ('cpu-clock/call-graph=no/', 'task-clock'))])
    d.features['sample_time'] = d.pack('QQ', d.clock.ns(2000), d.clock.ns(90000))
    d.comm('prog', 1000)
    d.mmap2('/build/t', tsc=1100)
    for n, t in enumerate(range(2000, 90000, 4000)):
        chain = {} if n % 3 else {'chain': chain_of(n, s)}
        d.sample([s.a, s.b, s.c, s.d][n * 7 % 4], t, attr=d.attrs[0 if n % 3 else 1], cpu=0, period=100 + n, **chain)
    d.write(c.folder + '/perf.data')


TREE = tuple('report --hierarchy ' + o for o in (
    '', '--percent-limit 10', '--percent-limit 3 -s comm,dso,sym,cpu -n', '-s comm -n', '-s sym,comm', '-s dso,cpu,comm',
    '-s pid,sym --show-cpu-utilization', '--no-children -g none', '-g none -s symbol,comm', '-s comm,dso -q --show-total-period',
    '-s +cpu', '-U -s dso,sym', '-s dso_size,symbol_size,addr', '-s comm,time --time-quantum 1us', '-t ,', '-c prog',
    '-s sym,srcline', '--stdio-color -n', '-t , -n -s comm,sym', '-w 10,20 --percent-limit 20 -n', '-c prog,other -s pid,dso',
    '-d prog', '-d t -s sym,comm', '-d t,[unknown] -c prog -n', '-S a,b', '-S b -s comm,dso', '-S a -d t -c prog --percentage relative',
    '--tid 77 -s dso,sym', '--pid 4242 -s {pid,sym},dso', '-s {comm,dso},sym', '-s cpu,{sym,comm} -t ; -c prog', '-s {dso},{sym,cpu}',
    '-C 0', '--time 10%-50%', '--symbol-filter a -s sym,dso', '--symbol-filter a -c prog', '--socket-filter 0', '-s srcfile,srcline',
    '-s srcline --full-source-path', '-s comm,overhead,sym', '-s overhead,comm -n', '-s comm,sym,period --percent-limit 5', '-s {comm,overhead},sym --percent-limit 5',
    '-s comm,{sample,sym}', '-s overhead', '-n -s comm,sample,dso -t ;', '-s comm,overhead,sym -w 10,20,5', '-s {overhead,sym},comm -n', '-s sym,overhead_children',
    '-s +overhead,period', '-s comm,sample,overhead_sys,{dso,period} -d t --stdio-color always', '-s symbol --percentage relative -d t'))


@case(*TREE)
def tree(c):
    spread(c, program(c, Recording([Attr(1, 0, SIDE, BASE, [100])])))


@case(*TREE, 'report --hierarchy -g caller,5 -s comm,sym', 'report --hierarchy -g flat -s comm,sym',
      'report --hierarchy -p a -s parent,sym', 'report --hierarchy -p a -x', 'report --hierarchy -p ^b$ -x -t ,',
      'report --hierarchy -g fractal -S a', 'report --hierarchy --ignore-callees b -s sym,comm', 'report --hierarchy -g folded,count -t , -d t')
def tree_with_chains(c):
    spread(c, program(c, Recording([Attr(1, 0, SIDE, BASE | CALLCHAIN, [100])])), chain=chain_of)


@case('report --hierarchy -s weight,cgroup,sym', 'report --hierarchy -s socket,transaction,comm', 'report --hierarchy -s parent,sym')
def tree_of_more(c):
    more(c, WEIGHT_STRUCT | CODE_PAGE_SIZE | CGROUP | TRANSACTION)
