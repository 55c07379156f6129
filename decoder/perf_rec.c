/* perf_rec.c - finding records and reading their sample id.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | type misc size | body ........... | tid time id stream cpu identifier |
 *                                          ^ body_end: only with sample_id_all
 *
 * Which of the sample id's words are there depends on the event, which is known by its
 * id, which stands at a place that all events share: the first word of a SAMPLE and the
 * last of others with IDENTIFIER, else counted from the sample types.
 */
#include "decoder/perf_rec.h"

uint64_t perf_rec_claim(const struct perf_rec *r)
{
    if (r->type == PERF_REC_AUXTRACE && r->size >= 16)
        return rd_u64(r->ptr + 8);
    if (r->type == PERF_REC_TRACING_DATA && r->size >= 12)
        return rd_u32(r->ptr + 8);
    return 0;
}

struct pts_bytes perf_rec_packed_data(const struct perf_rec *r)
{
    struct reader b = reader_of(r->ptr + PERF_REC_HEADER, r->size - PERF_REC_HEADER);
    size_t n = reader_left(&b);
    if (r->type == PERF_REC_COMPRESSED2) {
        uint64_t claim = reader_u64(&b); /* the rest pads it to whole words */
        n = claim < reader_left(&b) ? (size_t)claim : reader_left(&b);
    }
    return (struct pts_bytes){b.at, n};
}

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
                         .evsel = PERF_NO_EVSEL};
    if (r.size < PERF_REC_HEADER || r.size > bytes.len)
        return PTS_E_RANGE;
    r.body_end = r.size;
    uint64_t claim = perf_rec_claim(&r), left = unpacked ? 0 : bytes.len - r.size;
    r.payload = claim < left ? claim : left;
    *out = r;
    return PTS_OK;
}

pts_status perf_rec_header(const struct perf_file *f, uint64_t off,
                           struct perf_rec *out)
{
    const struct perf_run *run = tape_find(&f->tape, off);
    if (!run)
        return PTS_E_RANGE;
    struct pts_bytes bytes = {run->ptr + (off - run->at), run->len - (off - run->at)};
    return perf_rec_parse(bytes, off, run->unpacked, out);
}

uint32_t perf_rec_evsel(const struct perf_file *f, const struct perf_rec *r,
                        bool foreign)
{
    bool sample = r->type == PERF_REC_SAMPLE;
    if (f->evsel.len == 0)
        return PERF_NO_EVSEL;
    if (f->evsel.len == 1)
        return 0;
    if (!sample && !(f->evsel.at[0].attr.flags & PERF_ATTR_SAMPLE_ID_ALL))
        return 0;
    int pos = sample ? f->id_pos : f->is_pos;
    int words = (r->size - PERF_REC_HEADER) / 8;
    if (pos < 0)
        return 0;
    if (sample ? pos >= words : pos > words)
        return PERF_NO_EVSEL;
    /* Sizes need not be multiples of 8, so the end is not (header + 8 * words). */
    const uint8_t *at = sample ? r->ptr + PERF_REC_HEADER + 8 * pos
                               : r->ptr + PERF_REC_HEADER + 8 * (words - pos);
    uint64_t id = foreign ? __builtin_bswap64(rd_u64(at)) : rd_u64(at);
    if (id == 0)
        return 0;
    const struct pts_counter *known = perf_file_id(f, id);
    return known ? known->event : PERF_NO_EVSEL;
}

static void id_tid(struct pts_sample_id *id, const uint8_t *p)
{
    id->pid = (int32_t)rd_u32(p);
    id->tid = (int32_t)rd_u32(p + 4);
    id->has |= PERF_SAMPLE_TID;
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
    static const uint64_t first =
        PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
        PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
    const uint8_t *p = r->ptr + PERF_REC_HEADER;
    if ((size_t)__builtin_popcountll(type & first) * 8 + PERF_REC_HEADER > r->size)
        return false;
    if (type & PERF_SAMPLE_IDENTIFIER) {
        id_word(id, PERF_SAMPLE_ID, &id->id, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_IP)
        p += 8;
    if (type & PERF_SAMPLE_TID) {
        id_tid(id, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_TIME) {
        id_word(id, PERF_SAMPLE_TIME, &id->time, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_ADDR)
        p += 8;
    if (type & PERF_SAMPLE_ID) {
        id_word(id, PERF_SAMPLE_ID, &id->id, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_STREAM_ID) {
        id_word(id, PERF_SAMPLE_STREAM_ID, &id->stream, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_CPU) {
        id->cpu = rd_u32(p);
        id->has |= PERF_SAMPLE_CPU;
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
    if (type & PERF_SAMPLE_TID) {
        id_tid(id, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_TIME) {
        id_word(id, PERF_SAMPLE_TIME, &id->time, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_ID) {
        id_word(id, PERF_SAMPLE_ID, &id->id, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_STREAM_ID) {
        id_word(id, PERF_SAMPLE_STREAM_ID, &id->stream, p);
        p += 8;
    }
    if (type & PERF_SAMPLE_CPU) {
        id->cpu = rd_u32(p);
        id->has |= PERF_SAMPLE_CPU;
        p += 8;
    }
    if (type & PERF_SAMPLE_IDENTIFIER)
        id_word(id, PERF_SAMPLE_ID, &id->id, p);
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
    if (out->evsel == PERF_NO_EVSEL)
        return PTS_OK;
    const struct perf_evsel *ev = &f->evsel.at[out->evsel];
    bool ok =
        out->type == PERF_REC_SAMPLE
            ? id_of_sample(out, ev->attr.sample_type)
            : id_of_other(out, ev->id_bytes ? ev->attr.sample_type : 0, ev->id_bytes);
    return ok ? PTS_OK : PTS_E_RANGE;
}
