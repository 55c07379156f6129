/* records_unpack.c - the records in compressed records of a stream.
 *
 * SPDX-License-Identifier: MIT
 *
 * What COMPRESSED records hold is one stream, cut anywhere: a record that has begun is
 * kept until the rest of it comes.  Memory is what one piece of it needs, however much
 * a record unpacks to.
 */
#include "decoder/base/diag.h"
#include "decoder/reader/records_priv.h"

#include <assert.h>

/* Of this, less than the longest record is the rest of the piece before. */
enum { UNPACK_BYTES = 128 << 10 };
_Static_assert(UNPACK_BYTES > 2 * PERF_REC_MAX,
               "a record must fit behind the rest of another");

pts_status records_unpack_begin(pts_records *rs, struct pts_bytes packed, uint64_t at,
                                struct pts_diag *why)
{
    struct records_unpack *u = &rs->unpack;
    if (!u->room)
        u->room = mem_zalloc(1, UNPACK_BYTES);
    if (!u->room || (!u->zstd && perf_zstd_new(&u->zstd) != PTS_OK))
        return diag_set(why, PTS_E_NOMEM, at, "no room to unpack records");
    u->in = packed;
    u->at = at;
    u->on = true;
    return PTS_OK;
}

/* More bytes behind the rest.  PTS_END: there are none. */
static pts_status unpack_more(struct records_unpack *u)
{
    size_t n;
    assert(u->room); /* since records_unpack_begin */
    if (u->rest.len)
        memmove(u->room, u->rest.ptr, u->rest.len);
    pts_status st = perf_zstd_next(u->zstd, &u->in, u->room + u->rest.len,
                                   UNPACK_BYTES - u->rest.len, &n);
    if (st != PTS_OK)
        return st;
    u->rest = (struct pts_bytes){u->room, u->rest.len + n};
    if (n == 0)
        return u->in.len ? PTS_E_FORMAT : PTS_END;
    return PTS_OK;
}

static pts_status unpack_deliver(pts_records *rs, size_t size, struct pts_record *out,
                                 struct pts_diag *why)
{
    struct records_unpack *u = &rs->unpack;
    uint8_t *p = u->room + (u->rest.ptr - u->room);
    u->rest.ptr += size;
    u->rest.len -= size;
    if (rs->foreign)
        records_turn(rs->file, p, size);
    pts_status st =
        records_deliver(rs, (struct pts_bytes){p, size}, u->at, true, out, why);
    if (st == PTS_OK)
        out->payload_size = 0; /* perf packs no record that has one */
    return st;
}

static pts_status unpack_fail(pts_records *rs, pts_status st, struct pts_diag *why)
{
    rs->unpack.on = false;
    if (st == PTS_END)
        return st;
    rs->lost = true;
    return diag_set(why, st, rs->unpack.at, "a compressed record cannot be unpacked");
}

pts_status records_unpack_next(pts_records *rs, struct pts_record *out,
                               struct pts_diag *why)
{
    struct records_unpack *u = &rs->unpack;
    for (;;) {
        bool header = u->rest.len >= PERF_REC_HEADER;
        size_t size = header ? records_size_of(rs, u->rest.ptr) : 0;
        if (header && size == 0)
            return unpack_fail(rs, PTS_E_FORMAT, why);
        if (header && size <= u->rest.len)
            return unpack_deliver(rs, size, out, why);
        pts_status st = unpack_more(u);
        if (st != PTS_OK)
            return unpack_fail(rs, st, why);
    }
}
