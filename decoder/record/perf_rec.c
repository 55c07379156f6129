/* perf_rec.c - finding records and reading their sample id.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which of the sample id's words are there depends on the event, which is known by its
 * id, which stands at a place that all events share: the first word of a SAMPLE and the
 * last of others with IDENTIFIER, else counted from the sample types.
 *
 *     SAMPLE  | identifier | ip | tid | time | addr | id | stream | cpu | ....... |
 *             ^ id_pos 0                            ^ or as many words from the front
 *     others  | ........ | tid | time | id | stream | cpu | identifier |
 *                     is_pos words from the end: 1 ^        or up to 3
 *
 * Each word but ip and addr is taken into the head by both.
 */
#include "decoder/record/perf_rec.h"

uint64_t perf_rec_claim(const struct perf_rec *r)
{
    if (r->type == PTS_RECORD_AUXTRACE && r->size >= 16)
        return rd_u64(r->ptr + 8);
    if (r->type == PTS_RECORD_TRACING_DATA && r->size >= 12)
        return rd_u32(r->ptr + 8);
    return 0;
}

struct pts_bytes perf_rec_packed_data(const struct perf_rec *r)
{
    struct reader b = reader_of(r->ptr + PERF_REC_HEADER, r->size - PERF_REC_HEADER);
    size_t n = reader_left(&b);
    if (r->type == PTS_RECORD_COMPRESSED2) {
        uint64_t claim = reader_u64(&b); /* the rest pads it to whole words */
        n = claim < reader_left(&b) ? (size_t)claim : reader_left(&b);
    }
    return (struct pts_bytes){b.at, n};
}

/* Trace data, and formats of tracepoints, follow their record without being part of
 * its size.  A payload that is longer than what is left is cut; perf_scan sees that
 * and stops. */
pts_status perf_rec_parse(struct pts_bytes bytes, uint64_t off, bool unpacked,
                          struct perf_rec *out)
{
    const uint8_t *p = bytes.ptr;
    if (bytes.len < PERF_REC_HEADER)
        return PTS_E_RANGE;
    struct perf_rec r = {.off = off,
                         .ptr = p,
                         .type = rd_u32(p),
                         .misc = rd_u16(p + 4),
                         .size = rd_u16(p + 6),
                         .evsel = PTS_NO_EVENT};
    if (r.size < PERF_REC_HEADER || r.size > bytes.len)
        return PTS_E_RANGE;
    r.body_end = r.size;
    uint64_t claim = perf_rec_claim(&r), left = unpacked ? 0 : bytes.len - r.size;
    r.behind = p + r.size;
    r.payload = claim < left ? claim : left;
    *out = r;
    return PTS_OK;
}

pts_status perf_rec_header(const struct perf_file *f, uint64_t off,
                           struct perf_rec *out)
{
    static const uint8_t nothing[PERF_REC_HEADER];
    const struct perf_run *run = tape_find(&f->data.tape, off);
    pts_status st = PTS_E_RANGE;
    if (run) {
        struct pts_bytes bytes = {run->ptr + (off - run->at),
                                  run->len - (off - run->at)};
        st = perf_rec_parse(bytes, off, run->unpacked, out);
        out->kept = run->kept;
        if (run->payload)
            out->behind = run->payload;
    }
    if (st != PTS_OK) /* there was one: the file has changed since */
        *out = (struct perf_rec){.off = off,
                                 .ptr = nothing,
                                 .behind = nothing,
                                 .body_end = PERF_REC_HEADER,
                                 .evsel = PTS_NO_EVENT};
    return st;
}

/* perf's way from a record to its event.  Where there is one event it is that;
 * records that cannot say, or say 0, are the first one's.  One that is too short for
 * its id, or has an id that nobody has, leads to none. */
uint32_t perf_rec_evsel(const struct perf_file *f, const struct perf_rec *r,
                        bool foreign)
{
    bool sample = r->type == PTS_RECORD_SAMPLE;
    if (f->evsel.len == 0)
        return PTS_NO_EVENT;
    if (f->evsel.len == 1) /* whatever id the record has, or none */
        return 0;
    if (!sample && !(f->evsel.at[0].attr.flags & PTS_ATTR_SAMPLE_ID_ALL))
        return 0;
    int pos = sample ? f->ids.in_sample : f->ids.in_others;
    int words = (r->size - PERF_REC_HEADER) / 8;
    if (pos < 0)
        return 0;
    if (sample ? pos >= words : pos > words)
        return PTS_NO_EVENT;
    /* Sizes need not be multiples of 8, so the end is not (header + 8 * words). */
    const uint8_t *at = sample ? r->ptr + PERF_REC_HEADER + 8 * pos
                               : r->ptr + PERF_REC_HEADER + 8 * (words - pos);
    uint64_t id = foreign ? __builtin_bswap64(rd_u64(at)) : rd_u64(at);
    if (id == 0) /* perf record made this one up: it had no counter */
        return 0;
    const struct pts_counter *known = perf_file_id(f, id);
    return known ? known->event : PTS_NO_EVENT;
}

static void id_tid(struct pts_sample_id *id, const uint8_t *p)
{
    id->pid = (int32_t)rd_u32(p);
    id->tid = (int32_t)rd_u32(p + 4);
    id->has |= PTS_SAMPLE_TID;
}

static void id_word(struct pts_sample_id *id, uint64_t bit, uint64_t *to,
                    const uint8_t *p)
{
    *to = rd_u64(p);
    id->has |= bit;
}

/* The first words of a SAMPLE. */
static bool id_of_sample(struct perf_rec *r, uint64_t type)
{
    struct pts_sample_id *id = &r->id;
    static const uint64_t first = PTS_SAMPLE_IDENTIFIER | PTS_SAMPLE_IP |
                                  PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_ADDR |
                                  PTS_SAMPLE_ID | PTS_SAMPLE_STREAM_ID | PTS_SAMPLE_CPU;
    const uint8_t *p = r->ptr + PERF_REC_HEADER;
    if ((size_t)__builtin_popcountll(type & first) * 8 + PERF_REC_HEADER > r->size)
        return false;
    if (type & PTS_SAMPLE_IDENTIFIER) {
        id_word(id, PTS_SAMPLE_ID, &id->id, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_IP)
        p += 8;
    if (type & PTS_SAMPLE_TID) {
        id_tid(id, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_TIME) {
        id_word(id, PTS_SAMPLE_TIME, &id->time, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_ADDR)
        p += 8;
    if (type & PTS_SAMPLE_ID) {
        id_word(id, PTS_SAMPLE_ID, &id->id, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_STREAM_ID) {
        id_word(id, PTS_SAMPLE_STREAM_ID, &id->stream, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_CPU) {
        id->cpu = rd_u32(p);
        id->has |= PTS_SAMPLE_CPU;
    }
    return true;
}

/* The last words of any other record. */
static bool id_of_other(struct perf_rec *r, uint64_t type, uint8_t bytes)
{
    struct pts_sample_id *id = &r->id;
    if (PERF_REC_HEADER + bytes > r->size)
        return false;
    r->body_end = (uint16_t)(r->size - bytes);
    const uint8_t *p = r->ptr + r->body_end;
    if (type & PTS_SAMPLE_TID) {
        id_tid(id, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_TIME) {
        id_word(id, PTS_SAMPLE_TIME, &id->time, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_ID) {
        id_word(id, PTS_SAMPLE_ID, &id->id, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_STREAM_ID) {
        id_word(id, PTS_SAMPLE_STREAM_ID, &id->stream, p);
        p += 8;
    }
    if (type & PTS_SAMPLE_CPU) {
        id->cpu = rd_u32(p);
        id->has |= PTS_SAMPLE_CPU;
        p += 8;
    }
    if (type & PTS_SAMPLE_IDENTIFIER)
        id_word(id, PTS_SAMPLE_ID, &id->id, p);
    return true;
}

pts_status perf_rec_at(const struct perf_file *f, uint64_t off, struct perf_rec *out)
{
    pts_status st = perf_rec_header(f, off, out);
    return st == PTS_OK ? perf_rec_identify(f, out) : st;
}

pts_status perf_rec_identify(const struct perf_file *f, struct perf_rec *out)
{
    if (out->type >= PERF_REC_USER)
        return PTS_OK;
    out->evsel = perf_rec_evsel(f, out, false);
    out->id = (struct pts_sample_id){.pid = -1,
                                     .tid = -1,
                                     .time = UINT64_MAX,
                                     .id = UINT64_MAX,
                                     .stream = UINT64_MAX,
                                     .cpu = UINT32_MAX};
    if (out->evsel == PTS_NO_EVENT)
        return PTS_OK;
    const struct perf_evsel *ev = &f->evsel.at[out->evsel];
    bool ok =
        out->type == PTS_RECORD_SAMPLE
            ? id_of_sample(out, ev->attr.sample_type)
            : id_of_other(out, ev->id_bytes ? ev->attr.sample_type : 0, ev->id_bytes);
    return ok ? PTS_OK : PTS_E_RANGE;
}
