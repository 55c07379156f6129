/* perf_sample.c - the body of a SAMPLE, and of a READ, which is a part of it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which fields there are is written in the event's attributes.  They stand in the order
 * of perf_event_open(2), which is not that of their bits; those that are missing are as
 * perf leaves them: zero, the attribute's period, no memory access.
 */
#include "decoder/record/body.h"

static unsigned value_words(uint64_t format)
{
    return 1u + !!(format & PTS_READ_ID) + !!(format & PTS_READ_LOST);
}

struct pts_value pts_value_at(const struct pts_sample_read *v, uint64_t i)
{
    if (!(v->format & PTS_READ_GROUP))
        return v->one;
    uint64_t at = i * value_words(v->format);
    struct pts_value out = {.value = pts_word(&v->group, at++)};
    if (v->format & PTS_READ_ID)
        out.id = pts_word(&v->group, at++);
    if (v->format & PTS_READ_LOST)
        out.lost = pts_word(&v->group, at);
    return out;
}

/* A group has its number of counters where the value of a single one is. */
static void take_values(struct body *b, struct pts_sample_read *v)
{
    uint64_t format = b->attr->read_format;
    bool group = format & PTS_READ_GROUP;
    v->format = format;
    v->count = group ? body_u64(b) : 1;
    v->one.value = group ? 0 : body_u64(b);
    v->enabled = format & PTS_READ_TIME_ENABLED ? body_u64(b) : 0;
    v->running = format & PTS_READ_TIME_RUNNING ? body_u64(b) : 0;
    if (group) {
        v->group.at = body_many(b, v->count, (size_t)8 * value_words(format));
        v->group.count = v->group.at ? v->count * value_words(format) : 0;
        return;
    }
    v->one.id = format & PTS_READ_ID ? body_u64(b) : 0;
    v->one.lost = format & PTS_READ_LOST ? body_u64(b) : 0;
}

static void take_read(struct body *b, bool there, struct pts_sample_read *v)
{
    *v = (struct pts_sample_read){0};
    if (there)
        take_values(b, v);
}

static void take_branches(struct body *b, bool there, struct pts_sample *s)
{
    s->branch_count = s->branch_hw_idx = 0;
    s->branches = NULL;
    s->branch_counters = (struct pts_words){0};
    if (!there)
        return;
    uint64_t kind = b->attr->branch_sample_type;
    s->branch_count = body_u64(b);
    s->branch_hw_idx = kind & PTS_BRANCH_HW_INDEX ? body_u64(b) : UINT64_MAX;
    s->branches = body_many(b, s->branch_count, PERF_BRANCH_BYTES);
    if (kind & PTS_BRANCH_COUNTERS)
        s->branch_counters = body_words(b, s->branch_count);
}

static void take_regs(struct body *b, bool there, uint64_t mask, struct pts_regs *regs)
{
    *regs = (struct pts_regs){.abi = there ? body_u64(b) : 0};
    /* No registers follow. */
    if (regs->abi == 0)
        return;
    regs->mask = mask;
    regs->val = body_words(b, (uint64_t)__builtin_popcountll(mask));
}

/* The size in use follows the bytes, and only when there are any. */
static void take_stack(struct body *b, bool there, struct pts_sample *s)
{
    s->stack = (struct pts_bytes){0};
    /* Where in the record it is: the dump of perf says so. */
    s->stack_off = there ? (uint32_t)(b->r.at - b->rec->ptr) : 0;
    s->stack_size = there ? body_u64(b) : 0;
    if (s->stack_size == 0)
        return;
    s->stack.ptr = body_many(b, s->stack_size, 1);
    /* The kernel copies less than was asked for where the stack ends. */
    uint64_t used = body_u64(b);
    if (!b->r.bad)
        s->stack.len = (size_t)(used < s->stack_size ? used : s->stack_size);
}

static void take_weight(struct body *b, bool there, struct pts_sample *s)
{
    uint64_t v = there ? body_u64(b) : 0;
    bool parts = s->type & PTS_SAMPLE_WEIGHT_STRUCT;
    s->weight = parts ? (uint32_t)v : v;
    s->ins_lat = parts ? (uint16_t)(v >> 32) : 0;
    s->weight3 = parts ? (uint16_t)(v >> 48) : 0;
}

/* A word that the head of the record has told already. */
static void pass_word(struct body *b, bool there)
{
    if (there)
        reader_take(&b->r, 8);
}

static uint64_t take_word(struct body *b, bool there)
{
    return there ? body_u64(b) : 0;
}

/* Up to the counters' values. */
static void take_early(struct body *b, struct pts_sample *s)
{
    uint64_t type = s->type;
    pass_word(b, type & PTS_SAMPLE_IDENTIFIER);
    s->ip = take_word(b, type & PTS_SAMPLE_IP);
    pass_word(b, type & PTS_SAMPLE_TID);
    pass_word(b, type & PTS_SAMPLE_TIME);
    s->addr = take_word(b, type & PTS_SAMPLE_ADDR);
    pass_word(b, type & PTS_SAMPLE_ID);
    pass_word(b, type & PTS_SAMPLE_STREAM_ID);
    pass_word(b, type & PTS_SAMPLE_CPU);
    s->period = type & PTS_SAMPLE_PERIOD ? body_u64(b) : b->attr->sample_period;
    take_read(b, type & PTS_SAMPLE_READ, &s->read);
}

/* The rest from the callchain on. */
static void take_late(struct body *b, struct pts_sample *s)
{
    /* mem_lvl, snoop, lock, dtlb and op all "not available" */
    static const uint64_t no_mem = 1 | 1 << 5 | 1 << 19 | 1 << 24 | 1 << 26;
    static const struct pts_words no_words;
    static const struct pts_bytes no_bytes;
    const struct pts_attr *a = b->attr;
    uint64_t type = s->type;
    s->callchain = type & PTS_SAMPLE_CALLCHAIN ? body_words(b, body_u64(b)) : no_words;
    s->raw = type & PTS_SAMPLE_RAW ? body_bytes(b, body_u32(b)) : no_bytes;
    take_branches(b, type & PTS_SAMPLE_BRANCH_STACK, s);
    take_regs(b, type & PTS_SAMPLE_REGS_USER, a->sample_regs_user, &s->user);
    take_stack(b, type & PTS_SAMPLE_STACK_USER, s);
    take_weight(b, type & (PTS_SAMPLE_WEIGHT | PTS_SAMPLE_WEIGHT_STRUCT), s);
    s->data_src = type & PTS_SAMPLE_DATA_SRC ? body_u64(b) : no_mem;
    s->transaction = take_word(b, type & PTS_SAMPLE_TRANSACTION);
    take_regs(b, type & PTS_SAMPLE_REGS_INTR, a->sample_regs_intr, &s->intr);
    s->phys_addr = take_word(b, type & PTS_SAMPLE_PHYS_ADDR);
    s->cgroup = take_word(b, type & PTS_SAMPLE_CGROUP);
    s->data_page_size = take_word(b, type & PTS_SAMPLE_DATA_PAGE_SIZE);
    s->code_page_size = take_word(b, type & PTS_SAMPLE_CODE_PAGE_SIZE);
    s->aux = type & PTS_SAMPLE_AUX ? body_bytes(b, body_u64(b)) : no_bytes;
}

/* Every member is set by itself: zeroing the whole struct first is what costs most when
 * a sample has few fields, and there may be millions. */
void read_sample(struct body *b, union pts_record_body *u)
{
    if (!b->attr) {
        b->r.bad = true;
        return;
    }
    u->sample.type = b->attr->sample_type;
    take_early(b, &u->sample);
    take_late(b, &u->sample);
}

void read_read(struct body *b, union pts_record_body *u)
{
    if (!b->attr) {
        b->r.bad = true;
        return;
    }
    u->read.pid = body_i32(b);
    u->read.tid = body_i32(b);
    take_read(b, true, &u->read.values);
}
