/* inject.c - a recording as another one: records pass, samples take the place of the trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * What becomes of records (perf 6.1):
 *
 *                          --itrace       --strip, too    without
 *     the trace's own      dropped        dropped         pass
 *     SWITCH               pass           dropped         pass
 *     SAMPLE, READ         without AUX    dropped         pass
 *     all others           pass           pass            pass
 *
 * With --jit rounds are dropped, too, as maps that come in are of later times.
 *
 * A new AUXTRACE feature has to say where each AUXTRACE record is by now.
 */
#include "synth/inject/inject.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/record/record.h"

#include <stdio.h>

/* --- What passes ------------------------------------------------------------------ */

static bool is_of_trace(uint32_t type)
{
    return type == PTS_RECORD_AUXTRACE_INFO || type == PTS_RECORD_AUXTRACE ||
           type == PTS_RECORD_ID_INDEX || type == PTS_RECORD_AUX ||
           type == PTS_RECORD_ITRACE_START || type == PTS_RECORD_AUX_OUTPUT_HW_ID;
}

static bool is_stripped(uint32_t type)
{
    return type == PTS_RECORD_SAMPLE || type == PTS_RECORD_READ ||
           type == PTS_RECORD_SWITCH || type == PTS_RECORD_SWITCH_CPU_WIDE;
}

static bool wants_record(void *ctx, uint32_t type)
{
    const struct inject *in = ctx;

    /* Those of a file's header are written there. */
    if (!in->pipe && (type == PTS_RECORD_HEADER_ATTR || type == PTS_RECORD_EVENT_TYPE))
        return false;
    if (in->opts->jit && type == PTS_RECORD_FINISHED_ROUND)
        return false;
    if (!inject_decodes(in->opts) || (in->pipe && type == PTS_RECORD_AUXTRACE_INFO))
        return true;
    return !is_of_trace(type) && !(in->opts->strip && is_stripped(type));
}

static uint32_t of_class(void *ctx, enum out_class class)
{
    (void)ctx, (void)class;
    return WANT_CHAINS | WANT_BRANCHES;
}

/* --- Build ids in front of what hits ---------------------------------------------- */

static bool is_no_file(const char *name)
{
    return strncmp(name, "//anon", 6) == 0 ||
           strncmp(name, "/anon_hugepage", 14) == 0 ||
           strncmp(name, "/dev/zero", 9) == 0 || strncmp(name, "[stack", 6) == 0 ||
           strncmp(name, "[heap]", 6) == 0 || strncmp(name, "/SYSV", 5) == 0;
}

/* One that is known is only told in the header, as by perf. */
static void put_id_of(struct inject *in, const struct sb_dso *d)
{
    uint8_t keep[20];
    struct put_id id;

    const struct known_id *known =
        is_no_file(d->path) ? NULL : known_find(&in->known, d->path);
    if (known)
        in->out->buf.failed |= !hits_know(&in->hits, d, known->id, known->len);
    else if (hits_id(&in->hits, d, PTS_RECORD_BUILD_ID, &id, keep))
        put_build_id(&in->out->buf, &id);
}

/* The file of a map, the first time.  One whose record has its id needs no other. */
static pts_status id_of_map(struct inject *in, const struct record *r, uint32_t epoch)
{
    const struct pts_mmap *m = &r->u.mmap;
    bool kernel = (r->head.misc & PTS_MISC_MODE) == PTS_MODE_KERNEL;
    const struct sb_dso *now = NULL;

    if (!m->build_id_len && (!in->opts->build_id_all || is_no_file(m->name)))
        return PTS_OK;
    const struct hits_at at = {
        .thread = kernel ? SB_NONE : sb_thread(in->scene.sb, m->pid, m->pid, epoch + 1),
        .epoch = epoch + 1,
        .addr = m->addr,
        .kernel = kernel,
        .name = m->name};
    /* Of those perf then knows nothing but that their record says it. */
    if (m->build_id_len && in->opts->build_id_all)
        return hits_leave_out(&in->hits, &at);
    pts_status st = hits_map(&in->hits, &at, &now);
    if (now && !m->build_id_len)
        put_id_of(in, now);
    return st;
}

/* --- Records ---------------------------------------------------------------------- */

static pts_status note_aux(struct inject *in, const struct perf_rec *r)
{
    struct inject_aux *a = VEC_PUSH(&in->aux);

    in->had_aux = true;
    if (!a)
        return PTS_E_NOMEM;
    *a = (struct inject_aux){out_at(in->out), r->size};
    return PTS_OK;
}

static void put_whole(struct inject *in, const struct perf_rec *r)
{
    put_bytes(&in->out->buf, r->ptr, r->size);
    perf_file_soon(in->scene.file, r->behind, (size_t)r->payload);
    put_bytes(&in->out->buf, r->behind, (size_t)r->payload);
    perf_file_passed(in->scene.file, &in->passed, r->payload);
}

/* One that a jitdump takes the place of does not pass. */
static pts_status take_map(struct inject *in, const struct record *r, uint32_t epoch,
                           bool *taken)
{
    const struct hits_at at = {
        .thread = sb_thread(in->scene.sb, r->u.mmap.pid, r->u.mmap.pid, epoch + 1),
        .epoch = epoch + 1,
        .addr = r->u.mmap.addr,
        .name = r->u.mmap.name};

    if (!inject_takes_jit(in->opts))
        return id_of_map(in, r, epoch);
    if ((r->head.misc & PTS_MISC_MODE) != PTS_MODE_USER)
        return PTS_OK;
    return jit_map(&in->jit, &r->u.mmap, hits_index(&in->hits, &at), in->out, taken,
                   in->why);
}

/* Those that are to be looked into. */
static pts_status read_record(struct inject *in, uint64_t off, uint32_t epoch,
                              struct record *r, bool *taken)
{
    static const struct pts_bytes nothing;
    pts_status st = PTS_OK;

    if (record_read(in->scene.file, off, r) < 0 || r->how != PTS_RECORD_WHOLE)
        r->u.sample.aux = nothing;
    else if (r->head.type == PTS_RECORD_MMAP || r->head.type == PTS_RECORD_MMAP2)
        st = take_map(in, r, epoch, taken);
    else if (r->head.type == PTS_RECORD_TIME_CONV)
        jit_note_conv(&in->jit, &r->u.time_conv);
    else if (inject_decodes(in->opts) && record_is(r, PTS_RECORD_AUXTRACE_ERROR))
        in->skip_error = true;
    return st;
}

/* Those in front of which a guest's come. */
static bool is_in_turn(uint32_t type)
{
    return type == PTS_RECORD_MMAP || type == PTS_RECORD_MMAP2 ||
           type == PTS_RECORD_COMM || type == PTS_RECORD_FORK ||
           type == PTS_RECORD_EXIT || type == PTS_RECORD_LOST ||
           type == PTS_RECORD_SWITCH || type == PTS_RECORD_SWITCH_CPU_WIDE ||
           type == PTS_RECORD_KSYMBOL || type == PTS_RECORD_TEXT_POKE;
}

/* perf says which record it had in hand: the round that let go of number `index`. */
static pts_status guest_failed(const struct inject *in, size_t index, pts_status st)
{
    const struct perf_order *order = in->scene.order;
    char text[sizeof(in->why->text)];
    struct perf_rec r;

    if (st != PTS_E_RANGE)
        return st;
    for (; index < order->rec.len; index++)
        if (perf_rec_header(in->scene.file, order->rec.at[index].off, &r) == PTS_OK &&
            r.type == PTS_RECORD_FINISHED_ROUND)
            break;
    if (index >= order->rec.len)
        return st;
    snprintf(text, sizeof(text), "%s", in->why->text);
    return diag_set(in->why, st, UINT64_MAX,
                    "%s\n%#llx [%#x]: failed to process type: %u [Invalid argument]",
                    text,
                    (unsigned long long)perf_file_shown(in->scene.file, r.off).off,
                    (unsigned)r.size, (unsigned)r.type);
}

/* What of a guest's recording comes in front of a record of its host. */
static pts_status guest_before(struct inject *in, uint64_t off, uint32_t index)
{
    struct guest *g = in->guest;
    struct perf_rec r;
    pts_status st = PTS_OK;

    if (perf_rec_at(in->scene.file, off, &r) < 0)
        return PTS_OK;
    bool timed = r.id.has & PTS_SAMPLE_TIME && r.id.time && r.id.time != UINT64_MAX;
    if (r.type == PTS_RECORD_FINISHED_INIT) {
        g->host_clock = (struct guest_clock){in->jit.conv, in->jit.conv_zero};
        return guest_begin(g, &r, in->out, in->why);
    }
    if (timed)
        in->last_time = r.id.time;
    if (r.type == PTS_RECORD_FINISHED_ROUND)
        st = guest_until(g, in->last_time, in->out, in->why);
    if (r.type == PTS_RECORD_SWITCH || r.type == PTS_RECORD_SWITCH_CPU_WIDE)
        st = guest_switch(g, &r, in->why);
    if (st == PTS_OK && is_in_turn(r.type))
        st = guest_until(g, r.id.has & PTS_SAMPLE_TIME ? r.id.time : UINT64_MAX,
                         in->out, in->why);
    return guest_failed(in, index, st);
}

static pts_status take_record(struct inject *in, uint64_t off, uint32_t epoch)
{
    struct record r;
    pts_status st = perf_rec_header(in->scene.file, off, &r.head);

    if (st < 0)
        return PTS_OK; /* it is there no more, which the run tells */
    uint32_t type = r.head.type;
    bool taken = false;
    /* Pieces of trace in samples go also where they are not decoded. */
    bool sample =
        (inject_decodes(in->opts) ||
         (in->opts->trace && (in->opts->build_id_all || inject_merges(in->opts)))) &&
        type == PTS_RECORD_SAMPLE;
    if (inject_decodes(in->opts) && type == PTS_RECORD_AUXTRACE_INFO) {
        if (off == in->scene.file->data.info_off)
            inject_pipe_made(in);
        return PTS_OK;
    }
    bool map = in->looks && (type == PTS_RECORD_MMAP || type == PTS_RECORD_MMAP2);
    if (type == PTS_RECORD_AUXTRACE)
        st = note_aux(in, &r.head);
    if (sample || map || type == PTS_RECORD_AUXTRACE_ERROR ||
        type == PTS_RECORD_TIME_CONV)
        st = read_record(in, off, epoch, &r, &taken);
    if (taken)
        return st;
    if (sample)
        put_sample_without_aux(&in->out->buf, &r.head, &r.u.sample.aux);
    else
        put_whole(in, &r.head);
    return st;
}

/* --- Samples that become one ------------------------------------------------------- */

/* What the samples that follow a record in the batch hit: they are what it stands for. */
static pts_status note_hits(struct inject *in, const struct batch *b, size_t record)
{
    const struct sb_dso *now;
    pts_status st = PTS_OK;
    size_t i = record + 1;

    for (; st == PTS_OK && i < b->item.len && b->item.at[i].kind == ITEM_SAMPLE; i++)
        st = hits_sample(&in->hits, &b->item.at[i].sample, &now);
    return st;
}

/* The same of a sample that was made of two, at the time of the later one. */
static pts_status note_hits_of(struct inject *in, const struct record *r,
                               uint32_t epoch)
{
    const struct pts_sample_id *id = &r->head.id;
    const struct sample s = {
        .who = {.epoch = epoch,
                .thread = sb_thread(in->scene.sb, id->pid, id->tid, epoch)},
        .ip = r->u.sample.ip,
        .cpumode = r->head.misc & PTS_MISC_MODE
    };
    const struct sb_dso *now;

    return hits_sample(&in->hits, &s, &now);
}

static pts_status take_merged(struct inject *in, const struct batch *b, size_t i)
{
    const struct item *it = &b->item.at[i];
    struct record r, made;

    bool sample = record_read(in->scene.file, it->record, &r) == PTS_OK &&
                  record_is(&r, PTS_RECORD_SAMPLE);
    if (!sample || !sched_is_of(&in->sched, &r)) {
        pts_status st = sample ? note_hits(in, b, i) : PTS_OK;
        return st == PTS_OK ? take_record(in, it->record, it->epoch) : st;
    }
    /* Of one that read counters the period is by how much they moved. */
    if (i + 1 < b->item.len && b->item.at[i + 1].kind == ITEM_SAMPLE)
        r.u.sample.period = b->item.at[i + 1].sample.period;
    pts_status st = sched_take(&in->sched, &r, &in->out->buf, &made);
    return st == PTS_OK && made.head.size ? note_hits_of(in, &made, it->epoch) : st;
}

/* --- Samples ---------------------------------------------------------------------- */

/* A recorded one is a record, too, which has passed.  With --build-ids it comes behind the
 * id of what it hits: see take_recorded. */
static pts_status take_sample(struct inject *in, const struct sample *s)
{
    const struct sb_dso *now;

    /* PEBS records, which alone have more, are samples of events that were recorded. */
    if (in->opts->strip && (s->recorded || s->more))
        return PTS_OK;
    if (!s->recorded)
        put_sample(&in->out->buf, &in->form.at[s->event], s);
    return hits_sample(&in->hits, s, &now);
}

static void take_error(struct inject *in, const struct pts_auxtrace_error *e)
{
    if (!in->skip_error && inject_decodes(in->opts))
        put_error(&in->out->buf, e);
    in->skip_error = false;
}

/* The id of what a sample hits stands in front of it: what follows a record in the batch
 * are the samples that it stands for. */
static pts_status ids_before(struct inject *in, const struct batch *b, size_t record)
{
    const struct sb_dso *now;
    pts_status st = PTS_OK;
    size_t i = record + 1;

    for (; st == PTS_OK && i < b->item.len && b->item.at[i].kind == ITEM_SAMPLE; i++) {
        st = hits_sample(&in->hits, &b->item.at[i].sample, &now);
        if (now)
            put_id_of(in, now);
    }
    return st;
}

static pts_status take_item(struct inject *in, const struct batch *b, size_t i)
{
    const struct item *it = &b->item.at[i];
    const struct sb_dso *now;
    pts_status st = PTS_OK;

    switch (it->kind) {
    case ITEM_SAMPLE:
        if (inject_takes_jit(in->opts))
            return hits_sample(&in->hits, &it->sample, &now);
        return inject_decodes(in->opts) ? take_sample(in, &it->sample) : PTS_OK;
    case ITEM_ERROR:
        take_error(in, it->error);
        return PTS_OK;
    case ITEM_RECORD:
        if (inject_merges(in->opts))
            return take_merged(in, b, i);
        if (in->opts->build_ids && !in->opts->build_id_all)
            st = ids_before(in, b, i);
        if (st == PTS_OK && in->guest)
            st = guest_before(in, it->record, it->epoch);
        return st == PTS_OK ? take_record(in, it->record, it->epoch) : st;
    case ITEM_SERIES: /* not asked for */
    case ITEM_TRACE:
    case ITEM_TEXT:
        break;
    }
    return PTS_OK;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct inject *in = ctx;
    pts_status st = PTS_OK;

    for (; st == PTS_OK && from < b->item.len; from++) {
        st = take_item(in, b, from);
        if (st == PTS_OK && !refused_any(in->refused))
            st = out_flush_full(in->out, in->why);
    }
    *next = from;
    return st;
}

/* --- Begin and end ---------------------------------------------------------------- */

static pts_status make_forms(struct inject *in)
{
    const struct evlist *l = &in->scene.plan->evl;

    for (size_t i = 0; i < l->ev.len; i++) {
        const struct evl_event *e = &l->ev.at[i];
        struct sample_form *f = VEC_PUSH(&in->form);
        if (!f)
            return PTS_E_NOMEM;
        *f = (struct sample_form){.type = e->attr.sample_type, .id = e->id};
        if (i < in->scene.file->evsel.len)
            f->read_format = in->scene.file->evsel.at[i].attr.read_format;
        else
            f->no_hw_idx = in->opts->no_hw_idx;
    }
    return PTS_OK;
}

/* perf leaves room for the attributes of events that it makes. */
static pts_status begin(void *ctx, const struct scene *scene)
{
    struct inject *in = ctx;

    in->scene = *scene;
    in->looks = in->opts->trace || in->opts->build_ids || in->opts->build_id_all ||
                in->opts->sched_stat || in->opts->jit;
    in->jit.file = scene->file;
    pts_status st = make_forms(in);
    if (st == PTS_OK)
        st = hits_init(&in->hits, scene->sb);
    if (st == PTS_OK && inject_merges(in->opts))
        st = sched_init(&in->sched, scene->file, &scene->plan->evl, in->why);
    if (st < 0)
        return st;
    if (in->pipe)
        return inject_pipe_front(in);
    in->data_at = inject_head_bytes(in);
    return out_seek(in->out, in->data_at, in->why);
}

static pts_status end(void *ctx)
{
    struct inject *in = ctx;
    pts_status st =
        in->guest ? guest_until(in->guest, UINT64_MAX, in->out, in->why) : PTS_OK;

    if (st < 0)
        return st;
    return in->out->buf.failed ? PTS_E_NOMEM : in->pipe ? PTS_OK : inject_header(in);
}

struct sink inject_sink(struct inject *in)
{
    return (struct sink){
        .wants = {.ctx = in, .of_class = of_class},
        .wants_record = wants_record,
        .begin = begin,
        .take = take,
        .end = end
    };
}

void inject_free(struct inject *in)
{
    hits_free(&in->hits);
    known_free(&in->known);
    sched_free(&in->sched);
    jit_free(&in->jit);
    VEC_FREE(&in->form);
    VEC_FREE(&in->aux);
}
