/* unpack.h - the contents of a compressed file: kernel modules are often packed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CODE_UNPACK_H
#define PTS_WALKER_CODE_UNPACK_H

#include "decoder/base/bytes.h"

#include <ptscript/status.h>

/* Whether a file begins as one that was packed by gzip, xz or zstd. */
bool unpack_is_packed(struct pts_bytes file);

/* Whether a name is that of such a file. */
bool unpack_is_name(const char *name);

/* All of it, at most `most` bytes, in memory for mem_free.  PTS_E_FORMAT: it is broken;
 * PTS_E_RANGE: there is more. */
pts_status unpack(struct pts_bytes file, size_t most, uint8_t **out, size_t *n);

/* --- Its parts: each fills what is free of *to, and goes on when there is more room.
 * PTS_END: that was all. */
struct unpack_room {
    uint8_t *at;
    size_t len, cap;
};
struct unpacker {
    pts_status (*open)(struct pts_bytes file, void **state);
    pts_status (*next)(void *state, struct unpack_room *to);
    void (*close)(void *state);
};
extern const struct unpacker unpack_gz, unpack_xz, unpack_zst;

#endif
