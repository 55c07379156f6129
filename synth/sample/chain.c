/* chain.c - call stacks and last branches of threads, as far as the trace tells them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A return pops down to the topmost entry with its target; when there is none it pops
 * nothing.  So longjmp, tail calls and lost data do no lasting harm, and the depth is
 * what perf prints.
 */
#include "synth/sample/chain.h"

#include "synth/sample/branch_flags.h"

#include <ptscript/sample.h>

enum { CPU_LIMIT = 1 << 16, THREAD_LIMIT = 1 << 26 };

/* The idle task of no cpu shares that of cpu 0, as in perf. */
static size_t index_of(struct chain_key key)
{
    return !key.idle ? key.thread : key.cpu < 0 ? 0 : (size_t)key.cpu;
}

static struct chain_stack *state_new(struct chains *c, struct chain_key key)
{
    size_t limit = key.idle ? CPU_LIMIT : THREAD_LIMIT;
    size_t i = index_of(key);
    struct chain_list *v = key.idle ? &c->idle : &c->thread;
    if (i >= limit)
        return NULL;
    while (v->len <= i) {
        struct chain_stack *s = VEC_PUSH(v);
        if (!s)
            return NULL;
        *s = (struct chain_stack){0};
    }
    return &v->at[i];
}

/* Threads are numbered as they come, so a list by number will do; the limits are
 * beyond what there can be. */
struct chain_stack *chain_state(struct chains *c, struct chain_key key)
{
    if (key.thread == UINT32_MAX)
        return NULL;
    if (!key.idle && key.thread < c->thread.len)
        return &c->thread.at[key.thread];
    return state_new(c, key);
}

const struct chain_stack *chain_find(const struct chains *c, struct chain_key key)
{
    size_t i = index_of(key);
    const struct chain_list *v = key.idle ? &c->idle : &c->thread;

    return i < v->len ? &v->at[i] : NULL;
}

struct chain_stack *chain_top(struct chains *c, struct chain_key key)
{
    struct chain_stack *s =
        chain_find(c, key) && key.thread != UINT32_MAX ? chain_state(c, key) : NULL;

    return s && s->live && c->calls && !c->last_branches ? s : NULL;
}

static void pop(struct chain_stack *s, uint64_t ret)
{
    for (size_t i = s->call.len; i-- > 0;) {
        if (s->call.at[i].ret == ret) {
            s->call.len = i;
            return;
        }
    }
}

/* The trace begins again: calls in which it had ended have returned unseen. */
static void pop_ended(struct chain_stack *s)
{
    while (s->call.len && s->call.at[s->call.len - 1].ended)
        s->call.len--;
}

/* A call of the next instruction only asks for its own address: no return will come. */
static pts_status push(struct chain_stack *s, const struct chain_branch *b)
{
    uint64_t ret = b->from + b->len;

    if (!b->to || ret == b->to) /* nowhere, or to the next instruction */
        return PTS_OK;
    struct chain_call *call = VEC_PUSH(&s->call);
    if (!call)
        return PTS_E_NOMEM;
    *call =
        (struct chain_call){.ret = ret, .ended = (b->flags & PTS_FLAG_TRACE_END) != 0};
    return PTS_OK;
}

/* The trace was not continuous: what is known may be wrong. */
static void forget(struct chain_stack *s)
{
    s->call.len = 0;
    lbr_clear(&s->last);
}

static pts_status note_branch(const struct chains *c, struct chain_key key,
                              struct chain_stack *s, const struct chain_branch *b)
{
    const struct pts_branch last = {
        .from = b->from,
        .to = b->to,
        .flags = (c->mispredicted ? BRF_MISPRED : 0) |
                 (b->flags & PTS_FLAG_IN_TX ? BRF_IN_TX : 0) |
                 (b->flags & PTS_FLAG_TX_ABORT ? BRF_ABORT : 0),
    };
    if (!c->last_branches || (key.idle && !c->calls)) /* perf loses the latter */
        return PTS_OK;
    return lbr_push(&s->last, c->last_branches, &last);
}

/* Where it begins may be behind a call that was not traced: that is a return, too. */
void chain_begin(struct chain_stack *s, uint64_t to)
{
    pop(s, to);
    pop_ended(s);
}

static pts_status note_call(struct chain_stack *s, const struct chain_branch *b)
{
    if (b->flags & PTS_FLAG_CALL)
        return push(s, b);
    if (b->flags & PTS_FLAG_TRACE_BEGIN) {
        chain_begin(s, b->to);
    } else if (b->flags & PTS_FLAG_RETURN && b->from) {
        pop(s, b->to);
    }
    return PTS_OK;
}

pts_status chain_step(struct chains *c, struct chain_key key,
                      const struct chain_branch *b)
{
    if (key.thread == UINT32_MAX)
        return PTS_OK;
    struct chain_stack *s = chain_state(c, key);
    if (!s)
        return PTS_E_NOMEM;
    /* Number 0 is a trace that went on from the buffer before. */
    if (s->live && s->trace_nr != b->trace_nr && s->trace_nr)
        forget(s);
    s->trace_nr = b->trace_nr;
    s->live = true;
    c->idle_live |= key.idle;
    pts_status st = note_branch(c, key, s, b);
    return st == PTS_OK && c->calls ? note_call(s, b) : st;
}

size_t chain_depth(const struct chains *c, struct chain_key key)
{
    const struct chain_stack *s = chain_find(c, key);
    return s ? s->call.len : 0;
}

bool chain_is_live(const struct chains *c, struct chain_key key)
{
    const struct chain_stack *s = chain_find(c, key);
    return key.idle ? c->idle_live : s && s->live;
}

static void list_free(struct chain_list *l)
{
    for (size_t i = 0; i < l->len; i++) {
        VEC_FREE(&l->at[i].call);
        lbr_free(&l->at[i].last);
    }
    VEC_FREE(l);
}

void chain_free(struct chains *c)
{
    list_free(&c->thread);
    list_free(&c->idle);
}
