/* queues_open.c - the queues of a trace are made ready, and put away.
 *
 * SPDX-License-Identifier: MIT
 *
 * A queue's pieces continue each other, but snapshots and AUX samples may overlap or
 * leave gaps: what a piece has in common with the one before it is left out, and where
 * it does not continue it the decoder begins anew.
 */
#include "synth/run/queues.h"

#include "decoder/pt/overlap.h"
#include "decoder/pt/stream.h"
#include "synth/run/index_file.h"
#include "synth/run/queues_plain.h"

/* Where each branch is told, a byte of trace takes so long that pages may go, and come back, often. */
static void pages_passed(struct queues *q, uint64_t bytes)
{
    enum { OFTEN = 8 };
    const bool often = q->images != NULL;

    if (perf_file_passed(q->file, &q->touched, often ? bytes * OFTEN : bytes) && often)
        image_store_let_go(q->images);
}

static bool tells_each_branch(const struct flow_config *c)
{
    return c->want & EV_BRANCH && !c->net_calls && c->want_classes == UINT32_MAX;
}

/* Of bytes of a queue from `from` to `end`, those of one piece, which begins at `at`. */
static void piece_soon(const struct queues *q, const struct pt_buf *b, uint64_t at,
                       uint64_t from, uint64_t end)
{
    const uint64_t skip = at < from ? from - at : 0;
    const uint64_t last = end - at < b->len ? end - at : b->len;

    perf_file_soon(q->file, b->ptr + skip, (size_t)(last - skip));
}

/* What a queue reads until it is asked again, and whoever follows it ahead. */
static void pages_soon(const struct queues *q, struct run_queue *one)
{
    enum { STEP = 64 << 10 };
    const struct flow_queue *queue = &relay_made_of(one->relay)->queue;
    const uint64_t pos = relay_passed(one->relay);
    const uint64_t end = pos + STEP + relay_reach(one->relay);
    uint64_t at = one->read.begin;

    if (pos < one->read.next)
        return;
    one->read.next = pos + STEP;
    for (uint32_t i = one->read.piece; i < queue->count && at < end; i++) {
        const struct pt_buf *b = &queue->bufs[i];
        if (at + b->len > pos) {
            piece_soon(q, b, at, pos, end);
        } else {
            one->read.piece = i + 1;
            one->read.begin = at + b->len;
        }
        at += b->len;
    }
}

static pts_status queue_next(void *ctx, uint32_t queue, const struct relay_turn *turn,
                             struct event_batch *out)
{
    struct queues *q = ctx;
    struct relay *r = q->at[queue].relay;
    uint64_t before = relay_passed(r);

    pages_soon(q, &q->at[queue]);
    pts_status st = relay_next(r, turn, out);

    before = relay_passed(r) - before;
    q->gone += before;
    pages_passed(q, before);
    q->at[queue].ended = st == PTS_END;
    return st;
}

static uint64_t queue_reached(void *ctx, uint32_t queue)
{
    const struct queues *q = ctx;

    return flow_event_time(relay_flow(q->at[queue].relay));
}

static bool keep_cpu(const void *ctx, int32_t cpu)
{
    const struct plan *p = ctx;
    return !cpus_skip(&p->sel.cpus, cpu);
}

void queue_pieces(const struct aux_queue *from, bool may_overlap, bool have_tsc,
                  struct pt_buf *buf)
{
    const struct aux_buf *last = NULL; /* that has something new */
    for (size_t i = 0; i < from->buf.len; i++) {
        const struct aux_buf *b = &from->buf.at[i];
        bool consecutive = last != NULL;
        size_t skip = 0;
        if (last && may_overlap)
            skip = overlap_find((struct pts_bytes){last->ptr, last->len},
                                (struct pts_bytes){b->ptr, b->len},
                                have_tsc ? OVERLAP_BY_TIME : OVERLAP_BY_BYTES,
                                &consecutive);
        buf[i] = (struct pt_buf){.ptr = b->ptr + skip,
                                 .len = b->len - skip,
                                 .ref = b->reference,
                                 .nr = b->nr,
                                 .consecutive = consecutive};
        if (buf[i].len)
            last = b;
    }
}

static pts_status queue_open(struct queues *q, const struct queues_from *from,
                             const struct aux_queue *aux)
{
    struct run_queue *one = &q->at[q->count];
    struct pt_buf *buf = arena_alloc(&q->arena, aux->buf.len * sizeof(*buf));

    if (!buf)
        return PTS_E_NOMEM;
    queue_pieces(aux, q->may_overlap, q->conf.have_tsc, buf);
    if (q->indexed && !index_lists(&q->index, aux, buf, &q->arena))
        return PTS_E_NOMEM;
    one->cpu = aux->cpu;
    one->tid = aux->tid;
    for (size_t i = 0; i < aux->buf.len; i++)
        one->bytes += buf[i].len;
    q->bytes += one->bytes;
    one->use_current = from->session->info.have_sched_switch != 0;
    queues_nobody(q, one);
    one->log = (struct log_queue){q->log, q->count, aux->cpu, aux->tid};
    struct relay_conf conf = {
        .flow = &q->conf,
        .queue = {.bufs = buf,
                  .count = (uint32_t)aux->buf.len,
                  .cpu = aux->cpu,
                  .tid = aux->tid,
                  .use_current = one->use_current,
                  .by_piece = q->by_piece,
                  .watch = q->log ? decode_log_packet : NULL,
                  .watch_ctx = &one->log},
        .sb = from->sb,
        .images = {code_store_get, from->codes},
        .team = &q->team.relay
    };
    pts_status st = queue_find_plain(q, &conf.queue);
    if (st >= 0)
        st = relay_new(&conf, &one->relay);
    q->count += st >= 0;
    return st;
}

/* Whether so little is printed that two events at the same time are rare, and that it does not matter
 * that by_time tells them one by one.  A call that changes a stack may bring the news of a frequency; and
 * to make stacks anew costs too much where a tie may not be broken. */
static bool is_rare(const struct flow_config *c, size_t queues)
{
    enum { FEW = 1000 }; /* instructions or ticks between two samples */
    const bool many =
        c->want & EV_INSN && c->period_type != PERIOD_NONE && c->period < FEW;
    const bool calls = c->want & EV_BRANCH && c->net_calls && !(c->want & EV_CBR) &&
                       queues <= TURNS_FEW;

    return (calls || !(c->want & EV_BRANCH)) && !many && !c->timeless;
}

/* One queue alone needs no times to be put in order with others. */
static pts_status order_make(struct queues *q)
{
    const struct merge_source source = {queue_next, q};
    const struct by_time_source rare = {source, queue_reached, queues_prints,
                                        queues_order_matters, queues_order};
    const uint32_t count = (uint32_t)q->aux.at.len;
    const bool many = count > 1;
    pts_status st = merge_new(count, &source, &q->merge);

    if (st >= 0 && many && is_rare(&q->conf, count) && !q->by_piece && !q->log)
        st = by_time_new(count, &rare, &q->by_time);
    q->conf.want_times = many && !q->by_time;
    return st;
}

/* Ties are broken by following queues once more (scout.h); of many queues less is kept of each. */
static void marks_want(struct queues *q)
{
    enum { MARKS = 256, OF_QUEUE = 64, BYTES = 16 << 10 };
    const size_t n = q->aux.at.len;

    if (!q->by_time || q->conf.range_count)
        return;
    q->team.relay.marks = n <= MARKS / OF_QUEUE ? OF_QUEUE : 1 + (uint32_t)(MARKS / n);
    q->team.relay.mark_bytes = BYTES;
}

/* The number of a thread's queue that runs before any record has told of the thread; UINT32_MAX:
 * none does. */
static pts_status find_unknown(struct queues *q, const struct sideband *sb,
                               uint32_t *queue)
{
    *queue = UINT32_MAX;
    for (uint32_t i = 0; i < q->aux.at.len && *queue == UINT32_MAX; i++) {
        const struct aux_queue *aux = &q->aux.at.at[i];
        uint32_t count = aux->tid == -1 ? 0 : (uint32_t)aux->buf.len;
        struct pt_buf *buf = arena_alloc(&q->arena, (count + 1) * sizeof(*buf));
        uint64_t tsc;
        if (!buf)
            return PTS_E_NOMEM;
        if (count)
            queue_pieces(aux, q->may_overlap, q->conf.have_tsc, buf);
        if (count && stream_first_tsc(buf, count, &tsc) &&
            sb_thread(sb, -1, aux->tid, sb_epoch_at(sb, tsc)) == SB_NONE)
            *queue = i;
    }
    return PTS_OK;
}

/* The call stack of such a thread begins with a turn of its queue, so that it matters when calls
 * are told. */
static pts_status heed_unknown(struct queues *q, const struct sideband *sb)
{
    uint32_t queue = UINT32_MAX;
    pts_status st =
        q->conf.net_calls && !q->conf.timeless ? find_unknown(q, sb, &queue) : PTS_OK;

    if (queue != UINT32_MAX)
        flow_conf_all_branches(&q->conf);
    return st;
}

/* The session's, or those of the CPUs that were asked for. */
static pts_status find_pieces(struct queues *q, const struct queues_from *from,
                              struct pts_diag *why)
{
    const struct pts_session *s = from->session;
    const struct aux_how how = {
        .keep = keep_cpu, .ctx = from->plan, .clock = from->plan->decode.clock};

    q->aux_is_shared = s->has_pieces && !from->plan->sel.cpus.on;
    if (!q->aux_is_shared)
        return aux_queues_make(s->file, &how, &q->aux, why);
    q->aux = s->pieces;
    return PTS_OK;
}

pts_status queues_open(struct queues *q, const struct queues_from *from,
                       struct pts_diag *why)
{
    const struct pts_session *s = from->session;
    const struct decode_plan *plan = &from->plan->decode;
    bool sampled = aux_is_sampled(s->file);

    q->file = s->file;
    pts_status st = flow_conf_make(s, plan, &q->arena, &q->regions, &q->conf);

    if (st >= 0)
        st = find_pieces(q, from, why);
    /* What it knows is where times are. */
    if (st >= 0 && q->conf.range_count) {
        st = index_load(s, &q->aux, &q->index);
        q->indexed = st == PTS_OK;
    }
    if (st < 0)
        return st;
    /* Full trace mode writes each byte once, so there is nothing to look for. */
    q->may_overlap = sampled || s->info.snapshot;
    /* Without times a piece can only be put where the sample is that brought it. */
    q->by_piece = sampled && !s->info.snapshot && q->conf.timeless;
    q->conf.guests = sb_guests_shown(from->sb);
    if (!sampled)
        flow_conf_switches(s, from->sb, &q->conf);
    if (from->plan->stack.any)
        flow_conf_shared(from->sb, &q->conf);
    st = heed_unknown(q, from->sb);
    if (st < 0)
        return st;
    q->images = tells_each_branch(&q->conf) ? s->images : NULL;
    q->at = arena_alloc(&q->arena, (q->aux.at.len + 1) * sizeof(*q->at));
    if (!q->at)
        return PTS_E_NOMEM;
    st = order_make(q);
    if (st >= 0)
        st = team_make(from, &q->aux, &q->team);
    if (q->team.relay.crew)
        perf_file_for_many(q->file);
    marks_want(q);
    for (size_t i = 0; st >= 0 && i < q->aux.at.len; i++)
        st = queue_open(q, from, &q->aux.at.at[i]);
    return st;
}

void queues_close(struct queues *q)
{
    merge_free(q->merge);
    by_time_free(q->by_time);
    scout_free(&q->scout);
    for (uint32_t i = 0; i < q->count; i++)
        relay_free(q->at[i].relay);
    team_free(&q->team);
    if (!q->aux_is_shared)
        aux_queues_free(&q->aux);
    index_free(&q->index);
    VEC_FREE(&q->regions.at);
    arena_free(&q->arena);
}
