/* records_feed.c - records of a stream that comes piece by piece.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records are delivered where they lie; only one that came in two pieces is put
 * together.  What comes next is one of three, asked for in this order:
 *
 *     the next record of a compressed one     while rs->unpack.on
 *     more of the last record's payload       while rs->payload is left
 *     a record                                which may begin either of the others
 *
 * Nothing is looked at before it is whole, so a stream may come byte by byte.
 */
#include "decoder/base/diag.h"
#include "decoder/reader/records_priv.h"

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
    /* For good: without a size there is no next record. */
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

/* A compressed record: it stays in hold while it is unpacked. */
static pts_status feed_packed(pts_records *rs, const uint8_t *p, size_t size,
                              struct pts_diag *why)
{
    struct perf_rec r;
    if (p != rs->hold)
        memcpy(rs->hold, p, size);
    pts_status st = perf_rec_parse((struct pts_bytes){rs->hold, size}, 0, false, &r);
    if (st != PTS_OK)
        return st;
    return records_unpack_begin(rs, perf_rec_packed_data(&r), rs->fed, why);
}

static bool is_packed(const uint8_t *p)
{
    struct perf_rec r = {.type = rd_u32(p)};
    return perf_rec_is_packed(&r);
}

/* A record that lies whole in what came, or is put together in hold; rs->unpack.on:
 * those in it are to be delivered, not it. */
static pts_status feed_record(pts_records *rs, struct piece *in, struct pts_record *out,
                              struct pts_diag *why)
{
    const uint8_t *p = in->at;
    size_t size =
        rs->held == 0 && in->n >= PERF_REC_HEADER ? records_size_of(rs, p) : 0;
    /* The fast way: nothing is copied.  Records that are turned around must be, as the
     * bytes are the caller's. */
    bool whole = size && size <= in->n && !rs->foreign;
    if (!whole) {
        p = rs->hold;
        if (!gather(rs, in, PERF_REC_HEADER))
            return PTS_END;
        size = records_size_of(rs, p);
        if (size == 0)
            return lose(rs, why);
        if (!gather(rs, in, size))
            return PTS_END;
        if (rs->foreign)
            records_turn(rs->file, rs->hold, size);
        rs->held = 0;
    }
    const struct pts_bytes bytes = {p, size};
    bool packed = is_packed(p);
    pts_status st = packed ? feed_packed(rs, p, size, why)
                           : records_deliver(rs, bytes, rs->fed, false, out, why);
    if (whole)
        piece_use(rs, in, size);
    else
        rs->fed += size;
    rs->payload = st == PTS_OK && !packed ? out->payload_size : 0;
    return st;
}

static pts_status feed_next(pts_records *rs, struct piece *in, struct pts_record *out,
                            struct pts_diag *why)
{
    bool more;
    pts_status st;
    do {
        bool unpacking = rs->unpack.on;
        st = unpacking     ? records_unpack_next(rs, out, why)
             : rs->payload ? feed_payload(rs, in, out)
                           : feed_record(rs, in, out, why);
        more = unpacking ? st == PTS_END : st == PTS_OK && rs->unpack.on;
    } while (more);
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
        st = feed_next(rs, &in, out, why);
    /* Told also after a failure: what was used is not to be given again. */
    *bytes = in.at;
    *n = in.n;
    return st;
}
