/* quiet_branches.c - branches that are told from legs.
 *
 * SPDX-License-Identifier: MIT
 *
 * They are told when a packet has been followed.  Its legs are in a log then, in their order:
 *
 *     leg      call jmp ~> jne      ~> ret      ~> call ~> jmp *
 *     outcome              (taken)     (taken)             TIP
 *     log      the direct ones; jne    the ret     its call, and then the jmp
 *
 * What comes before the first outcome, or before a TIP, is told at the time that was reported
 * before the packet, and all else at the packet's (I1); so that time must be known for it.
 */
#include "walker/quiet/quiet_branches.h"

#include "walker/flow/gaps.h"

static void time_is(struct flow *f, uint64_t now, uint64_t cycles)
{
    struct told_state *t = &f->told;

    if (now > t->tsc)
        t->tsc = now;
    t->reported_cycles = cycles;
}

static void time_now(struct flow *f)
{
    time_is(f, f->in.s.clk.now, f->in.s.clk.cycles);
}

static inline bool is_wanted(const struct flow *f, uint8_t cls)
{
    return f->conf.want_classes >> cls & 1;
}

static inline void tell_direct(struct flow *f, const struct leg_passed *p,
                               const struct plain_form *form)
{
    const struct leg *leg = p->leg;
    const bool calls = is_wanted(f, INSN_CALL), jumps = is_wanted(f, INSN_JMP);
    struct pt_event *first = plain_room(f, leg->direct), *at = first;

    for (unsigned i = 0; at && i < leg->direct; i++) {
        const struct leg_pass *c = &leg->pass[i];
        if (!(c->call ? calls : jumps))
            continue;
        const struct plain_branch b = branch_passed(f, p, c);
        at = plain_put(f, at, form, &b);
    }
    if (at != first)
        plain_told(f, at);
}

static inline void tell_end(struct flow *f, const struct leg_passed *p,
                            const struct plain_form *form, bool fresh)
{
    struct pt_event *at = is_wanted(f, p->leg->cls) ? plain_room(f, 1) : NULL;
    const struct plain_branch end = branch_at_end(f, p, fresh);

    if (at)
        plain_told(f, plain_put(f, at, form, &end));
}

/* The branches on the way to what a packet decides are told at the time that was reported before
 * it. */
static void time_before(struct flow *f, struct quiet_walk *w)
{
    quiet_direct(f, w);
    time_is(f, w->event.now, w->is_said ? w->said.cycles : f->told.reported_cycles);
}

static void time_known(struct flow *f, struct quiet_walk *w)
{
    if (w->later.counted || w->late != NONE_LATE)
        quiet_settle(f, w);
}

struct plain_form tell_form(struct flow *f, struct quiet_walk *w,
                            const struct tell_time *when)
{
    if (!when->late) {
        time_is(f, when->at, when->cycles);
        return plain_form(f);
    }
    f->told.reported_cycles = when->cycles;
    struct plain_form form = plain_form(f);
    form.tsc = when->at;
    if (w->late == NONE_LATE)
        w->late = f->out.held.events.len;
    return form;
}

void tell_log(struct flow *f, struct quiet_walk *w, const struct tell_packet *packet,
              const struct tell_when *when)
{
    const struct leg_passed *p = w->log.at, *end = p + w->log.count;

    if (packet->direct) {
        const struct plain_form form = tell_form(f, w, &when->before);
        if (p < end && p->insns == packet->began && !p->to)
            tell_direct(f, p++, &form);
    }
    if (packet->fresh && packet->taken)
        f->told.sample_cycles = when->now.cycles;
    w->log.count = 0;
    if (p == end)
        return;
    const struct plain_form form = tell_form(f, w, &when->now);
    for (; p < end; p++) {
        if (p->to)
            tell_end(f, p, &form, packet->fresh && p->insns == packet->began);
        else
            tell_direct(f, p, &form);
    }
}

void tell_tnt(struct flow *f, struct quiet_walk *w, uint64_t began, bool direct,
              bool taken)
{
    struct pt_clock *c = &f->in.s.clk;
    const struct tell_packet packet = {began, direct && f->walk.phase == IN_TNT, taken,
                                       c->cycles_fresh};

    if (w->last) {
        last_log(w->last, &w->log);
        return;
    }
    time_known(f, w);
    if (packet.direct)
        quiet_direct(f, w);
    const struct tell_when when = {
        .before = {w->event.now, w->is_said ? w->said.cycles : f->told.reported_cycles},
        .now = {c->now,       c->cycles                                            }
    };
    tell_log(f, w, &packet, &when);
    c->cycles_fresh = false;
}

void tell_indirect(struct flow *f, struct quiet_walk *w, uint64_t to, bool fresh)
{
    const struct leg *leg = w->legs.last;
    const struct leg_passed p = {leg, w->legs.last_in, w->legs.insns - leg_ninsn(leg),
                                 to};

    if (!(f->conf.want_classes >> leg->cls & 1))
        return;
    if (f->net)
        net_end(f->net, leg, w->legs.last_in->start, to);
    if (w->last)
        last_note(w->last, &p, LAST_END);
    if (f->net || w->last)
        return;
    time_known(f, w);
    quiet_fresh(f, true);
    time_now(f);
    const struct plain_form form = plain_form(f);
    tell_end(f, &p, &form, fresh);
}

void tell_way(struct flow *f, struct quiet_walk *w)
{
    if (w->last) {
        last_log(w->last, &w->log);
        if (f->conf.want_times)
            quiet_direct(f, w);
        return;
    }
    time_known(f, w);
    time_before(f, w);
    const struct plain_form form = plain_form(f);
    tell_direct(f, w->log.at, &form);
    w->log.count = 0;
}

void tell_edge(struct flow *f, struct quiet_walk *w, const struct tell_edge *e)
{
    const struct leg *leg = w->legs.last;

    time_known(f, w);
    quiet_fresh(f, true);
    time_now(f);
    const struct plain_form form = plain_form(f);
    const struct plain_branch edge = {
        .from = e->from,
        .to = e->to,
        .ninsn = f->walk.ninsn + w->legs.insns,
        .fresh = e->fresh,
        .cls = leg ? leg->cls : f->walk.cls,
        .ilen = leg ? leg->len : f->walk.ilen,
    };
    struct pt_event *at = plain_room(f, 1);
    if (!at)
        return;
    plain_told(f, plain_put(f, at, &form, &edge));
    at->what |= e->what;
    gap_told(f);
}
