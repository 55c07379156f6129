/* pebs.c - PEBS records in the trace become samples of the events they count for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Such an event has AUX_OUTPUT in its attributes.  A record names the counters it is
 * for; AUX_OUTPUT_HW_ID records say whose these are.  Older kernels wrote none: then
 * there is one such event, and all records are its.  A sample has what its event asks
 * for and the record holds.
 */
#include "synth/sample/mem_source.h"
#include "synth/sample/maker_queue.h"

#include <stdio.h>

/* --- What a record holds --- */

static bool has(const struct pt_block *b, enum block_group group, unsigned item)
{
    return b->has[group] >> item & 1;
}

static uint64_t item(const struct pt_block *b, enum block_group group, unsigned item)
{
    return has(b, group, item) ? b->item[group][item] : 0;
}

/* --- A sample --- */

enum { XMM_AT = 32, REGS = GPR_COUNT + BLOCK_ITEMS, NO_GPR = 0xff };

/* The registers of the kernel's perf_regs.h: where they are in their group. */
static const uint8_t gpr_of[] = {
    GPR_AX,     GPR_BX,     GPR_CX,     GPR_DX,     GPR_SI,     GPR_DI,
    GPR_BP,     GPR_SP,     GPR_IP,     GPR_FLAGS,  NO_GPR,     NO_GPR,
    NO_GPR,     NO_GPR,     NO_GPR,     NO_GPR,     GPR_R8,     GPR_R8 + 1,
    GPR_R8 + 2, GPR_R8 + 3, GPR_R8 + 4, GPR_R8 + 5, GPR_R8 + 6, GPR_R8 + 7,
};

struct regs {
    uint64_t mask, word[REGS];
    size_t count;
};

static void regs_add(struct regs *r, unsigned number, uint64_t value)
{
    r->mask |= UINT64_C(1) << number;
    r->word[r->count++] = value;
}

/* Those that were asked for and are there. */
static pts_status take_regs(const struct pt_block *b, uint64_t mask,
                            struct batch *batch, struct pts_regs *out)
{
    struct regs r = {0};

    if (!b->has[BLOCK_GPRS] && !b->has[BLOCK_XMM])
        return PTS_OK;
    for (unsigned i = 0; i < sizeof(gpr_of); i++)
        if (mask >> i & 1 && gpr_of[i] != NO_GPR && has(b, BLOCK_GPRS, gpr_of[i]))
            regs_add(&r, i, b->item[BLOCK_GPRS][gpr_of[i]]);
    for (unsigned i = 0; i < BLOCK_ITEMS; i++)
        if (mask >> XMM_AT >> i & 1 && has(b, BLOCK_XMM, i))
            regs_add(&r, XMM_AT + i, b->item[BLOCK_XMM][i]);
    const void *word = batch_keep(batch, r.word, r.count * sizeof(r.word[0]));
    if (!word)
        return PTS_E_NOMEM;
    *out = (struct pts_regs){
        .abi = b->narrow ? 1 : 2, .mask = r.mask, .val = {word, r.count, 0}
    };
    return PTS_OK;
}

/* Newer processors tell two latencies: of the cache, and of the whole instruction. */
static void take_weight(const struct pt_block *b, struct sample_more *m)
{
    uint64_t latency = item(b, BLOCK_MEMORY, MEMORY_LATENCY);
    bool two = latency >> 32;

    m->weight = two ? latency >> 32 & 0xffff : latency;
    m->ins_lat = two ? latency & 0xffff : 0;
    if (!m->weight) /* cycles of the last transaction */
        m->weight = (uint32_t)item(b, BLOCK_MEMORY, MEMORY_TSX);
}

/* As the kernel makes it of the same registers: the low byte says how it ended, and where it
 * was a transaction that ended itself, RAX has its code above. */
static uint64_t transaction_of(const struct pt_block *b)
{
    enum { IS_TRANSACTION = 1 << 1, CODE_SHIFT = 32 };
    uint64_t how = item(b, BLOCK_MEMORY, MEMORY_TSX) >> 32 & 0xff;
    uint64_t ax = item(b, BLOCK_GPRS, GPR_AX);

    if (how & IS_TRANSACTION && ax & 1)
        how |= (ax >> 24 & 0xff) << CODE_SHIFT;
    return how;
}

static void take_source(const struct maker *m, const struct pt_block *b,
                        const struct evl_attr *a, struct sample_more *more)
{
    enum mem_format format = has(b, BLOCK_MEMORY, MEMORY_SOURCE)
                                 ? mem_format_of(m->plan->pebs.cpuid, a)
                                 : MEM_UNKNOWN;

    more->data_src = mem_source(format, item(b, BLOCK_MEMORY, MEMORY_SOURCE));
}

/* The processor notes when it happened; the trace only says when the record was
 * written. */
static uint64_t time_of(const struct maker *m, const struct pt_block *b,
                        const struct sample *base)
{
    if (!has(b, BLOCK_BASIC, BASIC_TSC))
        return base->time;
    uint64_t tsc = b->item[BLOCK_BASIC][BASIC_TSC];
    return tsc ? tsc_to_ns(tsc, &m->plan->decode.clock) : 0;
}

/* The event's own, else the register as it was saved, else where execution is. */
static uint64_t ip_of(const struct pt_block *b, const struct sample *base)
{
    if (has(b, BLOCK_BASIC, BASIC_IP))
        return b->item[BLOCK_BASIC][BASIC_IP];
    return has(b, BLOCK_GPRS, GPR_IP) ? b->item[BLOCK_GPRS][GPR_IP] : base->ip;
}

static void take_fields(const struct maker *m, const struct pt_block *b,
                        const struct evl_attr *a, struct sample_more *more)
{
    uint64_t type = a->sample_type;

    if (type & (PTS_SAMPLE_WEIGHT | PTS_SAMPLE_WEIGHT_STRUCT))
        take_weight(b, more);
    if (type & PTS_SAMPLE_DATA_SRC)
        take_source(m, b, a, more);
    if (type & PTS_SAMPLE_TRANSACTION)
        more->transaction = transaction_of(b);
}

static pts_status make_sample(struct maker *m, const struct pebs_record *r,
                              uint32_t event)
{
    const struct evl_attr *a = &m->plan->evl.ev.at[event].attr;
    const struct pt_block *b = r->block;
    struct batch *batch = &m->to->batch;
    uint64_t type = a->sample_type;

    if (maker_skips(m))
        return PTS_OK;
    struct sample_more *more = arena_alloc(&batch->arena, sizeof(*more));
    struct sample *s = batch_room(batch);
    if (!s || !more)
        return PTS_E_NOMEM;
    *s = *r->base;
    s->event = event;
    /* The record is about an instruction of its own, not about the event it came with. */
    s->flags = 0;
    s->period = a->flags & PTS_ATTR_FREQ ? 0 : a->sample_period;
    s->ip = ip_of(b, r->base);
    s->cpumode = mode_at_addr(s->ip, r->guest);
    s->time = type & PTS_SAMPLE_TIME ? time_of(m, b, r->base) : 0;
    s->addr = type & PTS_SAMPLE_ADDR ? item(b, BLOCK_MEMORY, MEMORY_ADDR) : 0;
    take_fields(m, b, a, more);
    s->more = more;
    pts_status st = PTS_OK;
    if (type & PTS_SAMPLE_REGS_INTR)
        st = take_regs(b, a->regs_intr, batch, &more->iregs);
    if (st == PTS_OK)
        st = stacks_of_pebs(&m->to->stacks, s, b, batch);
    m->samples++;
    return st == PTS_OK ? deliver(m->to, s, SAMPLE_PEBS) : st;
}

/* --- Whose it is --- */

static void complain(const struct maker *m, const char *text)
{
    if (!m->plan->pebs.single)
        plan_warn(m->plan, text);
}

/* A record may be for several counters: a sample for each.  What nobody claims is
 * the first event's. */
pts_status pebs_samples(struct maker *m, const struct maker_queue *q,
                        const struct pebs_record *r)
{
    uint64_t counters = item(r->block, BLOCK_BASIC, BASIC_COUNTERS);
    pts_status st = PTS_OK;
    char text[80];

    if (!counters) {
        complain(m, "PEBS-via-PT record with no applicable_counters\n");
        return make_sample(m, r, m->plan->pebs.event);
    }
    for (uint64_t left = counters; left && st == PTS_OK; left &= left - 1) {
        unsigned n = (unsigned)__builtin_ctzll(left);
        if (!q->counter[n]) {
            snprintf(text, sizeof(text),
                     "PEBS-via-PT record with no matching event, hw_id %u\n", n);
            complain(m, text);
            return make_sample(m, r, m->plan->pebs.event);
        }
        st = make_sample(m, r, q->counter[n] - 1);
    }
    return st;
}
