/* quiet_walk.h - what a walk on the quiet way knows.
 *
 * SPDX-License-Identifier: MIT
 *
 * Shared by quiet.c, quiet_clock.c and quiet_branches.c.
 */
#ifndef PTS_WALKER_QUIET_QUIET_WALK_H
#define PTS_WALKER_QUIET_QUIET_WALK_H

#include "decoder/pt/clock_later.h"
#include "walker/flow/epoch.h"
#include "walker/flow/last_branches.h"

/* Where the clock was. */
struct quiet_mark {
    uint64_t now;
    uint64_t count;  /* cycles that it does not have yet; 0: none */
    uint64_t cycles; /* for IPC */
    uint64_t insns;  /* as quiet_walk.changed */
};

/* Times of the queue that are to be told, as counts of cycles until a run is over: by then it may be
 * known how long one is, and needs no looking ahead. */
enum { LATE_TIMES = 256, LATE_PACKET = 4 /* of one packet, at most */ };

struct late_times {
    uint32_t n;
    uint64_t count[LATE_TIMES];
};

struct quiet_walk {
    struct leg_walk legs;
    struct leg_log log; /* of the packet in hand, when branches are told */
    struct last_branches
        *last; /* ... or only kept, until some of them are: not in transactions */
    struct clock_later later;
    uint64_t until;   /* before this time no records take effect */
    bool times;       /* each time of the queue is told: it is worked out at once */
    uint64_t changed; /* legs.insns when the time last changed */
    bool is_said, is_event;
    bool settled; /* both are of the clock as it is: nothing moves before it does */
    struct quiet_mark said;  /* when a time was last reported */
    struct quiet_mark event; /* when the queue's time last moved on */
    struct late_times late_times;
    size_t
        late; /* events from there on have a count of cycles for a time, until it is known;
                  * NONE_LATE: none have */
};

#define NONE_LATE SIZE_MAX

/* Whether there are times that wait until the length of a cycle is known. */
static inline bool any_late(const struct quiet_walk *w)
{
    return w->late != NONE_LATE || w->late_times.n;
}

/* A TNT of which some outcomes are passed, and the rest are not plain; RUN_REST: those only. */
struct run_part {
    uint64_t bits; /* of the packet, left-aligned */
    uint32_t count;
    uint32_t used;
    uint64_t began; /* leg_walk.insns before it */
};

/* How a run of many packets ended (quiet_run.h). */
enum run_step {
    RUN_ON,
    RUN_ODD, /* the packet at hand is not for here */
    RUN_LAST, /* the packet at hand was followed, but what comes after it is not for here */
    RUN_PART, /* a TNT was followed, but not to its end */
    RUN_REST /* the same behind a TIP that was put off: this one, so that it was followed, and the
                 outcomes that are left are in part */
};

/* Whether branches are told with their packet, and not only kept. */
static inline bool tells_branches(const struct quiet_walk *w)
{
    return w->legs.log && !w->last;
}

/* Whether times may wait so: not where it matters at once which one was told (gaps), nor where branches
 * are told. */
static inline bool times_wait(const struct flow *f, const struct quiet_walk *w)
{
    return w->times && !tells_branches(w) && !f->gaps.wanted;
}

/* The time at which records take effect, or the selected times begin or end. */
static inline uint64_t quiet_until(const struct flow *f)
{
    uint64_t records = f->conf.timeless ? UINT64_MAX : f->told.next_epoch_tsc;
    uint64_t edge = f->told.range.tsc;

    return edge && edge < records ? edge : records;
}

/* The length of a cycle is known now: so is the time, that of the marks, too. */
void quiet_settle(struct flow *f, struct quiet_walk *w);

/* The queue's time has moved on, if it was not ahead of that by an estimate.  While cycles
 * wait it is before the one that was asked for. */
static inline void quiet_moved(struct flow *f, struct quiet_walk *w)
{
    w->is_event = true;
    if (!f->conf.want_times)
        return;
    if (flow_moved(f, w->event.count ? 0 : w->event.now))
        w->is_event = false;
    else
        f->out.skipped++;
}

/* IPC is exact at the first branch behind a packet of time, if that is told. */
static inline void quiet_fresh(struct flow *f, bool told)
{
    struct pt_clock *c = &f->in.s.clk;
    if (c->cycles_fresh && told)
        f->told.sample_cycles = c->cycles;
    c->cycles_fresh = false;
}

/* The direct branches before the first outcome move the queue's time on to what was reported
 * before the packet. */
static inline void quiet_direct(struct flow *f, struct quiet_walk *w)
{
    if (!w->is_said)
        w->said.now = f->told.sample_tsc, w->said.count = 0;
    w->event = w->said;
    quiet_moved(f, w);
}

#endif
