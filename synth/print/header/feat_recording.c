/* feat_recording.c - what a header says of the recording: command, events, clocks,
 * kinds of data.
 *
 * SPDX-License-Identifier: MIT
 *
 * Some sections only say that a kind of data is there: their line is all there is.
 */
#include "synth/print/header/feat_recording.h"

#include "decoder/base/refused.h"
#include "synth/print/header/attr_text.h"
#include "synth/print/header/group_text.h"

#include <time.h>

enum { NS_PER_SEC = 1000000000, NS_PER_USEC = 1000, NS_PER_MSEC = 1000000 };

void feat_version(const struct feat *f)
{
    feat_line(f, "# perf version : ");
}

void feat_cmdline(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    text_str(f->t, "# cmdline : ");
    while (feat_next(&it, PTS_ITEM_TEXT, &item)) {
        for (const char *s = item.u.text; *s; s++) {
            /* perf escapes quotes, and nothing else, though it quotes no words. */
            if (*s == '\'')
                text_char(f->t, '\\');
            text_char(f->t, *s);
        }
        text_char(f->t, ' ');
    }
    text_char(f->t, '\n');
}

static void text_ids(struct text *t, const struct pts_words *ids)
{
    if (ids->count == 0)
        return;
    text_str(t, ", id = {");
    for (uint64_t i = 0; i < ids->count; i++) {
        text_str(t, i ? ", " : " ");
        text_dec(t, pts_word(ids, i), 0);
    }
    text_str(t, " }");
}

/* An event without a size ends the list: that is how perf marks its end itself. */
void feat_event_desc(const struct feat *f)
{
    struct pts_feature_iter it = feat_begin(f);
    struct pts_feature_item item;
    if (!f->sound)
        text_str(f->t, "# event desc: not available or unable to read\n");
    while (feat_next(&it, PTS_ITEM_EVENT, &item) && item.u.event.attr.size) {
        text_str(f->t, "# event : name = ");
        text_str(f->t, item.u.event.name);
        text_str(f->t, ", ");
        text_ids(f->t, &item.u.event.ids);
        attr_text(f->t, &item.u.event.attr, ", ", " = ");
        text_char(f->t, '\n');
    }
}

void feat_branch_stack(const struct feat *f)
{
    text_str(f->t, "# contains samples with branch stack\n");
}

void feat_auxtrace(const struct feat *f)
{
    text_str(f->t, "# contains AUX area data (e.g. instruction trace)\n");
}

void feat_stat(const struct feat *f)
{
    text_str(f->t, "# contains stat data\n");
}

void feat_group_desc(const struct feat *f)
{
    struct evl_groups g = {0};
    if (evl_groups_make(&g, f->env->events, feat_begin(f)) != PTS_OK)
        f->t->failed = true;
    for (size_t i = 0; i < g.at.len; i++) {
        /* Every event leads a group, most of them alone. */
        if (g.at.at[i].members < 2)
            continue;
        text_str(f->t, "# group: ");
        group_text(f->t, f->env->events, &g.at.at[i]);
        text_char(f->t, '\n');
    }
    evl_groups_free(&g);
}

static void text_when(struct text *t, const char *lead, uint64_t ns)
{
    text_str(t, lead);
    text_dec(t, ns / NS_PER_SEC, 0);
    text_char(t, '.');
    text_int0(t, (int64_t)(ns % NS_PER_SEC / NS_PER_USEC), 6);
    text_char(t, '\n');
}

void feat_sample_time(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_TIMES, &item);
    uint64_t span = item.u.times.last - item.u.times.first;
    text_when(f->t, "# time of first sample : ", item.u.times.first);
    text_when(f->t, "# time of last sample : ", item.u.times.last);
    text_fmt(f->t, "# sample duration : %10.3f ms\n", (double)span / NS_PER_MSEC);
}

void feat_clockid(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_NUMBER, &item);
    text_str(f->t, "# clockid frequency: ");
    /* The unit is perf's mistake, and stays: the number is not MHz. */
    text_dec(f->t, item.u.number * 1000, 0);
    text_str(f->t, " MHz\n");
}

void feat_dir_format(const struct feat *f)
{
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_NUMBER, &item);
    text_str(f->t, "# directory data version : ");
    text_dec(f->t, item.u.number, 0);
    text_char(f->t, '\n');
}

void feat_compressed(const struct feat *f)
{
    enum { ZSTD = 1 };
    struct pts_feature_item item;
    feat_only(f, PTS_ITEM_COMPRESSED, &item);
    text_fmt(f->t, "# compressed : %s, level = %d, ratio = %d\n",
             item.u.compressed.type == ZSTD ? "Zstd" : "Unknown",
             (int)item.u.compressed.level, (int)item.u.compressed.ratio);
}

/* Clocks that perf record -k knows by name, by number (clock_gettime). */
static const char *clock_name(uint32_t id)
{
    static const char *const names[] = {[0] = "realtime",
                                        [1] = "monotonic",
                                        [4] = "monotonic_raw",
                                        [7] = "boottime",
                                        [11] = "tai"};
    bool known = id < sizeof(names) / sizeof(names[0]) && names[id];
    return known ? names[id] : "(not found)";
}

void feat_clock_data(const struct feat *f)
{
    struct pts_feature_item item;
    if (!feat_only(f, PTS_ITEM_CLOCK, &item)) {
        text_str(f->t, "# reference time disabled\n");
        return;
    }
    uint64_t day = item.u.clock.time_of_day, ref = item.u.clock.on_clock;
    /* Time of day is known to microseconds only: it comes from gettimeofday.  The other
     * clock is read to nanoseconds. */
    unsigned usec = (unsigned)(day % NS_PER_SEC / NS_PER_USEC);
    const char *name = clock_name(item.u.clock.id);
    time_t seconds = (time_t)(day / NS_PER_SEC);
    char date[64] = "";
    struct tm tm;
    refused_watch();
    if (localtime_r(&seconds, &tm))
        strftime(date, sizeof(date), "%F %T", &tm);
    refused_watched(NULL);
    text_fmt(f->t, "# clockid: %s (%u)\n", name, item.u.clock.id);
    text_fmt(f->t, "# reference time: %s.%06u = %llu.%06u (TOD) = %llu.%09llu (%s)\n",
             date, usec, (unsigned long long)seconds, usec,
             (unsigned long long)(ref / NS_PER_SEC),
             (unsigned long long)(ref % NS_PER_SEC), name);
}
