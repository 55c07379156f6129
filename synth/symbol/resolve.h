/* resolve.h - what lies at an address: dso, symbol, instruction, source line.
 *
 * SPDX-License-Identifier: MIT
 *
 * The answers that struct lookup (synth/symbol/place.h) wants, from the side-band and
 * the files.
 */
#ifndef PTS_SYNTH_SYMBOL_RESOLVE_H
#define PTS_SYNTH_SYMBOL_RESOLVE_H

#include "synth/symbol/place.h"
#include "synth/symbol/sym_want.h"
#include "walker/flow/code_store.h"
#include "walker/sideband/sideband.h"

#include <ptscript/bytes.h>

struct resolve_base;
struct resolve;

struct resolve_opts {
    struct sym_opts syms;
    bool full_source_path;
    bool kernel_path; /* the kernel goes by the path of its symbols */
    bool bare;        /* a bare trace: instructions may go over adjacent maps */
};

/* What is read from files, once for all who ask.  All lent for the life of the result;
 * opts is copied. */
pts_status resolve_base_new(const struct sideband *sb, struct code_store *codes,
                            const struct resolve_opts *opts, struct resolve_base **out);
void resolve_base_free(struct resolve_base *b); /* NULL is fine */
/* Whether symbols of this dso were asked for. */
bool resolve_asked(const struct resolve_base *b, const struct sb_dso *dso);

/* One who asks, in the order of the recording: going back is slow.  base is lent. */
pts_status resolve_new(struct resolve_base *base, struct resolve **out);
void resolve_free(struct resolve *r); /* NULL is fine */

/* From now on it is one of several who ask at the same time: of places, and nothing else.  It
 * reads no file, so a place whose symbols nobody has read yet is void. */
void resolve_apart(struct resolve *r);
/* Whether a place was void since the last call. */
bool resolve_missed(struct resolve *r);

/* The source line of an address.  known: its file has debug information, though perhaps none
 * of this address: line 0. */
struct resolve_line {
    bool known;
    const char *file; /* as the debug information has it; lent like the answers of r */
    size_t file_len;
    uint32_t line;
};
pts_status resolve_line(struct resolve *r, const struct place_query *q,
                        struct resolve_line *out);
/* The text of that line; len 0: not known. */
struct pts_bytes resolve_line_text(struct resolve *r, const struct resolve_line *at);

/* Its ctx is r. */
const struct lookup *resolve_lookup(struct resolve *r);

#endif
