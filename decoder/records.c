/* records.c - the public reader of records (ptscript/records.h).
 *
 * SPDX-License-Identifier: MIT
 *
 * An opened file is a perf_file, read along its tape or in perf's order.  A reader of
 * bytes that the caller gives has a perf_file, too, but only for what is known of
 * events; a record that comes in pieces, or in the other byte order, is put together in
 * `hold`, which has room for the largest there can be.
 */
#include "decoder/diag.h"
#include "decoder/perf_attr.h"
#include "decoder/perf_feat.h"
#include "decoder/perf_order.h"
#include "decoder/perf_scan.h"
#include "decoder/perf_swap.h"
#include "decoder/record.h"

#include <ptscript/records.h>

enum { HOLD_BYTES = UINT16_MAX + 1 };

struct pts_records {
    struct perf_file *file;
    struct pts_records_facts facts;

    uint64_t off; /* of an opened file: the next record in stored order, */
    struct perf_order order;
    bool by_time;
    size_t next; /* ... and by time */

    bool given; /* bytes are given; the rest is for them */
    bool foreign;
    uint64_t fed;     /* bytes that are done with */
    uint64_t payload; /* bytes still to come of the last record's */
    uint8_t *hold;    /* HOLD_BYTES */
    size_t held;      /* of a record that has not come whole */
    bool lost;        /* nothing can be made of the stream any more */
};

/* --- Opening --------------------------------------------------------------------- */

/* Option structs of older callers are shorter. */
static struct pts_records_opts read_opts(const struct pts_records_opts *from)
{
    struct pts_records_opts o = PTS_RECORDS_OPTS_INIT;
    if (from)
        memcpy(&o, from, from->size < sizeof(o) ? from->size : sizeof(o));
    return o;
}

static pts_status no_memory(struct pts_diag *why)
{
    return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
}

static void facts_of_file(const struct perf_file *f, struct pts_records_facts *facts)
{
    facts->pipe = f->pipe;
    facts->foreign = f->foreign;
    facts->no_data_size = (f->odd & PERF_ODD_NO_SIZE) != 0;
    facts->cut = (f->odd & (PERF_ODD_CUT | PERF_ODD_PACKED)) != 0;
    facts->cut_offset = facts->cut ? f->bad.off : UINT64_MAX;
}

pts_status pts_records_open(const char *path, const struct pts_records_opts *opts,
                            pts_records **out, struct pts_diag *why)
{
    struct pts_records_opts o = read_opts(opts);
    const struct perf_file_how how = {.force = o.force, .temp_dir = o.temp_dir};
    pts_records *rs = mem_zalloc(1, sizeof(*rs));
    if (!rs)
        return no_memory(why);
    pts_status st = perf_file_open(path, &how, &rs->file, why);
    if (st == PTS_OK)
        st = pts_records_rewind(rs, o.order, why);
    if (st != PTS_OK) {
        pts_records_close(rs);
        return st;
    }
    facts_of_file(rs->file, &rs->facts);
    *out = rs;
    return PTS_OK;
}

pts_status pts_records_new(const struct pts_records_opts *opts, pts_records **out,
                           struct pts_diag *why)
{
    pts_records *rs = mem_zalloc(1, sizeof(*rs));
    if (!rs)
        return no_memory(why);
    rs->given = true;
    rs->foreign = read_opts(opts).foreign;
    rs->facts.foreign = rs->foreign;
    rs->facts.cut_offset = UINT64_MAX;
    rs->file = perf_file_new();
    rs->hold = mem_zalloc(1, HOLD_BYTES);
    if (!rs->file || !rs->hold) {
        pts_records_close(rs);
        return no_memory(why);
    }
    *out = rs;
    return PTS_OK;
}

void pts_records_close(pts_records *rs)
{
    if (!rs)
        return;
    perf_order_free(&rs->order);
    perf_file_close(rs->file);
    mem_free(rs->hold);
    mem_free(rs);
}

pts_status pts_records_rewind(pts_records *rs, int order, struct pts_diag *why)
{
    if (order != PTS_ORDER_STORED && order != PTS_ORDER_TIME)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "there is no order %d", order);
    if (order == PTS_ORDER_TIME && !rs->order.rec.len && !rs->given) {
        pts_status st = perf_order_make(rs->file, false, &rs->order, why);
        if (st != PTS_OK)
            return st;
    }
    rs->by_time = order == PTS_ORDER_TIME;
    rs->next = 0;
    rs->off = rs->file->data_off;
    rs->facts.records = rs->facts.unknown = rs->facts.damaged = 0;
    return PTS_OK;
}

/* --- Files ----------------------------------------------------------------------- */

static void count(pts_records *rs, const struct pts_record *r)
{
    rs->facts.records++;
    rs->facts.unknown += r->how == PTS_RECORD_UNKNOWN;
    rs->facts.damaged += r->how == PTS_RECORD_DAMAGED;
}

static bool next_place(pts_records *rs, uint64_t *off)
{
    if (rs->by_time && rs->next < rs->order.rec.len) {
        *off = rs->order.rec.at[rs->next++].off;
        return true;
    }
    *off = rs->off;
    return !rs->by_time && rs->off < rs->file->data_end;
}

pts_status pts_records_next(pts_records *rs, struct pts_record *out)
{
    struct perf_rec r;
    uint64_t off;
    if (rs->given || !next_place(rs, &off))
        return PTS_END;
    pts_status st = perf_rec_at(rs->file, off, &r);
    struct perf_place place = perf_file_place(rs->file, off);
    rs->off = perf_rec_next(&r);
    record_fill(rs->file, &r, st, &place, out);
    count(rs, out);
    return PTS_OK;
}

pts_status pts_records_visit(pts_records *rs, const struct pts_visitor *v)
{
    struct pts_record r;
    while (pts_records_next(rs, &r) == PTS_OK)
        if (pts_record_visit(v, &r) != 0)
            return PTS_E_CANCELLED;
    return PTS_OK;
}

/* --- Bytes ----------------------------------------------------------------------- */

pts_status pts_records_add_event(pts_records *rs, const void *attr, size_t n,
                                 const uint64_t *ids, size_t id_count,
                                 struct pts_diag *why)
{
    struct pts_attr a;
    if (!rs->given)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "the reader has a file");
    if (n < PERF_ATTR_MIN)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "%zu bytes are no attribute", n);
    if (rs->file->evsel.len >= UINT16_MAX)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX, "too many events");
    attr_read(attr, n, rs->foreign, &a);
    pts_status st = perf_file_put_event(
        rs->file, &a, (struct pts_words){(const uint8_t *)ids, id_count, 0}, 0, why);
    return st == PTS_OK ? perf_file_learnt(rs->file, why) : st;
}

/* A whole record whose bytes are ours if they have to be turned. */
static void turn(const struct perf_file *f, uint8_t *bytes, size_t n)
{
    struct perf_rec r;
    swap_header(bytes);
    if (perf_rec_parse((struct pts_bytes){bytes, n}, 0, false, &r) != PTS_OK)
        return;
    if (r.type >= PERF_REC_USER) {
        swap_own(bytes, n);
        return;
    }
    uint32_t i = perf_rec_evsel(f, &r, true);
    const struct perf_evsel *ev = i != PERF_NO_EVSEL ? &f->evsel.at[i] : NULL;
    swap_kernel(bytes, n, ev ? &ev->attr : NULL, ev ? ev->id_bytes : 0);
}

/* `size` bytes are the record, the others what is there of its payload. */
static pts_status deliver(pts_records *rs, const uint8_t *p, size_t n, uint64_t offset,
                          struct pts_record *out, struct pts_diag *why)
{
    const struct perf_place place = {NULL, offset};
    struct perf_rec r;
    pts_status st = perf_rec_parse((struct pts_bytes){p, n}, 0, false, &r);
    if (st == PTS_OK)
        st = perf_scan_learn(rs->file, &r, why);
    if (st != PTS_OK)
        return st;
    record_fill(rs->file, &r, perf_rec_identify(rs->file, &r), &place, out);
    count(rs, out);
    return PTS_OK;
}

/* Bytes of the record that begins with these 8, 0 when none can. */
static size_t size_of(const pts_records *rs, const uint8_t *p)
{
    uint16_t size = rd_u16(p + 6);
    size = rs->foreign ? __builtin_bswap16(size) : size;
    return size < PERF_REC_HEADER ? 0 : size;
}

pts_status pts_record_parse(pts_records *rs, const void *bytes, size_t n,
                            struct pts_record *out, struct pts_diag *why)
{
    const uint8_t *p = bytes;
    size_t size = n >= PERF_REC_HEADER ? size_of(rs, p) : PERF_REC_HEADER;
    if (!rs->given)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "the reader has a file");
    if (size == 0)
        return diag_set(why, PTS_E_FORMAT, rs->fed, "no record begins like this");
    if (size > n)
        return diag_set(why, PTS_E_TRUNCATED, rs->fed, "the record is cut off");
    if (!rs->foreign)
        return deliver(rs, p, n, rs->fed, out, why);
    memcpy(rs->hold, p, size);
    turn(rs->file, rs->hold, size);
    pts_status st = deliver(rs, rs->hold, size, rs->fed, out, why);
    if (st == PTS_OK)
        out->payload = (struct pts_bytes){
            p + size,
            (size_t)(out->payload_size < n - size ? out->payload_size : n - size)};
    return st;
}

/* --- Streams --------------------------------------------------------------------- */

struct piece {
    const uint8_t *at;
    size_t n;
};

static void piece_use(pts_records *rs, struct piece *in, size_t n)
{
    in->at += n;
    in->n -= n;
    rs->fed += n;
}

/* At least `want` bytes in hold, in front of those that came; false: not yet. */
static bool gather(pts_records *rs, struct piece *in, size_t want)
{
    size_t n = rs->held < want ? want - rs->held : 0;
    n = n < in->n ? n : in->n;
    memcpy(rs->hold + rs->held, in->at, n);
    rs->held += n;
    in->at += n;
    in->n -= n;
    return rs->held >= want;
}

static pts_status lose(pts_records *rs, struct pts_diag *why)
{
    rs->lost = true;
    return diag_set(why, PTS_E_FORMAT, rs->fed, "no record begins like this");
}

/* A pipe's header, if the stream begins with one.  PTS_END: it has not come whole. */
static pts_status feed_header(pts_records *rs, struct piece *in, struct pts_diag *why)
{
    if (!gather(rs, in, 8))
        return PTS_END;
    uint64_t magic = rd_u64(rs->hold);
    if (magic != PERF_MAGIC && magic != PERF_MAGIC_SWAP)
        return PTS_OK;
    if (!gather(rs, in, PERF_PIPE_HEADER))
        return PTS_END;
    uint64_t size = rd_u64(rs->hold + 8);
    rs->foreign = magic == PERF_MAGIC_SWAP;
    if ((rs->foreign ? __builtin_bswap64(size) : size) != PERF_PIPE_HEADER)
        return lose(rs, why);
    rs->facts.pipe = true;
    rs->facts.foreign = rs->foreign;
    rs->held = 0;
    rs->fed = PERF_PIPE_HEADER;
    return PTS_OK;
}

static pts_status feed_payload(pts_records *rs, struct piece *in,
                               struct pts_record *out)
{
    size_t n = in->n < rs->payload ? in->n : (size_t)rs->payload;
    if (n == 0)
        return PTS_END;
    *out = (struct pts_record){
        .type = PTS_RECORD_PAYLOAD, .event = PTS_NO_EVENT, .offset = rs->fed};
    out->u.bytes = (struct pts_bytes){in->at, n};
    rs->payload -= n;
    piece_use(rs, in, n);
    return PTS_OK;
}

/* A record that lies whole in what came, or is put together in hold. */
static pts_status feed_record(pts_records *rs, struct piece *in, struct pts_record *out,
                              struct pts_diag *why)
{
    const uint8_t *p = in->at;
    size_t size = rs->held == 0 && in->n >= PERF_REC_HEADER ? size_of(rs, p) : 0;
    bool whole = size && size <= in->n && !rs->foreign;
    if (!whole) {
        p = rs->hold;
        if (!gather(rs, in, PERF_REC_HEADER))
            return PTS_END;
        size = size_of(rs, p);
        if (size == 0)
            return lose(rs, why);
        if (!gather(rs, in, size))
            return PTS_END;
        if (rs->foreign)
            turn(rs->file, rs->hold, size);
        rs->held = 0;
    }
    pts_status st = deliver(rs, p, size, rs->fed, out, why);
    if (whole)
        piece_use(rs, in, size);
    else
        rs->fed += size;
    rs->payload = st == PTS_OK ? out->payload_size : 0;
    return st;
}

pts_status pts_records_feed(pts_records *rs, const void **bytes, size_t *n,
                            struct pts_record *out, struct pts_diag *why)
{
    struct piece in = {*bytes, *n};
    pts_status st = PTS_OK;
    if (!rs->given)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "the reader has a file");
    if (rs->lost)
        return lose(rs, why);
    if (rs->fed == 0)
        st = feed_header(rs, &in, why);
    if (st == PTS_OK)
        st = rs->payload ? feed_payload(rs, &in, out) : feed_record(rs, &in, out, why);
    *bytes = in.at;
    *n = in.n;
    return st;
}

/* --- What is known --------------------------------------------------------------- */

size_t pts_records_event_count(const pts_records *rs)
{
    return rs->file->evsel.len;
}

pts_status pts_records_event(const pts_records *rs, size_t i,
                             struct pts_event_info *out)
{
    if (i >= rs->file->evsel.len)
        return PTS_END;
    const struct perf_evsel *e = &rs->file->evsel.at[i];
    *out = (struct pts_event_info){&e->attr, e->name, e->ids, e->id_count};
    return PTS_OK;
}

pts_status pts_records_counter(const pts_records *rs, uint64_t id,
                               struct pts_counter *out)
{
    const struct pts_counter *c = perf_file_id(rs->file, id);
    if (!c)
        return PTS_END;
    *out = *c;
    return PTS_OK;
}

pts_status pts_records_feature(const pts_records *rs, uint32_t id,
                               struct pts_feature_iter *out)
{
    if (id >= PERF_FEAT_LIMIT || !perf_feat_has(rs->file, id))
        return PTS_END;
    *out = perf_feature_begin(rs->file, id);
    return PTS_OK;
}

void pts_records_facts(const pts_records *rs, struct pts_records_facts *out)
{
    struct pts_records_facts facts = rs->facts;
    facts.size = out->size < sizeof(facts) ? out->size : sizeof(facts);
    memcpy(out, &facts, facts.size);
}
