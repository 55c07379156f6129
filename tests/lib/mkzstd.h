/* mkzstd.h - zstd frames that hold bytes as they are, for unit tests (RFC 8878).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_TESTS_MKZSTD_H
#define PTS_TESTS_MKZSTD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint8_t zstd_begin[] = {0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3};

static inline size_t zstd_block(uint8_t *to, unsigned kind, size_t n, int last)
{
    size_t head = (size_t)last | kind << 1 | n << 3;
    for (int i = 0; i < 3; i++)
        to[i] = (uint8_t)(head >> (8 * i));
    return 3;
}

/* n bytes of p as one frame; returns its length, at most n + 9. */
static inline size_t zstd_stored(uint8_t *to, const void *p, size_t n)
{
    memcpy(to, zstd_begin, sizeof(zstd_begin));
    size_t len = sizeof(zstd_begin);
    len += zstd_block(to + len, 0, n, 1);
    memcpy(to + len, p, n);
    return len + n;
}

/* `blocks` times 100000 bytes of b. */
static inline size_t zstd_repeated(uint8_t *to, uint8_t b, size_t blocks)
{
    memcpy(to, zstd_begin, sizeof(zstd_begin));
    size_t len = sizeof(zstd_begin);
    for (size_t i = 0; i < blocks; i++) {
        len += zstd_block(to + len, 1, 100000, i + 1 == blocks);
        to[len++] = b;
    }
    return len;
}

#endif
