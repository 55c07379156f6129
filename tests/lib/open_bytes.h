/* open_bytes.h - bytes in memory as a recording, without a file.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is mapped, so that a sanitizer sees the first byte behind them.
 */
#ifndef PTS_TESTS_OPEN_BYTES_H
#define PTS_TESTS_OPEN_BYTES_H

#include "decoder/open/perf_header.h"
#include "decoder/open/perf_open.h"

/* As perf_file_open; what is read is a copy. */
static pts_status open_bytes(const uint8_t *ptr, size_t len, struct perf_file **out,
                             struct pts_diag *why)
{
    struct perf_file *f = perf_file_new();
    uint8_t *copy = len ? mem_resize(NULL, len, 1) : NULL;
    if (len)
        memcpy(copy, ptr, len);
    f->in = (struct input){.ptr = copy, .len = len, .owned = true};
    f->path = "memory";
    pts_status st = perf_header_read(f, why);
    if (st == PTS_OK)
        st = perf_file_walk(f, why);
    if (st == PTS_OK)
        *out = f;
    else
        perf_file_close(f);
    return st;
}

#endif
