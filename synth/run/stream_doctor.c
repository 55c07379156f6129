/* stream_doctor.c - what is wrong with a recording, as a text.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same run as for samples, for a sink that wants faults only; its text is there when
 * all has been decoded.
 */
#include "synth/run/stream.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"

static pts_status option_jobs(void *options, const char *value, struct pts_diag *why)
{
    const struct pts_option jobs = {"jobs", value};

    return options_parse(options, &jobs, 1, why);
}

#define OPTIONS struct options
#include "synth/plan/option_rows.h"

static const struct option_row rows[] = {
#include <ptscript/doctor.def>
    OPTION_ROWS_END,
};

static pts_status open_doctor(struct pts_stream *st, const struct pts_option *list,
                              size_t count, struct pts_diag *why)
{
    const struct pts_open_opts *open = &st->session->opts;
    const struct pts_option faults = {"itrace", "e"};

    st->doctor = mem_zalloc(1, sizeof(*st->doctor));
    if (!st->doctor)
        return PTS_E_NOMEM;
    options_init(&st->options, open->message, open->message_ctx);
    pts_status rc = option_rows_take(rows, &st->options, list, count, why);
    if (rc == PTS_OK)
        rc = options_parse(&st->options, &faults, 1, why);
    if (rc < 0)
        return rc;
    st->doctor->text = &st->output.text;
    rc = stream_run(st, &st->options, why);
    st->doctor->run = st->run;
    if (st->run)
        st->run->silent = true;
    return rc;
}

pts_status pts_doctor_open(pts_session *s, const struct pts_option *options,
                           size_t count, pts_stream **out, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_stream *st = stream_new(s, why);

    if (!st)
        return PTS_E_NOMEM;
    pts_status rc = refused_since(mark, open_doctor(st, options, count, why), why);
    if (rc < 0) {
        pts_stream_close(st);
        return rc;
    }
    *out = st;
    return PTS_OK;
}

unsigned pts_stream_findings(const pts_stream *st)
{
    return st->doctor ? st->doctor->findings : st->times ? st->times->findings : 0;
}
