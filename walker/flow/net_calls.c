/* net_calls.c - calls and returns, less those that cancel out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/net_calls.h"

#include "walker/flow/emit.h"

static bool is_call(const struct net_call *c)
{
    return c->cls == INSN_CALL;
}

/* To nowhere, or to the next instruction, which asks for its own address: nobody returns. */
static bool stays(const struct net_call *c)
{
    return is_call(c) && (!c->to || c->to == c->from + c->ilen);
}

static void net_add(struct net_calls *n, const struct net_call *c)
{
    const struct net_call *last = n->count ? &n->at[n->count - 1] : NULL;

    if (stays(c))
        return;
    if (c->cls == INSN_RET && last && is_call(last) && last->from + last->ilen == c->to)
        n->count--;
    else
        n->at[n->count++] = *c;
}

void net_leg(struct net_calls *n, const struct leg *leg, uint64_t start,
             enum ild_mode mode)
{
    for (unsigned i = 0; i < leg->direct; i++) {
        const struct leg_pass *c = &leg->pass[i];
        if (!c->call)
            continue;
        uint64_t ret = start + c->ret, to = ret + (uint64_t)(int64_t)c->rel;
        net_add(n, &(struct net_call){.from = ret - c->len,
                                      .to = mode == ILD_64 ? to : (uint32_t)to,
                                      .ilen = (uint8_t)c->len,
                                      .cls = INSN_CALL});
    }
}

void net_end(struct net_calls *n, const struct leg *leg, uint64_t start, uint64_t to)
{
    net_add(n,
            &(struct net_call){
                .from = start + leg->end, .to = to, .ilen = leg->len, .cls = leg->cls});
}

void net_tell(struct flow *f)
{
    struct net_calls *n = f->net;

    struct pt_event *at = n->count ? plain_room(f, n->count) : NULL;
    const struct plain_form form = plain_form(f);

    for (uint32_t i = 0; at && i < n->count; i++)
        at = plain_put(at, &form,
                       &(struct plain_branch){.from = n->at[i].from,
                                              .to = n->at[i].to,
                                              .ninsn = f->walk.ninsn,
                                              .cls = n->at[i].cls,
                                              .ilen = n->at[i].ilen});
    if (at)
        plain_told(f, at);
    n->count = 0;
}
