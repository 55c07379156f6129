/* stream_rows.c - the samples of a recording, batch by batch.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same run as for text with another sink, or with both behind a tee.  Structs go
 * over the border with their size in front, in both directions: a caller that was built
 * with an older header has shorter ones and gets the part that it knows.
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "synth/run/stream.h"

#include <string.h>

/* --- Opening ---------------------------------------------------------------------- */

static pts_status open_rows(struct pts_stream *st, const struct pts_samples_opts *o,
                            struct pts_diag *why)
{
    const struct pts_open_opts *open = &st->session->opts;

    if (o->text)
        return stream_open_text(st, "script", o->options, o->option_count, why);
    pts_status rc = options_without_text(o->options, o->option_count, why);
    if (rc < 0)
        return rc;
    options_init(&st->options, open->message, open->message_ctx);
    rc = options_parse(&st->options, o->options, o->option_count, why);
    return rc < 0 ? rc : stream_run(st, &st->options, why);
}

pts_status pts_samples_open(pts_session *s, const struct pts_samples_opts *opts,
                            pts_stream **out, struct pts_diag *why)
{
    struct pts_samples_opts o = PTS_SAMPLES_OPTS_INIT;
    uint32_t mark = refused_mark(why);
    struct pts_stream *st = stream_new(s, why);

    if (!st)
        return PTS_E_NOMEM;
    if (opts)
        memcpy(&o, opts, opts->size < sizeof(o) ? opts->size : sizeof(o));
    /* Before the run is made: sink_of asks for it. */
    st->has_rows = true;
    st->rows.want = o.want;
    st->rows.records = o.records;
    pts_status rc = refused_since(mark, open_rows(st, &o, why), why);
    if (rc < 0) {
        pts_stream_close(st);
        return rc;
    }
    *out = st;
    return PTS_OK;
}

/* --- Reading ---------------------------------------------------------------------- */

static void hand_out(const struct pts_stream *st, struct pts_batch *batch)
{
    struct pts_batch all = PTS_BATCH_INIT;
    size_t size = batch->size;

    rows_batch(&st->rows, &all);
    all.text = st->output.text.len ? st->output.text.at : "";
    all.text_n = st->output.text.len;
    memcpy(batch, &all, size < sizeof(all) ? size : sizeof(all));
    batch->size = size;
}

pts_status pts_stream_next_batch(pts_stream *st, struct pts_batch *batch,
                                 struct pts_diag *why)
{
    pts_status rc = PTS_OK;

    if (!st->has_rows)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        "a stream of text: pts_stream_next_text reads it");
    /* What the last call gave out ends here. */
    rows_empty(&st->rows);
    if (!st->ahead)
        st->output.text.len = 0;
    st->ahead = false;
    while (st->broken >= 0 && st->run && rc == PTS_OK && !rows_full(&st->rows) &&
           st->output.text.len < TEXT_CHUNK)
        rc = stream_step(st);
    hand_out(st, batch);
    if (st->rows.row.len || st->output.text.len)
        return PTS_OK;
    if (st->broken < 0) {
        *why = st->why;
        return st->broken;
    }
    return st->run ? run_damage(st->run, why) : PTS_END;
}

/* --- What rows refer to ----------------------------------------------------------- */

const char *pts_stream_string(const pts_stream *st, uint32_t id, size_t *n)
{
    const struct string *s = strings_at(&st->rows.strings, id);

    if (n)
        *n = s ? s->len : 0;
    return s ? s->at : NULL;
}

pts_status pts_stream_event(const pts_stream *st, uint32_t i,
                            struct pts_sample_event *out)
{
    const struct plan *p = st->run ? st->run->plan : NULL;
    struct pts_sample_event all = PTS_SAMPLE_EVENT_INIT;
    size_t size = out->size;

    if (!p || i >= p->evl.ev.len)
        return PTS_END;
    const struct evl_event *e = &p->evl.ev.at[i];
    all.name = e->name;
    all.type = e->attr.type;
    /* Events of the recording come first, those made from its trace behind them. */
    all.made = i >= st->session->attrs.len;
    all.config = e->attr.config;
    memcpy(out, &all, size < sizeof(all) ? size : sizeof(all));
    out->size = size;
    return PTS_OK;
}

pts_status pts_stream_resolve(pts_stream *st, const struct pts_row *row,
                              uint64_t address, struct pts_place *out,
                              struct pts_diag *why)
{
    struct pts_place all = PTS_PLACE_INIT;
    size_t size = out->size, known = size < sizeof(all) ? size : sizeof(all);

    if (!st->rows.resolve)
        return diag_set(why, PTS_E_USAGE, UINT64_MAX,
                        "a stream of text, or one that needed no run: it has no rows");
    /* Read as well as written: it says what is wanted. */
    memcpy(&all, out, known);
    uint32_t mark = refused_mark(why);
    pts_status rc = refused_since(
        mark, st->refused ? st->broken : rows_resolve(&st->rows, row, address, &all),
        why);
    if (refused_any(mark)) {
        /* What is kept of places may be wrong from now on. */
        st->refused = true;
        st->broken = rc;
        st->why = *why;
    }
    if (rc < 0)
        return rc;
    memcpy(out, &all, known);
    out->size = size;
    return PTS_OK;
}
