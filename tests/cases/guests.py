"""Virtual machines: code of guests, entered and left, with and without perf's options."""
import os

from cases import case
import mkperf
import mkvmlinux
from mkperf import CPU, IDENTIFIER, IP, TID, TIME
import ptasm

VMLAUNCH, VMRESUME = (0x0f, 0x01, 0xc2), (0x0f, 0x01, 0xc3)
KERNEL = 0xffffffff81000000
MODULE = 0xffffffffc0000000
IN_KERNEL, IN_USER = 4, 5  # misc of records of guests


# Last branches that lead into the kernel of a guest, whose map is one of the host's then.
BRSTACK = '--itrace=i3tl2 -F+brstack,+brstacksym,+brstackoff,+dso'


# --- What runs ------------------------------------------------------------------------------

def hypervisor():
    """A program with code of its guest in it, as the KVM self tests are."""
    c = ptasm.Code()
    c.func('_start').call('f').raw(*VMLAUNCH).label('left').nop().call('f')
    c.raw(*VMRESUME).label('end').nop().ret()
    c.func('f').nop().ret()
    c.func('guest').nop().call('inner').label('hlt').nop().jmp('guest')
    c.func('inner').nop().jcc('inner').ret()
    return c


def guest_kernel():
    c = ptasm.Code(KERNEL)
    c.func('_text').func('_stext').func('entry').nop().call('inner').label('hlt').nop()
    c.jmp('entry')
    c.func('inner').nop().jcc('inner').ret()
    c.func('_etext').nop()
    return c


def guest_program():
    c = ptasm.Code(0x501000)
    c.func('main').nop().call('work').syscall().label('back').nop().label('cut').nop()
    c.jmp('main')
    c.func('work').nop().ret()
    return c


def in_and_out(c, s, guest):
    """Entered twice; left by an interrupt each time."""
    p = c.pt.start(c.t0).pge(s._start).tnt('T')
    p.pip(0x1000, 1).tip(guest[0], 6).tnt('TNT').fup(guest[1], 6)
    p.pip(0x2000).tip(s.left, 6).tnt('T')
    p.pip(0x1000, 1).tip(guest[1], 6).fup(guest[0], 6)
    p.pip(0x2000).tip(s.end, 6).pgd()
    return p


# --- Files of a guest's kernel ----------------------------------------------------------------

def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(data)


def kernel_files(folder, code=True):
    """kallsyms, and kcore and modules beside it; the addresses of its labels."""
    kernel = guest_kernel()
    text, labels = kernel.asm()
    write(folder + '/kallsyms', ''.join('%016x T %s\n' % (labels[f], f)
                                        for f in kernel.funcs).encode())
    if code:
        write(folder + '/kcore', mkvmlinux.kcore((KERNEL, text)))
        write(folder + '/modules', b'')
    return labels


def with_kernel(c, name='[guest.kernel.kallsyms]_text', pid=0, **kw):
    """A recording of a guest's kernel, in which nothing tells guests apart but pid."""
    s = c.program(hypervisor())
    d = c.perf(kernel=True, **kw)
    d.mmap(name, KERNEL, 0x1000, KERNEL, pid=pid, misc=IN_KERNEL)
    c.record()
    return s


# --- Without options --------------------------------------------------------------------------

PLAIN = ('--itrace=be -F+flags', '--itrace=bei0ns -F+flags,+addr', '--itrace=cre', '--itrace=xe',
         '--itrace=i1ie -F+flags,+insn', '--itrace=i3ig16le', '', '--itrace=be -F+callindent',
         '-D', '--itrace=beqq', '--itrace=beq', '--itrace=be -F+ipc,+flags', '--call-ret-trace')
CODE = tuple('--guest-code ' + o for o in PLAIN)


@case(*PLAIN, *CODE, '--guestmodules x --itrace=be', '--guestmount . --itrace=be')
def in_its_process(c):
    s = c.program(hypervisor())
    in_and_out(c, s, (s.guest, s.hlt))
    c.finish()


@case('--itrace=be -F+flags', '--itrace=i1ie', '--guest-code --itrace=be -F+flags',
      '--guest-code --itrace=i1ie -F+flags', '--guest-code --itrace=beq',
      '--guest-code --itrace=cr', '--guest-code --itrace=xewpo',
      *('report --itrace=%s' % o for o in ('be', 'be -s comm', 'be -s sym --no-children --percentage relative', 'i1ig -s sym',
                                           'i1il4', 'be --hierarchy -s comm,sym', 'be -c nobody -s sample', 'be --stats', 'be -D')))
def lost_and_found(c):
    """The trace begins, is lost and is synchronised within a guest, which is left by an
    instruction, too."""
    s = c.program(hypervisor())
    p = c.pt.psb().mode_exec().pip(0x1000, 1).fup(s.guest).tsc(c.t0).cbr(20).psbend()
    p.tnt('T').psb().mode_exec().pip(0x1000, 1).fup(s.inner).tsc(c.t0 + 50).cbr(20).psbend()
    p.tnt('N').ovf().fup(s.guest).tnt('TN').pip(0x2000).fup(s.hlt).tip(s.left)
    p.tnt('T').pip(0x1000, 1).tip(s.guest).pgd()
    p.pip(0x1000, 1).pge(s.hlt).tnt('TN').pip(0x2000).fup(s.hlt).pgd(s.end)
    p.pge(s._start).tnt('T').pip(0x1000, 1).tip(s.guest).pip(0x2000).fup(s.guest).pgd()
    c.finish()


@case('--itrace=be', '--guest-code --itrace=be', '--guest-code --itrace=i1ig16e')
def timeless_by_thread(c):
    st = IDENTIFIER | IP | TID
    s = c.program(hypervisor())
    d = c.perf(sample_type=st, config=0x2001,
               priv=dict(cap_user_time_zero=0, have_sched_switch=0, per_cpu=0))
    d.comm('t').mmap2(c.path).itrace_start(c.t0)
    p = c.pt.psb().mode_exec().cbr(29).psbend().pge(s._start).tnt('T')
    p.pip(0x1000, 1).tip(s.guest).tnt('TNT').fup(s.hlt).pip(0x2000).tip(s.left).pgd()
    d.auxtrace(p.bytes, cpu=-1, tid=d.pid, idx=0)
    d.exit(c.t0 + 70000)
    d.write(c.folder + '/perf.data')


# --- A guest that the recording does not tell from others --------------------------------------

@case('--itrace=be -F+flags',
      *('--guestkallsyms guest/kallsyms ' + o for o in PLAIN),
      '--guestkallsyms guest/kallsyms --insn-trace', '--guestkallsyms guest/kallsyms --call-trace',
      '--guestkallsyms bare/kallsyms --itrace=be', '--guestkallsyms none --itrace=be',
      '--guestvmlinux vmlinux --itrace=be -F+flags', '--guestvmlinux none --itrace=be',
      '--guest-code --itrace=be', '--guestmount . --itrace=be',
      '--guestkallsyms guest/kallsyms --no-itrace --show-mmap-events')
def kernel_of_any(c):
    g = kernel_files(c.folder + '/guest')
    kernel_files(c.folder + '/bare', code=False)
    c.write_image('/vmlinux', guest_kernel().elf())
    s = with_kernel(c)
    in_and_out(c, s, (g.entry, g.hlt))
    c.finish()


@case('--itrace=be', '--guestkallsyms guest/kallsyms --itrace=be')
def module_moved(c):
    """A module that the copy of the kernel's memory lacks: it is not that of the recording."""
    g = kernel_files(c.folder + '/guest')
    s = c.program(hypervisor())
    d = c.perf(kernel=True)
    d.mmap('[fat]', MODULE, 0x1000, 0, pid=0, misc=IN_KERNEL)
    d.mmap('[guest.kernel.kallsyms]_text', KERNEL, 0x1000, KERNEL, pid=0, misc=IN_KERNEL)
    c.record()
    in_and_out(c, s, (g.entry, g.hlt))
    c.finish()


@case('--no-itrace -F+misc', '--guestkallsyms guest/kallsyms --no-itrace',
      '--guestkallsyms guest/kallsyms --no-itrace --sort=x',
      '--guestkallsyms guest/kallsyms --no-itrace --dsos=[guest.kernel.kallsyms]',
      '--guest-code --no-itrace', '--guestkallsyms guest/kallsyms -D --no-itrace',
      *('report' + o for o in ('', ' -s comm', ' -s sample,sym', ' -n --no-children', ' --stats', ' -D', ' --guestkallsyms guest/kallsyms',
                               ' -s cpu,dso --percentage relative', ' -d t -s sym', ' --hierarchy -s comm,dso')))
def recorded_samples(c):
    g = kernel_files(c.folder + '/guest')
    s = c.program(hypervisor())
    d = c.data = mkperf.software()
    d.comm('t', 1000).mmap2(c.path, tsc=1000)
    d.mmap('[guest.kernel.kallsyms]_text', KERNEL, 0x1000, KERNEL, pid=0, misc=IN_KERNEL,
           tsc=1000)
    for misc, ip in ((2, s.f), (IN_KERNEL, g.inner), (IN_USER, s.guest)):
        d.sample(ip, 2000, misc=misc)
    d.write(c.folder + '/perf.data')


@case('--itrace=be -F+flags', '--guestkallsyms guest/kallsyms --itrace=bewpxIo -F+flags,+synth',
      '--guestkallsyms guest/kallsyms --itrace=i1iewpx', '--guest-code --itrace=beqwp', BRSTACK,
      'report --itrace=i1igl2 -s sym_from,sym_to,dso_to', 'report --itrace=ri3tg8l2 -s period,socket,parent,srcline -g callee')
def packets_in_a_guest(c):
    g = kernel_files(c.folder + '/guest')
    s = with_kernel(c)
    p = c.pt.start(c.t0).pge(s._start).tnt('T')
    p.pip(0x1000, 1).tip(g.entry, 6).tnt('TNT').ptw(0x1234, ip=True).fup(g.hlt, 6)
    p.cbr(0x11).mwait(0x10).exstop(ip=True).fup(g.hlt, 6)
    p.cfe(8, ip=True).fup(g.hlt, 6).pip(0x2000).tip(s.left, 6).tnt('T')
    p.pip(0x1000, 1).tip(g.hlt, 6).mode_tsx(0, 1).fup(g.entry, 6).pip(0x2000).tip(s.end, 6)
    p.mode_exec(64, 1).pgd()
    c.finish()


# --- Guests by the process that runs them -------------------------------------------------------

def by_process(c):
    g = kernel_files(c.folder + '/mounted/4242/proc')
    c.perf(kernel=True).build_id('[guest.kernel.kallsyms.4242]', bytes(range(20)),
                                 misc=IN_KERNEL, pid=4242)
    return g


UNMOUNTED = [('inject*', {b'exit 244': b'exit 255'}, 'inject')]
INJECTED = tuple('inject --guestmount ' + o for o in (
    'mounted --itrace=be', '. --itrace=be', 'none --itrace=i1ig', 'mounted', 'mounted -b',
    'mounted --itrace=i1igl --strip', 'mounted --buildid-all'))


@case(*INJECTED, '--itrace=be', '--guestmount mounted --itrace=be -F+flags', '--guestmount mounted -D',
      '--guestmount mounted --itrace=i1ig16le', '--guestmount . --itrace=be',
      '--guestmount mounted --no-itrace --show-mmap-events')
def mounted(c):
    g = by_process(c)
    s = c.program(hypervisor())
    c.data.mmap('[guest.kernel.kallsyms.4242]_text', KERNEL, 0x1000, KERNEL, pid=4242,
                misc=IN_KERNEL)
    c.record()
    in_and_out(c, s, (g.entry, g.hlt))
    c.finish()


GUEST_CODE = '--guest-code --guestmount mounted '


@case(GUEST_CODE + '--itrace=be -F+flags', GUEST_CODE + '--itrace=i1ie -F+insn',
      GUEST_CODE + '--itrace=i1ig16le', GUEST_CODE + '--call-ret-trace')
def mounted_kernel_of_guest_code(c):
    """Programs of the guest are in its process, its kernel has a map of its own."""
    g = by_process(c)
    s = c.program(hypervisor())
    c.data.mmap('[guest.kernel.kallsyms.4242]_text', KERNEL, 0x1000, KERNEL, pid=4242,
                misc=IN_KERNEL)
    c.record()
    p = in_and_out(c, s, (g.entry, g.hlt))
    p.psb().mode_exec().tsc(c.t0 + 20000).cbr(20).psbend()
    p.pip(0x1000, 1).pge(s.guest).tnt('TN').fup(s.hlt).pip(0x2000).pgd(s.end)
    c.finish()


@case(GUEST_CODE + '--itrace=be -F+flags', GUEST_CODE + '--itrace=i1ie')
def kernel_that_no_build_id_names(c):
    g = kernel_files(c.folder + '/mounted/4242/proc')
    s = with_kernel(c, '[guest.kernel.kallsyms.4242]_text', 4242)
    in_and_out(c, s, (g.entry, g.hlt))
    c.finish()


SHOW = ' --show-task-events --show-mmap-events --show-switch-events'


def own_records(c, vcpu=0, runner=4242, machine=4242, switches=True, mount='symfs'):
    """As perf inject --guest-data leaves it: ids of the guest's events, its records, its kernel
    in a folder."""
    folder = c.folder + '/perf.data'
    g = kernel_files(folder + '/kcore_dir__%d' % machine)
    s = c.program(hypervisor())
    program = guest_program()
    write(c.folder + '/' + mount + '/guest/prog', program.elf())
    u = program.asm()[1]
    st = IDENTIFIER | IP | TID | TIME | CPU
    flags = mkperf.INHERIT | mkperf.EXCLUDE_HV | mkperf.SAMPLE_ID_ALL
    side = (flags | mkperf.MMAP | mkperf.COMM | mkperf.TASK | mkperf.MMAP2 | mkperf.COMM_EXEC
            | mkperf.CONTEXT_SWITCH)
    d = c.perf(attrs=[mkperf.Attr(6, mkperf.PT_CONFIG, flags, st, [100]),
                      mkperf.Attr(1, 9, side, st, [101]), mkperf.Attr(1, 0, side, st, [201])])
    none, host, guest, t = 2 ** 64 - 1, d.attrs[1], d.attrs[2], c.t0
    d.id_index([(100, 0, 1, none), (101, 0, 1, none), (201, 0, none, runner)],
               [(0, 0), (0, 0), (machine, vcpu)])
    d.from_attr = guest
    d.mmap('[kernel.kallsyms]_text', KERNEL, 0x1000, KERNEL, pid=0xffffffff, misc=IN_KERNEL)
    for tid, name in ((100, 'init'), (101, 'thread')):
        d.kernel(3, IN_USER, d.pack('II', 100, tid) + mkperf.zstr(name), t - 1400, 100, tid)
    d.mmap2('/guest/prog', addr=0x501000, tsc=t - 1300, pid=100, misc=IN_USER)

    def switch(tid, tsc, out=0):
        if switches:
            d.kernel(15, IN_USER | out, d.pack('II', 0, 0), tsc, 100, tid, 0)
    switch(101, t - 1200)
    d.from_attr = host
    c.record()
    d.from_attr = guest
    d.sample(u.work, t - 700, attr=guest, misc=IN_USER, pid=100)
    d.sample(g.inner, t - 690, attr=guest, misc=IN_KERNEL, pid=100, tid=101)
    d.from_attr = host
    p = c.pt.start(c.t0).pge(s._start).tnt('T')
    p.pip(0x1000, 1).tip(g.entry, 6).tnt('TNT').fup(g.hlt, 6)
    p.pip(0x2000).tip(s.left, 6).tnt('T')
    p.pip(0x1000, 1).tip(u.main, 6).tnt('T').tip(g.entry, 6).tnt('NT').fup(g.hlt, 6)
    p.tip(u.back, 6).fup(u.cut, 6).pip(0x2000).tip(s.end, 6).pgd()
    p.psb().mode_exec().tsc(t + 20000).cbr(20).psbend()
    p.pip(0x1000, 1).pge(u.main, 6).tnt('T').tip(0x700000, 6).pgd()
    d.aux(0, d.auxtrace(p.bytes), t + 50000)
    d.from_attr = guest
    switch(101, t + 10000, mkperf.SWITCH_OUT)
    switch(100, t + 10010)
    d.from_attr = host
    d.switch(t + 60000, out=True).exit(t + 70000).finished_round()
    d.write(folder + '/data')


@case(*INJECTED, '--itrace=be -F+flags', '--itrace=be -F+machine_pid,+vcpu,+addr --ns',
      '--no-itrace' + SHOW, '--itrace=i1ie', '--itrace=i1ig16le', '-D',
      '--itrace=beq', '', '--itrace=be -F+callindent', '--call-ret-trace',
      known=UNMOUNTED)
def injected(c):
    own_records(c)


@case('--itrace=be -F+vcpu', '--itrace=i1ie', 'report --itrace=wqi1usgG32 -g flat', 'report --itrace=i1ig --children -s sym,dso',
      'report --itrace=i1ig --show-cpu-utilization')
def injected_second_processor(c):
    own_records(c, vcpu=3)


@case('--itrace=be', '--itrace=i1ie', '--no-itrace' + SHOW)
def injected_without_switches(c):
    """Nobody knows who runs in the guest: only its kernel can be followed."""
    own_records(c, switches=False)


@case('--itrace=be', '--itrace=i1ie')
def injected_of_another_thread(c):
    """The trace is of a thread that runs no processor of the guest."""
    own_records(c, runner=4243)


@case('--itrace=be', '--itrace=i1ie', 'report --itrace=Ii17iG -s +period,overhead_us -g address', 'report --itrace=qbi3tg32 -T')
def injected_of_another_process(c):
    own_records(c, machine=4343)


@case('--guestmount mounted --itrace=be', *INJECTED,
      known=[*UNMOUNTED, ('*', ('reads', b' work+0x'), 'Guests')])
def injected_program_mounted(c):
    """The guest's program is in its own file system only."""
    own_records(c, mount='mounted/4242')


# --- Modules, as the files that they were linked as ---------------------------------------------

PLACE = '/lib/modules/6.1.0-9-amd64/kernel/fs/fat/m.ko'
THIS, OTHER = bytes([1] * 20), bytes([2] * 20)
BRANCHES = '--itrace=be -F ip,addr,sym,symoff,dso'


def module(suffix):
    c = ptasm.Code(0)
    c.func('m_run').nop().jcc('m_end').call('m_help')
    c.func('m_end').ret()
    c.func('m_help').nop(2).ret()
    code, at = c.asm()
    return at, mkvmlinux.packed(mkvmlinux.module(
        [('.init.text', bytes(0x30)), ('.text', code)],
        [(f, '.text', at[f], 3, mkvmlinux.FUNC, mkvmlinux.GLOBAL) for f in c.funcs], THIS), suffix)


def in_module(c, where, pid=4242, suffix='', recorded=None, known_as=None):
    """The guest runs in a module, and calls its kernel."""
    at, file = module(suffix)
    path = PLACE + suffix
    known_as = known_as or path
    write(c.folder + '/' + where + path, file)
    for folder in ('guest/', 'mounted/4242/proc/'):
        kernel_files(c.folder + '/' + folder, code=False)
        write(c.folder + '/' + folder + 'modules', b'm 16384 0 - Live 0x%x\n' % MODULE)
    name = '[guest.kernel.kallsyms%s]' % ('.%d' % pid if pid else '')
    d = c.perf(kernel=True)
    d.build_id(name, bytes(range(20)), misc=IN_KERNEL, pid=pid)
    if recorded:
        d.build_id(path, recorded, misc=IN_KERNEL, pid=pid)
    d.mmap(name + '_text', KERNEL, 0x1000, KERNEL, pid=pid, misc=IN_KERNEL)
    d.mmap(known_as, MODULE, 0x5000, 0, pid=pid, misc=IN_KERNEL)
    s = c.program(hypervisor())
    c.record()
    p = c.pt.start(c.t0).pge(s._start).tnt('T')
    p.pip(0x1000, 1).tip(MODULE, 6).tnt('N').tip(KERNEL, 6).fup(KERNEL, 6)
    p.pip(0x2000).tip(s.left, 6).tnt('T')
    p.pip(0x1000, 1).tip(MODULE, 6).tnt('T').fup(MODULE + at.m_end, 6).pip(0x2000).tip(s.end, 6)
    p.pgd()
    c.finish()


@case('--guestmount mounted ' + BRANCHES, '--guestmount mounted --itrace=i0nse -F ip,sym,insn',
      '--guestmount mounted --show-kernel-path ' + BRANCHES, BRANCHES)
def module_by_path(c):
    in_module(c, 'symfs', recorded=THIS)


@case('--guestkallsyms guest/kallsyms ' + BRANCHES, '--guestmodules guest/modules ' + BRANCHES)
def module_of_any(c):
    """Packed, and of a guest that the recording does not tell from others."""
    in_module(c, 'symfs', pid=0, suffix='.xz')


@case(BRSTACK, '--itrace=be')
def kernel_where_the_hosts_is(c):
    """Neither is moved by chance: the host's own map is what counts."""
    s = c.program(hypervisor())
    d = c.perf(kernel=True)
    d.mmap('[kernel.kallsyms]_text', KERNEL, 0x1000, KERNEL, pid=-1, misc=1)
    d.mmap('[guest.kernel.kallsyms]_text', KERNEL, 0x2000, KERNEL, pid=0, misc=IN_KERNEL)
    c.record()
    p = c.pt.start(c.t0).pge(s._start).tnt('T')
    p.pip(0x1000, 1).tip(KERNEL + 4, 6).fup(KERNEL + 0x1004, 6).pip(0x2000).tip(s.left, 6).tnt('T').pgd()
    c.finish()


@case('--guestmount mounted ' + BRANCHES, BRSTACK, 'report --itrace=i3tl2 -s +addr,pid,trace -n', 'buildid-list')
def module_by_name(c):
    """The recording has its name only."""
    in_module(c, 'symfs', known_as='[m]')


@case('--guestmount mounted ' + BRANCHES, known=[('*', ('reads', b'code 5'), 'Code and symbols')])
def module_of_another(c):
    """It is another build: both have no symbols of it, perf its code."""
    in_module(c, 'symfs', recorded=OTHER)


@case('--guestmount mounted ' + BRANCHES, known=[('*', ('reads', b'm_help+0x2'), 'Guests')])
def module_mounted(c):
    """In the guest's own file system."""
    in_module(c, 'mounted/4242', recorded=THIS)
