/* flow_quiet.c - the common packets while nobody looks at branches.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most bytes of a trace are PAD, TNT, TIP and CYC packets, and most runs want only
 * errors, or other events.  Then a branch is two table look-ups and no event is built;
 * the time is reported at the first branch that a packet decides, and only when it has
 * changed. Whatever is not plain is left, untouched, to the code that goes branch by
 * branch and gives the same result.
 */
#include "walker/flow_priv.h"

static const uint64_t kernel_start = UINT64_C(1) << 63;

/* What changes with each branch, in registers. */
struct quick {
    uint64_t ip, insns;
    const struct block *last; /* block walked last; NULL: none */
    uint64_t at;              /* ip of its branch */
    struct block *here;       /* the block at ip; NULL: not looked up */
};

static void quick_store(struct flow *f, struct quick *q)
{
    f->ip = q->ip;
    f->ninsn += q->insns;
    f->clk.insns += q->insns;
    f->sample_insns += q->insns;
    q->insns = 0;
    if (q->last) {
        f->cls = q->last->cls;
        f->branch = q->last->branch;
        f->ilen = q->last->len;
        f->rel = q->last->rel;
        f->jumped_signature = false;
        f->bytes = f->place.code->bytes + (q->at - f->place.start + f->place.quick_off);
        q->last = NULL;
    }
}

static inline struct quick quick_load(const struct flow *f)
{
    return (struct quick){.ip = f->ip};
}

/* Nothing would change by reporting an event now. */
static inline bool told(const struct flow *f, uint64_t from)
{
    return f->sample_tsc == f->clk.now && f->sample_tsc <= f->tsc &&
           from < kernel_start;
}

/* A packet has decided the branch from -> q->ip. */
static inline void quick_report(struct flow *f, struct quick *q, uint64_t from)
{
    if (told(f, from))
        return;
    quick_store(f, q);
    note_branch(f, from, q->ip);
    event_end(f);
    event_begin(f);
}

/* Whether b, which begins at ip, is a plain block and lies on the current map. */
static inline bool quick_fits(const struct place *p, const struct block *b, uint64_t ip)
{
    uint64_t in = ip - p->start;
    return b->plain && in < p->quick_len && in + b->bytes < p->quick_len;
}

/* The block at ip, or NULL when that is not a plain one on the current map. */
static struct block *quick_block(const struct place *p, uint64_t ip)
{
    uint64_t in = ip - p->start;
    if (in >= p->quick_len)
        return NULL;
    struct block *b = block_at(p->code, p->mode, in + p->quick_off);
    return b && quick_fits(p, b, ip) ? b : NULL;
}

/* The block where q is. */
static inline struct block *quick_here(const struct place *p, const struct quick *q)
{
    if (q->here && quick_fits(p, q->here, q->ip))
        return q->here;
    return quick_block(p, q->ip);
}

/* The block at ip, which follows b when its branch goes that way. */
static inline struct block *quick_next(const struct place *p, struct block *b,
                                       unsigned taken, uint64_t ip)
{
    struct block *next = b->next[taken];
    if (next)
        return quick_fits(p, next, ip) ? next : NULL;
    next = quick_block(p, ip);
    b->next[taken] = next;
    return next;
}

static inline void quick_pass(struct quick *q, const struct block *b)
{
    q->insns += b->ninsn;
    q->last = b;
}

/* Follows the direct branch at the end of b.  False: stuck in a loop. */
static inline bool quick_direct(struct flow *f, struct quick *q, const struct block *b)
{
    uint64_t next = q->ip + b->bytes + b->len;
    quick_pass(q, b);
    q->at = next - b->len;
    if (b->cls == INSN_CALL && b->rel)
        ret_push(&f->rets, next);
    q->ip = next + (uint64_t)(int64_t)b->rel;
    return !loop_stuck(f, q->ip);
}

static enum step quick_stuck(struct flow *f, struct quick *q)
{
    quick_store(f, q);
    loop_left(f);
    f->phase = SEEK_IP;
    return flow_fault(f, FAULT_LOOP);
}

/* --- TNT
 * -------------------------------------------------------------------------------- */

/* The bits of one packet, in registers. */
struct quick_bits {
    uint64_t bits;
    uint32_t count;
    bool used;
};

static inline void bits_store(struct flow *f, const struct quick_bits *t)
{
    f->tnt_bits = t->bits;
    f->tnt_count = t->count;
    if (t->used)
        f->phase = t->count ? IN_TNT_MORE : SYNC;
}

/* The compressed RET at the end of b: its target, or 0 when it is not a plain case. */
static inline uint64_t quick_return(struct flow *f, const struct block *b,
                                    uint64_t bits)
{
    if (b->cls != INSN_RET || !(bits >> 63) || !f->conf.ret_compression)
        return 0;
    return ret_peek(&f->rets) ? ret_pop(&f->rets) : 0;
}

/* Uses bits of f->tnt_bits.  STEP_ON: all are used, or the rest is for walk_tnt. */
static inline enum step quick_tnt(struct flow *f, struct quick *q)
{
    struct quick_bits t = {f->tnt_bits, f->tnt_count, f->phase == IN_TNT_MORE};
    bool reported = told(f, q->ip);
    enum step s = STEP_ON;

    struct block *b = quick_here(&f->place, q);
    while (b && t.count) {
        bool taken = t.bits >> 63;
        uint64_t at = q->ip + b->bytes, to = at + b->len;
        if (b->branch == BRANCH_DIRECT) {
            if (!quick_direct(f, q, b)) {
                s = STEP_FAULT;
                break;
            }
            b = quick_next(&f->place, b, 1, q->ip);
            continue;
        }
        struct block *last = b;
        if (b->branch == BRANCH_COND) {
            to += taken ? (uint64_t)(int64_t)b->rel : 0;
            b = quick_next(&f->place, b, taken, to);
        } else {
            to = quick_return(f, b, t.bits);
            if (!to)
                break;
            b = quick_block(&f->place, to);
        }
        quick_pass(q, last);
        q->at = at;
        q->ip = to;
        loop_left(f);
        t.bits <<= 1;
        t.count--;
        t.used = true;
        if (taken && !reported) {
            bits_store(f, &t);
            quick_report(f, q, at);
            reported = true;
            if (f->stopped)
                return STEP_END;
            b = quick_block(&f->place, q->ip); /* the maps may have changed */
        }
    }
    q->here = b;
    bits_store(f, &t);
    return s == STEP_FAULT ? quick_stuck(f, q) : s;
}

enum step walk_tnt_quiet(struct flow *f)
{
    struct quick q = quick_load(f);
    enum step s = quick_tnt(f, &q);
    quick_store(f, &q);
    if (!f->tnt_count && s == STEP_ON)
        report_time(f);
    return s;
}

/* --- TIP
 * -------------------------------------------------------------------------------- */

/* The TIP to `to`.  STEP_AGAIN: not a plain case, nothing but direct branches done. */
static enum step quick_tip(struct flow *f, struct quick *q, uint64_t to)
{
    const struct block *b;

    if (f->iflag != f->next_iflag || f->next_mode || f->next_nr || f->pip)
        return STEP_AGAIN;
    for (;;) {
        b = quick_here(&f->place, q);
        q->here = NULL;
        if (!b)
            return STEP_AGAIN;
        if (b->branch != BRANCH_DIRECT)
            break;
        if (!quick_direct(f, q, b))
            return quick_stuck(f, q);
    }
    if (b->branch != BRANCH_INDIRECT)
        return STEP_AGAIN;
    uint64_t at = q->ip + b->bytes;
    quick_pass(q, b);
    q->at = at;
    loop_left(f);
    if (b->cls == INSN_CALL)
        ret_push(&f->rets, at + b->len);
    else if (b->cls == INSN_RET)
        f->ret_addr = ret_pop(&f->rets);
    q->ip = to;
    quick_report(f, q, at);
    return f->stopped ? STEP_END : STEP_ON;
}

/* --- Packets
 * ---------------------------------------------------------------------------- */

static inline const uint8_t *skip_pads(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 8 && rd_u64(p) == 0)
        p += 8;
    while (p < end && *p == 0)
        p++;
    return p;
}

/* Each of these takes the packet at st->at; STEP_AGAIN: it is not plain, and not taken.
 */

static inline void taken_packet(struct pt_stream *st, const struct pts_pkt *pkt)
{
    st->prev = st->pkt.kind;
    st->pkt = *pkt;
    st->step = pkt->size;
}

static inline enum step quiet_tnt(struct flow *f, struct quick *q)
{
    struct pts_pkt pkt;
    pkt_tnt(&pkt, 1, 6, (uint64_t)*f->st.at << 56);
    pkt.kind = PTS_PKT_TNT;
    taken_packet(&f->st, &pkt);
    f->tnt_bits = pkt.value;
    f->tnt_count = pkt.count;
    f->phase = IN_TNT;
    return quick_tnt(f, q);
}

static inline enum step quiet_tip(struct flow *f, struct quick *q)
{
    struct pts_pkt pkt;
    if (pkt_ip(f->st.at, PTS_PKT_TIP, &pkt) < 0 || !pkt.count)
        return STEP_AGAIN;
    uint64_t to = ip_of(&pkt, f->last_ip);
    enum step s = quick_tip(f, q, to);
    if (s == STEP_AGAIN)
        return s;
    taken_packet(&f->st, &pkt);
    take_last_ip(f);
    return s;
}

static inline enum step quiet_cyc(struct flow *f)
{
    struct pts_pkt pkt;
    if (pkt_cyc(f->st.at, &pkt) < 0)
        return STEP_AGAIN;
    taken_packet(&f->st, &pkt);
    clock_cyc(&f->clk, pkt.value, f->tracing);
    return STEP_ON;
}

static inline void quick_flush(struct flow *f, struct quick *q, bool *due)
{
    quick_store(f, q);
    if (*due)
        report_time(f);
    *due = false;
}

/* Takes what it can from the stream while f->phase is SYNC.  STEP_ON: go on with the
 * stream's next packet, or with walk_tnt when the phase says so. */
enum step quiet_packets(struct flow *f)
{
    struct pt_stream *st = &f->st;
    struct quick q = quick_load(f);
    enum step s = STEP_ON;
    bool due = false; /* the time of packets done is to be reported */

    stream_skip(st);
    while (s == STEP_ON && st->end - st->at >= PKT_WIDE && st->ctx == PKT_CTX_NONE) {
        uint8_t lead = *st->at;
        if (!lead) {
            const uint8_t *p = skip_pads(st->at, st->end);
            st->step = (uint32_t)(p - st->at);
        } else if (!(lead & 1) && lead != 2) {
            s = quiet_tnt(f, &q);
            if (f->tnt_count)
                break;
            due = true;
        } else if ((lead & 3) == 3) {
            quick_flush(f, &q, &due);
            s = quiet_cyc(f);
        } else if ((lead & 0x1f) == 0x0d) {
            s = quiet_tip(f, &q);
            due |= s == STEP_ON;
        } else {
            break;
        }
        if (s != STEP_AGAIN)
            stream_skip(st);
    }
    quick_flush(f, &q, &due);
    return s == STEP_AGAIN ? STEP_ON : s;
}
