/* run_export.c - a recording becomes the tables of a database.
 *
 * SPDX-License-Identifier: MIT
 *
 * A run like any other, whose sink makes rows (synth/export).
 */
#include "synth/run/replace.h"
#include "synth/run/run.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "synth/export/database.h"
#include "synth/export/export.h"
#include "synth/export/export_options.h"

#include <ptscript/export.h>

#include <stdio.h>
#include <string.h>

/* What a call is about, all of it lent. */
struct export_call {
    pts_session *session;
    const struct pts_export_opts *opts;
    struct export_given given;
    uint32_t mark; /* of refusals */
    struct pts_diag *why;
};

static pts_status cancelled(const struct export_call *c)
{
    return c->opts->cancelled && c->opts->cancelled(c->opts->cancelled_ctx)
               ? diag_set(c->why, PTS_E_CANCELLED, UINT64_MAX, "cancelled")
               : PTS_OK;
}

static void note_unhandled(const struct export_call *c, const struct exporter *e)
{
    char text[120];

    if (!e->unhandled)
        return;
    snprintf(
        text, sizeof(text),
        "%llu samples of tracepoints are not in the database: it has no tables for "
        "them",
        (unsigned long long)e->unhandled);
    session_message(c->session, PTS_MSG_NOTE, text);
}

/* All rows, to whoever takes them.  PTS_END: perf would end before it has begun. */
static pts_status run_rows(const struct export_call *c, const struct export_to *to)
{
    struct exporter e = {.to = *to,
                         .with_calls = c->given.what.calls,
                         .with_chains = c->given.what.callchains};
    const struct sink sink = export_sink(&e);
    struct plan_failed failed = {UINT64_MAX};
    struct run *r = NULL;
    pts_status st = run_new(c->session, &c->given.run, &r, c->why);

    if (st == PTS_OK)
        st = run_plan(r, &c->given.run, &sink, &failed, c->why);
    while (st == PTS_OK && !refused_any(c->mark)) {
        st = run_step(r);
        if (st == PTS_OK)
            st = cancelled(c);
    }
    if (st == PTS_END)
        st = run_damage(r, c->why);
    if (st == PTS_END && e.scene.plan)
        note_unhandled(c, &e);
    st = st == PTS_END && !e.scene.plan ? PTS_END : st == PTS_END ? PTS_OK : st;
    export_free(&e);
    run_free(r);
    return refused_since(c->mark, st, c->why);
}

static pts_status open_database(const struct export_call *c, const char *name,
                                struct database *out)
{
    const struct database_ask ask = {name, c->opts->replace, c->given.what, c->why};

    if (c->given.to == EXPORT_TO_SQLITE && ask.replace &&
        !replace_may(c->session, name, c->why))
        return PTS_E_IO;
    return c->given.to == EXPORT_TO_SQLITE ? sqlite_open(&ask, out)
                                           : postgres_open(&ask, out);
}

static pts_status fill(const struct export_call *c, const char *name)
{
    struct database db;
    pts_status st = open_database(c, name, &db);

    if (st < 0)
        return st;
    st = run_rows(c, &db.to);
    if (st == PTS_OK)
        st = db.finish(db.to.ctx);
    db.close(db.to.ctx);
    return st;
}

pts_status pts_export(pts_session *s, const char *name,
                      const struct pts_export_opts *opts, struct pts_diag *why)
{
    struct pts_export_opts o = PTS_EXPORT_OPTS_INIT;
    struct export_call c = {.session = s, .opts = &o, .why = why};

    c.mark = refused_mark(why);
    if (opts)
        memcpy(&o, opts, opts->size < sizeof(o) ? opts->size : sizeof(o));
    pts_status st = export_options(&c.given, o.options, o.option_count, s->opts.message,
                                   s->opts.message_ctx, why);
    if (st == PTS_OK)
        st = fill(&c, name);
    if (st < 0 && !why->text[0])
        diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st));
    return refused_since(c.mark, st, why);
}
