/* stream_scripted.c - a recording for a script.
 *
 * SPDX-License-Identifier: MIT
 *
 * The text of perf script is there as well, but without the lines of samples and errors:
 * its options are read and checked, and the header or side-band records can be printed.
 *
 *     output "script" (options, text) <-+
 *                                       +- tee <- run
 *     scripted --- language             <-+
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "synth/run/stream.h"

static pts_status open_output(struct pts_stream *st, const struct pts_option *options,
                              size_t count, struct pts_diag *why)
{
    struct output_from from = stream_from(st, options, count);

    from.scripted = true;
    return output_find("script")(&from, &st->output, why);
}

static pts_status open_script(struct pts_stream *st, const struct pts_script_call *call,
                              const struct pts_option *options, size_t count,
                              struct pts_diag *why)
{
    struct scripted *s = st->scripted;
    pts_status rc = open_output(st, options, count, why);

    st->ahead = st->output.text.len > 0;
    if (rc < 0 || !st->output.options) /* only the header is asked for */
        return rc;
    s->options = *st->output.options;
    s->options.scripted = true;
    if (!st->output.refuses && run_lists_fit(st->session, &s->options))
        rc = scripted_begin(s, call, why);
    return rc < 0 ? rc : stream_run(st, &s->options, why);
}

pts_status pts_script_open(pts_session *s, const struct pts_language *language,
                           const struct pts_script_call *call,
                           const struct pts_option *options, size_t count, int *status,
                           pts_stream **out, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_stream *st;

    if (language->version != PTS_LANGUAGE_VERSION)
        return diag_set(
            why, PTS_E_UNSUPPORTED, UINT64_MAX,
            "language %s is of version %u, this library's are of version %u",
            language->name, language->version, PTS_LANGUAGE_VERSION);
    st = stream_new(s, why);
    if (!st)
        return PTS_E_NOMEM;
    st->scripted = mem_zalloc(1, sizeof(*st->scripted));
    if (!st->scripted) {
        pts_stream_close(st);
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    }
    st->scripted->language = language;
    st->scripted->status = status;
    pts_status rc =
        refused_since(mark, open_script(st, call, options, count, why), why);
    if (rc < 0) {
        pts_stream_close(st);
        return rc;
    }
    *out = st;
    return PTS_OK;
}
