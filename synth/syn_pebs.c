/* syn_pebs.c - PEBS records in the trace become samples of the events they count for.
 *
 * SPDX-License-Identifier: MIT
 *
 * Such an event has AUX_OUTPUT in its attributes.  A record names the counters it is
 * for; AUX_OUTPUT_HW_ID records say whose these are.  Older kernels wrote none: then
 * there is one such event, and all records are its.  A sample has what its event asks
 * for and the record holds.
 */
#include "synth/mem_source.h"
#include "synth/synth_state.h"

#include <stdio.h>

static bool is_by_trace(const struct evl_event *e)
{
    return e->attr.flags & PERF_ATTR_AUX_OUTPUT && e->has_id;
}

void pebs_plan(struct synth *s, const char *cpuid)
{
    uint32_t count = 0;

    s->pebs_event = EVL_NONE;
    s->cpuid = cpuid;
    for (size_t i = 0; i < s->evl.ev.len; i++) {
        if (!is_by_trace(&s->evl.ev.at[i]))
            continue;
        if (!count++)
            s->pebs_event = (uint32_t)i;
    }
    s->pebs_single = count == 1;
}

pts_status synth_counter(struct synth *s, uint32_t queue, uint64_t counter,
                         uint32_t event)
{
    struct syn_queue *q = syn_queue_at(s, queue);

    if (!q)
        return PTS_E_NOMEM;
    if (counter < COUNTERS && event < s->evl.ev.len)
        q->counter[counter] = event + 1;
    return PTS_OK;
}

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
static struct pts_regs take_regs(const struct pt_block *b, uint64_t mask,
                                 struct regs *r)
{
    *r = (struct regs){0};
    if (!b->has[BLOCK_GPRS] && !b->has[BLOCK_XMM])
        return (struct pts_regs){0};
    for (unsigned i = 0; i < sizeof(gpr_of); i++)
        if (mask >> i & 1 && gpr_of[i] != NO_GPR && has(b, BLOCK_GPRS, gpr_of[i]))
            regs_add(r, i, b->item[BLOCK_GPRS][gpr_of[i]]);
    for (unsigned i = 0; i < BLOCK_ITEMS; i++)
        if (mask >> XMM_AT >> i & 1 && has(b, BLOCK_XMM, i))
            regs_add(r, XMM_AT + i, b->item[BLOCK_XMM][i]);
    return (struct pts_regs){
        .abi = b->narrow ? 1 : 2,
        .mask = r->mask,
        .val = {(const uint8_t *)r->word, r->count, 0}
    };
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

static void take_source(const struct synth *s, const struct pt_block *b,
                        const struct evl_attr *a, struct sample_more *m)
{
    enum mem_format format =
        has(b, BLOCK_MEMORY, MEMORY_SOURCE) ? mem_format_of(s->cpuid, a) : MEM_UNKNOWN;

    m->data_src = mem_source(format, item(b, BLOCK_MEMORY, MEMORY_SOURCE));
}

static uint64_t time_of(const struct synth *s, const struct pt_block *b,
                        const struct sample *base)
{
    if (!has(b, BLOCK_BASIC, BASIC_TSC))
        return base->time;
    uint64_t tsc = b->item[BLOCK_BASIC][BASIC_TSC];
    return tsc ? tsc_to_ns(tsc, &s->needs.conv) : 0;
}

static uint64_t ip_of(const struct pt_block *b, const struct sample *base)
{
    if (has(b, BLOCK_BASIC, BASIC_IP))
        return b->item[BLOCK_BASIC][BASIC_IP];
    return has(b, BLOCK_GPRS, GPR_IP) ? b->item[BLOCK_GPRS][GPR_IP] : base->ip;
}

static pts_status make_sample(struct synth *s, const struct pebs_record *r,
                              uint32_t event, struct text *t)
{
    const struct evl_attr *a = &s->evl.ev.at[event].attr;
    const struct pt_block *b = r->block;
    uint64_t type = a->sample_type;
    struct sample sample = *r->base;
    struct sample_more more = {0};
    struct regs regs;

    if (synth_skip(s))
        return PTS_OK;
    sample.event = event;
    sample.flags = 0;
    sample.period = a->flags & PERF_ATTR_FREQ ? 0 : a->sample_period;
    sample.ip = ip_of(b, r->base);
    sample.cpumode = r->guest ? CPUMODE_GUEST_USER : CPUMODE_USER;
    if (sample.ip >= KERNEL_START)
        sample.cpumode = r->guest ? CPUMODE_GUEST_KERNEL : CPUMODE_KERNEL;
    sample.time = type & PERF_SAMPLE_TIME ? time_of(s, b, r->base) : 0;
    sample.addr = type & PERF_SAMPLE_ADDR ? item(b, BLOCK_MEMORY, MEMORY_ADDR) : 0;
    if (type & PERF_SAMPLE_REGS_INTR)
        more.iregs = take_regs(b, a->regs_intr, &regs);
    if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
        take_weight(b, &more);
    if (type & PERF_SAMPLE_DATA_SRC)
        take_source(s, b, a, &more);
    sample.more = &more;
    stacks_of_pebs(s, &sample, b);
    s->made_count++;
    return synth_deliver(s, &sample, SAMPLE_PLAIN, t);
}

/* --- Whose it is --- */

static void complain(struct synth *s, const char *text)
{
    if (!s->pebs_single && s->opt.message)
        s->opt.message(s->opt.message_ctx, PTS_MSG_WARNING, text);
}

pts_status pebs_samples(struct synth *s, const struct syn_queue *q,
                        const struct pebs_record *r, struct text *t)
{
    uint64_t counters = item(r->block, BLOCK_BASIC, BASIC_COUNTERS);
    pts_status st = PTS_OK;
    char text[80];

    if (!counters) {
        complain(s, "PEBS-via-PT record with no applicable_counters\n");
        return make_sample(s, r, s->pebs_event, t);
    }
    for (uint64_t left = counters; left && st == PTS_OK; left &= left - 1) {
        unsigned n = (unsigned)__builtin_ctzll(left);
        if (!q->counter[n]) {
            snprintf(text, sizeof(text),
                     "PEBS-via-PT record with no matching event, hw_id %u\n", n);
            complain(s, text);
            return make_sample(s, r, s->pebs_event, t);
        }
        st = make_sample(s, r, q->counter[n] - 1, t);
    }
    return st;
}
