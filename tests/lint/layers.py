#!/usr/bin/env python3
"""layers.py - who includes whom: rooms one way only, no circles, one file for each library.

SPDX-License-Identifier: MIT

ROOMS lists the folders of the house from the ground up.  A file may include its own room and
those above its line here; `cli` sees the public headers only.  A .c file and its header are
one unit, and no units include each other in a circle.  Each external library is known to the
files behind one seam, so that it can be swapped, faked or built out.

Prints every line that breaks a rule; silent and 0 when there is none.
"""
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
ROOMS = [
    'include/ptscript',
    'decoder/base', 'decoder/pt', 'decoder/file', 'decoder/record', 'decoder/aux',
    'decoder/open', 'decoder/reader',
    'walker/code', 'walker/cache', 'walker/unwind', 'walker/sideband', 'walker/flow', 'walker/quiet', 'walker/step',
    'walker/relay',
    'synth/symbol', 'synth/print', 'synth/plan', 'synth/sample', 'synth/dlfilter', 'synth/print/tracepoint',
    'synth/print/line', 'synth/print/record', 'synth/print/header', 'synth/print/dump',
    'synth/print/output', 'synth/print/list', 'synth/print/script', 'synth/rows',
    'synth/report/key', 'synth/report', 'synth/inject', 'synth/export', 'synth/scripting', 'synth/run',
]
SEAMS = {
    r'capstone': r'walker/code/insn\.c',
    r'libelf|gelf\.h|elfutils/libelf': r'walker/code/image_elf\.c|walker/code/vmlinux\.c|synth/symbol/sym_elf\.c',
    r'dwarf\.h|elfutils/libdw': r'synth/symbol/line_(table|func)\.c',
    r'libunwind': r'walker/unwind/unwind\.c',
    r'demangle\.h|libiberty': r'synth/symbol/demangle\.c',
    r'xxhash': r'decoder/base/hash\.h',
    r'zstd': r'decoder/open/perf_zstd\.c',
    r'lzma': r'walker/code/unpack_xz\.c',
    r'zlib': r'walker/code/unpack_gz\.c',
    r'bzlib': r'walker/cache/tar_bz2\.c',
    r'dlfcn': r'decoder/base/sys\.c|synth/dlfilter/dlfilter_run\.c|cli/script_language\.c',
    r'sqlite3': r'synth/export/to_sqlite\.c',
    r'libpq': r'synth/export/postgres\.c',
    r'elfutils/debuginfod': r'walker/cache/fetch\.c',
    r'Python\.h': r'cli/python/python\.h',
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def sources():
    for folder in ('include', 'decoder', 'walker', 'synth', 'cli'):
        for where, _, files in os.walk(os.path.join(TOP, folder)):
            for name in sorted(files):
                if name.endswith(('.c', '.h', '.inc', '.def')):
                    yield os.path.relpath(os.path.join(where, name), TOP)


def includes(path):
    with open(os.path.join(TOP, path)) as f:
        for number, line in enumerate(f, 1):
            m = INCLUDE.match(line)
            if m:
                yield number, m[1], m[2]


def room_of(path):
    room = os.path.dirname(path)
    return ROOMS.index(room) if room in ROOMS else None


def ours(kind, name):
    """The file that is included, when it is one of this tree."""
    path = 'include/' + name if name.startswith('ptscript/') else name
    return path if os.path.exists(os.path.join(TOP, path)) else None


def wrong(path, kind, name):
    """What is wrong with an include, or None."""
    for library, seam in SEAMS.items():
        if kind == '<' and re.match(library, name) and not re.fullmatch(seam, path):
            return 'this library is behind ' + seam
    target = ours(kind, name)
    if path.startswith('cli/'):
        bad = kind == '"' and '/' in name
        return 'cli sees its own and the public headers only' if bad else None
    if kind == '"' and '/' not in name:
        return 'an include of ours names the folder'
    if not target:
        return None if kind == '<' else 'there is no such file'
    here, there = room_of(path), room_of(target)
    if here is None or there is None:
        return 'no room of this house: see ROOMS'
    return 'upward: %s is above %s' % (ROOMS[there], ROOMS[here]) if there > here else None


def unit_of(path):
    return path[:-2] if path.endswith(('.c', '.h')) else path


def circles(arrows):
    """Groups of units that reach each other (Tarjan, without recursion)."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for root in sorted(arrows):
        work = [(root, iter(sorted(arrows[root])))] if root not in index else []
        if work:
            index[root] = low[root] = len(index)
            stack.append(root)
            on.add(root)
        while work:
            node, rest = work[-1]
            step = next((n for n in rest if n not in index or n in on), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        on.discard(group[-1])
                    if len(group) > 1:
                        found.append(sorted(group))
            elif step in index:
                low[node] = min(low[node], index[step])
            else:
                index[step] = low[step] = len(index)
                stack.append(step)
                on.add(step)
                work.append((step, iter(sorted(arrows.get(step, ())))))
    return found


def main():
    bad, arrows = 0, {}
    for path in sources():
        for number, kind, name in includes(path):
            why = wrong(path, kind, name)
            if why:
                print('%s:%d: %s: %s' % (path, number, name, why))
                bad += 1
            target = ours(kind, name)
            if target and unit_of(target) != unit_of(path):
                arrows.setdefault(unit_of(path), set()).add(unit_of(target))
    for group in circles(arrows):
        print('a circle of includes: ' + ', '.join(group))
        bad += 1
    return bad != 0


if __name__ == '__main__':
    sys.exit(main())
