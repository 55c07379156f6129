/* unpack_zst.c - files that zstd packed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/unpack.h"

#include "decoder/base/arena.h"
#include "decoder/open/perf_zstd.h"

struct zst {
    struct perf_zstd *z;
    struct pts_bytes left;
};

static pts_status zst_open(struct pts_bytes file, void **state)
{
    struct zst *s = mem_zalloc(1, sizeof(*s));

    if (!s)
        return PTS_E_NOMEM;
    pts_status st = perf_zstd_new(&s->z);
    if (st < 0) {
        mem_free(s);
        return st;
    }
    s->left = file;
    *state = s;
    return PTS_OK;
}

static pts_status zst_next(void *state, struct unpack_room *to)
{
    struct zst *s = state;
    size_t room = to->cap - to->len, n;

    pts_status st = perf_zstd_next(s->z, &s->left, to->at + to->len, room, &n);
    if (st < 0)
        return st;
    to->len += n;
    return !s->left.len && n < room ? PTS_END : PTS_OK;
}

static void zst_close(void *state)
{
    struct zst *s = state;

    perf_zstd_free(s->z);
    mem_free(s);
}

const struct unpacker unpack_zst = {zst_open, zst_next, zst_close};
