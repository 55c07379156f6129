/* stream.c - the text of a recording, piece by piece.
 *
 * SPDX-License-Identifier: MIT
 *
 * A stream is pulled: nothing is decoded until somebody asks for more text, and then
 * about TEXT_CHUNK bytes at a time, so the memory that it takes does not grow with the
 * recording.
 *
 * An error in the middle must not swallow what was printed before it.  So it is
 * remembered in `broken`, the text that is there goes out first, and the next call
 * returns the error.  Some outputs have text before anything is run (the header): that
 * text is `ahead`.
 */
#include "synth/run/stream.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"

#include <string.h>

/* --- Opening ---------------------------------------------------------------------- */

struct pts_stream *stream_new(pts_session *s, struct pts_diag *why)
{
    struct pts_stream *st = mem_zalloc(1, sizeof(*st));

    if (!st) {
        diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
        return NULL;
    }
    st->session = s;
    return st;
}

static struct sink sink_of(struct pts_stream *st)
{
    bool text = st->output.options;

    if (st->doctor)
        return doctor_sink(st->doctor);
    if (st->times)
        return times_sink(st->times);
    if (st->scripted) {
        st->tee.sink[st->tee.count++] = st->output.sink;
        st->tee.pace = &st->tee.sink[st->tee.count];
        st->tee.sink[st->tee.count++] = scripted_sink(st->scripted);
        if (st->scripted->rows)
            st->tee.sink[st->tee.count++] = export_sink(&st->scripted->exporter);
        return tee_sink(&st->tee);
    }
    if (!st->has_rows)
        return st->output.sink;
    if (!text)
        return rows_sink(&st->rows);
    st->tee.sink[st->tee.count++] = st->output.sink;
    st->tee.sink[st->tee.count++] = rows_sink(&st->rows);
    return tee_sink(&st->tee);
}

pts_status stream_run(struct pts_stream *st, const struct options *o,
                      struct pts_diag *why)
{
    struct plan_failed failed = {UINT64_MAX};
    pts_status rc = run_new(st->session, o, &st->run, why);

    if (rc < 0)
        return rc;
    const struct sink sink = sink_of(st);
    rc = run_plan(st->run, o, &sink, &failed, why);
    if (failed.off != UINT64_MAX && st->output.before)
        st->output.before(st->output.ctx, st->run->view.order, failed.off);
    if (failed.off == UINT64_MAX || !st->output.refused)
        return rc;
    rc = st->output.refused(st->output.ctx, why);
    if (rc != PTS_END)
        return rc;
    run_nothing(st->run);
    return PTS_OK;
}

struct output_from stream_from(struct pts_stream *st, const struct pts_option *options,
                               size_t count)
{
    const struct pts_session *s = st->session;

    return (struct output_from){.file = s->file,
                                .attr = s->attrs.at,
                                .attr_count = s->attrs.len,
                                .message = s->opts.message,
                                .message_ctx = s->opts.message_ctx,
                                .option = options,
                                .option_count = count,
                                .config = s->opts.config,
                                .config_count = s->opts.config_count,
                                .room = TEXT_CHUNK};
}

pts_status stream_open_text(struct pts_stream *st, const char *output,
                            const struct pts_option *options, size_t count,
                            struct pts_diag *why)
{
    const struct pts_open_opts *open = &st->session->opts;
    const struct output_from from = stream_from(st, options, count);
    output_open_fn *row = output_find(output);

    if (!row)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX, "no output is called `%s'",
                        output);
    pts_status rc = row(&from, &st->output, why);
    if (rc < 0)
        return rc;
    /* Without options to run with, the text is complete already (the list of
     * events). */
    if (st->output.options)
        rc = stream_run(st, st->output.options, why);
    else
        perf_file_report(st->session->file, false, open->message, open->message_ctx);
    st->ahead = st->output.text.len > 0;
    if (rc >= 0 || !st->ahead)
        return rc;
    st->broken = rc;
    st->why = *why;
    return PTS_OK;
}

pts_status pts_text_open(pts_session *s, const char *output,
                         const struct pts_option *options, size_t count,
                         pts_stream **out, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_stream *st = stream_new(s, why);

    if (!st)
        return PTS_E_NOMEM;
    pts_status rc = stream_open_text(st, output, options, count, why);
    rc = refused_since(mark, rc, why);
    if (rc < 0) {
        pts_stream_close(st);
        return rc;
    }
    *out = st;
    return PTS_OK;
}

pts_status pts_stream_open(pts_session *s, const struct pts_option *options,
                           size_t count, pts_stream **out, struct pts_diag *why)
{
    return pts_text_open(s, "script", options, count, out, why);
}

pts_status pts_evlist_open(pts_session *s, const struct pts_option *options,
                           size_t count, pts_stream **out, struct pts_diag *why)
{
    return pts_text_open(s, "evlist", options, count, out, why);
}

int pts_stream_filter_result(const pts_stream *st)
{
    return st->run ? run_filter_result(st->run) : 0;
}

void pts_stream_made(const pts_stream *st, const char **text, size_t *n)
{
    const struct text *t = &st->output.text;
    size_t len = t->len;

    while (len && t->at[len - 1] != '\n')
        len--;
    *text = t->at;
    *n = len;
}

void pts_stream_progress(const pts_stream *st, struct pts_progress *out)
{
    struct pts_progress all = PTS_PROGRESS_INIT;
    size_t size = out->size;

    if (st->run)
        run_progress(st->run, &all);
    memcpy(out, &all, size < sizeof(all) ? size : sizeof(all));
    out->size = size;
}

void pts_stream_watch(pts_stream *st, pts_watch_fn *watch, void *ctx)
{
    st->watch = watch;
    st->watch_ctx = ctx;
}

void pts_stream_close(pts_stream *st)
{
    if (!st)
        return;
    if (st->output.close)
        st->output.close(st->output.ctx);
    rows_free(&st->rows);
    if (st->scripted)
        scripted_free(st->scripted);
    mem_free(st->scripted);
    doctor_free(st->doctor);
    times_free(st->times);
    run_free(st->run);
    text_free(&st->output.text);
    mem_free(st);
}

/* --- Reading ---------------------------------------------------------------------- */

/* Of samples from the trace in perf's words. */
static void filter_failed(struct pts_stream *st)
{
    int result = run_filter_result(st->run);
    bool made = run_filter_failed_made(st->run);

    diag_set(&st->why, PTS_E_FILTER, UINT64_MAX, "%s%d",
             made         ? "Intel PT: failed to deliver event, error "
             : result < 0 ? "ptscript: the filter failed, error "
                          : "ptscript: the filter did not start, result ",
             result);
}

/* What a step wrote in which something was refused may be wrong, and is taken back. */
pts_status stream_step(struct pts_stream *st)
{
    uint32_t mark = refused_mark(&st->why);

    if (st->watch && st->watch(st->watch_ctx, st)) {
        run_stop(st->run);
        diag_set(&st->why, PTS_E_CANCELLED, UINT64_MAX, "stopped by the caller");
    }
    size_t text = st->output.text.len, rows = st->rows.row.len;
    pts_status rc = refused_since(mark, run_step(st->run), &st->why);

    if (refused_any(mark)) {
        st->output.text.len = text;
        st->rows.row.len = rows;
    }
    if (rc == PTS_E_FILTER)
        filter_failed(st);
    if (rc < 0)
        st->broken = rc;
    return rc;
}

static void read_on(struct pts_stream *st)
{
    pts_status rc = PTS_OK;

    while (st->broken >= 0 && st->run && rc == PTS_OK &&
           st->output.text.len < TEXT_CHUNK)
        rc = stream_step(st);
}

pts_status pts_stream_next_text(pts_stream *st, const char **text, size_t *n,
                                struct pts_diag *why)
{
    if (st->has_rows)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        "a stream of rows: its text comes with the batches");
    /* What was given out with the last call is gone, but not what nobody has seen
     * yet. */
    if (!st->ahead)
        st->output.text.len = 0;
    st->ahead = false;
    read_on(st);
    if (st->broken < 0 && !st->output.text.len) {
        *why = st->why;
        return st->broken;
    }
    *text = st->output.text.at;
    *n = st->output.text.len;
    if (st->output.text.len)
        return PTS_OK;
    /* At the very end: what was wrong with the file, though all that was whole was
     * printed. */
    return st->run ? run_damage(st->run, why) : PTS_END;
}
