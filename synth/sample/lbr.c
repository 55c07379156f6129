/* lbr.c - the last branches of a thread.
 *
 * SPDX-License-Identifier: MIT
 *
 *     at    | 2 | 1 |   |   | 4 | 3 |      the ring grows downwards: 4 was pushed
 *                             ^ pos        last, 3 before it, then 2 and 1
 */
#include "synth/sample/lbr.h"

#include "decoder/base/arena.h"
#include "synth/symbol/place.h"

pts_status lbr_begin(struct lbr *l, uint32_t size)
{
    l->at = mem_zalloc(size, sizeof(*l->at));
    if (!l->at)
        return PTS_E_NOMEM;
    l->size = size;
    return PTS_OK;
}

void lbr_clear(struct lbr *l)
{
    l->pos = 0;
    l->count = 0;
}

void lbr_free(struct lbr *l)
{
    mem_free(l->at);
}

/* Entry i, 0 the newest. */
static const struct pts_branch *lbr_at(const struct lbr *l, uint32_t i)
{
    uint32_t at = l->pos + i;
    return &l->at[at < l->size ? at : at - l->size];
}

static uint32_t copy_from(const struct lbr *l, uint32_t first, struct pts_branch *out,
                          uint32_t max)
{
    uint32_t n = l->count - first;

    n = n < max ? n : max;
    for (uint32_t i = 0; i < n; i++)
        out[i] = *lbr_at(l, first + i);
    return n;
}

uint32_t lbr_take(const struct lbr *l, struct pts_branch *out, uint32_t max)
{
    return copy_from(l, 0, out, max);
}

static bool to_user(const struct pts_branch *b)
{
    return b->to && !in_kernel(b->to);
}

/* Whether b is the last branch before a kernel ip; newer: the one after b, or NULL. */
static bool leads_to(const struct pts_branch *b, uint64_t ip,
                     const struct pts_branch *newer)
{
    return (newer && ip >= b->to && ip <= newer->from) || !in_kernel(b->from) ||
           to_user(b);
}

uint32_t lbr_take_late(const struct lbr *l, uint64_t ip, struct pts_branch *out,
                       uint32_t max)
{
    const struct pts_branch *newer = NULL;
    uint32_t i;

    for (i = 0; i < l->count; i++) {
        const struct pts_branch *b = lbr_at(l, i);
        if (in_kernel(ip) ? leads_to(b, ip, newer) : to_user(b))
            break;
        newer = b;
    }
    return copy_from(l, i, out, max);
}
