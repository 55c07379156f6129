/* perf_keep.c - records that are kept in memory, apart from the trace that lies between them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/open/perf_keep.h"

#include <string.h>

/* Where there are more the rest is looked at in the file, so that memory stays flat. */
enum { KEPT_BYTES = 8 << 20 };

/* Records beside trace that is in samples stay where they are. */
static bool has_trace(const struct perf_file *f)
{
    for (size_t i = 0; i < f->evsel.len; i++)
        if (f->evsel.at[i].attr.sample_type & PTS_SAMPLE_AUX)
            return true;
    return false;
}

/* Where records are turned (foreign) or made up (raw) they are written to. */
static bool has_room(const struct perf_file *f)
{
    return f->kept.held <= KEPT_BYTES && f->in.mapped && !f->raw && !f->foreign;
}

/* What is unpacked is in memory. */
static bool is_worth_it(const struct perf_file *f, const struct perf_rec *r,
                        const struct perf_run *run)
{
    return (r->payload || f->kept.held) && has_room(f) && !run->unpacked &&
           !(r->type == PTS_RECORD_SAMPLE && has_trace(f));
}

/* So many bytes from there on; NULL: they cannot be copied. */
static const uint8_t *look(struct keep_look *l, const struct input *in,
                           struct pts_bytes bytes, size_t n)
{
    enum { SOME = 16 << 10 };

    if (n > bytes.len)
        return NULL;
    if (bytes.ptr < l->at || (size_t)(bytes.ptr - l->at) + n > l->len) {
        size_t want = n > SOME ? n : SOME;
        if (want > bytes.len)
            want = bytes.len;
        l->at = bytes.ptr;
        l->len = input_copy(in, bytes.ptr, l->bytes, want) ? want : 0;
    }
    return l->len ? l->bytes + (bytes.ptr - l->at) : NULL;
}

const uint8_t *perf_keep_look(const struct perf_file *f, const struct input *in,
                              struct pts_bytes bytes, struct keep_look *l)
{
    if (!f->kept.held || !has_room(f) || has_trace(f))
        return bytes.ptr;
    const uint8_t *p = look(l, in, bytes, PERF_REC_HEADER);
    if (p)
        p = look(l, in, bytes, rd_u16(p + 6));
    return p ? p : bytes.ptr;
}

pts_status perf_keep(struct perf_file *f, struct perf_rec *r, struct perf_run *run)
{
    if (!is_worth_it(f, r, run))
        return PTS_OK;
    uint8_t *room = spool_room(&f->kept, r->size);
    if (!room)
        return PTS_E_NOMEM;
    memcpy(room, r->ptr, r->size);
    spool_take(&f->kept, r->size);
    r->ptr = room;
    run->ptr = room;
    run->kept = true;
    run->payload = r->payload || r->type == PTS_RECORD_AUXTRACE ? r->behind : NULL;
    return PTS_OK;
}
