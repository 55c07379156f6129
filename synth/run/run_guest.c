/* run_guest.c - the recording of a guest, read for that of its host.
 *
 * SPDX-License-Identifier: MIT
 *
 * A run over it like any other, which says what perf says of damaged records.
 */
#include "synth/run/run_guest.h"

#include "decoder/base/diag.h"
#include "synth/run/run.h"

static pts_status run_all(pts_session *s, struct guest *g, struct pts_diag *why)
{
    const struct sink sink = guest_sink(g);
    struct plan_failed failed = {UINT64_MAX};
    struct run *r = NULL;
    struct options o;

    options_init(&o, s->opts.message, s->opts.message_ctx);
    o.itrace.set = o.itrace.dont_decode = true;
    o.unseen = o.records_only = true;
    pts_status st = run_new(s, &o, &r, why);
    if (st == PTS_OK)
        st = run_plan(r, &o, &sink, &failed, why);
    while (st == PTS_OK)
        st = run_step(r);
    if (st == PTS_END)
        st = run_damage(r, why);
    run_free(r);
    return st == PTS_END ? PTS_OK : st;
}

static bool has_ids(const struct perf_file *f)
{
    bool any = false;

    for (size_t i = 0; i < f->evsel.len; i++)
        any |= f->evsel.at[i].id_count > 0;
    return any;
}

/* perf says what it came to in numbers. */
static pts_status cannot(const struct guest *g, pts_status st, struct pts_diag *why)
{
    char text[sizeof(why->text) + 1];
    bool range = st == PTS_E_RANGE;

    if (!why->text[0])
        diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st));
    snprintf(text, sizeof(text), "%s%s", why->text, range ? "" : "\n");
    return diag_set(why, range ? PTS_E_RANGE : PTS_E_IO, UINT64_MAX,
                    "%sFailed to process %s, error %d", text, g->args->file,
                    range ? -22 : -1);
}

pts_status run_guest(const pts_session *host, struct guest *g, pts_session **session,
                     struct pts_diag *why)
{
    struct pts_open_opts opts = PTS_OPEN_OPTS_INIT;

    opts.force = host->opts.force;
    opts.message = host->opts.message;
    opts.message_ctx = host->opts.message_ctx;
    opts.temp_dir = host->opts.temp_dir;
    pts_status st = pts_session_open(g->args->file, &opts, session, why);
    if (st == PTS_OK && !has_ids((*session)->file))
        st = diag_set(why, PTS_E_RANGE, UINT64_MAX, "Guest data has no sample IDs");
    if (st == PTS_OK)
        st = run_all(*session, g, why);
    if (st == PTS_OK)
        st = guest_events(g, (*session)->attrs.at);
    return st == PTS_OK ? PTS_OK : cannot(g, st, why);
}
