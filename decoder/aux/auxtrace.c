/* auxtrace.c - the AUX area data of a recording: how it was set up, and where it is.
 *
 * SPDX-License-Identifier: MIT
 *
 *     AUXTRACE_INFO, AUXTRACE cpu 0, AUXTRACE cpu 1, AUXTRACE cpu 0 ...
 *
 *     queue of cpu 0   piece 0, piece 2 ...
 *     queue of cpu 1   piece 1 ...
 *
 * Pieces of all queues come mixed.  A file has an index of them in its header, by which
 * they are found without looking at a million side-band records; it is believed only if
 * every entry points at an AUXTRACE record of just that size.
 */
#include "decoder/aux/auxtrace.h"

#include "decoder/aux/aux_filter.h"
#include "decoder/base/diag.h"
#include "decoder/base/idmap.h"
#include "decoder/file/perf_feat.h"

#include <inttypes.h>
#include <stdlib.h>

/* Whether perf would understand all of them. */
static bool filters_good(const char *text)
{
    struct aux_filter filter;
    pts_status st;

    do
        st = aux_filter_next(&text, &filter);
    while (st == PTS_OK);
    return st == PTS_END;
}

static pts_status info_filter(struct reader *r, uint64_t len, struct aux_info *info,
                              struct pts_diag *why)
{
    info->filter = "";
    if (len == 0)
        return PTS_OK;
    /* Padded to whole words, at least one zero byte. */
    const uint8_t *s = NULL;
    if (len < UINT16_MAX)
        s = reader_take(r, ((size_t)len + 8) & ~(size_t)7);
    if (!s)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX, "bad filter string length");
    if (strnlen((const char *)s, (size_t)len + 1) != len)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                        "filter string not null terminated");
    if (!filters_good((const char *)s))
        return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                        "cannot parse the address filter '%.*s'", (int)len,
                        (const char *)s);
    info->filter = (const char *)s;
    return PTS_OK;
}

/* Words stand in the order in which versions of perf added them.  What an older one
 * did not write stays zero. */
static pts_status info_read_pt(struct reader *r, struct aux_info *info,
                               struct pts_diag *why)
{
    info->words = (uint32_t)(reader_left(r) / 8);
    if (info->words < AUX_INFO_MIN)
        return diag_set(why, PTS_E_RANGE, UINT64_MAX, "AUXTRACE_INFO is too short");
    info->pmu_type = (uint32_t)reader_u64(r);
    uint64_t shift = reader_u64(r), mult = reader_u64(r);
    info->conv = tsc_conv_of(shift, mult, reader_u64(r));
    info->cap_user_time_zero = reader_u64(r) != 0;
    info->tsc_bit = reader_u64(r);
    info->noretcomp_bit = reader_u64(r);
    info->have_sched_switch = (uint32_t)reader_u64(r);
    info->snapshot = reader_u64(r) != 0;
    info->per_cpu = reader_u64(r) != 0;
    info->has_mtc = info->words > AUX_INFO_CYC;
    if (info->has_mtc) {
        info->mtc_bit = reader_u64(r);
        info->mtc_freq_bits = reader_u64(r);
        info->tsc_ctc_n = (uint32_t)reader_u64(r);
        info->tsc_ctc_d = (uint32_t)reader_u64(r);
        info->cyc_bit = reader_u64(r);
    }
    info->has_max_ratio = info->words > AUX_INFO_MAX_RATIO;
    if (info->has_max_ratio)
        info->max_ratio = (uint32_t)reader_u64(r);
    info->has_filter_len = info->words > AUX_INFO_FILTER_LEN;
    if (!info->has_filter_len)
        return PTS_OK;
    pts_status st = info_filter(r, reader_u64(r), info, why);
    info->has_event_trace = st == PTS_OK && reader_left(r) >= 8;
    if (info->has_event_trace)
        info->event_trace = reader_u64(r);
    return st;
}

pts_status aux_info_read(const struct record *r, struct aux_info *out,
                         struct pts_diag *why)
{
    const struct pts_words *priv = &r->u.auxtrace_info.priv;
    if (!record_is(r, PTS_RECORD_AUXTRACE_INFO))
        return diag_set(why, PTS_E_RANGE, r->head.off, "AUXTRACE_INFO is too short");
    struct aux_info info = {.type = r->u.auxtrace_info.type, .filter = ""};
    if (info.type == PTS_AUXTRACE_INTEL_PT) {
        struct reader words = reader_of(priv->at, (size_t)priv->count * 8);
        pts_status st = info_read_pt(&words, &info, why);
        if (st != PTS_OK && why)
            why->offset = r->head.off;
        if (st != PTS_OK)
            return st;
    }
    *out = info;
    return PTS_OK;
}

/* --- Pieces ----------------------------------------------------------------------- */

struct collect {
    const struct perf_file *f;
    const struct aux_how *how;
    struct aux_queues q; /* as they come; sorted in the end */
    struct idmap places; /* of the queue with an idx */
    struct pts_diag *why;
    struct perf_passed passed;
};

/* The queue with this idx, made for b when there is none. */
static struct aux_queue *queue_find(struct collect *c, uint32_t idx,
                                    const struct aux_buf *b)
{
    uint32_t known = idmap_get(&c->places, idx);
    if (known != IDMAP_NONE)
        return &c->q.at.at[known];
    if (!idmap_set(&c->places, idx, (uint32_t)c->q.at.len))
        return NULL;
    struct aux_queue *q = VEC_PUSH(&c->q.at);
    if (q)
        *q = (struct aux_queue){.idx = idx, .cpu = b->cpu, .tid = b->tid};
    return q;
}

static int queue_before(const void *a, const void *b)
{
    const struct aux_queue *x = a, *y = b;
    return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static pts_status collect_piece(struct collect *c, uint32_t idx, struct aux_buf *b)
{
    /* --cpu: trace that nobody will look at is not decoded. */
    if (c->how->keep && b->cpu != -1 && !c->how->keep(c->how->ctx, b->cpu))
        return PTS_OK;
    struct aux_queue *q = queue_find(c, idx, b);
    struct aux_buf *slot = q ? VEC_PUSH(&q->buf) : NULL;
    if (!slot)
        return diag_set(c->why, PTS_E_NOMEM, b->off, "out of memory");
    /* Buffers are numbered over all queues in the order of the file, as perf does. */
    b->nr = c->q.bufs++;
    *slot = *b;
    /* As in perf, the first piece says of what CPU and thread the queue is. */
    if (b->len && !c->q.mixed && (b->cpu != q->cpu || b->tid != q->tid))
        c->q.mixed = b->off;
    return PTS_OK;
}

static pts_status collect_auxtrace(struct collect *c, const struct perf_rec *r)
{
    union pts_record_body u;
    perf_rec_passed(c->f, &c->passed, r);
    if (record_body(c->f, r, &u) != PTS_RECORD_WHOLE)
        return PTS_OK;
    struct aux_buf b = {.ptr = r->behind,
                        .len = (size_t)r->payload,
                        .off = r->off,
                        .reference = u.auxtrace.reference,
                        .cpu = u.auxtrace.cpu,
                        .tid = u.auxtrace.tid};
    return collect_piece(c, u.auxtrace.idx, &b);
}

/* Which buffer it is from is told by the counter that took it. */
static pts_status collect_sample(struct collect *c, uint64_t off)
{
    struct record r;
    if (record_read(c->f, off, &r) != PTS_OK || r.how != PTS_RECORD_WHOLE ||
        !r.u.sample.aux.len)
        return PTS_OK;
    const struct pts_sample_id *id = &r.head.id;
    const struct pts_counter *from = perf_file_id(c->f, id->id);
    if (!from)
        return PTS_OK;
    bool told = from->idx >= 0; /* else perf takes all of it to be 0 */
    bool timed = id->has & PTS_SAMPLE_TIME && id->time;
    struct aux_buf b = {.ptr = r.u.sample.aux.ptr,
                        .len = r.u.sample.aux.len,
                        .off = off,
                        .reference = timed ? tsc_of_ns(id->time, &c->how->clock) : 0,
                        .cpu = told ? from->cpu : 0,
                        .tid = told ? from->tid : 0};
    return collect_piece(c, told ? (uint32_t)from->idx : 0, &b);
}

/* --- All of them ------------------------------------------------------------------ */

/* False when an entry is not what it says: the index cannot be trusted then. */
static bool index_entry(const struct perf_file *f, const struct perf_aux_index *index,
                        uint64_t i, struct perf_rec *r)
{
    uint64_t at = pts_word(&index->at, 2 * i), size = pts_word(&index->at, 2 * i + 1);
    uint64_t off;
    return perf_file_of_shown(f, at, &off) && perf_rec_header(f, off, r) == PTS_OK &&
           r->type == PTS_RECORD_AUXTRACE && r->size == size;
}

/* PTS_E_FORMAT: the index cannot be trusted, and what was collected is not to be used. */
static pts_status collect_indexed(struct collect *c, const struct perf_aux_index *index)
{
    struct perf_rec r;
    pts_status st = index->count ? PTS_OK : PTS_E_FORMAT;
    for (uint64_t i = 0; st == PTS_OK && i < index->count; i++)
        st = index_entry(c->f, index, i, &r) ? collect_auxtrace(c, &r) : PTS_E_FORMAT;
    return st;
}

static pts_status collect_walking(struct collect *c, bool samples)
{
    struct perf_rec r;
    pts_status st = PTS_OK;
    for (uint64_t off = c->f->data.off; st == PTS_OK && off < c->f->data.end;
         off = perf_rec_next(&r)) {
        st = perf_rec_header(c->f, off, &r);
        if (st == PTS_OK && r.type == PTS_RECORD_AUXTRACE)
            st = collect_auxtrace(c, &r);
        if (st == PTS_OK && r.type == PTS_RECORD_SAMPLE && samples)
            st = collect_sample(c, off);
    }
    return st;
}

static void collect_free(struct collect *c)
{
    idmap_free(&c->places);
    aux_queues_free(&c->q);
}

bool aux_is_sampled(const struct perf_file *f)
{
    for (size_t i = 0; i < f->evsel.len; i++) {
        const struct pts_attr *a = &f->evsel.at[i].attr;
        if (a->sample_type & PTS_SAMPLE_AUX && a->aux_sample_size)
            return true;
    }
    return false;
}

pts_status aux_queues_make(const struct perf_file *f, const struct aux_how *how,
                           struct aux_queues *out, struct pts_diag *why)
{
    struct collect c = {.f = f, .how = how, .why = why};
    struct perf_aux_index index;
    bool samples = aux_is_sampled(f);
    /* The index knows AUXTRACE records, not the samples that have pieces inside. */
    pts_status st = !samples && perf_feat_aux_index(f, &index)
                        ? collect_indexed(&c, &index)
                        : PTS_E_FORMAT;
    if (st == PTS_E_FORMAT) {
        collect_free(&c);
        c = (struct collect){.f = f, .how = how, .why = why};
        st = collect_walking(&c, samples);
    }
    if (st != PTS_OK) {
        collect_free(&c);
        return st;
    }
    idmap_free(&c.places);
    if (c.q.at.len)
        qsort(c.q.at.at, c.q.at.len, sizeof(*c.q.at.at), queue_before);
    *out = c.q;
    return PTS_OK;
}

void aux_queues_free(struct aux_queues *q)
{
    for (size_t i = 0; i < q->at.len; i++)
        VEC_FREE(&q->at.at[i].buf);
    VEC_FREE(&q->at);
}
