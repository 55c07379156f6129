/* bytes.h - bytes and words lent from a recording, as they lie there.
 *
 * SPDX-License-Identifier: MIT
 *
 * Words need not be aligned, and are in the byte order of the recorded machine: read
 * them with pts_word.
 */
#ifndef PTSCRIPT_BYTES_H
#define PTSCRIPT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pts_bytes {
    const uint8_t *ptr; /* may be NULL when len is 0 */
    size_t len;
};

/* `count` words of 64 bits. */
struct pts_words {
    const uint8_t *at;
    uint64_t count;
    int foreign; /* of the other byte order than this machine's */
};

/* Word i < w->count. */
static inline uint64_t pts_word(const struct pts_words *w, uint64_t i)
{
    uint64_t v;
    memcpy(&v, w->at + 8 * i, sizeof(v));
    return w->foreign ? __builtin_bswap64(v) : v;
}

#ifdef __cplusplus
}
#endif
#endif
