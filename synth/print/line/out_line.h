/* out_line.h - what the lines of samples are made with, for the files that make them.
 *
 * SPDX-License-Identifier: MIT
 *
 *     out_perf.c   lines    out_begin.c   thread, time, event, flags    out_callindent.c
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_LINE_H
#define PTS_SYNTH_PRINT_LINE_OUT_LINE_H

#include "synth/print/line/out_calls.h"
#include "synth/print/line/out_cols.h"
#include "synth/print/line/out_indent.h"
#include "synth/print/line/out_opts.h"
#include "synth/print/line/out_spot.h"
#include "synth/print/line/out_start.h"

/* Sizes of texts that are kept.  FLAG_TEXT is what out_flags writes when nothing sticks
 * out: two blanks, 21 columns and a blank.  Whatever is longer is not kept, only made
 * again. */
enum {
    FLAG_TEXTS = 64,
    FLAG_TEXT = 24,
    WHO_TEXT = 64,
    TIME_TEXT = 32,
    EVENT_TEXTS = 4,
    EVENT_TEXT = 64
};

#define TIME_END ": "

/* One slot of a small cache that forgets: who comes to the same slot later takes it. */
struct flag_text {
    uint32_t flags;
    bool known;
    char text[FLAG_TEXT];
};

/* comm, pid, tid and cpu of the last line. */
struct who_text {
    const char *comm;
    uint32_t thread, epoch, guest; /* whose comm it is */
    int32_t pid, tid, cpu;
    uint8_t class;
    bool bare;   /* comm is not padded */
    uint8_t len; /* 0: nothing kept */
    uint32_t event;
    char text[WHO_TEXT + PUT_WIDE];
};

/* The time column that was printed last. */
struct time_text {
    uint64_t ns, second; /* second: when the one in it began, in ns */
    uint8_t len;         /* 0: nothing kept */
    char text[TIME_TEXT + PUT_WIDE];
};

/* The columns of period and event of one event. */
struct event_text {
    uint64_t period;
    uint32_t event;
    uint8_t len; /* 0: nothing kept */
    char text[EVENT_TEXT + PUT_WIDE];
};

/* What goes on from line to line.  Widths only ever depend on lines before, as in perf:
 * so the same samples in another order would be aligned otherwise. */
struct out_perf {
    const struct fields *f;
    const struct evlist *l;
    const struct lookup *look;
    struct out_opts opts;
    size_t name_width; /* of the event column: fixed by the first line that has one */
    struct out_indent indent;
    struct call_texts *calls; /* NULL: the column is not shown */
    size_t data_src_width;
    uint64_t first_time, last_time;
    struct out_start *start; /* of starts: that of the line at hand */
    struct out_start starts[STARTS];
    struct who_text who;
    struct time_text time;
    struct event_text event[EVENT_TEXTS];
    struct flag_text flag[FLAG_TEXTS];
    struct spots spots;
};

/* There are few combinations; the text of each is kept, at the place that its bits
 * lead to. */
static inline struct flag_text *flag_text_of(struct out_perf *o, uint32_t flags)
{
    return &o->flag[(flags ^ flags >> 6) % FLAG_TEXTS];
}

static inline bool flag_is_kept(const struct flag_text *k, uint32_t flags)
{
    return k->known && k->flags == flags;
}

/* What samples share with the lines of records: up to the time. */
void line_start(struct out_perf *o, const struct sample *s, const struct evl_event *e,
                uint32_t record_type, struct text *t);
/* Period and event. */
void line_event(struct out_perf *o, const struct sample *s, const struct evl_event *e,
                struct text *t);
void line_flags(struct out_perf *o, uint32_t flags, struct text *t);

void line_callindent(struct out_perf *o, const struct sample *s,
                     const struct evl_event *e, struct text *t);
/* How long that is without the blanks behind it. */
size_t line_callindent_len(const struct out_perf *o, const struct sample *s);

#endif
