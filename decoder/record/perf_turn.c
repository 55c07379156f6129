/* perf_turn.c - records of a recording of the other byte order, turned as they enter.
 *
 * SPDX-License-Identifier: MIT
 *
 * In two steps.  The header, and perf's own records, can be turned at once, and must
 * be: the walk over the file goes by them.  A kernel's record cannot: which of its
 * words are one of 64 bits or two of 32 depends on its event, and events and their ids
 * may be told by records that come later.  So bodies wait until the walk is over.
 */
#include "decoder/record/perf_turn.h"

#include "decoder/record/perf_swap.h"

void perf_turn_early(uint8_t *p, size_t n)
{
    if (n < PERF_REC_HEADER)
        return;
    swap_header(p);
    size_t size = rd_u16(p + 6);
    if (rd_u32(p) >= PERF_REC_USER && size >= PERF_REC_HEADER && size <= n)
        swap_own(p, size);
}

void perf_turn_late(const struct perf_file *f, const struct perf_rec *r)
{
    if (r->type >= PERF_REC_USER)
        return;
    uint32_t i = perf_rec_evsel(f, r, true);
    const struct perf_evsel *ev = i != PTS_NO_EVENT ? &f->evsel.at[i] : NULL;
    swap_kernel((uint8_t *)(uintptr_t)r->ptr, r->size, ev ? &ev->attr : NULL,
                ev ? ev->id_bytes : 0);
}
