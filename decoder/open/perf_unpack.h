/* perf_unpack.h - records out of COMPRESSED records.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the COMPRESSED records of one data file hold is one stream, cut anywhere: a
 * record that has begun is kept until the rest of it comes.
 *
 *     unpack_begin(&u, packed);
 *     while ((st = unpack_next(&u, spool, &bytes)) == PTS_OK)
 *         unpack_used(&u, spool, bytes of the whole records at the front of `bytes`);
 *
 * Those bytes stay where they are as long as the spool.  A few packed bytes may claim to
 * be millions: how much all may unpack to is bounded (I12).
 */
#ifndef PTS_DECODER_OPEN_PERF_UNPACK_H
#define PTS_DECODER_OPEN_PERF_UNPACK_H

#include "decoder/open/perf_zstd.h"
#include "decoder/file/spool.h"

/* Zero-initialise. */
struct unpack {
    struct perf_zstd *zstd;
    struct pts_bytes in;   /* packed bytes to come */
    struct pts_bytes rest; /* unpacked bytes that are not yet a whole record */
    uint64_t given, made;  /* bytes packed and unpacked, of all COMPRESSED records */
};

/* What may be unpacked in all: much more than recorders pack, whose samples have times
 * and addresses. */
enum { UNPACK_ANYWAY = 16 << 20, UNPACK_RATIO = 256 };

PTS_MUST_USE pts_status unpack_begin(struct unpack *u, struct pts_bytes packed);
/* The rest of the last time and new bytes behind it.  PTS_END: all is unpacked;
 * PTS_E_FORMAT: this is not zstd; PTS_E_RANGE: it is more than there may be. */
PTS_MUST_USE pts_status unpack_next(struct unpack *u, struct spool *spool,
                                    struct pts_bytes *bytes);
void unpack_used(struct unpack *u, struct spool *spool, size_t n);
void unpack_free(struct unpack *u);

#endif
