/* ranges.c - only the selected times of a queue.
 *
 * SPDX-License-Identifier: MIT
 *
 * As perf does it: ranges are entered by jumping to the last PSB before them and decoding
 * on from there; what is found before the range itself is not delivered.  Each time that a
 * record was handled it jumps again if it can.
 *
 *     trace   PSB......PSB......PSB......PSB......PSB......
 *     range                          [========]
 *     read                      ...............           told: only within the range
 */
#include "walker/flow/ranges.h"

void range_init(struct flow *f)
{
    struct range_state *r = &f->told.range;

    if (!f->conf.range_count)
        return;
    r->tsc = f->conf.ranges[0].start;
    r->start = r->tsc != 0;
    if (!r->start)
        r->tsc = f->conf.ranges[0].end;
}

static bool range_next(struct flow *f)
{
    struct range_state *r = &f->told.range;

    if (r->start) {
        r->start = false;
        r->tsc = f->conf.ranges[r->index].end;
        return true;
    }
    if (r->index + 1 >= f->conf.range_count)
        return false;
    r->start = true;
    r->tsc = f->conf.ranges[++r->index].start;
    return true;
}

/* Before a range a leap is made to it after each record: what ended the search for a PSB the
 * time before (a piece of trace that is missing) may be passed by then.  In between the way is
 * walked. */
bool range_at(struct flow *f)
{
    struct range_state *r = &f->told.range;

    for (;;) {
        if (r->start) {
            if (f->told.tsc < r->tsc) {
                f->out.drop = true;
                if (r->tsc > r->ff_tsc) {
                    r->ff_tsc = r->tsc;
                    fast_forward(f, r->tsc);
                }
                return true;
            }
            range_next(f);
            if (!r->tsc)
                return true; /* open end */
        } else if (f->told.tsc > r->tsc) {
            if (!range_next(f)) {
                f->out.drop = true;
                return false;
            }
        } else {
            return true;
        }
    }
}

void fast_forward(struct flow *f, uint64_t tsc)
{
    enum pt_leap leap = pt_leap(&f->in, tsc);

    if (leap == LEAP_NONE)
        return;
    f->walk.ip = 0;
    f->walk.phase = SEEK_PSB;
    f->told.branch_due = true;
    last_told(f);
    if (leap == LEAP_BUFFER)
        f->told.trace_nr = f->in.trace_nr;
    f->told.branch_due = true;
}
