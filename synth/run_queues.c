/* run_queues.c - the queues of a trace, and how they are merged.
 *
 * SPDX-License-Identifier: MIT
 *
 * A queue's pieces continue each other, but snapshots and AUX samples may overlap or
 * leave gaps: what a piece has in common with the one before it is left out, and where
 * it does not continue it the decoder begins anew (spec C4).
 */
#include "synth/run.h"

#include "decoder/overlap.h"

static pts_status queue_next(void *ctx, uint32_t queue, struct event_batch *out)
{
    struct pts_stream *r = ctx;
    return flow_next(r->queue[queue].flow, out);
}

static bool keep_cpu(void *ctx, int32_t cpu)
{
    const struct pts_stream *r = ctx;
    return !cpus_skip(synth_needs(r->synth)->cpus, cpu);
}

/* Snapshots and samples are cut to what the piece before them did not have. */
static void queue_pieces(const struct pts_stream *r, const struct aux_queue *from,
                         struct pt_buf *buf)
{
    const struct aux_buf *last = NULL; /* that has something new */
    for (size_t i = 0; i < from->buf.len; i++) {
        const struct aux_buf *b = &from->buf.at[i];
        bool consecutive = last != NULL;
        size_t skip = 0;
        if (last && r->may_overlap)
            skip = overlap_find((struct pts_bytes){last->ptr, last->len},
                                (struct pts_bytes){b->ptr, b->len}, r->conf.have_tsc,
                                &consecutive);
        buf[i] = (struct pt_buf){b->ptr + skip, b->len - skip, b->reference, b->nr,
                                 consecutive};
        if (buf[i].len)
            last = b;
    }
}

static pts_status queue_open(struct pts_stream *r, struct run_queue *q,
                             const struct aux_queue *from)
{
    const struct flow_images images = {code_store_get, r->codes};
    struct pt_buf *buf = arena_alloc(&r->arena, from->buf.len * sizeof(*buf));

    if (!buf)
        return PTS_E_NOMEM;
    queue_pieces(r, from, buf);
    q->cpu = from->cpu;
    q->tid = from->tid;
    q->use_current = r->session->info.have_sched_switch != 0;
    struct flow_queue fq = {.bufs = buf,
                            .count = (uint32_t)from->buf.len,
                            .cpu = from->cpu,
                            .tid = from->tid,
                            .use_current = q->use_current,
                            .by_piece = r->by_piece};
    return flow_new(&r->conf, &fq, r->sb, &images, &q->flow);
}

pts_status run_queues(struct pts_stream *r, struct pts_diag *why)
{
    const struct synth_needs *needs = synth_needs(r->synth);
    pts_status st = flow_conf_make(r->session, needs, &r->arena, &r->regions, &r->conf);

    const struct aux_how how = {
        .keep = needs->cpus ? keep_cpu : NULL, .ctx = r, .clock = needs->conv};
    bool sampled = aux_is_sampled(r->session->file);
    if (st >= 0)
        st = aux_queues_make(r->session->file, &how, &r->aux, why);
    if (st < 0)
        return st;
    r->may_overlap = sampled || r->session->info.snapshot;
    r->by_piece = sampled && !r->session->info.snapshot && r->conf.timeless;
    r->conf.want_times = r->aux.at.len > 1;
    r->queue = arena_alloc(&r->arena, (r->aux.at.len + 1) * sizeof(*r->queue));
    if (!r->queue)
        return PTS_E_NOMEM;
    for (size_t i = 0; st >= 0 && i < r->aux.at.len; i++) {
        st = queue_open(r, &r->queue[i], &r->aux.at.at[i]);
        r->queue_count += st >= 0;
    }
    const struct merge_source source = {queue_next, r};
    return st < 0 ? st : merge_new(r->queue_count, &source, &r->merge);
}
