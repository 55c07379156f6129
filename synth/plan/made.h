/* made.h - the events that are made from a trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * made.def has a row for each: what asks for it, what leads to it, how it is shown.  perf
 * appends them to the events of the file, as if they had been recorded.
 */
#ifndef PTS_SYNTH_PLAN_MADE_H
#define PTS_SYNTH_PLAN_MADE_H

#include "synth/plan/evlist.h"
#include "synth/plan/itrace.h"

enum made_event {
#define MADE(name, word, attr, letter, needs, event, turn, text) MADE_##name,
#include "synth/plan/made.def"
#undef MADE
    MADE_EVENTS
};

/* What a recording must have, besides the letter, that the event is listed. */
enum made_needs {
    MADE_NEEDS_NOTHING,
    MADE_NEEDS_PWR_EVT,        /* power event trace was on */
    MADE_NEEDS_EVENT_TRACE,    /* event trace was on */
    MADE_NEEDS_CAP_EVENT_TRACE /* the processor can do event trace */
};

struct made_row {
    const char *name;
    uint32_t type; /* these two: of the attr */
    uint64_t config;
    uint32_t letter; /* ITRACE_ON(...) */
    enum made_needs needs;
    uint32_t event; /* EV_* */
    uint8_t turn;
    const char *text; /* NULL: a function of its own makes it */
};
const struct made_row *made_row(enum made_event i);
/* Which event of type PTS_TYPE_SYNTH has this config; MADE_EVENTS: none. */
enum made_event made_of_config(uint64_t config);

/* How the samples of made events are, as their attrs say it. */
struct made_how {
    bool timeless, per_cpu;
    bool chains, branch_stacks; /* g and l: on all but branches */
    uint64_t period; /* of MADE_INSTRUCTIONS, as perf puts it into the attr */
};

/* Which there are. */
struct made {
    bool listed[MADE_EVENTS];     /* these two: they are among the events, */
    uint32_t event[MADE_EVENTS];  /* ... where; EVL_NONE */
    uint32_t traced;              /* the event whose trace they are of; EVL_NONE */
    uint8_t in_turn[MADE_EVENTS]; /* those that samples are made for, in their order */
    uint32_t turns;               /* how many */
    uint32_t events;              /* EV_* that lead to a sample */
};

void made_init(struct made *m);
/* Appends the events that are listed, which are made from the trace of event `pt`, to l. */
pts_status made_list(struct made *m, struct evlist *l, uint32_t pt,
                     const struct made_how *how);
/* Until then they are called as their attrs say; perf's messages show it. */
void made_name_all(const struct made *m, struct evlist *l);
/* Adds event i to those that samples are made for, whether it is listed or not. */
void made_deliver(struct made *m, enum made_event i);

#endif
