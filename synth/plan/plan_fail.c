/* plan_fail.c - why there can be no plan, in perf's words.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf finds out while it handles a record, and says so twice: what is wrong, and then
 * which record it could not process.  With -d it counts what it saw up to there, too.
 */
#include "decoder/base/diag.h"
#include "synth/plan/plan_making.h"

#include <stdio.h>

void plan_warn(const struct plan *p, const char *text)
{
    if (p->opt.message)
        p->opt.message(p->opt.message_ctx, PTS_MSG_WARNING, text);
}

pts_status plan_bad_record(struct making *m, const struct bad_record *r)
{
    char text[sizeof(m->why->text) + 80];

    snprintf(text, sizeof(text), "%s%s%s", m->why->text, m->why->text[0] ? "\n" : "",
             r->words);
    plan_warn(m->plan, text);
    m->failed->off = r->off;
    return diag_set(m->why, PTS_E_RANGE, UINT64_MAX,
                    "%#llx [%#x]: failed to process type: %u%s%s",
                    (unsigned long long)r->off, (unsigned)r->size, (unsigned)r->type,
                    m->facts->pipe ? "" : " [Invalid argument]",
                    m->plan->opt.debug_mode ? "\nMisordered timestamps: 0" : "");
}
