/* stitch.c - call stacks that are deeper than the processor's branch registers.
 *
 * SPDX-License-Identifier: MIT
 *
 *     last sample     c4 c3 c2 c1 | below     registers 0 3 2 1
 *     this one     c5 c4 c3 c2    |           registers 1 0 3 2
 *     the same, and one has left:  c1 | below
 */
#include "synth/sample/stitch.h"

#include <string.h>

/* Deeper than any real stack: a file may say that all calls are those of before. */
enum { BELOW_MOST = 1 << 16 };

static struct stitch_thread *thread_of(struct stitch *x, const struct sample *s)
{
    uint64_t key = s->who.thread == UINT32_MAX
                       ? UINT64_C(1) << 32 | (uint32_t)s->who.tid
                       : s->who.thread;
    uint32_t at = idmap_get(&x->by_thread, key);

    if (at != IDMAP_NONE)
        return &x->thread.at[at];
    struct stitch_thread *t = VEC_PUSH(&x->thread);
    if (!t)
        return NULL;
    *t = (struct stitch_thread){.any = false};
    return idmap_set(&x->by_thread, key, (uint32_t)x->thread.len - 1) ? t : NULL;
}

static bool same(const struct pts_branch *a, const struct pts_branch *b)
{
    return a->from == b->from && a->to == b->to && a->flags == b->flags;
}

/* Which of the last sample's is in the register of this one's oldest; `last.len`: none, or they
 * are not the same.  Numbers wrap around as in perf. */
static uint64_t common(const struct stitch *x, const struct stitch_thread *t,
                       const struct sample_stacks *now)
{
    uint64_t base = x->depth - now->branch_count + now->hw_index + 1;
    uint64_t at = t->index > base ? t->index - base : x->depth + t->index - base;

    if (!t->any || at >= t->last.len || !now->branch_count ||
        !same(&t->last.at[at], &now->branches[now->branch_count - 1]))
        return t->last.len;
    return at;
}

/* Those below `at` have left the registers. */
static pts_status push_down(struct stitch_thread *t, uint64_t at)
{
    size_t n = t->last.len - (size_t)at - 1, had = t->below.len;

    if (n > BELOW_MOST - had)
        return PTS_OK;
    if (!n)
        return PTS_OK;
    if (!VEC_ROOM(&t->below, n))
        return PTS_E_NOMEM;
    if (had)
        memmove(t->below.at + n, t->below.at, had * sizeof(*t->below.at));
    size_t put = 0;
    /* What would be taken for a context was no caller either. */
    for (size_t i = (size_t)at + 1; i < t->last.len; i++)
        if (t->last.at[i].from < PTS_CONTEXT_MAX)
            t->below.at[put++] = (struct pts_branch){
                t->last.at[i].from, t->last.at[0].from, t->last.at[i].flags};
    if (had && put < n)
        memmove(t->below.at + put, t->below.at + n, had * sizeof(*t->below.at));
    t->below.len = had + put;
    return PTS_OK;
}

static pts_status keep_last(struct stitch_thread *t, const struct sample_stacks *now)
{
    t->last.len = 0;
    t->index = now->hw_index;
    t->any = true;
    if (!now->branch_count)
        return PTS_OK;
    if (!VEC_ROOM(&t->last, now->branch_count))
        return PTS_E_NOMEM;
    memcpy(t->last.at, now->branches, now->branch_count * sizeof(*t->last.at));
    t->last.len = now->branch_count;
    return PTS_OK;
}

static pts_status extend(struct stitch *x, const struct stitch_thread *t,
                         struct sample *s)
{
    size_t n = s->stacks->chain_len;

    x->chain.len = 0;
    if (!VEC_ROOM(&x->chain, n + t->below.len))
        return PTS_E_NOMEM;
    memcpy(x->chain.at, s->stacks->chain, n * sizeof(*x->chain.at));
    for (size_t i = 0; i < t->below.len; i++)
        x->chain.at[n + i] = t->below.at[i].from;
    x->stacks = *s->stacks;
    x->stacks.below = t->below.at;
    x->stacks.below_len = (uint32_t)t->below.len;
    x->stacks.chain = x->chain.at;
    x->stacks.chain_len = (uint32_t)(n + t->below.len);
    s->stacks = &x->stacks;
    return PTS_OK;
}

pts_status stitch_sample(struct stitch *x, struct sample *s)
{
    const struct sample_stacks *now = s->stacks;

    if (!x->depth || !now || !now->whole || !now->has_hw_index || !now->branches)
        return PTS_OK;
    struct stitch_thread *t = thread_of(x, s);
    if (!t)
        return PTS_E_NOMEM;
    uint64_t at = common(x, t, now);
    pts_status st = PTS_OK;
    if (at == t->last.len)
        t->below.len = 0;
    else
        st = push_down(t, at);
    if (st == PTS_OK)
        st = keep_last(t, now);
    return st == PTS_OK && t->below.len ? extend(x, t, s) : st;
}

void stitch_free(struct stitch *x)
{
    for (size_t i = 0; i < x->thread.len; i++) {
        VEC_FREE(&x->thread.at[i].last);
        VEC_FREE(&x->thread.at[i].below);
    }
    VEC_FREE(&x->thread);
    VEC_FREE(&x->chain);
    idmap_free(&x->by_thread);
}
