/* hints.h - what would have been right, behind perf's word that something is wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PLAN_HINTS_H
#define PTS_SYNTH_PLAN_HINTS_H

#include <ptscript/session.h>

enum hint { HINT_LETTERS, HINT_FIELDS, HINT_TIME, HINT_CPU };

/* As a note; message may be NULL. */
void hint_give(enum hint hint, pts_message_fn *message, void *ctx);

#endif
