/* event_groups.c - events that were counted together.
 *
 * SPDX-License-Identifier: MIT
 *
 *     GROUP_DESC   {leader 1, 2 members} {leader 5, 2 members}
 *     events       0  [1 2]  3  4  [5 6]     those that it does not name stand alone
 */
#include "synth/plan/evlist.h"

#include <string.h>

/* Groups come in the order of their leaders; a group reaches up to the next one. */
pts_status evl_groups_make(struct evl_groups *g, const struct evlist *l,
                           struct pts_feature_iter desc)
{
    struct pts_feature_iter whole = desc;
    struct pts_feature_item item;
    pts_status st;
    while ((st = pts_feature_next(&whole, &item)) == PTS_OK) {
    }
    bool any = st == PTS_END && pts_feature_next(&desc, &item) == PTS_OK;
    uint32_t left = 0; /* members that the group before still takes */
    for (uint32_t i = 0; i < l->ev.len; i++) {
        bool leads = any && item.u.group.leader == i;
        if (left > 0 && !leads) {
            left--;
            g->at.at[g->at.len - 1].members++;
            continue;
        }
        struct evl_group *one = VEC_PUSH(&g->at);
        if (!one)
            return PTS_E_NOMEM;
        *one = (struct evl_group){"", i, 1};
        if (!leads)
            continue;
        if (strcmp(item.u.group.name, "{anon_group}") != 0)
            one->name = item.u.group.name;
        left = item.u.group.members ? item.u.group.members - 1 : 0;
        any = pts_feature_next(&desc, &item) == PTS_OK;
    }
    return PTS_OK;
}

void evl_groups_free(struct evl_groups *g)
{
    VEC_FREE(&g->at);
}
