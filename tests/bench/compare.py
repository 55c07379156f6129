#!/usr/bin/env python3
"""compare.py OLD NEW - rows of two tables of bench.py: which lost 5 % of their ratio.

SPDX-License-Identifier: MIT

A ratio is to a perf that was measured in turn, so tables of two machines can be compared, more or
less; to judge a change, measure both sides in one run (`make bench-ab`). Ends with 1 when there
is such a row, or a row that was there and is not, or whose output differs now.
"""
import sys

SLOWER = 1.05


def rows(path):
    """{(section, job): ratio}; None: no number there"""
    found, section, columns = {}, '', []
    with open(path) as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip('|').split('|')]
            if line.startswith('## '):
                section, columns = line[3:].strip(), []
            elif line.startswith('| job ') and 'ratio' in cells:
                columns = cells
            elif line.startswith('| ') and columns:
                try:
                    ratio = float(cells[columns.index('ratio')])
                except (ValueError, IndexError):
                    ratio = None
                found[section, cells[0]] = ratio
    return found


def worse(old, new):
    """Lines about rows that are worse than they were."""
    for key, was in old.items():
        name = ', '.join(key)
        if key not in new:
            yield '%s: no longer there' % name
        elif was is not None and new[key] is None:
            yield '%s: was %.2f, no ratio now' % (name, was)
        elif was is not None and was > new[key] * SLOWER:
            yield '%s: %.2f, was %.2f' % (name, new[key], was)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = rows(sys.argv[1]), rows(sys.argv[2])
    lines = list(worse(old, new))
    print('\n'.join(lines) or 'no row of %d lost 5 %% of its ratio' % len(old))
    return bool(lines)


if __name__ == '__main__':
    sys.exit(main())
