#!/usr/bin/env python3
"""run.py - proves that a page of docs/add-*.md says all there is to do.

SPDX-License-Identifier: MIT

    run.py HOWTO --build DIR --lib libptscript.a [--libs LIBRARY...]

A how-to is a module beside this file, which does what its page says:

    PAGE           the page; it must name every file that is edited
    MOST           how many files of the library may be edited at most
    edits(tree)    a list of Edit, in a copy of the sources
    PROGRAM        C source that uses what was added, or
    recording(c)   fills in a Case (tests/lib/cases.py), which the ptscript of the copy is run
                   on with each of OPTIONS; only lines that have SHOWN in them are looked at
    EXPECT         what is printed (of a recording: blanks in a row count as one)

Edits are lines put in at an anchor, so that unrelated changes of the files do not matter.
Every .c file that was edited, or that gets to see an edited file, is compiled with the
build's own flags and -Werror.  The program is linked with these objects in front of the
build's library, so that they take the place of those in it.
"""
import argparse
import concurrent.futures
import difflib
import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
LIBRARY = ('include', 'decoder', 'walker', 'synth')
PROGRAM = 'cli'


class Edit(NamedTuple):
    """Lines put behind (or in front of) the last line that matches; None: the file's end, also
    of one that is not there yet."""
    path: str
    anchor: str
    text: str
    before: bool = False


class Wrong(Exception):
    """What the page or the tree does not keep to."""


def read(path):
    with open(path) as f:
        return f.read()


def apply(tree, edit):
    path = os.path.join(tree, edit.path)
    lines = read(path).splitlines(keepends=True) if os.path.exists(path) else []
    at = len(lines)
    if edit.anchor is not None:
        found = [i for i, line in enumerate(lines) if re.search(edit.anchor, line)]
        if not found:
            raise Wrong('%s: no line matches %s' % (edit.path, edit.anchor))
        at = found[-1] + (not edit.before)
    lines[at:at] = [edit.text]
    with open(path, 'w') as f:
        f.write(''.join(lines))


def sources(tree):
    for folder in LIBRARY:
        for where, _, files in os.walk(os.path.join(tree, folder)):
            for name in sorted(files):
                yield os.path.relpath(os.path.join(where, name), tree)


def affected(tree, edited):
    """The .c files that were edited, or see an edited file, by way of others too."""
    includes = {}
    for path in sources(tree):
        found = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', read(os.path.join(tree, path)), re.M)
        includes[path] = {re.sub('^ptscript/', 'include/ptscript/', name) for name in found}
    seen, more = set(), set(edited)
    while more:
        seen |= more
        more = {path for path, names in includes.items() if names & seen} - seen
    return sorted(path for path in seen if path.endswith('.c'))


class Compiler:
    """The build's compiler and flags, for the copy of its sources."""

    def __init__(self, build, tree, libs):
        self.tree = tree
        self.libs = libs
        with open(os.path.join(build, 'compile_commands.json')) as f:
            self.commands = {os.path.relpath(c['file'], TOP): c['command']
                             for c in json.load(f)}

    def like(self, path):
        """The file itself, or one of its room when it is new."""
        room = os.path.dirname(path) + '/'
        return path if path in self.commands else min(
            p for p in self.commands if p.startswith(room))

    def flags(self, path):
        words = shlex.split(self.commands[self.like(path)])
        del words[words.index('-o'):]  # what to compile, and to what, stands at the end
        there = {'-I' + TOP + folder: '-I' + self.tree + folder for folder in ('', '/include')}
        return [there.get(w, w) for w in words]

    def compile(self, path, like=None):
        out = os.path.join(self.tree, path.replace('/', '-') + '.o')
        run(self.flags(like or path)
            + ['-Werror', '-c', os.path.join(self.tree, path), '-o', out])
        return out

    def compile_all(self, paths):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(self.compile, paths))

    def link(self, objects, like):
        program = os.path.join(self.tree, 'program')
        compiler = [w for w in self.flags(like) if not re.match('-[IDMW]', w)]
        run(compiler + objects + self.libs + ['-o', program])
        return program


def run(argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Wrong('%s\n%s' % (' '.join(map(shlex.quote, argv)), done.stdout))
    return done.stdout


def check_page(howto, edited):
    page = read(os.path.join(TOP, howto.PAGE))
    for path in edited:
        if '`%s`' % path not in page:
            raise Wrong('%s: %s has to be edited, and it does not say so' % (howto.PAGE, path))
    if len(edited) > howto.MOST:
        raise Wrong('%d files of the library are edited, %d are promised: %s'
                    % (len(edited), howto.MOST, ', '.join(edited)))


def compare(howto, got):
    if got != howto.EXPECT:
        raise Wrong('other lines are printed than should be:\n' + ''.join(
            difflib.unified_diff(howto.EXPECT.splitlines(1), got.splitlines(1))))


def check_program(howto, compiler, objects):
    like = 'decoder/record/record.c'
    with open(os.path.join(compiler.tree, 'program.c'), 'w') as f:
        f.write(howto.PROGRAM)
    compare(howto, run([compiler.link([compiler.compile('program.c', like)] + objects, like)]))


def check_recording(howto, compiler, objects):
    sys.path.insert(0, os.path.join(TOP, 'tests', 'lib'))
    import cases
    folder = os.path.join(compiler.tree, 'recording')
    os.mkdir(folder)
    howto.recording(cases.Case(folder))
    own = [path for path in compiler.commands if os.path.dirname(path) == PROGRAM]
    program = compiler.link(compiler.compile_all(own) + objects, PROGRAM + '/main.c')
    got = ''
    for options in howto.OPTIONS:
        status, out, err = cases.run([program], options, folder)
        if status:
            raise Wrong('ptscript %s: %s\n%s' % (options, status, err.decode()))
        lines = [' '.join(line.split()) for line in out.decode().splitlines()]
        got += ''.join(line + '\n' for line in lines if re.search(howto.SHOWN, line))
    compare(howto, got)


def prove(howto, build, libs, tree):
    for folder in LIBRARY + (PROGRAM,):
        shutil.copytree(os.path.join(TOP, folder), os.path.join(tree, folder))
    edits = howto.edits(tree)
    for edit in edits:
        apply(tree, edit)
    edited = sorted({e.path for e in edits})
    check_page(howto, edited)
    compiler = Compiler(build, tree, libs)
    objects = compiler.compile_all(affected(tree, edited))
    if hasattr(howto, 'PROGRAM'):
        check_program(howto, compiler, objects)
    else:
        check_recording(howto, compiler, objects)
    print('%s: %d files of the library edited, %d compiled'
          % (howto.PAGE, len(edited), len(objects)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('howto')
    p.add_argument('--build', required=True)
    p.add_argument('--lib', required=True)
    p.add_argument('--libs', nargs='*', default=[], help='what the library needs')
    a = p.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.dont_write_bytecode = True
    tree = tempfile.mkdtemp(prefix='howto')
    try:
        prove(importlib.import_module(a.howto), a.build, [a.lib] + a.libs, tree)
    except Wrong as wrong:
        print(wrong)
        return 1
    finally:
        shutil.rmtree(tree)
    return 0


if __name__ == '__main__':
    sys.exit(main())
