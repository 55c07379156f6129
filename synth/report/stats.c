/* stats.c - perf report --stats: how many records there are of each type.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nothing is decoded.
 */
#include "decoder/file/perf_feat.h"
#include "synth/report/report.h"

#include <stdio.h>

void stats_count(struct report *r, uint64_t off)
{
    struct report_stats *s = &r->stats;
    struct record rec;

    if (record_read(r->from.file, off, &rec) != PTS_OK ||
        rec.head.type >= REPORT_TYPES || !pts_record_name(rec.head.type))
        return;
    s->all++;
    s->type[rec.head.type]++;
    if (rec.head.evsel >= r->scene.plan->evl.ev.len)
        return;
    if (!r->opts.stats_read && r->opts.stats)
        s->event[rec.head.evsel].samples += rec.head.type == PTS_RECORD_SAMPLE;
    s->event[rec.head.evsel].lost += rec.head.type == PTS_RECORD_LOST_SAMPLES;
}

void stats_sample(struct report *r, const struct sample *s)
{
    if (r->opts.stats_read)
        r->stats.event[s->event].samples++;
}

static void put_count(struct text *t, const char *name, uint64_t n)
{
    text_strw(t, name, 16);
    text_str(t, " events: ");
    text_dec(t, n, 10);
}

static void put_event(const struct report *r, size_t i)
{
    struct text *t = r->text;
    bool rows = r->dump.ctx; /* samples are counted in them */
    uint64_t samples = r->stats.event[i].samples + (rows ? r->hists[i].samples : 0);
    uint64_t lost = rows ? 0 : r->stats.event[i].lost;

    if (!samples && !lost && r->opts.skip_empty)
        return;
    text_fmt(t, "%s stats:\n", r->scene.plan->evl.ev.at[i].name);
    if (samples) {
        put_count(t, "SAMPLE", samples);
        text_char(t, '\n');
    }
    if (lost) {
        put_count(t, "LOST_SAMPLES", lost);
        text_char(t, '\n');
    }
}

/* Types that perf 6.1 has, of which --no-skip-empty also shows those that are not there. */
static bool is_known(uint32_t type)
{
    return type && pts_record_name(type) &&
           (type <= PTS_RECORD_AUX_OUTPUT_HW_ID ||
            (type >= PERF_REC_USER && type <= PTS_RECORD_FINISHED_INIT));
}

void stats_text(struct report *r)
{
    const struct report_stats *s = &r->stats;
    const struct perf_file *f = r->from.file;
    struct text *t = r->text;
    bool trace = !f->pipe && perf_feat_announced(f, PTS_FEAT_AUXTRACE);
    char part[32];

    text_fmt(t, "\nAggregated stats:%s\n",
             trace
                 ? " (excludes AUX area (e.g. instruction trace) decoded / synthesized "
                   "events)"
                 : "");
    put_count(t, "TOTAL", s->all);
    text_char(t, '\n');
    for (size_t i = 0; i < REPORT_TYPES; i++) {
        if (!s->type[i] && (r->opts.skip_empty || !is_known((uint32_t)i)))
            continue;
        snprintf(part, sizeof(part), "  (%4.1f%%)\n",
                 100.0 * (double)s->type[i] / (double)s->all);
        put_count(t, pts_record_name((uint32_t)i), s->type[i]);
        text_str(t, part);
    }
    /* Without decoding there are no others, of which none would have samples. */
    size_t n = r->opts.stats ? r->from.attr_count : r->scene.plan->evl.ev.len;
    for (size_t i = 0; i < n; i++)
        put_event(r, i);
}
