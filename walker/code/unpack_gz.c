/* unpack_gz.c - files that gzip packed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/unpack.h"

#include "decoder/base/arena.h"

#include <zlib.h>

enum { WITH_GZIP_HEADER = 16 + MAX_WBITS };

static pts_status gz_open(struct pts_bytes file, void **state)
{
    z_stream *z = mem_zalloc(1, sizeof(*z));

    if (!z)
        return PTS_E_NOMEM;
    if (file.len > UINT32_MAX || inflateInit2(z, WITH_GZIP_HEADER) != Z_OK) {
        mem_free(z);
        return PTS_E_NOMEM;
    }
    z->next_in = (Bytef *)(uintptr_t)file.ptr;
    z->avail_in = (uInt)file.len;
    *state = z;
    return PTS_OK;
}

static pts_status gz_next(void *state, struct unpack_room *to)
{
    z_stream *z = state;
    size_t left = to->cap - to->len;

    z->next_out = to->at + to->len;
    z->avail_out = left < UINT32_MAX ? (uInt)left : UINT32_MAX;
    uInt had = z->avail_out;
    int got = inflate(z, Z_NO_FLUSH);
    to->len += had - z->avail_out;
    if (got == Z_STREAM_END)
        return PTS_END;
    /* No progress with room: the file ends too early. */
    return got == Z_OK && had != z->avail_out ? PTS_OK : PTS_E_FORMAT;
}

static void gz_close(void *state)
{
    inflateEnd(state);
    mem_free(state);
}

const struct unpacker unpack_gz = {gz_open, gz_next, gz_close};
