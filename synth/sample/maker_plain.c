/* maker_plain.c - branches that are nothing else.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all events are.  Their samples are what maker_event.c would make of them; but of a call
 * trace half of them only move a stack, and no sample is begun for those.
 */
#include "synth/sample/event_flags.h"
#include "synth/sample/maker_queue.h"

#include <string.h>

void maker_plain_init(struct maker *m)
{
    const bool interrupts = m->plan->decode.cap_event_trace;

    m->ns = tsc_to_ns(0, &m->plan->decode.clock);
    for (uint8_t i = 0; i < MAKER_CLASSES; i++) {
        struct pt_event ev = {.from = 1, .to = 1, .what = EV_BRANCH, .cls = i};
        m->flags_of[0][i] = event_flags(&ev, interrupts);
        ev.flags = EVF_TO_IF;
        m->flags_of[1][i] = event_flags(&ev, interrupts);
    }
}

static inline uint64_t time_of(struct maker *m, uint64_t tsc)
{
    if (m->plan->decode.timeless)
        return 0;
    if (tsc != m->tsc) {
        m->tsc = tsc;
        m->ns = tsc_to_ns(tsc, &m->plan->decode.clock);
    }
    return m->ns;
}

/* *depth: that of the stack, corrected for returns. */
static inline pts_status step(struct maker *m, const struct pt_event *ev,
                              const struct who *w, uint32_t flags, uint32_t *depth)
{
    struct chains *c = &m->to->stacks.chains;
    const struct chain_key key = chain_key_of(w);
    const struct chain_branch b = {.from = ev->from,
                                   .to = ev->to,
                                   .flags = flags,
                                   .trace_nr = ev->trace_nr,
                                   .len = ev->ilen};
    const struct chain_stack *s = w->guest ? NULL : chain_step_top(c, key, &b);

    if (s) {
        *depth = (uint32_t)s->call.len + !!(flags & PTS_FLAG_RETURN);
        return PTS_OK;
    }
    pts_status st = chain_step(c, key, &b);
    if (w->guest) /* perf asks for the guest's thread, which has no stack */
        return st;
    *depth = (uint32_t)chain_depth(c, key);
    *depth += flags & PTS_FLAG_RETURN && chain_is_live(c, key);
    return st;
}

pts_status maker_plain(struct maker *m, struct maker_queue *q,
                       const struct maker_at *at, const struct whose *w)
{
    const struct plan *p = m->plan;
    const struct pt_event *ev = at->ev;
    const uint32_t event = p->made.event[MADE_BRANCHES], filter = p->branch_filter;
    const uint32_t flags =
        m->flags_of[!!(ev->flags & EVF_TO_IF)][ev->cls % MAKER_CLASSES];
    uint32_t depth = 0;
    pts_status st = p->stack.any ? step(m, ev, &w->host, flags, &depth) : PTS_OK;

    if (st != PTS_OK || event == EVL_NONE || (filter && !(filter & flags)) ||
        maker_skips(m))
        return st;
    struct sample *s = batch_room(&m->to->batch);
    if (!s)
        return PTS_E_NOMEM;
    *s = (struct sample){
        .who = w->host,
        .ip = ev->from,
        .addr = ev->to,
        .time = time_of(m, ev->tsc),
        .period = 1,
        .event = event,
        .flags = flags,
        .depth = depth,
        .trace_nr = ev->trace_nr,
        .cpumode = mode_at_addr(ev->from, false),
        .insn_len = ev->ilen,
    };
    if (ev->insn)
        memcpy(s->insn, at->batch->insn[ev->insn - 1].at, sizeof(s->insn));
    maker_count_ipc(m, at, s, &q->branch_insns, &q->branch_cycles);
    m->samples++;
    return deliver_branch(m->to, s);
}
