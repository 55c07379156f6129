/* perf_keep.c - records that are kept in memory, apart from the trace that lies between them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_keep.h"

#include <string.h>

/* Where there are more the rest is looked at in the file, so that memory stays flat. */
enum { KEPT_BYTES = 8 << 20 };

/* Trace stays where it is, also that in samples. */
static bool has_trace(const struct perf_file *f, const struct perf_rec *r)
{
    if (r->type != PTS_RECORD_SAMPLE)
        return false;
    for (size_t i = 0; i < f->evsel.len; i++)
        if (f->evsel.at[i].attr.sample_type & PTS_SAMPLE_AUX)
            return true;
    return false;
}

/* What is unpacked is in memory; where records are turned (foreign) or made up (raw) they are written
 * to. */
static bool is_worth_it(const struct perf_file *f, const struct perf_rec *r,
                        const struct perf_run *run)
{
    return (r->payload || f->kept.held) && f->kept.held <= KEPT_BYTES && f->in.mapped &&
           !f->raw && !f->foreign && !run->unpacked && !has_trace(f, r);
}

pts_status perf_keep(struct perf_file *f, const struct perf_rec *r,
                     struct perf_run *run)
{
    if (!is_worth_it(f, r, run))
        return PTS_OK;
    uint8_t *room = spool_room(&f->kept, r->size);
    if (!room)
        return PTS_E_NOMEM;
    memcpy(room, r->ptr, r->size);
    spool_take(&f->kept, r->size);
    run->ptr = room;
    run->kept = true;
    run->payload = r->payload || r->type == PTS_RECORD_AUXTRACE ? r->behind : NULL;
    return PTS_OK;
}
