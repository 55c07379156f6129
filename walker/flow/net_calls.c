/* net_calls.c - calls and returns, less those that cancel out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/flow/net_calls.h"

#include "walker/flow/emit.h"

void net_tell(struct flow *f)
{
    const struct plain_form form = plain_form(f);

    net_tell_as(f, &form, f->walk.ninsn);
}

void net_tell_as(struct flow *f, const struct plain_form *form, uint64_t ninsn)
{
    struct net_calls *n = f->net;

    struct pt_event *at = n->count ? plain_room(f, n->count) : NULL;

    for (uint32_t i = 0; at && i < n->count; i++)
        at = plain_put(f, at, form,
                       &(struct plain_branch){.from = n->at[i].from,
                                              .to = n->at[i].to,
                                              .ninsn = ninsn,
                                              .cls = n->at[i].cls,
                                              .ilen = n->at[i].ilen});
    if (at)
        plain_told(f, at);
    n->count = 0;
}
