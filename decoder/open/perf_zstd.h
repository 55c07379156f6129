/* perf_zstd.h - unpacking the data of COMPRESSED records, and packing bundles.
 *
 * SPDX-License-Identifier: MIT
 *
 * What the records of one data file hold is one zstd stream, cut anywhere.
 */
#ifndef PTS_DECODER_OPEN_PERF_ZSTD_H
#define PTS_DECODER_OPEN_PERF_ZSTD_H

#include "decoder/base/bytes.h"

#include <ptscript/status.h>

struct perf_zstd;

PTS_MUST_USE pts_status perf_zstd_new(struct perf_zstd **out);
void perf_zstd_free(struct perf_zstd *z); /* NULL is fine */

/* Unpacks what of *in fits into cap bytes at out: *in moves past what was read, *n
 * bytes were written.  All is out when *in is empty and *n < cap.  PTS_E_FORMAT: not
 * zstd. */
PTS_MUST_USE pts_status perf_zstd_next(struct perf_zstd *z, struct pts_bytes *in,
                                       uint8_t *out, size_t cap, size_t *n);

/* --- Packing, for bundles --- */

struct perf_zstd_pack;

PTS_MUST_USE pts_status perf_zstd_pack_new(struct perf_zstd_pack **out);
void perf_zstd_pack_free(struct perf_zstd_pack *z); /* NULL is fine */

/* Packs what of *in fits into cap bytes at out: *in moves past what was read, *n bytes were
 * written.  last: nothing comes behind *in.  All is out when *in is empty and *n < cap. */
PTS_MUST_USE pts_status perf_zstd_pack_next(struct perf_zstd_pack *z,
                                            struct pts_bytes *in, bool last,
                                            uint8_t *out, size_t cap, size_t *n);

#endif
