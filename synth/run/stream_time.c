/* stream_time.c - when a recording has trace, as a text; and its index.
 *
 * SPDX-License-Identifier: MIT
 *
 * A run that decodes nothing, for a sink that wants records of losses only.
 */
#include "synth/run/stream.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "synth/run/index_file.h"

#define OPTIONS struct times_options
#include "synth/plan/option_rows.h"

static const struct option_row rows[] = {
#include <ptscript/time.def>
    OPTION_ROWS_END,
};

static pts_status find_times(struct times *t, pts_session *s, struct pts_diag *why)
{
    pts_status st = windows_find(s, t->opts.index, &t->trace, why);

    if (st < 0)
        return st == PTS_E_NOMEM ? diag_set(why, st, UINT64_MAX, "out of memory") : st;
    return t->opts.index ? index_store(s, &t->trace, why) : PTS_OK;
}

static pts_status open_time(struct pts_stream *st, const struct pts_option *list,
                            size_t count, struct pts_diag *why)
{
    const struct pts_option nothing = {"no-itrace", NULL};
    struct times *t = st->times = mem_zalloc(1, sizeof(*t));

    if (!t)
        return PTS_E_NOMEM;
    t->session = st->session;
    t->text = &st->output.text;
    options_init(&st->options, NULL, NULL);
    pts_status rc = option_rows_take(rows, &t->opts, list, count, why);
    if (rc == PTS_OK)
        rc = options_parse(&st->options, &nothing, 1, why);
    if (rc == PTS_OK)
        rc = stream_run(st, &st->options, why);
    if (rc < 0)
        return rc;
    st->run->silent = true;
    return find_times(t, st->session, why);
}

pts_status pts_time_open(pts_session *s, const struct pts_option *options, size_t count,
                         pts_stream **out, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_stream *st = stream_new(s, why);

    if (!st)
        return PTS_E_NOMEM;
    pts_status rc = refused_since(mark, open_time(st, options, count, why), why);
    if (rc < 0) {
        pts_stream_close(st);
        return rc;
    }
    *out = st;
    return PTS_OK;
}
