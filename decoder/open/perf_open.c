/* perf_open.c - opening a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 * The parts depend on each other in one order only: the walk needs the header's events
 * and all sources; bodies of the kernel's records can be turned to this machine's byte
 * order, and counters be told their CPUs, only when the walk has met the last event.
 */
#include "decoder/open/perf_open.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_feat.h"
#include "decoder/file/trace_format.h"
#include "decoder/open/perf_coming.h"
#include "decoder/open/perf_dir.h"
#include "decoder/open/perf_header.h"
#include "decoder/open/perf_learn.h"
#include "decoder/open/perf_scan.h"

#include <stdio.h>

/* --- The names of events ---------------------------------------------------------- */

/* In a pipe the names may come before the events: perf drops them then. */
static void name_events(struct perf_file *f)
{
    struct pts_feature_iter it = perf_feature_begin(f, PTS_FEAT_EVENT_DESC);
    struct pts_feature_item item;
    for (size_t i = 0; i < f->evsel.len && pts_feature_next(&it, &item) == PTS_OK;
         i++) {
        const char *name = item.u.event.name;
        if (f->pipe && f->evsel.at[i].since > f->data.desc_off)
            return;
        if (!f->evsel.at[i].name && *name)
            f->evsel.at[i].name = arena_strndup(&f->arena, name, strlen(name));
    }
}

/* Tracepoints that nothing else has named are called after their formats. */
static pts_status name_tracepoints(struct perf_file *f)
{
    for (size_t i = 0; i < f->evsel.len; i++) {
        struct perf_evsel *e = &f->evsel.at[i];
        struct trace_format t;
        if (f->pipe || e->name || e->attr.type != PTS_TYPE_TRACEPOINT ||
            !trace_find(f->feature[PTS_FEAT_TRACING_DATA], e->attr.config, &t))
            continue;
        size_t n = strlen(t.system);
        char *name = arena_alloc(&f->arena, n + 1 + t.name.len + 1);
        if (!name)
            return PTS_E_NOMEM;
        memcpy(name, t.system, n);
        name[n] = ':';
        memcpy(name + n + 1, t.name.ptr, t.name.len);
        e->name = name;
    }
    return PTS_OK;
}

/* --- Opening ---------------------------------------------------------------------- */

pts_status perf_file_walk(struct perf_file *f, struct pts_diag *why)
{
    pts_status st = perf_scan(f, why);
    if (st == PTS_OK)
        st = perf_file_learnt(f, why);
    if (st != PTS_OK)
        return st;
    if (f->foreign)
        perf_scan_kernel(f);
    perf_learn_counters(f);
    name_events(f);
    st = name_tracepoints(f);
    return st == PTS_OK ? st : diag_set(why, st, UINT64_MAX, "out of memory");
}

/* In perf's words; ours are in the diag. */
static void open_refused(const struct perf_file *f, const struct perf_file_how *how)
{
    char text[512];
    if (!how->message)
        return;
    if (f->damage.odd & PERF_ODD_NO_ATTR) {
        snprintf(text, sizeof(text),
                 "ERROR: The %s file's attr size field is 0 which is unexpected.\n"
                 "Was the 'perf record' command properly terminated?\n",
                 f->path);
        how->message(how->message_ctx, PTS_MSG_WARNING, text);
    }
    how->message(how->message_ctx, PTS_MSG_WARNING,
                 "incompatible file format (rerun with -v to learn more)\n");
}

/* What is left when f->in is there; dir: its directory, or NULL. */
static pts_status open_finish(struct perf_file *f, const struct perf_file_how *how,
                              const char *dir, struct pts_diag *why)
{
    pts_status st = perf_header_read(f, why);
    /* perf has a word of its own for an empty file, and this one for all others. */
    if (st != PTS_OK && (f->in.len || perf_file_is_stdin(f)))
        open_refused(f, how);
    if (st == PTS_OK && dir)
        st = perf_dir_open(f, dir, why);
    return st == PTS_OK ? perf_file_walk(f, why) : st;
}

static bool wants_more(void *ctx, const uint8_t *bytes, size_t n)
{
    return coming_wants(ctx, bytes, n);
}

static pts_status open_input(struct perf_file *f, const struct perf_file_how *how,
                             struct pts_diag *why)
{
    struct coming coming = {0};
    const struct input_how in = {.temp_dir = how->temp_dir,
                                 .in_order = true,
                                 .wants = wants_more,
                                 .ctx = &coming};
    pts_status st = input_open(f->path, &in, &f->in, why);
    if (st == PTS_OK && !how->force && !f->in.trusted)
        st = diag_set(why, PTS_E_DENIED, UINT64_MAX,
                      "File %s not owned by current user or root (use -f to override)",
                      f->path);
    return st;
}

/* Gives f to the caller, or ends it. */
static pts_status open_end(struct perf_file *f, pts_status st, struct perf_file **out)
{
    if (st == PTS_OK)
        *out = f;
    else
        perf_file_close(f);
    return st;
}

pts_status perf_file_open(const char *path, const struct perf_file_how *how,
                          struct perf_file **out, struct pts_diag *why)
{
    struct perf_file *f = perf_file_new();
    const char *dir = input_is_dir(path) ? path : NULL;
    if (!f)
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    f->spool.dir = how->temp_dir;
    f->dir = dir;
    f->path = dir ? perf_dir_file(&f->arena, dir, "data") : path;
    pts_status st = f->path ? open_input(f, how, why)
                            : diag_set(why, PTS_E_NOMEM, UINT64_MAX,
                                       "no room for the name %s/data", dir);
    if (st == PTS_OK)
        st = open_finish(f, how, dir, why);
    return open_end(f, st, out);
}
