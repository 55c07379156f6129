/* report_features.c - what a recording says of itself above its rows: --header.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file has all features in its header; in a pipe each is a record and is printed when it
 * comes, also for -I alone.
 */
#include "decoder/record/record.h"
#include "synth/print/header/feat_text.h"
#include "synth/report/report.h"

/* What a pipe says behind them. */
enum { LAST_FEATURE = PTS_FEAT_PMU_CAPS + 1 };

static void put_feature(struct report *r, const struct pts_feature_record *section)
{
    struct evlist events = {0};
    const struct feat_env env = {r->from.file, &events, r->feature_seen};
    bool unnamed = !r->feature_seen[PTS_FEAT_EVENT_DESC];

    if (evl_add_all(&events, r->from.attr, r->from.attr_count, unnamed) < 0)
        r->text->failed = true;
    (void)!feat_text(r->text, &env, (uint32_t)section->number, section->data,
                     r->opts.show_info);
    evl_free(&events);
}

bool report_wants_features(const struct report *r)
{
    return r->from.file->pipe && !report_is_list(&r->opts) &&
           (r->opts.features || r->opts.group_asked);
}

void report_feature(struct report *r, const struct record *rec)
{
    const struct pts_feature_record *section = &rec->u.feature;

    r->features_end |= section->number == LAST_FEATURE;
    if (section->number >= LAST_FEATURE)
        return;
    r->feature_seen[section->number] = true;
    /* perf never prints these two when they are records */
    if (r->opts.features && section->number != PTS_FEAT_BRANCH_STACK &&
        section->number != PTS_FEAT_STAT)
        put_feature(r, section);
}

/* With --header-only there is no run. */
static void put_features(struct report *r)
{
    const struct perf_file *f = r->from.file;
    struct record rec;

    for (uint64_t off = f->data.off; off < f->data.end && !r->features_end;
         off = perf_rec_next(&rec.head))
        if (record_read(f, off, &rec) == PTS_OK && record_is(&rec, PTS_RECORD_FEATURE))
            report_feature(r, &rec);
}

void report_header(struct report *r)
{
    struct evlist events = {0};
    const struct feat_env env = {r->from.file, &events, NULL};

    if (evl_add_all(&events, r->from.attr, r->from.attr_count, false) < 0)
        r->text->failed = true;
    head_text(r->text, &env, r->opts.show_info);
    evl_free(&events);
    if (r->from.file->pipe && r->opts.header_only)
        put_features(r);
}
