/* srcline.h - source file and line of an address, as perf script prints them.
 *
 * SPDX-License-Identifier: MIT
 *
 * One object for each dso, asked in the order of the output, because perf's answers
 * depend on what it asked before (FAILS_MAX in srcline.c).
 */
#ifndef PTS_SYNTH_SYMBOL_SRCLINE_H
#define PTS_SYNTH_SYMBOL_SRCLINE_H

#include "synth/symbol/place.h"
#include "synth/symbol/sym.h"
#include "synth/symbol/sym_want.h"

/* The debug information of one dso.  Not for several threads at once. */
struct srcline;

/* Prepares for a dso; files are opened at the first look-up.  The symbol table is kept
 * (lent), and so is short_name, the dso's name in texts. */
pts_status srcline_new(const struct sym_opts *opts, const struct sym_want *want,
                       const char *short_name, const struct symtab *symtab,
                       struct srcline **out);
void srcline_free(struct srcline *s); /* NULL is fine */

struct srcline_at {
    const char *file; /* as the debug information has it, "??" when it has not; lent for
                         the life of the srcline */
    size_t len;       /* of the file name */
    uint32_t line;    /* 0 when not known */
};

/* An address as given to symtab_find, and the pgoff of the map it is in. */
struct srcline_ask {
    uint64_t addr, pgoff;
};

/* The line of an address.  PTS_END when there is none.  Like perf, a dso whose first
 * 123 look-ups all fail gets no answer any more; so look-ups must come in the order of
 * the output. */
pts_status srcline_find(struct srcline *s, const struct srcline_ask *ask,
                        struct srcline_at *out);

/* How names and files are shown. */
struct srcline_style {
    bool full_path, demangle, params;
};

/* The functions at an address, those inlined before those they are inlined in; *n is 0
 * when perf does not know any.  Lent for the life of the srcline, which remembers them
 * as shown first. */
pts_status srcline_inlined(struct srcline *s, const struct srcline_ask *ask,
                           const struct srcline_style *style,
                           const struct place_inlined **frames, size_t *n);

/* What -F srcline prints behind "\n  ", NUL-terminated and cut at n; "" for nothing.
 * Returns its length. */
size_t srcline_text(struct srcline *s, const struct srcline_ask *ask, bool full_path,
                    char *text, size_t n);

#endif
