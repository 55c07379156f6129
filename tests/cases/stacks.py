"""Call chains and branch stacks (K21) of recorded samples."""
import random

from cases import case
from mkperf import KERNEL, Attr, Recording
import mksample as ms
from mksample import branch
from reccase import SIDE, times

BASE = ms.IDENTIFIER | ms.IP | ms.TID | ms.TIME | ms.CPU | ms.PERIOD
DUMP = ('-D', '--dump-unsorted-raw-trace', '')


def recording(more, **attr):
    d = Recording([Attr(1, 0, SIDE, BASE | more, [100], **attr)])
    d.comm('prog', 1000).mmap2('/bin/prog', tsc=2000)
    return d


def write(c, d):
    d.write(c.folder + '/perf.data')


CHAIN_OPTIONS = ('-D', '', '-F ip,sym,dso', '-F comm,ip', '-F +addr', '-G', '--max-stack 3',
                 '-F comm,tid,time', '-F -ip', '--ns', '-F ip,sym,symoff,dso,event')


CALLERS = tuple('config=callers ' + o for o in ('-F ip,sym,dso', '--max-stack 2', '--stop-bt f'))


@case(*CALLERS, *CHAIN_OPTIONS, 'report -s parent -p a', 'report --max-stack 3 -G', 'report --no-children --ignore-callees nosuch',
      'report -g graph,0,0', 'report -g flat,0,0 --no-children', 'report -F overhead_guest_us,overhead_guest_sys,comm -w 3',
      '--stitch-lbr --pid x', '--stitch-lbr -C x')
def callchain(c):
    with open(c.folder + '/callers', 'wb') as f:
        f.write(b'[call-graph]\norder=caller\n')
    """Recorded call chains with markers of context."""
    c.program()
    d = Recording([Attr(1, 0, SIDE, BASE | ms.CALLCHAIN, [100])])
    d.mmap('[kernel.kallsyms]_text', 0xffffffff81000000, 0x1000000, 0xffffffff81000000, 500,
           -1, KERNEL)
    d.comm('prog', 1000).mmap2(c.path, tsc=2000)
    t = times()
    chains = ([], [ms.CHAIN_USER, 0x401000], [ms.CHAIN_USER, 0x401005, 0x401023, 0x401010],
              [ms.CHAIN_KERNEL, 0xffffffff81000010, ms.CHAIN_USER, 0x401023],
              [0x401005, 0x401023], [ms.CHAIN_USER], [ms.CHAIN_USER, ms.CHAIN_USER, 0x401000],
              [ms.CHAIN_USER, 0x401023, 0x500000, 0, 2**63, 5],
              [ms.CHAIN_HV, 1, 2, ms.CHAIN_USER, 0x401023],
              [ms.CHAIN_GUEST, 1, ms.CHAIN_GUEST_KERNEL, 2, ms.CHAIN_GUEST_USER, 3,
               ms.CHAIN_USER, 0x401023],
              [ms.CHAIN_USER, 0x401005] + [0x401023] * 200,
              [ms.CHAIN_USER, 0x401005, ms.CHAIN_KERNEL, 0xffffffff81000010, ms.CHAIN_USER,
               0x401023])
    for chain in chains:
        d.sample(0x401005, next(t), chain=chain)
    d.sample(0xffffffff81000020, next(t), misc=KERNEL,
             chain=[ms.CHAIN_KERNEL, 0xffffffff81000020, ms.CHAIN_USER, 0x401023])
    write(c, d)


def deferred(*samples):
    """As perf 6.19 would print them: (thread, microsecond, whether the user part came)."""
    user = b'\t            1023\n\t            1005\n'
    return b''.join(b' %d     0.00000%d: \n\tffffffff81000010\n' % (tid, time)
                    + (user if whole else b'') + b'\n' for tid, time, whole in samples)


@case('-F tid,time,ip', known=[('*', ('reads', deferred(
    (4243, 2, 0), (4242, 0, 1), (4242, 1, 1), (4242, 4, 0), (4242, 5, 1), (4242, 7, 0),
    (4243, 3, 0))), 'Records')])
def callchain_deferred(c):
    """K26.  A newer kernel's chains: their user parts come later, by number and thread."""
    d = recording(ms.CALLCHAIN)

    def sample(time, *late, tid=4242):
        d.sample(0xffffffff81000010, time, tid=tid, misc=KERNEL,
                 chain=[ms.CHAIN_KERNEL, 0xffffffff81000010, *late])

    def rest(time, number):
        d.kernel(22, 0, d.pack.words([number, 3, ms.CHAIN_USER, 0x1023, 0x1005]), time)
    sample(100, -640, 77)
    sample(1000, -640, 77)
    sample(2000, tid=4243)           # nothing to wait for
    sample(3000, -640, 99, tid=4243)  # for which nothing comes
    sample(4000, -640, 66)           # another number than the record behind it
    rest(4500, 77)
    sample(5000, -640, 78)
    rest(5500, 78)
    rest(5600, 78)
    sample(7000, -640)               # no number: none of them
    write(c, d)


@case('-D', '--dump-unsorted-raw-trace', '-G', '', '--max-stack 1', 'report -g callee --no-children', 'report -g caller --no-inline -s pid')
def stack_dump(c):
    """There is no file to unwind by: the stack gives the sample's own place only."""
    d = recording(ms.CALLCHAIN | ms.REGS_USER | ms.STACK_USER, sample_regs_user=0x1ff)
    for n in range(2):
        d.sample(0x401000, 1000000, chain=[ms.CHAIN_USER, 0x401000], regs_user=(2, range(9)),
                 stack=bytes(16 * n))
    write(c, d)


@case('-D', '', '-F ip,brstack', '-F +brstack,+brstacksym', '-F ip,brstackoff',
      '-F ip,sym,dso,brstack', '-F ip,sym,brstacksym', '-F ip,dso,symoff,brstacksym', '-F brstack')
def branches(c):
    s = c.program()
    d, t = Recording([Attr(1, 0, SIDE, BASE | ms.BRANCH_STACK, [100])]), times()
    d.comm('prog', 1000).mmap2(c.path, tsc=2000)
    entries = [branch(s._start + 5, s.f, mispred=1), branch(s.f + 1, s.g, predicted=1),
               branch(0x500000, 0x401023, in_tx=1), branch(s.g, 0, abort=1, cycles=0xffff),
               branch(0, s.f, cycles=1), branch(2**64 - 4096, s.f, 1, 1, 1, 1)]
    entries += [branch(s.f, s.g, type_=k, spec=k % 4) for k in range(16)]
    entries += [branch(s.f, s.g, type_=15, new_type=k, priv=k % 8) for k in range(16)]
    for n in (0, 1, 2, 6, len(entries)):
        d.sample(s.f, next(t), branches=entries[:n])
    write(c, d)


@case(*('-F ip,%s%s' % (dso, how) for dso in ('', 'dso,') for how in (
    'brstackoff', 'brstacksym,brstackoff', 'brstacksym')),
      'report -s addr_from', 'report -s addr_from,overhead_children', 'report -v -s addr_to,dso_from')
def branches_without_files(c):
    """Where symbols are looked up by the address itself, offsets are still those of the map."""
    s = c.program()
    d = Recording([Attr(1, 0, SIDE, BASE | ms.BRANCH_STACK, [100])])
    kernel, module, code = 0xffffffff81000000, 0xffffffffc0000000, 0x7f0000001000
    d.mmap('[kernel.kallsyms]_text', kernel, 0x1000000, kernel, pid=-1, misc=KERNEL)
    d.mmap('[nomod]', module, 0x1000, pid=-1, misc=KERNEL)
    d.comm('prog', 1000).mmap2(c.path, tsc=2000)
    d.mmap2('//anon', code, pgoff=0x3000, tsc=2000, dev=(0, 0), inode=0)
    entries = [branch(code + 5, s.f), branch(code + 0x1005, s.f), branch(kernel + 3, module + 4),
               branch(module + 0x2000, kernel - 1)]
    d.sample(s.f, 3000, branches=entries)
    d.sample(kernel + 7, 3001, misc=KERNEL, branches=entries)
    write(c, d)


@case(*('report -b -s ' + keys for keys in ('addr_from', 'addr_from,addr_to', 'symbol_from', 'symbol_to,addr_from', 'addr_to,overhead_children',
                                             'dso_to,symbol_to')), 'report -b', 'report --no-branch-stack -s sym',
      'report --no-branch-stack -s dso,sym', 'report --no-branch-stack -s addr', 'report --branch-history')
def branches_far_apart(c):
    """Addresses all around the 64 bits: perf's order goes in a circle by them, so that it misses rows
    that are there, and makes others."""
    dice, t = random.Random(13), times()
    d = Recording([Attr(1, 0, SIDE, BASE | ms.BRANCH_STACK, [100])])
    d.comm('prog', 1000)
    places = [dice.getrandbits(64) & ~0xf for _ in range(24)]
    for n in range(300):
        # The first ones are near each other: the circle closes later.
        far = places if n > 40 else [p >> 20 for p in places]
        d.sample(dice.choice(far), next(t), period=dice.randint(1, 3),
                 branches=[branch(dice.choice(far), dice.choice(far)) for _ in range(dice.randint(1, 3))])
    write(c, d)


@case('-D', '', '-F ip,brstack')
def branches_hw_index(c):
    s = c.program()
    d = Recording([Attr(1, 0, SIDE, BASE | ms.BRANCH_STACK, [100],
                        branch_sample_type=ms.BRANCH_HW_INDEX)])
    d.comm('prog', 1000).mmap2(c.path, tsc=2000)
    d.sample(s.f, 1000000, branches=[branch(s.g, s.f)] * 3, hw_idx=2)
    d.sample(s.f, 1000001, hw_idx=-1)
    write(c, d)


@case('-D', '', '-F ip,brstack', '-F ip,sym,dso', *('--max-stack %d' % n for n in range(1, 6)),
      *('report --no-branch-stack --max-stack %d' % n for n in (1, 2, 3)), 'report --branch-history --max-stack 2 --no-children')
def branches_call_stack(c):
    s = c.program()
    d = Recording([Attr(1, 0, SIDE, BASE | ms.BRANCH_STACK | ms.CALLCHAIN, [100],
                        branch_sample_type=ms.BRANCH_CALL_STACK)])
    d.comm('prog', 1000).mmap2(c.path, tsc=2000)
    d.sample(s.f, 1000000, branches=[branch(s.g, s.f), branch(s._start, s.g)],
             chain=[ms.CHAIN_KERNEL, 0xffffffff81000000, ms.CHAIN_USER, s.f])
    d.sample(s.f, 1000001, chain=[ms.CHAIN_KERNEL, 0xffffffff81000000], misc=KERNEL,
             branches=[branch(s.g, s.f)])
    d.sample(s.f, 1000002, chain=[ms.CHAIN_USER, s.g], branches=[branch(s.g, s.f)] * 9)
    write(c, d)


def all_fields(c, without):
    d, t = recording(2**25 - 1 - ms.WEIGHT - without, read_format=ms.FORMAT_ID | ms.LOST | 3,
                     sample_regs_user=0x1ff, sample_regs_intr=0xff0ff,
                     branch_sample_type=ms.BRANCH_HW_INDEX), times()
    for n in range(3):
        d.sample(0x401000, next(t), addr=5, stream=6, read={'values': [(70 + n, 100, 4)]},
                 chain=[ms.CHAIN_USER, 0x401000, 0x401003], raw=bytes(12),
                 branches=[branch(1, 2, 1)] * n, hw_idx=n, regs_user=(2, range(9)),
                 regs_intr=(2 if n else 0, range(16)), stack=bytes(16 * n), weight=9,
                 latency=(1, 2), data_src=0x68100142, transaction=3, phys_addr=4096, cgroup=1,
                 data_page_size=4096, code_page_size=2**21, aux=bytes(8 * n))
    write(c, d)


@case(*DUMP)
def all_but_chain(c):
    """All fields of a sample at once: perf would unwind the stack for a chain."""
    all_fields(c, ms.CALLCHAIN)


@case(*DUMP)
def all_but_stack(c):
    all_fields(c, ms.STACK_USER)
