/* quick.c - the quick modes: no code is followed.
 *
 * SPDX-License-Identifier: MIT
 *
 * Only the ips that packets state are told, each as an instruction: those of TIP, FUP and
 * PSB+ (quick 1), or of PSB+ alone (quick 2, which leaps from PSB to PSB).  TNT means
 * nothing here, so this also reads recordings that have none.  Where an ip is the target of
 * a branch that is told, it is sampled by the step after it (AT_IP).
 */
#include "walker/step/quick.h"

#include "decoder/pt/psb.h"
#include "walker/step/decide.h"
#include "walker/step/fup.h"
#include "walker/quiet/quiet.h"
#include "walker/step/seek.h"

/* walk.ip as an instruction. */
static enum step quick_insn(struct flow *f)
{
    return plain_event(f, EV_INSN);
}

/* What was just told leads to walk.ip. */
static void quick_arrive(struct flow *f)
{
    f->walk.phase = AT_IP;
}

static enum step quick_tip(struct flow *f)
{
    if (!f->in.ip_known) {
        pt_nr_now(&f->in.s);
        return STEP_ON;
    }
    take_ip(f);
    quick_insn(f);
    f->out.ev.what |= pt_branch_done(&f->in);
    return STEP_EVENT;
}

static enum step quick_pgd(struct flow *f)
{
    f->in.s.tracing = false;
    if (!f->in.ip_known) {
        pt_nr_now(&f->in.s);
        return STEP_ON;
    }
    take_ip(f);
    f->out.ev.what |= EV_TRACE_END;
    note_branch(f, 0, f->walk.ip);
    pt_nr_next(&f->in.s);
    return STEP_EVENT;
}

static enum step quick_pge(struct flow *f)
{
    take_ip(f);
    note_branch(f, 0, f->walk.ip);
    f->out.ev.what |= f->in.what;
    quick_arrive(f);
    return STEP_EVENT;
}

/* A FUP without a TIP: its ip, together with the events that waited for it. */
static enum step quick_fup_quiet(struct flow *f)
{
    quick_insn(f);
    if (fup_events(f, true) && f->out.ev.what & EV_TRACE_BEGIN) {
        f->out.ev.what = EV_BRANCH | EV_TRACE_BEGIN; /* resumed after an overflow */
        quick_arrive(f);
    }
    return STEP_EVENT;
}

static enum step quick_fup(struct flow *f, bool quiet)
{
    take_ip(f);
    if (quiet || f->in.quiet_left || f->in.s.bound.what & (EV_MWAIT | EV_PWRE) ||
        !f->in.follow)
        return quick_fup_quiet(f);
    fup_events(f, false);
    f->out.ev.what |= EV_INSN | EV_BRANCH;
    enum step s = walk_fup_tip(f);
    if (s == STEP_EVENT && f->out.ev.to)
        quick_arrive(f);
    return s;
}

static enum step quick_psb(struct flow *f)
{
    psb_event(f);
    if (f->in.psb_ip) {
        f->out.ev.what |= EV_INSN;
        f->walk.ip = f->in.psb_ip;
    }
    return STEP_EVENT;
}

static enum step quick_packet(struct flow *f)
{
    enum pt_answer a = pt_read(&f->in);

    packet_read(f);
    switch (a) {
    case PT_ON:
    case PT_TNT:
        return STEP_ON;
    case PT_TIP:
        return quick_tip(f);
    case PT_TIP_PGD:
        return quick_pgd(f);
    case PT_TIP_PGE:
        return quick_pge(f);
    case PT_FUP:
    case PT_AT:
        return quick_fup(f, a == PT_AT);
    case PT_HERE:
        fup_events(f, true);
        return STEP_EVENT;
    case PT_EVENT:
        f->out.ev.what = f->in.what;
        if (f->in.what)
            note_branch(f, f->walk.ip, 0);
        return STEP_EVENT;
    case PT_PSB:
        return quick_psb(f);
    default:
        return read_ended(f, a);
    }
}

/* No errors are behind this PSB, and nothing that came before can be one yet.  It is one for who reads on
 * from the beginning of the plain packets, too, if it is not followed by more that looks like it: else two
 * readers might take its bytes for two different packets. */
static bool rest_is_plain(struct flow *f)
{
    const struct flow_queue *q = &f->queue;
    const struct pt_state *s = &f->in.s;

    if (!q->plain_end || f->conf.want_times || !f->told.started || s->bound.what ||
        s->bound.owed || s->bound.evd.count || s->overflowed ||
        !pt_at_psb(&f->in, q->plain.buf, q->plain.off))
        return false;
    const struct pt_where at = pt_where(&f->in);
    const struct pt_buf *b = &q->bufs[at.buf];
    const uint64_t behind = at.off + PSB_BYTES;

    return behind >= b->len || b->ptr[behind] != psb_pattern[0];
}

/* Packets until one leads to an event. */
static enum step quick_packets(struct flow *f)
{
    enum step s;

    f->in.quiet_left = false;
    do {
        s = quiet_now(f) ? quiet_packets(f) : STEP_ON;
        if (s == STEP_ON)
            s = pause_due(f)                          ? STEP_SILENT
                : segment_ends(f) || rest_is_plain(f) ? STEP_END
                                                      : quick_packet(f);
    } while (s == STEP_ON);
    return s;
}

/* While no ip is known: as without quick modes, but the one that is found is told. */
static enum step quick_seek(struct flow *f)
{
    bool psb = f->walk.phase == SEEK_PSB;

    if (f->walk.phase == SEEK_NEW_IP)
        forget_place(f);
    enum step s = psb ? sync_psb(f) : sync_ip(f);
    bool found = psb ? f->walk.ip != 0 : f->conf.branch_enable;
    if (s == STEP_EVENT && f->walk.phase == SYNC && found)
        quick_arrive(f);
    return s;
}

enum step quick_step(struct flow *f)
{
    if (f->walk.phase == AT_IP) {
        f->walk.phase = SYNC;
        return quick_insn(f);
    }
    return f->walk.phase == SYNC ? quick_packets(f) : quick_seek(f);
}
