/* run_dump.c - a run that prints every record: -D.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is decoded; but threads and maps are followed, since samples are printed with
 * their names, and the lines of --show-*-events come behind their records.
 */
#include "synth/run.h"

#include "walker/sb_feed.h"

static void dump_enter(void *ctx, const struct perf_rec *rec)
{
    struct pts_stream *r = ctx;
    run_count(r, rec);
    /* the dump has moved on to the record behind this one */
    r->record = r->dump.next - 1;
    r->epoch = (uint32_t)r->record;
}

/* A parent that belongs to another process is somebody who left without an EXIT. */
static void dump_parent(struct pts_stream *r, const struct perf_rec *rec,
                        struct text *t)
{
    struct pts_task task;

    if (perf_rec_task(rec, &task) < 0)
        return;
    uint32_t parent = sb_thread(r->sb, task.ppid, task.ptid, (uint32_t)r->record);
    if (parent == SB_NONE || sb_thread_pid(r->sb, parent) == task.ppid)
        return;
    text_fmt(t, "removing erroneous parent thread %d/%d\n",
             sb_thread_pid(r->sb, parent), sb_thread_tid(r->sb, parent));
}

static void dump_lines(void *ctx, const struct perf_rec *rec,
                       const struct pts_sample *p, struct text *t)
{
    struct pts_stream *r = ctx;
    if (rec->type == PERF_REC_FORK)
        dump_parent(r, rec, t);
    if (rec->type == PERF_REC_FEATURE)
        run_feature(r, rec, t);
    if (p)
        run_sample(r, rec, p, t);
    else
        run_show(r, rec, t);
    if (run_stat(r, rec, t) < 0)
        t->failed = true;
}

static bool dump_keep(void *ctx, int32_t cpu)
{
    const struct pts_stream *r = ctx;
    return !cpus_skip(synth_needs(r->synth)->cpus, cpu);
}

/* Records as they stand in the file; they also take effect in that order. */
static pts_status file_order(struct pts_stream *r, struct pts_diag *why)
{
    struct pts_session *s = r->session;
    pts_status st = perf_order_make(s->file, true, &r->own_order, why);

    if (st >= 0)
        st = sb_new(&r->own_sb);
    if (st >= 0)
        sb_look_into(r->own_sb, s->images);
    if (st >= 0)
        st = sb_feed(r->own_sb, s->file, &r->own_order, s->has_pt ? &s->info : NULL,
                     why);
    if (st >= 0)
        st = sb_finish(r->own_sb);
    if (st >= 0)
        st = code_store_new(r->own_sb, s->images, &r->own_codes);
    r->order = &r->own_order;
    r->sb = r->own_sb;
    r->codes = r->own_codes;
    return st;
}

pts_status run_file_order(struct pts_stream *r, const struct options *o,
                          struct pts_diag *why)
{
    bool decode = r->session->has_pt && !o->dump && !o->itrace.dont_decode;

    return o->dump_unsorted || (o->show_round && !decode) ? file_order(r, why) : PTS_OK;
}

static struct dump_opts opts_of(struct pts_stream *r, const struct options *o)
{
    return (struct dump_opts){
        .file = r->session->file,
        .order = r->order,
        .unsorted = o->dump_unsorted || o->show_round,
        .rounds = o->show_round,
        .lost = o->show_lost,
        .no_itrace = o->itrace.dont_decode,
        .names = run_rec_names(r),
        .ctx = r,
    };
}

void run_dump_open(struct pts_stream *r)
{
    struct dump_opts opts = opts_of(r, synth_options(r->synth));

    opts.keep = synth_needs(r->synth)->cpus ? dump_keep : NULL;
    opts.enter = dump_enter;
    opts.lines = dump_lines;
    dump_init(&r->dump, &opts);
    r->dumping = true;
}

static void feature_lines(void *ctx, const struct perf_rec *rec,
                          const struct pts_sample *p, struct text *t)
{
    (void)p;
    if (rec->type == PERF_REC_FEATURE)
        run_feature(ctx, rec, t);
}

void run_dump_before(struct pts_stream *r, const struct options *o, uint64_t shown)
{
    const struct perf_file *f = r->session->file;
    struct dump_opts opts = opts_of(r, o);
    struct dump d;

    opts.lines = feature_lines; /* there is no run yet that could say more */
    dump_init(&d, &opts);
    while (d.next < r->order->rec.len &&
           perf_file_place(f, r->order->rec.at[d.next].off).off <= shown &&
           dump_step(&d, &r->text) == PTS_OK) {
    }
    r->ahead = r->text.len > 0;
}
