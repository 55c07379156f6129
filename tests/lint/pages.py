#!/usr/bin/env python3
"""pages.py - what the pages name is there.

SPDX-License-Identifier: MIT

In docs/*.md, README.md and CONTRIBUTING.md every file in backticks that stands in one of our
folders exists; names with a capital word (NAME) or a * stand for many and need one match.
docs/tour.md names functions: name() occurs in the file that was named last before it.  In the
tables of docs/architecture.md the first cell names files of the folder in the heading.  Every
invariant that code relies on, as in (I1), is in docs/invariants.md.

Prints what is missing; silent and 0 when nothing is.
"""
import glob
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
FOLDERS = ('cli', 'decoder', 'docs', 'include', 'ptscript', 'synth', 'testdata', 'tests', 'walker')
# What docs/architecture.md makes up to show where a new command goes.
MADE_UP = {'include/ptscript/report.def', 'cli/cmd_report.c'}
TOUR = 'docs/tour.md'
ROOMS = 'docs/architecture.md'
RULES = 'docs/invariants.md'
NAMED = re.compile(r'`([\w./*-]+/[\w.*-]+\.\w+)`|`(\w+)\(\)`')


def read(path):
    with open(os.path.join(TOP, path)) as f:
        return f.read()


def pages():
    found = glob.glob('docs/*.md', root_dir=TOP) + ['README.md', 'CONTRIBUTING.md']
    return sorted(found)


def is_there(name):
    path = 'include/' + name if name.startswith('ptscript/') else name
    path = re.sub(r'\b[A-Z]{2,}\b', '*', path) if not path.endswith('.md') else path
    return bool(glob.glob(path, root_dir=TOP))


def missing(page):
    """Line by line: (number, what is not there)."""
    last = None
    for number, line in enumerate(read(page).splitlines(), 1):
        for path, function in NAMED.findall(line):
            if path and path.split('/')[0] in FOLDERS and path not in MADE_UP:
                last = path if is_there(path) else None
                if not last:
                    yield number, path
            elif function and page == TOUR and last:
                if not re.search(r'\b%s\(' % function, read(last)):
                    yield number, '%s() in %s' % (function, last)


def missing_units():
    """Names in the first cells of tables, which stand for .c and .h files."""
    room = None
    for number, line in enumerate(read(ROOMS).splitlines(), 1):
        if line.startswith('#'):
            heading = line.lstrip('# ').split(':')[0].rstrip('/')
            room = heading if os.path.isdir(os.path.join(TOP, heading)) else None
        elif room and line.startswith('| `'):
            for name in re.findall(r'`([^`]+)`', line.split('|')[1]):
                if not any(glob.glob('%s/%s%s' % (room, name, end), root_dir=TOP)
                           for end in ('', '.c', '.h')):
                    yield number, '%s/%s' % (room, name)


def missing_rules():
    rules = set(re.findall(r'\*\*(I\d+),', read(RULES)))
    for folder in ('cli', 'decoder', 'walker', 'synth'):
        for path in glob.glob(folder + '/**/*.[ch]', root_dir=TOP, recursive=True):
            for number, line in enumerate(read(path).splitlines(), 1):
                for rule in re.findall(r'\((I\d+)\)', line):
                    if rule not in rules:
                        yield path, number, rule


def main():
    bad = 0
    for path, number, rule in missing_rules():
        print('%s:%d: %s does not have %s' % (path, number, RULES, rule))
        bad += 1
    for number, what in missing_units():
        print('%s:%d: there is no %s' % (ROOMS, number, what))
        bad += 1
    for page in pages():
        for number, what in missing(page):
            print('%s:%d: there is no %s' % (page, number, what))
            bad += 1
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
