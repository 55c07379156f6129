/* perf_sample.c - the body of a SAMPLE record.
 *
 * SPDX-License-Identifier: MIT
 *
 * Fields stand in the order of perf_event_open(2), which is not that of their bits.
 */
#include "decoder/perf_sample.h"

/* n items of size bytes each; n is what the file says. */
static const uint8_t *take_many(struct reader *r, uint64_t n, size_t size)
{
    if (n > reader_left(r) / size) {
        r->bad = true;
        return NULL;
    }
    return reader_take(r, (size_t)n * size);
}

static struct pts_words take_words(struct reader *r, uint64_t n)
{
    const uint8_t *at = take_many(r, n, 8);
    return (struct pts_words){at, at ? n : 0, 0};
}

static unsigned value_words(uint64_t format)
{
    return 1u + !!(format & PERF_READ_ID) + !!(format & PERF_READ_LOST);
}

static void take_read(struct reader *r, uint64_t format, struct pts_sample_read *v)
{
    bool group = format & PERF_READ_GROUP;
    v->format = format;
    v->count = group ? reader_u64(r) : 1;
    if (!group)
        v->one.value = reader_u64(r);
    if (format & PERF_READ_TIME_ENABLED)
        v->enabled = reader_u64(r);
    if (format & PERF_READ_TIME_RUNNING)
        v->running = reader_u64(r);
    if (group) {
        v->group.at = take_many(r, v->count, (size_t)8 * value_words(format));
        v->group.count = v->group.at ? v->count * value_words(format) : 0;
        return;
    }
    if (format & PERF_READ_ID)
        v->one.id = reader_u64(r);
    if (format & PERF_READ_LOST)
        v->one.lost = reader_u64(r);
}

struct pts_value pts_value_at(const struct pts_sample_read *v, uint64_t i)
{
    if (!(v->format & PERF_READ_GROUP))
        return v->one;
    uint64_t at = i * value_words(v->format);
    struct pts_value out = {.value = pts_word(&v->group, at++)};
    if (v->format & PERF_READ_ID)
        out.id = pts_word(&v->group, at++);
    if (v->format & PERF_READ_LOST)
        out.lost = pts_word(&v->group, at);
    return out;
}

static void take_raw(struct reader *r, struct pts_bytes *raw)
{
    uint32_t n = reader_u32(r);
    raw->ptr = reader_take(r, n);
    raw->len = raw->ptr ? n : 0;
}

static void take_branches(struct reader *r, const struct pts_attr *a,
                          struct pts_sample *s)
{
    s->branch_count = reader_u64(r);
    s->branch_hw_idx = UINT64_MAX;
    if (a->branch_sample_type & PERF_BRANCH_HW_INDEX)
        s->branch_hw_idx = reader_u64(r);
    s->branches = take_many(r, s->branch_count, PERF_BRANCH_BYTES);
    if (a->branch_sample_type & PERF_BRANCH_COUNTERS)
        s->branch_counters = take_words(r, s->branch_count);
}

static void take_regs(struct reader *r, uint64_t mask, struct pts_regs *regs)
{
    regs->abi = reader_u64(r);
    if (regs->abi == 0)
        return;
    regs->mask = mask;
    regs->val = take_words(r, (uint64_t)__builtin_popcountll(mask));
}

/* The size in use follows the bytes, and only when there are any. */
static void take_stack(struct reader *r, const struct perf_rec *rec,
                       struct pts_sample *s)
{
    s->stack_off = (uint32_t)(r->at - rec->ptr);
    s->stack_size = reader_u64(r);
    if (s->stack_size == 0)
        return;
    s->stack.ptr = take_many(r, s->stack_size, 1);
    uint64_t used = reader_u64(r);
    if (!r->bad)
        s->stack.len = (size_t)(used < s->stack_size ? used : s->stack_size);
}

static void take_weight(struct reader *r, uint64_t type, struct pts_sample *s)
{
    uint64_t v = reader_u64(r);
    s->weight = v;
    if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
        s->weight = (uint32_t)v;
        s->ins_lat = (uint16_t)(v >> 32);
        s->weight3 = (uint16_t)(v >> 48);
    }
}

static void take_aux(struct reader *r, struct pts_bytes *aux)
{
    uint64_t n = reader_u64(r);
    aux->ptr = take_many(r, n, 1);
    aux->len = aux->ptr ? (size_t)n : 0;
}

/* The rest from the callchain on. */
static void take_late(struct reader *r, const struct perf_rec *rec,
                      const struct pts_attr *a, struct pts_sample *s)
{
    uint64_t type = a->sample_type;
    if (type & PERF_SAMPLE_CALLCHAIN)
        s->callchain = take_words(r, reader_u64(r));
    if (type & PERF_SAMPLE_RAW)
        take_raw(r, &s->raw);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        take_branches(r, a, s);
    if (type & PERF_SAMPLE_REGS_USER)
        take_regs(r, a->sample_regs_user, &s->user);
    if (type & PERF_SAMPLE_STACK_USER)
        take_stack(r, rec, s);
    if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
        take_weight(r, type, s);
    if (type & PERF_SAMPLE_DATA_SRC)
        s->data_src = reader_u64(r);
    if (type & PERF_SAMPLE_TRANSACTION)
        s->transaction = reader_u64(r);
    if (type & PERF_SAMPLE_REGS_INTR)
        take_regs(r, a->sample_regs_intr, &s->intr);
    if (type & PERF_SAMPLE_PHYS_ADDR)
        s->phys_addr = reader_u64(r);
    if (type & PERF_SAMPLE_CGROUP)
        s->cgroup = reader_u64(r);
    if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
        s->data_page_size = reader_u64(r);
    if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
        s->code_page_size = reader_u64(r);
    if (type & PERF_SAMPLE_AUX)
        take_aux(r, &s->aux);
}

pts_status perf_rec_sample(const struct perf_file *f, const struct perf_rec *rec,
                           struct pts_sample *out)
{
    /* mem_lvl, snoop, lock, dtlb and op all "not available" */
    static const uint64_t no_mem = 1 | 1 << 5 | 1 << 19 | 1 << 24 | 1 << 26;
    const struct pts_attr *a = &f->evsel.at[rec->evsel].attr;
    uint64_t type = a->sample_type;
    struct reader r = perf_rec_body(rec);
    struct pts_sample s = {
        .type = type, .period = a->sample_period, .data_src = no_mem};
    if (type & PERF_SAMPLE_IDENTIFIER)
        reader_take(&r, 8);
    if (type & PERF_SAMPLE_IP)
        s.ip = reader_u64(&r);
    if (type & PERF_SAMPLE_TID)
        reader_take(&r, 8);
    if (type & PERF_SAMPLE_TIME)
        reader_take(&r, 8);
    if (type & PERF_SAMPLE_ADDR)
        s.addr = reader_u64(&r);
    if (type & PERF_SAMPLE_ID)
        reader_take(&r, 8);
    if (type & PERF_SAMPLE_STREAM_ID)
        reader_take(&r, 8);
    if (type & PERF_SAMPLE_CPU)
        reader_take(&r, 8);
    if (type & PERF_SAMPLE_PERIOD)
        s.period = reader_u64(&r);
    if (type & PERF_SAMPLE_READ)
        take_read(&r, a->read_format, &s.read);
    take_late(&r, rec, a, &s);
    if (r.bad)
        return PTS_E_RANGE;
    *out = s;
    return PTS_OK;
}

pts_status perf_rec_read_values(const struct perf_file *f, const struct perf_rec *rec,
                                struct pts_read *out)
{
    struct reader r = perf_rec_body(rec);
    struct pts_read v = {.pid = (int32_t)reader_u32(&r)};
    v.tid = (int32_t)reader_u32(&r);
    take_read(&r, f->evsel.at[rec->evsel].attr.read_format, &v.values);
    if (r.bad)
        return PTS_E_RANGE;
    *out = v;
    return PTS_OK;
}
