/* line_ranges.h - who answers for an address, where ranges may overlap.
 *
 * SPDX-License-Identifier: MIT
 *
 * Ranges are kept in the order of where they begin.  Those that hold an address are
 * found by walking back from the last that begins before it; `reach`, the highest end
 * so far, says when to stop:
 *
 *     lo..hi      1..9   2..3   4..6   5..6        who holds 7?
 *     reach          9      9      9      9        the walk: 5..6, 4..6, 2..3, 1..9 !
 *
 *     lo..hi      1..3   2..4   5..6               who holds 6?
 *     reach          3      4      6               none: it ends at once, 6 <= 6
 */
#ifndef PTS_SYNTH_SYMBOL_LINE_RANGES_H
#define PTS_SYNTH_SYMBOL_LINE_RANGES_H

#include <ptscript/status.h>

#include <stddef.h>
#include <stdint.h>

struct line_range {
    uint64_t lo, hi, reach;
    uint32_t owner; /* a unit of a file, or a function of a unit */
};

/* A VEC of them. */
struct line_ranges {
    struct line_range *at;
    size_t len, cap;
};

/* An empty range is left out. */
pts_status line_ranges_add(struct line_ranges *all, uint64_t lo, uint64_t hi,
                           uint32_t owner);
/* To be called after the last was added, before any is looked for. */
void line_ranges_sort(struct line_ranges *all);
/* The number of ranges that begin at or before addr. */
size_t line_ranges_before(const struct line_ranges *all, uint64_t addr);

#endif
