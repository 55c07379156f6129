/* line_func.h - the functions in the debug information of a unit.
 *
 * SPDX-License-Identifier: MIT
 *
 * A unit's functions are read at the first question about it and kept flat, with the
 * number of the function each copy was inlined in, so that nobody has to walk libdw's
 * tree again.
 */
#ifndef PTS_SYNTH_SYMBOL_LINE_FUNC_H
#define PTS_SYNTH_SYMBOL_LINE_FUNC_H

#include "synth/symbol/line_ranges.h"

#include <stdbool.h>

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

/* Those of one unit.  Zero-initialise. */
struct line_funcs {
    struct line_func *at; /* in the order of the information */
    size_t len, cap;
    struct line_ranges code; /* theirs */
    bool read;
};

/* The source files of a unit, by the number it gives them. */
struct line_files {
    const char **at;
    size_t len, cap;
};

struct Dwarf_CU; /* a unit: libdw's word for it, which only the .c files know */

pts_status line_funcs_read(struct line_funcs *f, struct Dwarf_CU *unit,
                           const struct line_files *files);
void line_funcs_free(struct line_funcs *f);
/* Whether addr2line can read where the code of a unit or function is.  die: a
 * Dwarf_Die. */
bool line_ranges_known(void *die);

/* The innermost function at an address; NULL: there is none. */
struct line_func *line_funcs_find(const struct line_funcs *f, uint64_t addr);
/* What a function is inlined in; NULL: nothing, or it is not. */
struct line_func *line_funcs_caller(const struct line_funcs *f,
                                    const struct line_func *inlined);

#endif
