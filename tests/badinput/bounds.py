#!/usr/bin/env python3
"""bounds.py PTSCRIPT - small files that would take much memory, room or time (I12).

SPDX-License-Identifier: MIT

Memory and room are measured, and held against the multiple of the file that I12 states.  Time
has a limit that only an algorithm that is too slow for so many queues comes near.
"""
import os
import resource
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'lib'))
import mkpack  # noqa: E402
import mkperf  # noqa: E402
import ptasm  # noqa: E402

MIB = 1 << 20
BASE = 64 * MIB  # of the program and its libraries
SECONDS = 20     # of CPU time; hundreds when a queue is looked for among all others


def queues(path, count):
    """One queue for each AUXTRACE record, the last first."""
    d = mkperf.PerfData()
    d.comm('t')
    for i in range(count):
        d.auxtrace(b'\x02\x82' * 8, idx=count - i)
    d.comm('the last', d.T0 + 5000)
    d.write(path)
    return 7 * 1024 * count


def swollen(path, count):
    """COMPRESSED records of a few bytes that hold records of 0x808 bytes, 100 MB each."""
    d = mkperf.PerfData()
    d.comm('the first')
    d.features['compressed'] = mkpack.feature(d.pack)
    frame = mkpack.repeated(8, 100 * MIB)
    for _ in range(count):
        d.chunks += mkpack.records(d, frame)
    d.write(path, index=False)
    return 8 * (16 * MIB + 256 * count * len(frame))


def forks(path, count):
    """A process with many maps, and children of it that change what they got."""
    d = mkperf.PerfData()
    d.comm('the first', d.T0)
    for i in range(count):
        d.mmap2('/build/t', addr=0x400000 + i * 0x10000, tsc=d.T0 + 1)
    for i in range(count):
        who = dict(pid=5000 + i, tid=5000 + i)
        d.fork(d.T0 + 2 + i, ppid=d.pid, ptid=d.pid, **who)
        d.mmap2('/build/u', addr=0x100000, tsc=d.T0 + 3 + i, **who)
    d.auxtrace(b'\x02\x82' * 8)
    d.exit(d.T0 + 5000000)
    d.write(path)
    return 8 * ((16 << 20) + 64 * 3 * count)


def downwards(path, count):
    """Each map is below all others, and the trace looks at them as they come."""
    top, d = 0x7fff00000000, mkperf.PerfData()
    d.comm('the first')
    d.mmap2('/build/t', addr=top, tsc=d.T0 + 1)
    record = bytearray(d.chunks[-1])
    when = record.index(struct.pack('<Q', d.clock.ns(d.T0 + 1)))
    for i in range(1, count):
        struct.pack_into('<Q', record, 16, top - i * 0x10000)
        struct.pack_into('<Q', record, when, d.clock.ns(d.T0 + 1) + i)
        d.chunks.append(bytes(record))
    d.auxtrace(ptasm.Packets().start(d.T0).pge(top, form=6).pgd().bytes)
    d.exit(d.T0 + 50000000)
    d.write(path)
    return 8 * os.path.getsize(path)


PAGE = 0xffffc90000000000


def pokes(path, count):
    """A page of kprobes that is changed again and again, and a trace that runs in it."""
    d = mkperf.PerfData()
    d.comm('the first')
    d.ksymbol(PAGE, 0xffffffff, 'kprobe_insn_page', d.T0 + 1, kind=2)
    for i in range(count):
        d.text_poke(PAGE + i % 4096, b'', b'\x90', d.T0 + 2 + i)
    d.text_poke(PAGE + 4096, b'', b'\xc3', d.T0 + 2 + count)
    d.text_poke(PAGE - 5, b'', b'\xc3' * 64, d.T0 + 2 + count)
    d.text_poke(PAGE + 0xfffffff0, b'', b'\xc3' * 64, d.T0 + 2 + count)
    pt = ptasm.Packets()
    pt.start(d.T0 + 100)
    for i in range(2000):
        pt.tsc(d.T0 + 100 + i * (count // 2000)).pge(PAGE + i).fup(PAGE + i + 8).pgd()
    d.auxtrace(pt.bytes)
    d.exit(d.T0 + 5000000)
    d.write(path)
    return 8 * os.path.getsize(path)


KERNEL = 0xffffffff81000000
KERNEL_SIZE = 64 * MIB


def kernel_beside(folder):
    """Its code, nearly all of it zeros, and where it is."""
    os.makedirs(folder)
    head = b'\x7fELF\2\1\1'.ljust(16, b'\0') + struct.pack(
        '<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    load = struct.pack('<IIQQQQQQ', 1, 7, 4096, KERNEL, 0, KERNEL_SIZE, KERNEL_SIZE, 4096)
    with open(folder + '/kcore', 'wb') as f:
        f.write(head + load)
        f.truncate(4096 + KERNEL_SIZE)
    with open(folder + '/kallsyms', 'w') as f:
        f.write('%016x T _text\n' % KERNEL)
    with open(folder + '/modules', 'w') as f:
        f.write('')


def changing_kernel(path, count):
    """Queues that all run in code which changes a hundred times as often as they are many: half
    of it where they run, between returns, the rest all over the kernel."""
    d = mkperf.PerfData(kernel=True)
    d.mmap('[kernel.kallsyms]_text', KERNEL, KERNEL_SIZE, KERNEL, pid=-1, misc=1)
    changes = 100 * count
    for i in range(64):
        d.text_poke(KERNEL + i * 64 + 8, b'', b'\xc3\xc3', d.T0 + 1)
    for i in range(changes // 2):
        d.text_poke(KERNEL + i % 64 * 64 + i % 7, b'', b'\x90', d.T0 + 2 + 2 * i)
        d.text_poke(KERNEL + i * 4099 % KERNEL_SIZE + 65536, b'', b'\xc3', d.T0 + 3 + 2 * i)
    for i in range(count):
        pt = ptasm.Packets()
        pt.start(d.T0 + 100)
        for turn in range(8):
            pt.tsc(d.T0 + 100 + turn * (changes // 8) + i)
            pt.pge(KERNEL + i % 64 * 64).tip(KERNEL + turn * 64).pgd()
        d.auxtrace(pt.bytes, idx=i, cpu=i)
    d.comm('the last', d.T0 + 5000000)
    kernel_beside(path + '/kcore_dir')
    d.write(path + '/data')
    return 6 * 1024 * count + 8 * os.path.getsize(path + '/data')


def long_names(path, megabytes):
    """A list of the kernel's symbols that takes no room on the disk."""
    d = mkperf.PerfData(kernel=True)
    d.mmap('[kernel.kallsyms]_text', KERNEL, KERNEL_SIZE, KERNEL, pid=-1, misc=1)
    d.text_poke(KERNEL, b'', b'\x90\xc3', d.T0 + 1)
    pt = ptasm.Packets()
    pt.start(d.T0 + 100)
    pt.pge(KERNEL).pgd()
    d.auxtrace(pt.bytes)
    d.comm('the last', d.T0 + 5000)
    kernel_beside(path + '/kcore_dir')
    with open(path + '/kcore_dir/kallsyms', 'r+b') as f:
        f.truncate(megabytes * MIB)
    d.write(path + '/data')
    return 258 * MIB


def run(program, path, options, tmp):
    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    with open(os.path.join(tmp, 'out'), 'wb') as out, open(os.path.join(tmp, 'err'), 'wb') as err:
        child = subprocess.Popen([program, 'script', '-i', path, *options], stdout=out, stderr=err,
                                 preexec_fn=bound, env={'HOME': tmp, 'TMPDIR': tmp})
        _, status, usage = os.wait4(child.pid, 0)
    texts = []
    for name in ('out', 'err'):
        with open(os.path.join(tmp, name), 'rb') as f:
            texts.append(f.read())
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, *texts


ROWS = (  # what is made, how many, options, exit status, what is printed and what is said
    (queues, 100000, ['--show-task-events'], 0, b': the last:4242/4242', b''),
    (forks, 20000, ['--show-task-events'], 0, b'EXIT(4242:4242)',
     b'begin without the code of their parents'),
    (downwards, 1000000, ['--itrace=be', '-F', 'ip,addr,dso'], 0, b'7fff00000000', b''),
    (changing_kernel, 1000, ['--itrace=i0nse', '-F', 'ip,event'], 0, b' ffffffff81000000', b''),
    (long_names, 1000, ['--itrace=i0nse', '-F', 'ip,sym,event'], 0, b'ffffffff81000000 _text',
     b'kallsyms: longer than 256 MB, symbols behind them are not read'),
    (pokes, 50000, ['--itrace=i0nse', '-F', 'ip,event'], 0, b' ffffc90000000008', b''),
    (swollen, 40, ['--show-task-events'], 234, b': the first:4242/4242',
     b'unpack to more than 256 times their size here'))


def main():
    program, failed = os.path.abspath(sys.argv[1]), 0
    with open(program, 'rb') as f:
        sanitized = b'__asan_init' in f.read()  # it keeps what was freed
    for make, count, options, want, printed, said in ROWS:
        with tempfile.TemporaryDirectory() as tmp:
            path = os.path.join(tmp, 'perf.data')
            most = BASE + make(path, count)
            status, memory, out, err = run(program, path, options, tmp)
            good = (status == want and printed in out and said in err
                    and (sanitized or memory <= most))
            print('%-6s %s: %d bytes, %d MiB of at most %d, exit %d' % (
                'ok' if good else 'FAILED', make.__name__, os.path.getsize(path),
                memory // MIB, most // MIB, status))
            failed += not good
            if not good:
                print(err.decode('utf-8', 'replace')[:500])
    print('%d passed, %d failed' % (len(ROWS) - failed, failed))
    return failed != 0


if __name__ == '__main__':
    sys.exit(main())
