/* group_text.c - events that were counted together, by name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/header/group_text.h"

void group_text(struct text *t, const struct evlist *l, const struct evl_group *g)
{
    if (g->members > 1) {
        text_str(t, g->name);
        text_char(t, '{');
    }
    for (uint32_t i = 0; i < g->members; i++) {
        text_str(t, i ? "," : "");
        text_str(t, l->ev.at[g->leader + i].name);
    }
    if (g->members > 1)
        text_char(t, '}');
}
