/* line_table.h - the rows of DWARF line tables, looked up as addr2line does.
 *
 * SPDX-License-Identifier: MIT
 *
 * This is what the debug information says.  What perf makes of it, its odd answers
 * included, is srcline.h.
 */
#ifndef PTS_SYNTH_SYMBOL_LINE_TABLE_H
#define PTS_SYNTH_SYMBOL_LINE_TABLE_H

#include "synth/symbol/line_func.h"

#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

/* The debug information of one file.  Not for several threads at once. */
struct line_table;

/* PTS_END when there is no such file or it has no debug information. */
pts_status line_table_open(const char *path, struct line_table **out);
void line_table_close(struct line_table *t); /* NULL is fine */

struct line_row {
    uint64_t addr;
    const char *file; /* with its directory; NULL: not known; lent by the table */
    uint32_t line;
    bool end; /* first address behind a sequence */
};

/* The row that covers an ELF address, NULL when there is none.  Answers may depend on
 * what was looked up before: a unit whose table has been read also answers for what the
 * table covers beyond the ranges the unit claims. */
pts_status line_table_find(struct line_table *t, uint64_t addr,
                           const struct line_row **out);

/* The innermost function at an address for which line_table_find has just found a row;
 * NULL: there is none. */
pts_status line_table_function(struct line_table *t, uint64_t addr,
                               struct line_func **out);
/* What an inlined function is inlined in; NULL: nothing, or it is not. */
struct line_func *line_table_caller(struct line_table *t, const struct line_func *f);

#endif
