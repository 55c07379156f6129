/* perf_unpack.c - records out of COMPRESSED records.
 *
 * SPDX-License-Identifier: MIT
 *
 * A piece is unpacked right behind the bytes that are left of the last one, so that a
 * record that was cut lies in one row again, and stays there: the tape points to it.
 */
#include "decoder/open/perf_unpack.h"

#include "decoder/file/perf_abi.h"

/* Unpacked at once; the rest in front of it is less than the longest record. */
enum { CHUNK = 128 << 10 };
_Static_assert(CHUNK > 2 * PERF_REC_MAX,
               "a record must fit behind the rest of another");

pts_status unpack_begin(struct unpack *u, struct pts_bytes packed)
{
    u->in = packed;
    u->given += packed.len;
    return u->zstd ? PTS_OK : perf_zstd_new(&u->zstd);
}

pts_status unpack_next(struct unpack *u, struct spool *spool, struct pts_bytes *bytes)
{
    size_t n;
    uint8_t *room = spool_room(spool, CHUNK);
    if (!room)
        return PTS_E_NOMEM;
    /* It may lie there already. */
    memmove(room, u->rest.ptr ? u->rest.ptr : room, u->rest.len);
    pts_status st =
        perf_zstd_next(u->zstd, &u->in, room + u->rest.len, CHUNK - u->rest.len, &n);
    if (st != PTS_OK)
        return st;
    if (n == 0)
        return u->in.len ? PTS_E_FORMAT : PTS_END;
    u->made += n;
    if (u->made > UNPACK_ANYWAY + UNPACK_RATIO * u->given)
        return PTS_E_RANGE;
    *bytes = u->rest = (struct pts_bytes){room, u->rest.len + n};
    return PTS_OK;
}

void unpack_used(struct unpack *u, struct spool *spool, size_t n)
{
    spool_take(spool, n);
    u->rest.ptr += n;
    u->rest.len -= n;
}

void unpack_free(struct unpack *u)
{
    perf_zstd_free(u->zstd);
    *u = (struct unpack){0};
}
