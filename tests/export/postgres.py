#!/usr/bin/env python3
"""postgres.py PTSCRIPT - export to a real PostgreSQL server, and perf's own script, in perf and here.

SPDX-License-Identifier: MIT

The server is started for the test, on a socket in a folder of its own.  77: there is none here.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
CAPTURE = os.path.join(TOP, 'testdata/emu-sig/perf.data')
SYMFS = os.path.join(TOP, 'testdata/symfs')
SCRIPT = '/usr/lib/perf-core/scripts/python/export-to-postgresql.py'
SKIP = 77
COLUMNS = '''select table_name, column_name, data_type, character_maximum_length, is_nullable
from information_schema.columns where table_schema = 'public' order by table_name, ordinal_position'''
KEYS = '''select conrelid::regclass, conname, pg_get_constraintdef(oid) from pg_constraint
where connamespace = 'public'::regnamespace order by 1, 2'''
INDEXES = "select indexdef from pg_indexes where schemaname = 'public' order by 1"
NAMES = "select table_name from information_schema.tables where table_schema = 'public' order by 1"
bad = 0


def check(what, holds):
    global bad
    if not holds:
        print('WRONG  ' + what)
        bad += 1


class Server:
    def __init__(self, folder):
        self.bin = sorted(glob.glob('/usr/lib/postgresql/*/bin'))[-1]
        self.folder = folder
        self.env = {'HOME': folder, 'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'TZ': 'UTC',
                    'PGHOST': folder, 'PGUSER': 'postgres',
                    **{k: v for k, v in os.environ.items() if k.endswith('SAN_OPTIONS')}}

    def control(self, *words):
        # The server does not run as root.
        who = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--clear-groups']
        return subprocess.run([*(who if os.getuid() == 0 else []), *words], cwd=self.folder,
                              env=self.env, stdout=subprocess.DEVNULL, check=True)

    def __enter__(self):
        if os.getuid() == 0:
            shutil.chown(self.folder, 'postgres')
        data = self.folder + '/data'
        self.control(self.bin + '/initdb', '-N', '-A', 'trust', '-U', 'postgres', '-E', 'UTF8',
                     '-D', data)
        self.control(self.bin + '/pg_ctl', '-D', data, '-w', '-l', self.folder + '/log', '-o',
                     "-k %s -c listen_addresses= -c fsync=off -c full_page_writes=off -c shared_buffers=16MB -c max_wal_size=4GB -c autovacuum=off" % self.folder, 'start')
        return self

    def __exit__(self, *_):
        self.control(self.bin + '/pg_ctl', '-D', self.folder + '/data', '-m', 'immediate', 'stop')

    def ask(self, database, sql):
        return subprocess.run(['psql', '-qAtX', database, '-c', sql], env=self.env,
                              stdout=subprocess.PIPE, check=True).stdout

    def all_of(self, database):
        found = {what: self.ask(database, what) for what in (COLUMNS, KEYS, INDEXES)}
        for name in self.ask(database, NAMES).decode().split():
            found[name] = self.ask(database, 'select * from %s x order by x::text' % name)
        return found

    def export(self, name, *words):
        return subprocess.run([sys.argv[1], 'export', '--to', 'postgres', '-o', name, '-i', CAPTURE,
                               '--symfs', SYMFS, *words], env=self.env, cwd=self.folder,
                              capture_output=True)

    def script(self, program, name, itrace, *words):
        subprocess.run([program, 'script', '-i', CAPTURE, '--symfs', SYMFS, itrace, '-s', SCRIPT,
                        name, *words], env=self.env, cwd=self.folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def beside_perf(s):
    for program, name in ('perf', 'theirs'), (sys.argv[1], 'scripts'):
        s.script(program, name, '--itrace=crewp', 'branches', 'calls')
    done = s.export('ours', '--itrace=crewp', '--columns', 'branches', '--calls')
    check('exit status: %r' % done.stderr, done.returncode == 0)
    perfs = s.all_of('theirs')
    for database in 'ours', 'scripts':
        made = s.all_of(database)
        check('the same tables in ' + database, sorted(perfs) == sorted(made))
        for name in perfs:
            check('%s: %s as perf has it' % (database, name.split('\n')[0]),
                  perfs[name] == made.get(name))


def manners(s):
    done = s.export('ours', '--itrace=p')
    check('is there', done.returncode == 255 and b'already exists' in done.stderr)
    check('left alone', int(s.ask('ours', 'select count(*) from samples')) > 1000)
    check('replaced', s.export('ours', '--itrace=p', '--overwrite').returncode == 0)
    check('by another', int(s.ask('ours', 'select count(*) from samples')) < 1000)
    odd = '''o'd"d name'''
    check('odd name', s.export(odd, '--itrace=p').returncode == 0)
    check('by that name', int(s.ask(odd, 'select count(*) from samples')) > 1)
    check('too long', s.export('x' * 64).returncode == 255)
    s.env['PGUSER'] = 'nobody'
    check('not let in', s.export('no').returncode == 255)
    s.env['PGUSER'] = 'postgres'
    left = s.ask('postgres', "select datname from pg_database where datname like 'ptscript%'")
    check('nothing left behind', not left)


def main():
    if not glob.glob('/usr/lib/postgresql/*/bin/initdb') or not os.path.exists(SCRIPT):
        print('no PostgreSQL server or no perf here')
        return SKIP
    with tempfile.TemporaryDirectory(prefix='pts') as folder, Server(folder) as s:
        beside_perf(s)
        manners(s)
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
