/* line_table.h - the rows of DWARF line tables, looked up as addr2line does.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_LINE_TABLE_H
#define PTS_SYNTH_LINE_TABLE_H

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

/* A function, or a copy of one inlined in another. */
struct line_func {
    const char *name; /* NULL: none; lent by the table */
    bool is_linkage;  /* the name is the one the linker knows */
    bool is_inlined;
    uint64_t low;
    uint32_t caller;       /* of an inlined one: its number + 1; 0: none */
    const char *call_file; /* where it was inlined; NULL: not known */
    uint32_t call_line;
};

/* The innermost function at an address for which line_table_find has just found a row;
 * NULL: there is none. */
pts_status line_table_function(struct line_table *t, uint64_t addr,
                               struct line_func **out);
/* What an inlined function is inlined in; NULL: nothing, or it is not. */
struct line_func *line_table_caller(struct line_table *t, const struct line_func *f);

#endif
