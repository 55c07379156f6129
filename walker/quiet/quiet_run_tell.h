/* quiet_run_tell.h - the branches of a packet that are told in a run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_QUIET_QUIET_RUN_TELL_H
#define PTS_WALKER_QUIET_QUIET_RUN_TELL_H

#include "walker/quiet/quiet_branches.h"
#include "walker/quiet/quiet_run_state.h"

ALWAYS_INLINE void log_note(struct leg_log *log, const struct leg_passed *p)
{
    log->at[log->count++] = *p;
}

/* A leg where execution is. */
ALWAYS_INLINE void run_note(const struct run *r, struct leg_log *log,
                            const struct leg *leg, uint64_t insns, uint64_t to)
{
    log_note(log, &(struct leg_passed){leg, r->in, insns, to});
}

/* When so many cycles had been counted: as long as nobody knows how long one is, that count.  Field
 * by field, as what is written in parts and read as a whole is waited for. */
ALWAYS_INLINE void run_time(const struct flow *f, const struct quiet_walk *w,
                            uint64_t count, struct tell_time *out)
{
    const struct pt_clock *c = &f->in.s.clk;
    const bool late = w->later.ahead.rest.at && count != c->cyc_count;

    out->at = late ? count : time_at(c, count);
    out->cycles = cycles_at(&f->in, count);
    out->late = late;
}

/* What was reported before. */
ALWAYS_INLINE void run_before(const struct run *r, const struct flow *f,
                              const struct quiet_walk *w, struct tell_time *out)
{
    if (r->is_said) {
        run_time(f, w, r->said.count, out);
        return;
    }
    out->at = w->said.now;
    out->cycles = w->said.cycles;
    out->late = false;
}

/* Those in the log, of a packet that is followed. */
static inline void run_tell(struct run *r, struct flow *f, struct quiet_walk *w,
                            struct tell_packet packet)
{
    struct tell_when when;

    if (w->last) {
        last_log(w->last, &w->log);
        return;
    }
    run_time(f, w, r->count, &when.now);
    if (packet.direct) {
        run_before(r, f, w, &when.before);
        run_direct(r, f, w);
    }

    packet.fresh = r->fresh && f->conf.want_cycles;
    if (r->count != f->in.s.clk.cyc_count)
        f->in.s.clk.have_cyc = true;
    if (r->fresh_told) /* of a packet before */
        f->told.sample_cycles = cycles_at(&f->in, r->fresh_count);
    r->fresh_told = false;
    tell_log(f, w, &packet, &when);
    r->fresh = false;
}

#endif
