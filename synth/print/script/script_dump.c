/* script_dump.c - the text of -D: every record, and what is printed between them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is decoded; but samples are printed with the names of their threads and places,
 * and the lines of --show-*-events come behind their records.
 */
#include "synth/print/script/script.h"

/* A parent that belongs to another process is somebody who left without an EXIT. */
static void put_parent(struct script *s, const struct pts_task *task)
{
    const struct sideband *sb = s->scene.sb;
    uint32_t parent = sb_thread(sb, task->ppid, task->ptid, s->epoch);

    if (parent == SB_NONE || sb_thread_pid(sb, parent) == task->ppid)
        return;
    text_fmt(s->text, "removing erroneous parent thread %d/%d\n",
             sb_thread_pid(sb, parent), sb_thread_tid(sb, parent));
}

static void put_lines(void *ctx, const struct record *rec, struct text *t)
{
    struct script *s = ctx;

    if (record_is(rec, PTS_RECORD_FORK))
        put_parent(s, &rec->u.task);
    if (record_is(rec, PTS_RECORD_FEATURE))
        script_feature(s, rec);
    script_show(s, rec);
    if (script_stat(s, rec) < 0)
        t->failed = true;
}

/* What perf report has no use for, it says. */
static void put_unhandled(void *ctx, const struct record *rec, struct text *t)
{
    static const bool unhandled[] = {
        [PTS_RECORD_THROTTLE] = true,    [PTS_RECORD_UNTHROTTLE] = true,
        [PTS_RECORD_THREAD_MAP] = true,  [PTS_RECORD_CPU_MAP] = true,
        [PTS_RECORD_STAT_CONFIG] = true, [PTS_RECORD_STAT] = true,
        [PTS_RECORD_STAT_ROUND] = true,  [PTS_RECORD_AUXTRACE_ERROR] = true,
    };
    struct script *s = ctx;
    uint32_t type = rec->head.type;

    if (record_is(rec, PTS_RECORD_FORK))
        put_parent(s, &rec->u.task);
    if (rec->how == PTS_RECORD_WHOLE)
        rec_text_stat(t, rec);
    if (type < sizeof(unhandled) && unhandled[type])
        text_str(t, ": unhandled!\n");
}

static struct dump_opts opts_of(struct script *s, const struct perf_order *order)
{
    const struct options *o = &s->opt;

    return (struct dump_opts){
        .file = s->from.file,
        .file_order = order->file_order,
        .rounds = o->text.show_round,
        .lost = o->text.show_lost,
        .no_itrace = o->itrace.dont_decode,
        .no_errors = s->from.reported,
        .names = script_names(s),
        .ctx = s,
    };
}

static void say_order(struct script *s, const struct perf_order *order)
{
    const struct options *o = &s->opt;
    bool asked = o->dump_unsorted || o->text.show_round;

    if (order->file_order && !asked)
        text_str(s->text,
                 "WARNING: No sample_id_all support, falling back to unordered "
                 "processing\n");
}

void script_dump_begin(struct script *s)
{
    struct dump_opts opts = opts_of(s, s->scene.order);

    opts.lines = s->from.reported ? put_unhandled : put_lines;
    dump_init(&s->dump, &opts);
    say_order(s, s->scene.order);
}

void script_dump_record(struct script *s, uint64_t off)
{
    struct record rec;
    bool good = record_read(s->from.file, off, &rec) == PTS_OK;

    dump_record(&s->dump, &rec, good, s->text);
}

void script_dump_trace(struct script *s, uint64_t off)
{
    struct record rec;

    if (record_read(s->from.file, off, &rec) != PTS_OK)
        return;
    if (rec.head.type == PTS_RECORD_AUXTRACE &&
        cpus_skip(&s->scene.plan->sel.cpus, rec.u.auxtrace.cpu))
        return;
    dump_trace(&s->dump, &rec, s->text);
}

void script_dump_sample(struct script *s, const struct sample *sample)
{
    const struct lookup *look = resolve_lookup(s->resolve);
    const struct who *w = &sample->who;
    uint8_t mode = sample->cpumode;
    struct place at;

    look->place(look->ctx, w, mode, sample->ip, &at);
    /* perf looks for maps in these two modes only, and takes all others for a
     * hypervisor's. */
    if (!at.dso_path && (mode == PTS_MODE_USER || mode == PTS_MODE_KERNEL || w->guest))
        at.dso_path = "<not found>";
    text_fmt(s->text, " ... thread: %s:%d\n ...... dso: %s\n", look->comm(look->ctx, w),
             w->tid, at.dso_path ? at.dso_path : "[hypervisor]");
}

/* --- Before a record that perf cannot use ----------------------------------------- */

static void put_feature_lines(void *ctx, const struct record *rec, struct text *t)
{
    (void)t;
    if (record_is(rec, PTS_RECORD_FEATURE))
        script_feature(ctx, rec);
}

/* The dump up to that record, and the record. */
static void dump_before(struct script *s, const struct perf_order *order,
                        uint64_t shown)
{
    const struct perf_file *f = s->from.file;
    struct dump_opts opts = opts_of(s, order);
    struct record rec;

    opts.lines = put_feature_lines; /* there is no run that could say more */
    dump_init(&s->dump, &opts);
    say_order(s, order);
    for (size_t i = 0; i < order->rec.len; i++) {
        uint64_t off = order->rec.at[i].off;
        if (perf_order_is_made(off))
            continue;
        /* Compared as perf counts offsets, since `shown` is what it would print. */
        if (perf_file_shown(f, off).off > shown)
            break;
        bool good = record_read(f, off, &rec) == PTS_OK;
        dump_record(&s->dump, &rec, good, s->text);
        if (good && aux_is_in(&rec))
            dump_trace(&s->dump, &rec, s->text);
        while (dump_has_packets(&s->dump) && !s->text->failed)
            dump_packets(&s->dump, s->text);
    }
}

/* The features that perf prints before it meets the record. */
static void features_before(struct script *s, uint64_t shown)
{
    const struct perf_file *f = s->from.file;
    struct record rec;

    for (uint64_t off = f->data.off; off < f->data.end;
         off = perf_rec_next(&rec.head)) {
        bool read = record_read(f, off, &rec) == PTS_OK;
        if (perf_file_shown(f, off).off >= shown)
            break;
        if (read && record_is(&rec, PTS_RECORD_FEATURE))
            script_feature(s, &rec);
    }
}

/* perf reads a pipe as it comes: what stands in front of the record has been printed. */
void script_before(void *script, const struct perf_order *order, uint64_t shown)
{
    struct script *s = script;

    if (s->from.file->pipe && script_dumps(s))
        dump_before(s, order, shown);
    else if (s->from.file->pipe && script_shows_features(s))
        features_before(s, shown);
    (void)event_files_end(&s->files, s->text);
}
