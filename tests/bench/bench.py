#!/usr/bin/env python3
"""bench.py --ptscript P --ptcount P [--ipt-block P] [--base P] [--only GLOB] [--report FILE] DATA

SPDX-License-Identifier: MIT

Speed and memory beside perf's, on the recordings in the folder DATA (data.py makes them); for
decoding beside libipt's, too. With --base the other side is an older ptscript, and what became
slower is listed.

What is printed is compared first (by hash); a row whose output differs is reported as such and
not timed. Then both run in turn, PTS_BENCH_RUNS times (5) each; the medians count. What takes
the other side more than a minute runs once.
"""
import argparse
import collections
import fnmatch
import os
import shutil
import subprocess
import sys
import tempfile

import files
import inputs
import measure

SLOWER, NOISE = 1.05, 0.01  # times, and seconds more
TEXT = 1000000  # bytes; what prints more is measured into a pipe, too
EVENTS = '/usr/lib/perf-core/scripts/python/intel-pt-events.py'
Job = collections.namedtuple('Job', 'name options length')
JOBS = [
    Job('decode only', '--itrace=e', 'full'),
    Job('overview', '--itrace=qe', 'full'),
    Job('samples', '--itrace=i100us', 'full'),
    Job('samples with call chains', '--itrace=i100usge', 'full'),
    Job('samples by instructions', '--itrace=i1000i', 'full'),
    Job('samples close together', '--itrace=i1us', 'mid'),
    Job('all branches', '--itrace=be', 'mid'),
    Job('calls and returns', '--call-ret-trace', 'mid'),
    Job('calls', '--call-trace', 'mid'),
    Job('dump', '-D', 'mid'),
    Job('every instruction', '--insn-trace', 'short'),
    Job('instructions as samples', '--itrace=i0ns', 'short'),
    Job('report', 'report --itrace=i100us', 'full'),
    Job('report with call chains', 'report --itrace=i100usge', 'full'),
    Job('report by instructions', 'report --itrace=i1000ig', 'mid'),
    Job('report of branches', 'report --itrace=b', 'mid'),
]
SCRIPT = Job('script in Python', '-s ' + EVENTS, 'short')
FILES_OF = 'cc1-cyc', 'python3-cyc'  # commands that write files, and scripts
# Of as little as there is of a kernel's recording.
SMALL = [Job('decode only, small', '--itrace=e', 'short'),
         Job('all branches, small', '--itrace=be', 'short')]
KERNEL = [job._replace(length='full') for job in JOBS]  # all of it is short
LONG = JOBS[:4] + [Job('decode only, less of it', '--itrace=e', 'mid')]
COLD = [Job('decode only, cold', '--itrace=e', 'short'),
        Job('all branches, cold', '--itrace=be', 'short')]
COLD_OF = 'python3-cyc'
LINES = [Job('source lines', '-Fip,srcline', 'full')]
WINDOW = '--itrace=e --time 1%/50'
COLUMNS = ('job', 'options', 'PT MB', 'text MB', '{o} CPU s', 'ptscript CPU s', 'ratio',
           'wall ratio', 'ratio into a pipe', 'ratio, 2 jobs', 'PT MB/s', 'M branches/s',
           'cycles/branch', '{o} peak MB', 'ptscript peak MB', 'runs')


class Bench:
    def __init__(self, args):
        self.args = args
        self.other = args.base or 'perf'
        self.other_name = 'base' if args.base else 'perf'
        self.ticks = measure.ticks_a_second()
        self.slower = []
        self.one_job = self.jobs_option(args.ptscript, 1)
        self.other_job = self.jobs_option(args.base, 1) if args.base else ''

    @staticmethod
    def jobs_option(program, n):
        """An option, where the program has it: comparisons are of one thread."""
        said = subprocess.run([program, '--help'], capture_output=True, text=True).stdout
        return ' --jobs %d' % n if '--jobs' in said else ''

    def jobs_for(self, recording):
        if recording.name.startswith('kernel'):
            return KERNEL
        if recording.name.endswith('-long'):
            return LONG
        return LINES if 'images' in recording.name else JOBS + SMALL

    def commands(self, recording, job):
        return [recording.command(program, job.length, job.options + jobs)
                for program, jobs in
                ((self.other, self.other_job), (self.args.ptscript, self.one_job))]

    def row(self, recording, job, cold=()):
        """The cells of a row."""
        pair = self.commands(recording, job)
        file = recording.files[job.length]
        (theirs, size, seconds), (ours, _, _) = (measure.output(c) for c in pair)
        start = [job.name, '`%s`' % job.options, '%.1f' % (file.pt / 1e6), '%.1f' % (size / 1e6)]
        if theirs != ours:
            return start + ['differs'] + [''] * (len(COLUMNS) - 5)
        runs = measure.runs_for(seconds)
        a, b = measure.alternate(pair, runs, cold=cold)
        if self.args.base and b.cpu > a.cpu * SLOWER + NOISE:  # or so it seems: again
            a, b = measure.alternate(pair, 2 * runs + 1, cold=cold)
            if b.cpu > a.cpu * SLOWER + NOISE:
                self.slower.append('%s, %s: %.3f s, was %.3f s' % (recording.name, job.name,
                                                                  b.cpu, a.cpu))
        pipe = jobs = '-'
        if size > TEXT:
            c, d = measure.alternate(pair, runs, pipe=True)
            pipe = '%.2f' % (c.cpu / d.cpu)
        if self.one_job and not cold:
            two = recording.command(self.args.ptscript, job.length, job.options + ' --jobs 2')
            jobs = '%.2f' % (a.wall / measure.alternate([two], runs)[0].wall)
        return start + self.costs(file, a, b) + self.rest(file, a, b, pipe, jobs, runs)

    def file_row(self, recording, job):
        """The same of a command that writes a file."""
        with tempfile.TemporaryDirectory() as tmp:
            out = os.path.join(tmp, 'out')
            with files.own_cache(recording, os.path.join(tmp, 'cache')):
                pair = [recording.command(p, job.length, files.words(job, p, out) + jobs)
                        for p, jobs in ((self.other, self.other_job),
                                        (self.args.ptscript, self.one_job))]
            seconds, written = [], []
            for argv in pair:
                seconds.append(measure.run(argv, writes=out).wall)
                written.append(files.digest(job, out))
            size = os.path.getsize(out) if os.path.exists(out) else 0
            file, said = recording.files[job.length], files.words(job, 'ptscript', 'FILE')
            start = [job.name, '`%s`' % said, '%.1f' % (file.pt / 1e6), '%.1f' % (size / 1e6)]
            if written[0] != written[1] or not written[0]:
                return start + ['differs'] + [''] * (len(COLUMNS) - 5)
            runs = measure.runs_for(seconds[0])
            a, b = measure.alternate(pair, runs, writes=out)
            two = pair[1] + ['--jobs', '2']
            jobs = '%.2f' % (a.wall / measure.alternate([two], runs, writes=out)[0].wall)
        return start + self.costs(file, a, b) + self.rest(file, a, b, '-', jobs, runs)

    @staticmethod
    def costs(_, a, b):
        return ['%.2f' % a.cpu, '%.2f' % b.cpu, '%.2f' % (a.cpu / b.cpu),
                '%.2f' % (a.wall / b.wall)]

    def rest(self, file, a, b, pipe, jobs, runs):
        cells = [pipe, jobs] + ['-'] * 3
        if file.pt:
            cells[2] = '%.1f' % (file.pt / 1e6 / b.cpu)
        if file.branches:
            cells[3] = '%.1f' % (file.branches / 1e6 / b.cpu)
            cells[4] = '%.0f' % (b.cpu * self.ticks / file.branches)
        return cells + ['%.0f' % a.mb, '%.0f' % b.mb, str(runs)]

    def ipt_row(self, recording):
        """Decoding beside libipt's block decoder, over the bare traces."""
        trace = os.path.join(recording.folder or '', 'trace')
        if not recording.folder or not os.path.isdir(trace):
            return None
        files = sorted(os.path.join(trace, f) for f in os.listdir(trace))
        theirs = [self.args.ipt_block, os.path.join(recording.folder, 'images')] + files
        ours = self.commands(recording, JOBS[0])[1]
        said = subprocess.run(theirs, capture_output=True, text=True).stdout.strip()
        file = recording.files['full']
        start = ["beside libipt's block decoder", said, '%.1f' % (file.pt / 1e6), '0.0']
        if not said.endswith(', 0 errors'):
            return start + ['errors'] + [''] * (len(COLUMNS) - 5)
        a, b = measure.alternate([theirs, ours], measure.RUNS)
        return start + self.costs(file, a, b) + self.rest(file, a, b, '-', '-', measure.RUNS)

    def rows(self, recording):
        """Of a table; printed as they come."""
        for job in self.jobs_for(recording):
            yield self.row(recording, job)
        if recording.name in FILES_OF:
            if os.path.exists(EVENTS):
                yield self.row(recording, SCRIPT)
            for job in filter(files.usable, files.JOBS):
                yield self.file_row(recording, job)
        if recording.name == COLD_OF:
            for job in COLD:
                cold = [recording.files[job.length].data, recording.symfs]
                yield self.row(recording, job, cold=cold)
        if self.args.ipt_block and not self.args.base:
            row = self.ipt_row(recording)
            if row:
                yield row

    def indexed(self, recording):
        """A hundredth of a recording's time, by an index of it."""
        file = recording.files['full'].data
        subprocess.run([self.args.ptscript, 'time', '--index', file], check=True,
                       stdout=subprocess.DEVNULL)
        window = recording.command(self.args.ptscript, 'full', WINDOW + self.one_job)
        result = measure.alternate([window], measure.RUNS)[0]
        os.remove(file + '.ptidx')
        return result

    def long(self, recording):
        """What a long recording costs beside a short one, and a hundredth of its time."""
        full, part, less = measure.alternate(
            [recording.command(self.args.ptscript, length, o + self.one_job) for length, o in
             (('full', JOBS[0].options), ('full', WINDOW), ('mid', JOBS[0].options))],
            measure.RUNS)
        big, small = (recording.files[length].pt / 1e6 for length in ('full', 'mid'))
        index = self.indexed(recording)
        return ['', '`%s`: %.1f %% of the time of all, %.1f %% with an index.'
                % (WINDOW, 100 * part.cpu / full.cpu, 100 * index.cpu / full.cpu),
                'Of %.0f MB a megabyte takes %.2f times as long as of %.0f MB; peak memory %.2f '
                'times as high.' % (big, full.cpu / big / (less.cpu / small), small,
                                    full.mb / less.mb)]

    def table(self, recording):
        title = [c.format(o=self.other_name) for c in COLUMNS]
        lines = ['## ' + recording.name, '', '| %s |' % ' | '.join(title),
                 '|' + '---|' * len(COLUMNS)]
        print('\n'.join(lines), flush=True)
        for row in self.rows(recording):
            lines.append('| %s |' % ' | '.join(row))
            print(lines[-1], flush=True)
        if recording.name.endswith('-long'):
            lines += self.long(recording)
            print('\n'.join(lines[-2:]), flush=True)
        return lines + ['']

    def front(self):
        version = subprocess.run([self.other, '--version'], capture_output=True, text=True).stdout
        return ['# Speed beside %s' % self.other_name, '',
                'Written by `make bench`: %s, %s; medians of alternating runs, output to /dev/null, '
                'outputs found equal first. Ratio: CPU time of %s / of ptscript with one thread, '
                'above 1 ptscript is faster; cycles are those of the %.2f GHz time stamp counter. '
                'Branches: those that packets decide.'
                % (version.strip(), measure.machine(), self.other_name, self.ticks / 1e9), '']

    def all(self, recordings):
        lines, none = self.front(), True
        for recording in recordings:
            if fnmatch.fnmatch(recording.name, self.args.only):
                lines, none = lines + self.table(recording), False
        if none:
            sys.exit('no recordings in %s: make bench-data' % self.args.data)
        if self.args.report:
            with open(self.args.report, 'w') as f:
                f.write('\n'.join(lines))
        if self.args.base:
            print('\n'.join(self.slower) or 'no row became slower by 5 %')
        return bool(self.slower)


def recordings(args, tmp):
    yield from inputs.all_made(args.data)
    for where, made in (('real', lambda d: inputs.real(d, args.ptcount)),
                        ('lines', lambda d: [inputs.many_images(d)])):
        if where == 'lines' and not shutil.which('g++'):
            print('source lines: no g++, skipped')
            continue
        os.makedirs(os.path.join(tmp, where))
        yield from made(os.path.join(tmp, where))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--ptscript', required=True, type=os.path.abspath)
    ap.add_argument('--ptcount', required=True, type=os.path.abspath)
    ap.add_argument('--ipt-block', type=os.path.abspath)
    ap.add_argument('--base', type=os.path.abspath)
    ap.add_argument('--only', default='*')
    ap.add_argument('--report')
    ap.add_argument('data', type=os.path.abspath)
    args = ap.parse_args()
    if not args.base and not shutil.which('perf'):
        print('perf is not installed: skipped')
        return 77
    with tempfile.TemporaryDirectory() as tmp:
        return Bench(args).all(recordings(args, tmp))


if __name__ == '__main__':
    sys.exit(main())
