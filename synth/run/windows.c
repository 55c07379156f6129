/* windows.c - when each queue was traced.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/windows.h"

#include "decoder/base/diag.h"
#include "synth/run/flow_conf.h"
#include "synth/run/index_file.h"
#include "synth/run/queues.h"

/* What finding goes by. */
struct finding {
    const struct pts_session *session;
    struct flow_config conf;
    bool may_overlap;
    struct pkt_sizes sizes;
    struct perf_passed passed;
    struct trace_index x;
};

static pts_status add_piece(struct finding *f, const struct aux_buf *b)
{
    struct trace_index *x = &f->x;
    struct index_piece *p = VEC_PUSH(&x->piece);

    if (!p)
        return PTS_E_NOMEM;
    *p = (struct index_piece){
        .off = b->off, .len = b->len, .hash = index_hash(b), .first = x->psbs.psb.len};
    perf_file_soon(f->session->file, b->ptr, b->len);
    pts_status st = psb_list_add(&x->psbs, b->ptr, b->len);
    p->count = st == PTS_OK ? x->psbs.psb.len - p->first : INDEX_UNLISTED;
    perf_file_passed(f->session->file, &f->passed, b->len);
    return st < 0 ? st : PTS_OK;
}

static pts_status add_windows(struct trace_index *x, struct survey *s,
                              const struct aux_queue *from)
{
    struct index_queue *q = VEC_PUSH(&x->queue);

    if (!q || !VEC_ROOM(&x->window, s->window.len))
        return PTS_E_NOMEM;
    *q = (struct index_queue){.idx = from->idx,
                              .cpu = from->cpu,
                              .tid = from->tid,
                              .sum = s->sum,
                              .first = x->window.len,
                              .count = s->window.len};
    for (size_t i = 0; i < s->window.len; i++)
        x->window.at[x->window.len++] = s->window.at[i];
    return PTS_OK;
}

static pts_status look_through(struct finding *f, struct survey *s,
                               const struct aux_queue *from, struct pt_buf *buf)
{
    queue_pieces(from, f->may_overlap, f->conf.have_tsc, buf);
    for (size_t i = 0; i < from->buf.len; i++) {
        perf_file_soon(f->session->file, buf[i].ptr, buf[i].len);
        if (!survey_buffer(s, &buf[i]))
            return PTS_E_NOMEM;
        perf_file_passed(f->session->file, &f->passed, buf[i].len);
    }
    return survey_end(s) ? add_windows(&f->x, s, from) : PTS_E_NOMEM;
}

static pts_status find_queue(struct finding *f, const struct aux_queue *from)
{
    const struct tsc_conv *conv = &f->session->info.conv;
    struct arena arena = {0};
    struct survey s;
    struct pt_buf *buf = arena_alloc(&arena, (from->buf.len + 1) * sizeof(*buf));

    survey_init(&s, &f->sizes, &f->conf.clock, tsc_ticks_of_ns(WINDOW_GAP_NS, conv));
    pts_status st = buf ? look_through(f, &s, from, buf) : PTS_E_NOMEM;
    survey_free(&s);
    arena_free(&arena);
    return st;
}

static pts_status find_all(struct finding *f, const struct aux_queues *queues,
                           bool lists)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < queues->at.len; i++) {
        const struct aux_queue *q = &queues->at.at[i];
        st = find_queue(f, q);
        for (size_t k = 0; lists && st == PTS_OK && k < q->buf.len; k++)
            st = add_piece(f, &q->buf.at[k]);
    }
    index_sort(&f->x);
    return st;
}

/* How the trace was recorded, as far as times depend on it. */
static pts_status find_how(struct finding *f)
{
    const struct decode_plan nothing = {0};
    struct flow_regions regions = {0};
    struct arena arena = {0};
    pts_status st = flow_conf_make(f->session, &nothing, &arena, &regions, &f->conf);

    f->may_overlap = aux_is_sampled(f->session->file) || f->session->info.snapshot;
    VEC_FREE(&regions.at);
    arena_free(&arena);
    return st;
}

static pts_status find_anew(const struct pts_session *s,
                            const struct aux_queues *queues, bool lists,
                            struct trace_index *out)
{
    struct finding *f = mem_zalloc(1, sizeof(*f));

    if (!f)
        return PTS_E_NOMEM;
    f->session = s;
    survey_sizes_make(&f->sizes);
    pts_status st = find_how(f);
    if (st == PTS_OK)
        st = find_all(f, queues, lists);
    if (st == PTS_OK)
        *out = f->x;
    else
        index_free(&f->x);
    mem_free(f);
    return st;
}

static pts_status find(const struct pts_session *s, bool anew,
                       const struct aux_queues *queues, struct trace_index *out)
{
    pts_status st = anew ? PTS_END : index_load(s, queues, out);

    return st == PTS_END ? find_anew(s, queues, anew, out) : st;
}

pts_status windows_find(const struct pts_session *s, bool anew, struct trace_index *out,
                        struct pts_diag *why)
{
    const struct aux_how how = {.clock = s->info.conv};
    struct aux_queues queues = {0};

    if (!s->has_pt)
        return PTS_OK;
    pts_status st = aux_queues_make(s->file, &how, &queues, why);
    if (st == PTS_OK)
        st = find(s, anew, &queues, out);
    aux_queues_free(&queues);
    return st;
}

static pts_status keep(const struct pts_session *s, const struct aux_queues *queues,
                       struct pts_diag *why)
{
    struct trace_index x = {0};
    pts_status st = index_load_silent(s, queues, &x);

    if (st == PTS_END)
        st = find_anew(s, queues, true, &x);
    else if (st == PTS_OK)
        st = PTS_END; /* it is there */
    if (st == PTS_OK)
        st = index_store(s, &x, why);
    else if (st == PTS_E_NOMEM)
        diag_set(why, st, UINT64_MAX, "out of memory");
    index_free(&x);
    return st == PTS_END ? PTS_OK : st;
}

pts_status windows_keep(const struct pts_session *s, struct pts_diag *why)
{
    const struct aux_how how = {.clock = s->info.conv};
    struct aux_queues queues = {0};
    pts_status st = s->has_pt ? aux_queues_make(s->file, &how, &queues, why) : PTS_OK;

    if (st == PTS_OK)
        st = keep(s, &queues, why);
    aux_queues_free(&queues);
    return st;
}
