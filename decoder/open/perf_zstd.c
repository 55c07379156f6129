/* perf_zstd.c - unpacking the data of COMPRESSED records and packing bundles, with libzstd.
 *
 * SPDX-License-Identifier: MIT
 *
 * zstd may hold bytes back that it has read already: it is asked again until it neither
 * reads nor writes.
 */
#include "decoder/open/perf_zstd.h"

#include "decoder/base/refused.h"

#include <zstd.h>
#include <zstd_errors.h>

/* The library's own type, known by our name outside. */
static ZSTD_DStream *stream_of(struct perf_zstd *z)
{
    return (ZSTD_DStream *)z;
}

pts_status perf_zstd_new(struct perf_zstd **out)
{
    ZSTD_DStream *s = ZSTD_createDStream();
    if (!s) {
        refused_memory();
        return PTS_E_NOMEM;
    }
    *out = (struct perf_zstd *)s;
    return PTS_OK;
}

void perf_zstd_free(struct perf_zstd *z)
{
    ZSTD_freeDStream(stream_of(z));
}

pts_status perf_zstd_next(struct perf_zstd *z, struct pts_bytes *in, uint8_t *out,
                          size_t cap, size_t *n)
{
    ZSTD_inBuffer from = {in->ptr, in->len, 0};
    ZSTD_outBuffer to = {out, cap, 0};
    size_t before, left;

    do {
        before = from.pos + to.pos;
        left = ZSTD_decompressStream(stream_of(z), &to, &from);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) {
            refused_memory();
            return PTS_E_NOMEM;
        }
        if (ZSTD_isError(left))
            return PTS_E_FORMAT;
    } while (to.pos < to.size && from.pos + to.pos > before);
    in->ptr += from.pos;
    in->len -= from.pos;
    *n = to.pos;
    return PTS_OK;
}

static ZSTD_CStream *pack_of(struct perf_zstd_pack *z)
{
    return (ZSTD_CStream *)z;
}

/* By one thread: with more, libzstd 1.5.4 crashes where it gets no memory for them. */
pts_status perf_zstd_pack_new(struct perf_zstd_pack **out)
{
    ZSTD_CStream *s = ZSTD_createCStream();
    /* So that a damaged file is seen to be one. */
    if (!s || ZSTD_isError(ZSTD_CCtx_setParameter(s, ZSTD_c_checksumFlag, 1))) {
        ZSTD_freeCStream(s);
        refused_memory();
        return PTS_E_NOMEM;
    }
    *out = (struct perf_zstd_pack *)s;
    return PTS_OK;
}

void perf_zstd_pack_free(struct perf_zstd_pack *z)
{
    ZSTD_freeCStream(pack_of(z));
}

pts_status perf_zstd_pack_next(struct perf_zstd_pack *z, struct pts_bytes *in,
                               bool last, uint8_t *out, size_t cap, size_t *n)
{
    ZSTD_inBuffer from = {in->ptr, in->len, 0};
    ZSTD_outBuffer to = {out, cap, 0};
    size_t left;

    do {
        left = ZSTD_compressStream2(pack_of(z), &to, &from,
                                    last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) { /* nothing else can go wrong here */
            refused_memory();
            return PTS_E_NOMEM;
        }
    } while (to.pos < to.size && (from.pos < from.size || (last && left)));
    in->ptr += from.pos;
    in->len -= from.pos;
    *n = to.pos;
    return PTS_OK;
}
