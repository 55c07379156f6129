/* perf_cpus.c - the CPUs of a CPU_MAP record or of an EVENT_UPDATE.
 *
 * SPDX-License-Identifier: MIT
 *
 * A few bytes may stand for 65,536 CPUs, so they are stepped through, and not put into
 * a list that the file could make as long as it likes.
 */
#include "decoder/record/perf_cpus.h"

struct perf_cpus perf_cpus_of(struct pts_bytes data)
{
    struct perf_cpus c = {.r = reader_of(data.ptr, data.len)};
    c.type = reader_u16(&c.r);
    if (c.r.bad || c.type >= PERF_CPUS_TYPES) {
        c.type = PERF_CPUS_TYPES;
        return c;
    }
    c.left = reader_u16(&c.r);
    if (c.type == PERF_CPUS_MASK) {
        c.width = reader_u16(&c.r) == 4 ? 4 : 8;
        if (c.width == 8)
            reader_take(&c.r, 4); /* unused */
        c.base = -8 * (int64_t)c.width;
    } else if (c.type == PERF_CPUS_RANGE) {
        c.any = c.left & 0xff;
        c.base = reader_u16(&c.r);
        int64_t last = reader_u16(&c.r);
        c.left = last < c.base ? 0 : (uint32_t)(last - c.base + 1);
    }
    return c;
}

static bool next_of_list(struct perf_cpus *c, int64_t *cpu)
{
    if (!c->left || reader_left(&c->r) < 2)
        return false;
    uint16_t n = reader_u16(&c->r);
    c->left--;
    *cpu = n == UINT16_MAX ? -1 : n;
    return true;
}

static bool next_of_mask(struct perf_cpus *c, int64_t *cpu)
{
    while (!c->word) {
        if (!c->left || reader_left(&c->r) < c->width)
            return false;
        c->word = c->width == 8 ? reader_u64(&c->r) : reader_u32(&c->r);
        c->base += 8 * c->width;
        c->left--;
    }
    *cpu = c->base + __builtin_ctzll(c->word);
    c->word &= c->word - 1;
    return true;
}

static bool next_of_range(struct perf_cpus *c, int64_t *cpu)
{
    if (c->any) {
        c->any = false;
        *cpu = -1;
        return true;
    }
    if (!c->left)
        return false;
    c->left--;
    *cpu = c->base++;
    return true;
}

bool perf_cpus_next(struct perf_cpus *c, int64_t *cpu)
{
    switch (c->type) {
    case PERF_CPUS_LIST:
        return next_of_list(c, cpu);
    case PERF_CPUS_MASK:
        return next_of_mask(c, cpu);
    case PERF_CPUS_RANGE:
        return next_of_range(c, cpu);
    }
    return false;
}
