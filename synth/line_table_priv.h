/* line_table_priv.h - the debug information of a file, for those who look into it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Private to line_table.c (rows) and line_func.c (functions).
 */
#ifndef PTS_SYNTH_LINE_TABLE_PRIV_H
#define PTS_SYNTH_LINE_TABLE_PRIV_H

#include "decoder/arena.h"
#include "decoder/vec.h"
#include "synth/line_table.h"

#include <elfutils/libdw.h>

/* Part of the code of a unit, or of a function of one.  reach is the highest end so
 * far: walking back from the last range that begins before an address, one may stop
 * where reach is not above it. */
struct range {
    uint64_t lo, hi, reach;
    uint32_t unit; /* or function */
};

struct ranges {
    struct range *at;
    size_t len, cap;
};

struct unit {
    Dwarf_Die die;
    bool read, funcs_read;
    struct line_func *func; /* in the order of the information */
    size_t funcs, func_cap;
    struct ranges code;        /* theirs */
    VEC(struct line_row) rows; /* by address */
    VEC(const char *) files;
};

struct line_table {
    int fd;
    Dwarf *dwarf;
    VEC(struct unit) units;
    struct ranges ranges; /* by lo */
    uint32_t found;       /* unit of the last row found */
    struct arena names;
};

pts_status ranges_add(struct ranges *all, uint64_t lo, uint64_t hi, uint32_t owner);
void ranges_sort(struct ranges *all);
/* The number of ranges that begin at or before addr. */
size_t ranges_before(const struct ranges *all, uint64_t addr);

#endif
