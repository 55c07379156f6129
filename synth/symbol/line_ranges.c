/* line_ranges.c - who answers for an address, where ranges may overlap.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/symbol/line_ranges.h"

#include "decoder/base/vec.h"

#include <stdlib.h>

static int by_lo(const void *pa, const void *pb)
{
    const struct line_range *a = pa, *b = pb;
    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    return a->owner < b->owner ? -1 : a->owner > b->owner;
}

pts_status line_ranges_add(struct line_ranges *all, uint64_t lo, uint64_t hi,
                           uint32_t owner)
{
    struct line_range *r = lo < hi ? VEC_PUSH(all) : NULL;
    if (r)
        *r = (struct line_range){.lo = lo, .hi = hi, .owner = owner};
    return r || lo >= hi ? PTS_OK : PTS_E_NOMEM;
}

void line_ranges_sort(struct line_ranges *all)
{
    uint64_t reach = 0;
    if (all->len > 0)
        qsort(all->at, all->len, sizeof(*all->at), by_lo);
    for (size_t i = 0; i < all->len; i++) {
        if (all->at[i].hi > reach)
            reach = all->at[i].hi;
        all->at[i].reach = reach;
    }
}

size_t line_ranges_before(const struct line_ranges *all, uint64_t addr)
{
    size_t lo = 0, hi = all->len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (all->at[mid].lo <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
