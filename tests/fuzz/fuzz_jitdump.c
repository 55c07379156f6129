/* fuzz_jitdump.c - any bytes as a jitdump: records, and the lines of all code.
 *
 * SPDX-License-Identifier: MIT
 *
 * What a dump gives out must lie in it.
 */
#include "walker/code/jitdump.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool cond)
{
    if (!cond)
        abort();
}

static bool is_in(const struct pts_bytes *all, const void *p, uint64_t n)
{
    const uint8_t *at = p;
    return at >= all->ptr && at <= all->ptr + all->len &&
           n <= (uint64_t)(all->ptr + all->len - at);
}

static void check_code(const struct pts_bytes *all, const struct jit_code *c)
{
    enum { TRIES = 64 };
    const char *file;
    uint32_t line;

    require(c->size && c->addr + c->size > c->addr);
    require(is_in(all, c->bytes, c->size));
    require(is_in(all, c->name, strlen(c->name) + 1));
    for (uint64_t off = 0; off < c->size && off < TRIES; off++)
        if (jit_line(c, off, &file, &line))
            require(is_in(all, file, strlen(file) + 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jitdump d;
    uint8_t *copy =
        malloc(size ? size : 1); /* of the exact size: reads behind are seen */

    require(copy != NULL);
    memcpy(copy, data, size);
    const struct pts_bytes all = {copy, size};
    if (jitdump_read(all, &d) == PTS_OK) {
        for (size_t i = 0; i < d.code_count; i++)
            check_code(&all, &d.code[i]);
        for (size_t i = 0; i < d.event_count; i++) {
            const struct jit_event *e = &d.event[i];
            require(e->code < d.code_count && e->size <= d.code[e->code].size);
        }
        jitdump_free(&d);
    }
    free(copy);
    return 0;
}
