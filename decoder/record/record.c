/* record.c - a record and what it says.
 *
 * SPDX-License-Identifier: MIT
 *
 * Here a type is bound to the function that reads it, in this table and nowhere else.
 */
#include "decoder/record/record.h"

#include "decoder/record/body.h"

static body_reader *const readers[] = {
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    [number] = read_##member,
#include <ptscript/records.def>
#undef PTS_RECORD
};

static const char *const words[] = {
#define PTS_RECORD(name, number, callback, member, body, word, source)                 \
    [number] = (word),
#include <ptscript/records.def>
#undef PTS_RECORD
};

const char *pts_record_name(uint32_t type)
{
    return RECORD_ROW(words, type);
}

enum pts_record_how record_body(const struct perf_file *f, const struct perf_rec *r,
                                union pts_record_body *out)
{
    body_reader *read = RECORD_ROW(readers, r->type);
    bool known = r->evsel != PTS_NO_EVENT;
    struct body b = {perf_rec_body(r), r, known ? &f->evsel.at[r->evsel].attr : NULL};
    if (read)
        read(&b, out);
    if (read && !b.r.bad)
        return PTS_RECORD_WHOLE;
    const struct reader body = perf_rec_body(r);
    out->bytes = (struct pts_bytes){body.at, reader_left(&body)};
    return read ? PTS_RECORD_DAMAGED : PTS_RECORD_UNKNOWN;
}

pts_status record_read(const struct perf_file *f, uint64_t off, struct record *out)
{
    pts_status st = perf_rec_at(f, off, &out->head);
    if (st == PTS_OK)
        out->how = record_body(f, &out->head, &out->u);
    return st;
}

void record_public_head(const struct perf_rec *r, const struct perf_shown *place,
                        struct pts_record *out)
{
    out->type = r->type;
    out->misc = r->misc;
    out->size = r->size;
    out->event = r->evsel;
    out->file = place->path;
    out->offset = place->off;
    out->bytes = (struct pts_bytes){r->ptr, r->size};
    out->payload = perf_rec_payload(r);
    out->payload_size = perf_rec_claim(r);
    out->id = r->id;
}

void record_public(const struct record *r, const struct perf_shown *place,
                   struct pts_record *out)
{
    record_public_head(&r->head, place, out);
    out->how = r->how;
    out->u = r->u;
}
