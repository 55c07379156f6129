/* emit.h - events of a flow: their times, their place in the side-band, delivery.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_EMIT_H
#define PTS_WALKER_FLOW_EMIT_H

#include "walker/flow/epoch.h"

/* A new event is built: what = EV_BRANCH, nothing else. */
void event_begin(struct flow *f);
/* It is reported: times, epoch, delivery.  False: no more selected times. */
bool event_end(struct flow *f);
static inline uint16_t state_flags(const struct pt_state *s)
{
    return (uint16_t)((s->nr ? EVF_FROM_NR : 0) | (s->next_nr ? EVF_TO_NR : 0) |
                      (s->from_iflag ? EVF_FROM_IF : 0) |
                      (s->to_iflag ? EVF_TO_IF : 0));
}

/* Branches that come without that: what is known of them alone, and what they have in common as
 * long as the queue's time and state do not change. */
struct plain_branch {
    uint64_t from, to, ninsn;
    bool fresh; /* the first behind a packet of time */
    uint8_t cls, ilen;
};
struct plain_form {
    uint64_t tsc, ncyc;
    uint32_t trace_nr;
    uint16_t flags;
    bool counted; /* somebody looks at ncyc */
};

/* Of what is told here, for IPC. */
static inline uint64_t cycles_told(const struct flow *f)
{
    return f->conf.approx_ipc ? f->told.reported_cycles : f->told.sample_cycles;
}

static inline struct plain_form plain_form(const struct flow *f)
{
    const struct told_state *t = &f->told;

    return (struct plain_form){
        .tsc = t->tsc,
        .ncyc = cycles_told(f),
        .trace_nr = t->trace_nr,
        .flags = (uint16_t)(state_flags(&f->in.s) | (f->in.s.tx & EVF_IN_TX) |
                            (f->in.s.clk.have_cyc ? 0 : EVF_IPC)),
        .counted = f->conf.want_cycles,
    };
}

/* What an event has besides; NULL: no memory. */
static inline struct pt_more *event_more(struct flow *f, struct pt_event *ev,
                                         uint64_t ninsn, uint64_t ncyc)
{
    struct pt_more *more = VEC_PUSH(&f->out.held.more);

    if (!more) {
        f->out.no_memory = true;
        return NULL;
    }
    *more = (struct pt_more){.ninsn = ninsn, .ncyc = ncyc};
    ev->more = (uint32_t)f->out.held.more.len;
    return more;
}

/* Room for n more in the batch, as there are many; NULL: no memory. */
static inline struct pt_event *plain_room(struct flow *f, size_t n)
{
    if (VEC_ROOM(&f->out.held.events, n))
        return f->out.held.events.at + f->out.held.events.len;
    f->out.no_memory = true;
    return NULL;
}

/* Into that room: where the next one goes. */
static inline struct pt_event *plain_put(struct flow *f, struct pt_event *at,
                                         const struct plain_form *form,
                                         const struct plain_branch *b)
{
    *at = (struct pt_event){
        .from = b->from,
        .to = b->to,
        .tsc = form->tsc,
        .what = EV_BRANCH,
        .flags = (uint16_t)(form->flags | (b->fresh ? EVF_IPC : 0)),
        .cls = b->cls,
        .trace_nr = form->trace_nr,
        .ilen = b->ilen,
    };
    if (form->counted)
        (void)event_more(f, at, b->ninsn, form->ncyc);
    return at + 1;
}

/* Those up to `end` are there. */
static inline void plain_put_up_to(struct flow *f, const struct pt_event *end)
{
    f->out.held.events.len = (size_t)(end - f->out.held.events.at);
}

/* ... and told at the queue's time. */
static inline void plain_time_told(struct flow *f)
{
    f->told.told_tsc = f->told.event_tsc = f->told.tsc;
}

static inline void plain_told(struct flow *f, const struct pt_event *end)
{
    plain_put_up_to(f, end);
    plain_time_told(f);
}
/* A sample of an instruction that follows another one, without a packet in between: all that
 * the event before it said goes for it, too. */
struct plain_insn {
    uint64_t ip;
    const uint8_t *bytes;
    uint8_t cls, len;
};
void event_insn(struct flow *f, const struct plain_insn *insn);
/* Delivers the one at which the time became known. */
void first_event(struct flow *f);
/* Reports walk.fault. */
void fault_end(struct flow *f);
/* The clock's time is the reported time now. */
void report_time(struct flow *f);
/* The reported time, plus a guess of two cycles for each instruction since. */
uint64_t estimated_tsc(const struct flow *f);
/* A trace begins that does not go on the last: nothing is known of where execution is. */
void trace_begins(struct flow *f);

#endif
