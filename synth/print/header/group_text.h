/* group_text.h - events that were counted together, by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_HEADER_GROUP_TEXT_H
#define PTS_SYNTH_PRINT_HEADER_GROUP_TEXT_H

#include "synth/plan/evlist.h"
#include "synth/print/text.h"

/* "NAME{leader,member}", or the name of a single event. */
void group_text(struct text *t, const struct evlist *l, const struct evl_group *g);

#endif
