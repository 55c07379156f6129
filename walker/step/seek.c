/* seek.c - finding one's feet: PSB+, the first address.
 *
 * SPDX-License-Identifier: MIT
 *
 * Addresses are compressed against the last one sent, so in the middle of a trace nothing
 * can be understood before a PSB, behind which the processor starts anew.  The PSB+ that
 * follows states time, mode and, when tracing is on, the address; if it does not, the next
 * TIP, TIP.PGE or FUP does.
 *
 * In step with execution a PSB+ changes nothing, but the walk goes on to the address that it
 * states first: what is found on the way happened before it.
 */
#include "walker/step/seek.h"

#include "walker/step/decide.h"
#include "walker/step/fup.h"
#include "walker/step/walk.h"

bool segment_ends(struct flow *f)
{
    struct segment_end *e = &f->end;

    if (!e->wanted)
        return false;
    e->reached = f->walk.phase == SEEK_PSB ? pt_to_psb(&f->in, e->buf, e->off)
                                           : pt_at_psb(&f->in, e->buf, e->off);
    return e->reached;
}

bool pause_due(struct flow *f)
{
    if (f->in.st.pos < f->out.pause_at)
        return false;
    f->out.resumed = true; /* what is noted for the next event stays */
    return true;
}

enum step psb_event(struct flow *f)
{
    f->out.ev.what = EV_PSB;
    note_branch(f, f->in.psb_ip, 0);
    return STEP_EVENT;
}

/* How a PSB+ was read while nothing was known. */
static enum step psb_sought(struct flow *f, enum pt_answer a)
{
    if (f->in.psb_stated)
        f->walk.ip = f->in.psb_ip;
    if (a == PT_PSB)
        return psb_event(f);
    if (a == PT_STOPPED)
        f->walk.phase = f->walk.ip ? SYNC : SEEK_IP;
    return read_ended(f, a);
}

/* No code at walk.ip.  What packets go by has nothing to do with that (SDM, TIP), but
 * perf forgets it, and waits for a whole address. */
void forget_place(struct flow *f)
{
    if (!f->conf.strict)
        pt_ip_forget(&f->in.s);
    f->walk.ip = 0;
}

enum step sync_psb(struct flow *f)
{
    if (segment_ends(f))
        return STEP_END;
    f->walk.ip = 0;
    ret_clear(&f->code.rets);
    enum pt_answer a = pt_find(&f->in);
    packet_read(f);
    if (!f->in.s.have_last_ip) /* no PSB, or a new trace before it */
        return read_ended(f, a);
    f->walk.phase = SYNC;
    return psb_sought(f, a);
}

/* An address, or a packet that could have had one. */
static enum step seek_branch(struct flow *f)
{
    if (f->in.ip_known)
        take_ip(f);
    if (!f->walk.ip)
        return STEP_ON;
    f->out.ev.what |= f->in.what;
    return STEP_EVENT;
}

static enum step seek_packet(struct flow *f)
{
    enum pt_answer a = pt_seek(&f->in);

    packet_read(f);
    switch (a) {
    case PT_ON:
        return STEP_ON;
    case PT_TIP:
    case PT_TIP_PGE:
    case PT_TIP_PGD:
    case PT_FUP:
        return seek_branch(f);
    default:
        return psb_sought(f, a);
    }
}

static enum step target_found(struct flow *f)
{
    f->walk.target_left = false;
    take_ip(f);
    f->out.ev.what |= pt_branch_done(&f->in);
    return STEP_EVENT;
}

/* Without branches in the trace there is no address to wait for: events are told as
 * they come. */
enum step sync_ip(struct flow *f)
{
    enum step s;

    pt_unbind(&f->in);
    f->in.s.overflowed = false;
    if (!f->conf.branch_enable) {
        f->walk.phase = SYNC;
        f->out.ev.what = 0;
        return STEP_EVENT;
    }
    do
        s = f->walk.target_left ? target_found(f)
            : segment_ends(f)   ? STEP_END
                                : seek_packet(f);
    while (s == STEP_ON);
    if (s != STEP_EVENT || (f->out.ev.what & EV_PSB && !f->walk.ip))
        return s;
    f->walk.phase = SYNC;
    note_branch(f, 0, f->walk.ip);
    return s;
}

/* Packets were lost, and the PSB+ says where the trace goes on. */
static enum step psb_regains(struct flow *f)
{
    f->walk.phase = SYNC;
    enum pt_answer a = pt_psb(&f->in);
    packet_read(f);
    if (a != PT_PSB)
        return read_ended(f, a);
    f->in.s.overflowed = false;
    f->walk.ip = f->in.psb_ip;
    return psb_event(f);
}

enum step psb_walk_on(struct flow *f)
{
    if (pt_lost(&f->in) && pt_strict(&f->in, PLACE_OVF_ALONE))
        return psb_regains(f);
    if (f->walk.ip != f->in.s.last_ip) {
        enum step s = walk_fup(f);
        if (s != STEP_ON)
            return s;
    }
    f->walk.phase = SYNC;
    enum pt_answer a = pt_psb(&f->in);
    packet_read(f);
    if (a == PT_PSB)
        return psb_event(f);
    read_ended(f, a);
    return walk_mismatch(f);
}
