/* run_open.c - beginning and ending a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run.h"

#include "decoder/diag.h"

#include <stdio.h>
#include <string.h>

static bool recorded_on_x86(const struct perf_file *f)
{
    const char *arch = perf_feat_string(f, PERF_FEAT_ARCH);
    return f->pipe || (arch && (!strcmp(arch, "x86_64") || !strcmp(arch, "i386")));
}

static pts_status make_resolve(struct pts_stream *r, const struct options *o)
{
    const struct resolve_opts opts = {
        .syms = {.files = r->session->files,
                 .demangle = o->demangle,
                 .params = o->verbose,
                 .force = r->session->opts.force},
        .full_source_path = o->full_source_path
    };
    return resolve_new(r->sb, r->codes, &opts, &r->resolve);
}

static pts_status make_synth(struct pts_stream *r, const struct options *o,
                             uint64_t *failed_at, struct pts_diag *why)
{
    const struct pts_session *s = r->session;
    const struct perf_file *f = s->file;
    struct synth_setup setup = {
        .options = o,
        .attr = s->attrs.at,
        .attr_count = s->attrs.len,
        .pipe = f->pipe,
 /* of a pipe perf does not remember which features came */
        .check = {.has_auxtrace = !f->pipe && perf_feat_has(f, PERF_FEAT_AUXTRACE),
                  .has_stat = !f->pipe && perf_feat_has(f, PERF_FEAT_STAT),
                  .has_tracing = perf_feat_has(f, PERF_FEAT_TRACING_DATA),
                  .has_groups = perf_feat_has(f, PERF_FEAT_GROUP_DESC)},
        .native = recorded_on_x86(f),
        .aux = s->info_words,
        .aux_count = s->info_words ? s->info.words : 0,
        .aux_off = perf_file_place(f, f->info_off).off,
        .aux_size = s->info_size,
        .failed_at = failed_at,
        .cpuid = perf_feat_string(f, PERF_FEAT_CPUID),
        .look = resolve_lookup(r->resolve),
        .tracepoints = r->tracepoints,
    };
    uint32_t online;
    perf_feat_nrcpus(f, &setup.cpus_available, &online);
    if (f->raw) /* not known */
        setup.cpus_available = SEL_CPUS;
    perf_feat_sample_time(f, &setup.first_sample, &setup.last_sample);
    setup.check.has_clock = perf_feat_clock(f, &setup.clockid_ns, &setup.tod_ns);
    return synth_new(&setup, &r->synth, why);
}

/* The features that perf prints before it meets the record it cannot use. */
static void features_before(struct pts_stream *r, uint64_t shown)
{
    const struct perf_file *f = r->session->file;
    struct perf_rec rec;

    for (uint64_t off = f->data_off; off < f->data_end; off = perf_rec_next(&rec)) {
        if (perf_rec_header(f, off, &rec) < 0 || perf_file_place(f, off).off >= shown)
            break;
        if (rec.type == PERF_REC_FEATURE)
            run_feature(r, &rec, &r->text);
    }
}

/* What perf prints of a pipe before it meets the record at SHOWN, which it cannot use.
 */
static void print_before(struct pts_stream *r, const struct options *o, uint64_t shown)
{
    if (o->dump || o->dump_unsorted)
        run_dump_before(r, o, shown);
    else if (r->features)
        features_before(r, shown);
}

static pts_status run_prepare(struct pts_stream *r, const struct options *o,
                              struct pts_diag *why)
{
    const struct pts_open_opts *open = &r->session->opts;
    pts_status st = session_prepare(r->session, why);

    if (st < 0)
        return st;
    r->order = &r->session->order;
    r->sb = r->session->sb;
    r->codes = r->session->codes;
    st = run_file_order(r, o, why);
    if (st < 0)
        return st;
    perf_file_report(r->session->file, open->message, open->message_ctx);
    st = make_resolve(r, o);
    if (st == PTS_OK) /* perf does not name functions from a pipe */
        st = tracepoints_new(perf_order_tracing(r->session->file, r->order),
                             !r->session->file->pipe, &r->tracepoints);
    if (st < 0)
        return diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st));
    uint64_t failed_at = UINT64_MAX; /* none */
    st = make_synth(r, o, &failed_at, why);
    if (failed_at != UINT64_MAX && r->session->file->pipe)
        print_before(r, o, failed_at);
    if (st == PTS_END) { /* perf has nothing to say either */
        r->finished = true;
        r->record = r->order->rec.len;
        return PTS_OK;
    }
    if (st < 0)
        return st;
    if (o->dump || o->dump_unsorted) {
        run_dump_open(r);
        return PTS_OK;
    }
    if (!synth_needs(r->synth)->decode)
        return PTS_OK;
    perf_file_warn_pipe(r->session->file, open->message, open->message_ctx);
    return run_queues(r, why);
}

static pts_status run_open(struct pts_stream *r, const struct pts_option *options,
                           size_t count, struct pts_diag *why)
{
    const struct pts_open_opts *open = &r->session->opts;
    struct options o;

    options_init(&o, open->message, open->message_ctx);
    pts_status st = options_parse(&o, options, count, why);
    if (st < 0)
        return st;
    r->features = o.header || o.header_only || o.show_info;
    r->features_full = o.show_info;
    r->whole = o.header_only;
    if (o.header || o.header_only)
        run_header(r, o.show_info);
    if (o.header_only) {
        perf_file_report(r->session->file, open->message, open->message_ctx);
        return PTS_OK;
    }
    st = run_prepare(r, &o, why);
    if (st >= 0 || !r->ahead)
        return st;
    r->broken = st;
    r->why = *why;
    return PTS_OK;
}

typedef pts_status open_fn(struct pts_stream *r, const struct pts_option *options,
                           size_t count, struct pts_diag *why);

static pts_status stream_open(pts_session *s, open_fn *open,
                              const struct pts_option *options, size_t count,
                              pts_stream **out, struct pts_diag *why)
{
    struct pts_stream *r = mem_zalloc(1, sizeof(*r));

    if (!r)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    r->session = s;
    pts_status st = open(r, options, count, why);
    if (st < 0) {
        pts_stream_close(r);
        return st;
    }
    *out = r;
    return PTS_OK;
}

pts_status pts_stream_open(pts_session *s, const struct pts_option *options,
                           size_t count, pts_stream **out, struct pts_diag *why)
{
    return stream_open(s, run_open, options, count, out, why);
}

pts_status pts_evlist_open(pts_session *s, const struct pts_option *options,
                           size_t count, pts_stream **out, struct pts_diag *why)
{
    return stream_open(s, run_evlist, options, count, out, why);
}

void pts_stream_close(pts_stream *r)
{
    if (!r)
        return;
    merge_free(r->merge);
    for (uint32_t i = 0; i < r->queue_count; i++)
        flow_free(r->queue[i].flow);
    aux_queues_free(&r->aux);
    VEC_FREE(&r->regions.at);
    run_defer_free(r);
    stat_table_free(r->stat);
    mem_free(r->missing_told);
    synth_free(r->synth);
    resolve_free(r->resolve);
    tracepoints_free(r->tracepoints);
    run_unwind_free(r->unwinding);
    code_store_free(r->own_codes);
    sb_free(r->own_sb);
    perf_order_free(&r->own_order);
    text_free(&r->text);
    VEC_FREE(&r->chain);
    VEC_FREE(&r->branches);
    arena_free(&r->arena);
    mem_free(r);
}

/* --- Notes --- */

static void note_missing(struct pts_stream *r, const struct sb_dso *dso)
{
    char id[BUILD_ID_TEXT], text[PATH_MAX + 200];
    struct build_id bid = build_id_of(dso->build_id, dso->build_id_len);

    snprintf(
        text, sizeof(text),
        "no code for %s%s%s: %s; give the file below --symfs or in the build-id cache "
        "(--buildid-dir)",
        dso->long_name, bid.len ? ", build id " : "",
        bid.len ? build_id_text(&bid, id) : "",
        synth_needs(r->synth)->decode ? "its part of the trace could not be decoded"
                                      : "call chains may end there");
    session_message(r->session, PTS_MSG_NOTE, text);
}

void run_notes(struct pts_stream *r)
{
    const struct pts_session *s = r->session;
    char text[2 * PATH_MAX];

    if (s->file->raw && r->merge && !sb_dso_count(r->sb))
        session_message(s, PTS_MSG_NOTE,
                        "no code was given: the trace cannot be followed (--image)");
    for (uint32_t i = 0; i < image_note_count(s->images); i++) {
        struct image_note note = image_note_at(s->images, i);
        image_note_text(&note, text, sizeof(text));
        session_message(s, PTS_MSG_NOTE, text);
    }
    for (uint32_t i = 0; i < sb_dso_count(r->sb); i++) {
        const struct sb_dso *dso = sb_dso_at(r->sb, i);
        if (code_store_missed(r->codes, dso))
            note_missing(r, dso);
    }
}
