/* rows.h - samples as data for programs: the sink behind ptscript/sample.h.
 *
 * SPDX-License-Identifier: MIT
 *
 *     batch of items -> rows.c    a struct pts_row for each, chains and bytes beside them
 *                    -> names.c   addresses and threads as strings, strings as numbers
 *
 * Rows stay until rows_empty: a caller who works in batches has the whole of one before
 * him.  Strings and their numbers stay for good.
 */
#ifndef PTS_SYNTH_ROWS_ROWS_H
#define PTS_SYNTH_ROWS_ROWS_H

#include "synth/rows/strings.h"
#include "synth/sample/sink.h"
#include "synth/symbol/places.h"

#include <ptscript/sample.h>

/* Rows that are handed out at once, about. */
enum { ROWS_BATCH = 4096 };
/* pts_row.mode: the lowest byte is the cpumode, the rest whose machine (struct who). */
enum { ROW_GUEST_SHIFT = 8 };

/* Zero-initialise but for the first two. */
struct rows {
    uint32_t want;      /* enum pts_want */
    bool records;       /* side-band records are rows, too */
    struct scene scene; /* from here on after begin */
    bool native;        /* the code that ran is that of an x86 */
    struct resolve *resolve;
    struct places *places;
    struct strings strings;
    VEC(struct pts_row) row;
    VEC(uint64_t) chain; /* these four: what rows refer to */
    VEC(struct pts_branch) branch;
    VEC(uint8_t) raw;
    VEC(struct pts_record) record;
    VEC(struct pts_inlined) inlined; /* these two: of the last place */
    VEC(char) source;
};

struct sink rows_sink(struct rows *r);
void rows_free(struct rows *r);

static inline bool rows_full(const struct rows *r)
{
    return r->row.len >= ROWS_BATCH;
}

/* What there is, lent until rows_empty or the next item. */
void rows_batch(const struct rows *r, struct pts_batch *out);
void rows_empty(struct rows *r);

/* --- names.c --- */

/* Fills comm and what lies at ip and addr, as far as it is wanted.  target: addr is one
 * of code. */
pts_status rows_name(struct rows *r, struct pts_row *row, const struct sample *s,
                     bool target);
/* What lies at an address for the thread of a row, as pts_stream_resolve wants it. */
pts_status rows_resolve(struct rows *r, const struct pts_row *row, uint64_t address,
                        struct pts_place *out);

#endif
