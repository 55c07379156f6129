/* chain.c - call stacks of threads, as far as branches tell them.
 *
 * SPDX-License-Identifier: MIT
 *
 * A return pops down to the topmost entry with its target; when there is none it pops
 * nothing.  So longjmp, tail calls and lost data do no lasting harm, and the depth is
 * what perf prints.
 */
#include "synth/chain.h"

#include "synth/ipflags.h"

enum { CPU_LIMIT = 1 << 16, THREAD_LIMIT = 1 << 26 };

struct chain_stack *chain_state(struct chains *c, struct chain_key key)
{
    if (key.thread == UINT32_MAX)
        return NULL;
    size_t limit = key.idle ? CPU_LIMIT : THREAD_LIMIT;
    size_t i = key.idle ? (size_t)key.cpu : key.thread; /* no cpu: beyond the limit */
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

static const struct chain_stack *find(const struct chains *c, struct chain_key key)
{
    size_t i = key.idle ? (size_t)key.cpu : key.thread;
    const struct chain_list *v = key.idle ? &c->idle : &c->thread;

    return i < v->len ? &v->at[i] : NULL;
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

static void pop_ended(struct chain_stack *s)
{
    while (s->call.len && s->call.at[s->call.len - 1].ended)
        s->call.len--;
}

static pts_status push(struct chain_stack *s, const struct chain_branch *b)
{
    uint64_t ret = b->from + b->len;

    if (!b->to || ret == b->to) /* nowhere, or to the next instruction */
        return PTS_OK;
    struct chain_call *call = VEC_PUSH(&s->call);
    if (!call)
        return PTS_E_NOMEM;
    *call = (struct chain_call){.ret = ret, .ended = (b->flags & IPF_TRACE_END) != 0};
    return PTS_OK;
}

pts_status chain_step(struct chains *c, struct chain_key key,
                      const struct chain_branch *b)
{
    if (key.thread == UINT32_MAX)
        return PTS_OK;
    struct chain_stack *s = chain_state(c, key);
    if (!s)
        return key.idle && key.cpu < 0 ? PTS_OK : PTS_E_NOMEM; /* perf: no stack then */
    if (s->live && s->trace_nr != b->trace_nr && s->trace_nr)
        s->call.len = 0;
    s->trace_nr = b->trace_nr;
    s->live = true;
    c->idle_live |= key.idle;
    if (b->flags & IPF_CALL)
        return push(s, b);
    if (b->flags & IPF_TRACE_BEGIN) {
        pop(s, b->to);
        pop_ended(s);
    } else if (b->flags & IPF_RETURN && b->from) {
        pop(s, b->to);
    }
    return PTS_OK;
}

size_t chain_depth(const struct chains *c, struct chain_key key)
{
    const struct chain_stack *s = find(c, key);
    return s ? s->call.len : 0;
}

bool chain_is_live(const struct chains *c, struct chain_key key)
{
    const struct chain_stack *s = find(c, key);
    return key.idle ? c->idle_live : s && s->live;
}

void chain_free(struct chains *c)
{
    for (size_t i = 0; i < c->thread.len; i++)
        VEC_FREE(&c->thread.at[i].call);
    for (size_t i = 0; i < c->idle.len; i++)
        VEC_FREE(&c->idle.at[i].call);
    VEC_FREE(&c->thread);
    VEC_FREE(&c->idle);
}
