#!/usr/bin/env python3
"""clean_root.py PACKAGE.deb... - installs packages where nothing is but what they depend on.

SPDX-License-Identifier: MIT

    clean_root.py RECORDING SYMFS PACKAGE.deb...

The root is made of the files of packages that are installed here: those that the new ones name
in Depends, what these need, and a shell.  dpkg installs the new ones into it, so that it checks
their dependencies, too; then programs run in it, and the packages are removed again.  Must be
root; without a network.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DPKG = '/var/lib/dpkg'
ALWAYS = ('dash', 'libc-bin', 'coreutils', 'diffutils')  # scripts of packages, and dpkg itself
BELOW_USR = ('bin', 'sbin', 'lib', 'lib64', 'lib32', 'libx32')
SCRIPT = 'def trace_end():\n    print("a script ran")\n'
# What runs in it, and what of its output tells that it did.
RUNS = [
    ('ptscript --version', 'ptscript '),
    ('ptrecord --version', 'ptrecord '),
    ('ptscript -i /r --symfs /s --insn-trace=disasm --limit 5', 'push'),
    ('ptscript -i /r --symfs /s --itrace=b -s /t.py', 'a script ran'),
    ('ptscript report -i /r --symfs /s', 'Samples: '),
    ('ptscript export --to sqlite -i /r --symfs /s -o /db && ls /db', '/db'),
    ('ptscript --list-cmds', 'report'),
]


def fields(text):
    """The fields of a paragraph."""
    found = {}
    for line in text.splitlines():
        if line[:1] not in (' ', ''):
            name, _, value = line.partition(':')
            found[name] = value.strip()
    return found


def installed():
    """{name: paragraph} of what is installed here."""
    with open(DPKG + '/status', encoding='utf-8') as f:
        paragraphs = [p for p in f.read().split('\n\n') if ' ok installed' in p]
    return {fields(p)['Package']: p for p in paragraphs}


def names(depends):
    """Of "a (>= 1) | b, c": [[a, b], [c]]."""
    return [[re.match(r'\s*([a-z0-9.+-]+)', one)[1] for one in group.split('|')]
            for group in depends.split(',') if group.strip()]


def closure(wanted, here):
    """All packages that are needed, of those that are here."""
    provided = {}
    for name, paragraph in here.items():
        for group in names(fields(paragraph).get('Provides', '')):
            provided.setdefault(group[0], name)
    needed, left = set(), list(wanted)
    while left:
        group = left.pop()
        name = next((n if n in here else provided[n] for n in group if n in here or n in provided),
                    None)
        if name and name not in needed:
            needed.add(name)
            f = fields(here[name])
            left += names(f.get('Depends', '')) + names(f.get('Pre-Depends', ''))
    return needed


def list_of(name):
    for path in ('%s/info/%s.list' % (DPKG, name), '%s/info/%s:amd64.list' % (DPKG, name)):
        if os.path.exists(path):
            return path
    sys.exit('no list of the files of ' + name)


def copy_files(root, name):
    with open(list_of(name), encoding='utf-8') as f:
        paths = f.read().splitlines()
    for path in paths:
        to = root + path
        if not path.strip('/.') or not os.path.lexists(path):
            continue
        if os.path.isdir(path) and not os.path.islink(path):
            os.makedirs(to, exist_ok=True)
        elif not os.path.lexists(to):
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(path, to, follow_symlinks=False)
    info = os.path.splitext(list_of(name))[0]
    for suffix in ('list', 'triggers', 'postinst', 'md5sums', 'shlibs'):
        if os.path.exists('%s.%s' % (info, suffix)):
            shutil.copy('%s.%s' % (info, suffix), root + DPKG + '/info/')


def make_root(root, packages):
    here = installed()
    wanted = [[n] for n in ALWAYS]
    ours = {fields(p)['Package'] for p in packages}
    for p in packages:
        wanted += [g for g in names(fields(p).get('Depends', '')) if not ours & set(g)]
    needed = closure(wanted, here)
    for folder in BELOW_USR:
        os.makedirs('%s/usr/%s' % (root, folder))
        os.symlink('usr/' + folder, '%s/%s' % (root, folder))
    for folder in (DPKG + '/info', DPKG + '/updates', DPKG + '/triggers', '/tmp', '/var/log', '/dev', '/proc'):
        os.makedirs(root + folder, exist_ok=True)
    for name in sorted(needed):
        copy_files(root, name)
    for name in ('available', 'status'):
        with open('%s%s/%s' % (root, DPKG, name), 'w', encoding='utf-8') as f:
            f.write('\n\n'.join(here[n] for n in sorted(needed)) + '\n')
    subprocess.run(['ldconfig', '-r', root], check=True)
    return needed


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL': 'C'})
    return done.returncode, done.stdout


def try_all(root):
    bad = 0
    for command, word in RUNS:
        status, out = run('chroot', root, '/bin/sh', '-c', command)
        if status or word not in out:
            print('%s: status %d: %s' % (command, status, out[:500]))
            bad += 1
    return bad


def may_chroot():
    child = os.fork()
    if not child:
        try:
            os.chroot('/')
        except OSError:
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def main():
    recording, symfs, *debs = sys.argv[1:]
    if not may_chroot():
        print('chroot is not allowed here: not installed in a clean root')
        return 0
    packages = [run('dpkg-deb', '-f', deb)[1] for deb in debs]
    with tempfile.TemporaryDirectory() as root:
        needed = make_root(root, packages)
        status, out = run('dpkg', '--root=' + root, '--force-unsafe-io', '-i', *debs)
        if status:
            print(out)
            return 1
        shutil.copy(recording, root + '/r')
        shutil.copytree(symfs, root + '/s', symlinks=True)
        with open(root + '/t.py', 'w', encoding='utf-8') as f:
            f.write(SCRIPT)
        bad = try_all(root)
        status, out = run('dpkg', '--root=' + root, '-r', *[fields(p)['Package'] for p in packages])
        if status or os.path.exists(root + '/usr/bin/ptscript'):
            print('not removed: ' + out)
            bad += 1
    print('installed beside %d packages of Debian, %d of %d runs failed' % (len(needed), bad, len(RUNS)))
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
