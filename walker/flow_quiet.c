/* flow_quiet.c - the common packets while nobody looks at branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all bytes of a trace are PAD, TNT, TIP, TIP.PGE, TIP.PGD and CYC packets, and
 * many runs want only errors, or other events.  Then a branch is a step from leg to leg
 * and no event is built; the time is reported at the first branch that a packet
 * decides, and only when it has changed.  Whatever is not plain is left, untouched, to
 * the code that goes branch by branch and gives the same result (I7).
 */
#include "walker/flow_quick.h"

static const uint64_t kernel_start = UINT64_C(1) << 63;

/* Whether an event now would leave all times as they are, if it does not enter user
 * code. */
static bool told(const struct flow *f)
{
    return f->sample_tsc == f->clk.now && f->sample_tsc <= f->tsc &&
           f->event_tsc == f->tsc && (!f->conf.want_times || f->told_tsc == f->tsc);
}

static struct quick quiet_load(const struct flow *f)
{
    return (struct quick){.ip = f->ip, .told = told(f)};
}

/* All is in f, as after a packet. */
static void quiet_flush(struct flow *f, struct quick *q)
{
    quick_store(f, q);
    if (q->due)
        report_time(f);
    q->due = false;
}

/* Reports the branch from -> to, after which execution is at q->ip. */
static enum step quiet_report(struct flow *f, struct quick *q, uint64_t from,
                              uint64_t to, uint32_t what)
{
    quiet_flush(f, q);
    f->ev.what |= what;
    note_branch(f, from, to);
    event_end(f);
    event_begin(f);
    q->told = told(f);
    if (!f->place.leg_len) /* the maps may have changed */
        q->here = NULL;
    return f->events.len < BATCH_EVENTS ? STEP_ON : STEP_SILENT;
}

/* The direct branches on the way to the next one that a packet decides are events, too:
 * they bring the queue's time up to what is reported, which is all up to now when the
 * phase says so. */
static inline void quiet_direct(struct flow *f, struct quick *q, enum phase phase)
{
    const struct leg *leg = quick_here(f, q);
    if (!leg || !leg->direct)
        return;
    enum phase before = f->phase;
    f->phase = phase;
    quiet_report(f, q, q->ip, q->ip, 0);
    f->phase = before;
}

/* Bit by bit until one reports the time: the first branch that is taken does. */
static enum step quiet_first(struct flow *f, struct quick *q, uint64_t bits,
                             uint32_t count, uint32_t *used)
{
    enum step s = STEP_ON;

    while (!q->told && *used < count) {
        quiet_direct(f, q, *used ? IN_TNT_MORE : IN_TNT);
        uint64_t bit = bits << *used;
        if (!quick_bits(f, q, bit, 1))
            break;
        ++*used;
        if (!(bit >> 63))
            continue;
        f->phase = *used < count ? IN_TNT_MORE : SYNC;
        s = quiet_report(f, q, f->place.start + q->last->end, q->ip, 0);
    }
    return s;
}

/* Uses bits; those left are in f, and f->phase says so. */
static inline enum step quiet_bits(struct flow *f, struct quick *q, uint64_t bits,
                                   uint32_t count)
{
    enum step s = STEP_ON;
    uint32_t used = 0;

    if (!q->told)
        s = quiet_first(f, q, bits, count, &used);
    used += quick_bits(f, q, bits << used, count - used);
    f->tnt_bits = bits << used;
    f->tnt_count = count - used;
    if (used)
        f->phase = used < count ? IN_TNT_MORE : SYNC;
    return s;
}

enum step walk_tnt_quiet(struct flow *f)
{
    struct quick q = quiet_load(f);
    enum step s = quiet_bits(f, &q, f->tnt_bits, f->tnt_count);
    q.due = !f->tnt_count;
    quiet_flush(f, &q);
    return s;
}

/* --- Packets
 *
 * Each of these takes the packet at `at`.  STEP_AGAIN: it is not plain, nothing was
 * done; STEP_BREAK: it was taken, but what follows is not for here; STEP_SILENT: the
 * batch is full.
 * ---------------------------------------------------------------------------- */

static inline enum step quiet_tnt(struct flow *f, struct quick *q, const uint8_t *at,
                                  struct pts_pkt *pkt)
{
    pkt_tnt(pkt, 1, 6, (uint64_t)*at << 56);
    f->phase = IN_TNT;
    enum step s = quiet_bits(f, q, pkt->value, pkt->count);
    if (f->tnt_count)
        return STEP_BREAK;
    q->due = true;
    return s;
}

/* Coming from outside user code, only an estimate of the time is known. */
static inline bool enters_user(uint64_t from, uint64_t to)
{
    return (!from || from >= kernel_start) && to && to < kernel_start;
}

static inline enum step quiet_arrive(struct flow *f, struct quick *q, uint64_t from,
                                     uint64_t to, uint32_t what)
{
    q->due = true;
    if (q->told && (f->conf.timeless || !enters_user(from, to)))
        return STEP_ON;
    return quiet_report(f, q, from, to, what);
}

static inline uint64_t quiet_last_ip(struct flow *f, const struct pts_pkt *pkt)
{
    f->have_last_ip = true;
    return f->last_ip = ip_of(pkt, f->last_ip);
}

static inline bool quiet_indirect(struct flow *f, struct quick *q)
{
    if (!q->told)
        quiet_direct(f, q, IN_TIP);
    return quick_indirect(f, q);
}

static inline enum step quiet_tip(struct flow *f, struct quick *q,
                                  const struct pts_pkt *pkt)
{
    if (!pkt->count || !quiet_indirect(f, q))
        return STEP_AGAIN;
    uint64_t from = q->ip;
    q->ip = quiet_last_ip(f, pkt);
    return quiet_arrive(f, q, from, q->ip, 0);
}

static inline enum step quiet_pgd(struct flow *f, struct quick *q,
                                  const struct pts_pkt *pkt)
{
    if (f->conf.filter_count || !quiet_indirect(f, q))
        return STEP_AGAIN;
    uint64_t from = q->ip, to = 0;
    trace_off(f);
    if (pkt->count)
        q->ip = to = quiet_last_ip(f, pkt);
    return quiet_arrive(f, q, from, to, EV_TRACE_END);
}

static inline enum step quiet_pge(struct flow *f, struct quick *q,
                                  const struct pts_pkt *pkt)
{
    if (!pkt->count)
        return STEP_AGAIN;
    f->tracing = true;
    f->overflowed = false;
    clock_trace_on(&f->clk);
    q->ip = quiet_last_ip(f, pkt);
    q->here = NULL;
    return quiet_arrive(f, q, 0, q->ip, EV_TRACE_BEGIN);
}

/* A packet that tells an ip. */
static inline enum step quiet_ip(struct flow *f, struct quick *q, const uint8_t *at,
                                 struct pts_pkt *pkt)
{
    switch (*at & 0x1f) {
    case 0x0d:
        return pkt_ip(at, PTS_PKT_TIP, pkt) < 0 ? STEP_AGAIN : quiet_tip(f, q, pkt);
    case 0x01:
        return pkt_ip(at, PTS_PKT_TIP_PGD, pkt) < 0 ? STEP_AGAIN : quiet_pgd(f, q, pkt);
    case 0x11:
        return pkt_ip(at, PTS_PKT_TIP_PGE, pkt) < 0 ? STEP_AGAIN : quiet_pge(f, q, pkt);
    default:
        return STEP_AGAIN;
    }
}

static enum step quiet_cyc(struct flow *f, struct quick *q, const uint8_t *at,
                           struct pts_pkt *pkt)
{
    if (pkt_cyc(at, pkt) < 0)
        return STEP_AGAIN;
    quiet_flush(f, q);
    clock_cyc(&f->clk, pkt->value, f->tracing);
    q->told = told(f);
    return quiet_now(f) ? STEP_ON : STEP_BREAK;
}

/* The packet at `at`, where PKT_WIDE bytes are readable, when it is plain. */
static inline enum step quiet_packet(struct flow *f, struct quick *q, const uint8_t *at,
                                     struct pts_pkt *pkt)
{
    uint8_t lead = *at;
    if (lead & 1)
        return lead & 2 ? quiet_cyc(f, q, at, pkt) : quiet_ip(f, q, at, pkt);
    return lead == 2 ? STEP_AGAIN : quiet_tnt(f, q, at, pkt);
}

/* How many PADs are at `at`, where one is and 8 bytes are readable; at most 8. */
static inline unsigned pads(const uint8_t *at)
{
    uint64_t bytes = rd_u64(at);
    return bytes ? (unsigned)__builtin_ctzll(bytes) / 8 : 8;
}

/* Takes packets, the first of them at `at`, and says where it stopped. */
static const uint8_t *quiet_run(struct flow *f, struct quick *q, const uint8_t *at,
                                enum step *s)
{
    const uint8_t *end = f->st.end;
    struct pts_pkt pkt;

    *s = STEP_ON;
    while (end - at >= PKT_WIDE) {
        if (!*at) {
            at += pads(at);
            continue;
        }
        *s = quiet_packet(f, q, at, &pkt);
        if (*s == STEP_AGAIN)
            break;
        f->st.pkt.kind = pkt.kind;
        at += pkt.size;
        if (*s != STEP_ON)
            break;
    }
    return at;
}

/* Takes what it can from the stream while f->phase is SYNC.  STEP_ON: go on with the
 * stream's next packet, or with walk_tnt when the phase says so. */
enum step quiet_packets(struct flow *f)
{
    struct pt_stream *st = &f->st;
    struct quick q = quiet_load(f);
    enum step s;

    stream_skip(st);
    if (st->ctx != PKT_CTX_NONE)
        return STEP_ON;
    const uint8_t *at = quiet_run(f, &q, st->at, &s);
    st->pos += (uint64_t)(at - st->at);
    st->at = at;
    quiet_flush(f, &q);
    return s == STEP_SILENT ? s : STEP_ON;
}
