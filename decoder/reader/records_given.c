/* records_given.c - records of bytes that the caller gives.
 *
 * SPDX-License-Identifier: MIT
 *
 * Such a reader has a perf_file, too, but only for what is known of events; a record
 * that comes in pieces (records_feed.c), or in the other byte order, is put together in
 * `hold`, which has room for the largest there can be.
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/file/perf_attr.h"
#include "decoder/open/perf_learn.h"
#include "decoder/record/perf_turn.h"
#include "decoder/reader/records_priv.h"

enum { HOLD_BYTES = UINT16_MAX + 1 };

pts_status pts_records_new(const struct pts_records_opts *opts, pts_records **out,
                           struct pts_diag *why)
{
    pts_records *rs = mem_zalloc(1, sizeof(*rs));
    if (!rs)
        return records_no_memory(why);
    rs->given = true;
    rs->foreign = records_opts_of(opts).foreign;
    rs->facts.foreign = rs->foreign;
    rs->facts.cut_offset = UINT64_MAX;
    rs->file = perf_file_new();
    rs->hold = mem_zalloc(1, HOLD_BYTES);
    if (!rs->file || !rs->hold) {
        pts_records_close(rs);
        return records_no_memory(why);
    }
    *out = rs;
    return PTS_OK;
}

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
    uint32_t mark = refused_mark(why);
    pts_status st = perf_file_put_event(
        rs->file, &a, (struct pts_words){(const uint8_t *)ids, id_count, 0}, 0, why);
    if (st == PTS_OK)
        st = perf_file_learnt(rs->file, why);
    return refused_since(mark, st, why);
}

void records_turn(const struct perf_file *f, uint8_t *bytes, size_t n)
{
    struct perf_rec r;
    perf_turn_early(bytes, n);
    if (perf_rec_parse((struct pts_bytes){bytes, n}, 0, false, &r) == PTS_OK)
        perf_turn_late(f, &r);
}

pts_status records_deliver(pts_records *rs, struct pts_bytes bytes, uint64_t offset,
                           bool unpacked, struct pts_record *out, struct pts_diag *why)
{
    const struct perf_shown place = {NULL, offset};
    struct perf_rec r;
    pts_status st = perf_rec_parse(bytes, 0, unpacked, &r);
    if (st == PTS_OK)
        st = perf_learn_given(rs->file, &r, why);
    if (st != PTS_OK)
        return st;
    records_tell(rs, &r, perf_rec_identify(rs->file, &r), &place, out);
    return PTS_OK;
}

size_t records_size_of(const pts_records *rs, const uint8_t *p)
{
    uint16_t size = rd_u16(p + 6);
    size = rs->foreign ? __builtin_bswap16(size) : size;
    /* A size below that of a header would never get any further. */
    return size < PERF_REC_HEADER ? 0 : size;
}

pts_status pts_record_parse(pts_records *rs, const void *bytes, size_t n,
                            struct pts_record *out, struct pts_diag *why)
{
    const uint8_t *p = bytes;
    size_t size = n >= PERF_REC_HEADER ? records_size_of(rs, p) : PERF_REC_HEADER;
    if (!rs->given)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "the reader has a file");
    if (size == 0)
        return diag_set(why, PTS_E_FORMAT, rs->fed, "no record begins like this");
    if (size > n)
        return diag_set(why, PTS_E_TRUNCATED, rs->fed, "the record is cut off");
    if (!rs->foreign)
        return records_deliver(rs, (struct pts_bytes){p, n}, rs->fed, false, out, why);
    memcpy(rs->hold, p, size);
    records_turn(rs->file, rs->hold, size);
    pts_status st = records_deliver(rs, (struct pts_bytes){rs->hold, size}, rs->fed,
                                    false, out, why);
    if (st == PTS_OK)
        out->payload = (struct pts_bytes){
            p + size,
            (size_t)(out->payload_size < n - size ? out->payload_size : n - size)};
    return st;
}
