"""exported.py - a database in lines of text, of which none is the same when it differs.

SPDX-License-Identifier: MIT

Tables row by row, ordered by their first column; of views their columns, and their rows as a number.
"""
import hashlib
import sqlite3

SCRIPT = '/usr/lib/perf-core/scripts/python/export-to-sqlite.py'


def for_perf(words):
    """How perf script is told: (its options, words for the script)."""
    columns = [w for w in words if w in ('all', 'branches', 'calls', 'callchains')]
    return [w for w in words if w not in columns] + ['-s', SCRIPT, 'home/out'] + columns


def for_ptscript(words):
    said = {'all': ['--columns', 'all'], 'branches': ['--columns', 'branches'],
            'calls': ['--calls'], 'callchains': ['--callchains']}
    return sum((said.get(w, [w]) for w in words), [])


def of_table(db, name):
    columns = ['%s %s' % (c[1], c[2].lower()) for c in db.execute('pragma table_info(%s)' % name)]
    yield 'table %s: %s' % (name, ', '.join(columns))
    for row in db.execute('select * from %s order by 1' % name):
        yield '  ' + ' | '.join(str(v) for v in row)


def of_view(db, name):
    found = db.execute('select * from %s' % name)
    rows = found.fetchall()
    yield 'view %s: %s; %d rows %s' % (name, ', '.join(c[0] for c in found.description), len(rows),
                                       hashlib.sha256(repr(rows).encode()).hexdigest()[:16])


def summary(path):
    db = sqlite3.connect('file:%s?mode=ro' % path, uri=True)
    db.text_factory = lambda b: b.decode(errors='backslashreplace').replace('\n', '\\n')
    for name, kind in db.execute('select name, type from sqlite_master order by type, name').fetchall():
        if kind == 'index':
            yield 'index ' + name
        elif name != 'branch_types':
            yield from (of_table if kind == 'table' else of_view)(db, name)
    found = db.execute('select group_concat(id || name) from branch_types').fetchone()
    yield 'branch_types %s' % hashlib.sha256(found[0].encode()).hexdigest()[:16]
    db.close()
