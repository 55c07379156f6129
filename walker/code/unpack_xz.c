/* unpack_xz.c - files that xz packed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/code/unpack.h"

#include "decoder/base/arena.h"

#include <lzma.h>

enum { DICTIONARY_MAX = 256 << 20 };

static pts_status xz_open(struct pts_bytes file, void **state)
{
    lzma_stream *x = mem_zalloc(1, sizeof(*x));

    if (!x)
        return PTS_E_NOMEM;
    if (lzma_stream_decoder(x, DICTIONARY_MAX, LZMA_CONCATENATED) != LZMA_OK) {
        mem_free(x);
        return PTS_E_NOMEM;
    }
    x->next_in = file.ptr;
    x->avail_in = file.len;
    *state = x;
    return PTS_OK;
}

static pts_status xz_next(void *state, struct unpack_room *to)
{
    lzma_stream *x = state;

    x->next_out = to->at + to->len;
    x->avail_out = to->cap - to->len;
    lzma_ret got = lzma_code(x, LZMA_FINISH);
    to->len = to->cap - x->avail_out;
    if (got == LZMA_STREAM_END)
        return PTS_END;
    if (got == LZMA_MEM_ERROR)
        return PTS_E_NOMEM;
    return got == LZMA_OK ? PTS_OK : PTS_E_FORMAT;
}

static void xz_close(void *state)
{
    lzma_end(state);
    mem_free(state);
}

const struct unpacker unpack_xz = {xz_open, xz_next, xz_close};
