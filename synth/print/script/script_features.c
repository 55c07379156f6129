/* script_features.c - what a recording says of itself: --header.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file has all features in its header; in a pipe each is a record and is printed when
 * it comes.
 */
#include "synth/print/header/feat_text.h"
#include "synth/print/script/script.h"

static pts_status name_events(const struct script *s, bool made_up, struct evlist *out)
{
    return evl_add_all(out, s->from.attr, s->from.attr_count, made_up);
}

void script_header(struct script *s)
{
    struct evlist events = {0};
    const struct feat_env env = {s->from.file, &events, NULL};

    s->text->failed = name_events(s, false, &events) < 0;
    head_text(s->text, &env, s->opt.text.show_info);
    evl_free(&events);
}

bool script_shows_features(const struct script *s)
{
    const struct text_options *o = &s->opt.text;

    return o->header || o->show_info;
}

static void put_feature(struct script *s, uint32_t id, struct pts_bytes bytes)
{
    struct evlist events = {0};
    const struct feat_env env = {s->from.file, &events, s->feature_seen};

    if (name_events(s, !s->feature_seen[PTS_FEAT_EVENT_DESC], &events) < 0)
        s->text->failed = true;
    (void)!feat_text(s->text, &env, id, bytes, s->opt.text.show_info);
    evl_free(&events);
}

void script_feature(struct script *s, const struct record *rec)
{
    const struct pts_feature_record *section = &rec->u.feature;
    uint64_t id = section->number;

    if (id >= PTS_FEAT_END)
        return;
    s->feature_seen[id] = true;
    /* perf never prints these two when they are records */
    if (script_shows_features(s) && id != PTS_FEAT_BRANCH_STACK && id != PTS_FEAT_STAT)
        put_feature(s, (uint32_t)id, section->data);
}
