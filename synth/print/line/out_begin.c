/* out_begin.c - the columns that every line begins with.
 *
 * SPDX-License-Identifier: MIT
 *
 * Thread, time, event and flags, each kept from the line before.  What most lines have in common
 * with the one before is kept as one text besides (out_start.h).
 */
#include "synth/print/line/out_line.h"

#include "decoder/base/digits.h"
#include "synth/print/line/out_synth.h"

/* The name of a thread without a number is lent for a moment only. */
static inline const char *comm_of(const struct out_perf *o, const struct who *w)
{
    const struct who_text *k = &o->who;

    /* A name of the side-band stays the same within an epoch (I2), so the pointer
     * does. */
    if (k->len && k->thread == w->thread && k->epoch == w->epoch &&
        k->guest == w->guest && w->thread < WHO_NOBODY)
        return k->comm;
    return o->look->comm(o->look->ctx, w);
}

/* pid and tid share a column: "pid/tid" with both, and alone each is aligned alike. */
static void put_ids(const struct who *w, uint64_t on, struct text *t)
{
    if ((on & (F_(PID) | F_(TID))) == (F_(PID) | F_(TID))) {
        text_int(t, w->pid, 5);
        text_char(t, '/');
        text_intl(t, w->tid, 5);
        text_char(t, ' ');
    } else if (on & (F_(PID) | F_(TID))) {
        text_int(t, on & F_(PID) ? w->pid : w->tid, 5);
        text_char(t, ' ');
    }
}

/* Before a call chain the line is not aligned with others. */
static inline bool comm_is_bare(const struct out_perf *o, const struct evl_event *e)
{
    return o->opts.chains && e->has_chain && o->f->of[e->class].on & F_(IP);
}

static void put_who(const struct out_perf *o, const struct who *w,
                    const struct evl_event *e, const char *comm, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(COMM)) {
        /* --latency has narrow columns, and cuts what is longer. */
        if (o->opts.latency)
            text_fmt(t, "%8.8s", comm);
        else if (comm_is_bare(o, e))
            text_str(t, comm);
        else
            text_strw(t, comm, 16);
        text_char(t, ' ');
    }
    put_ids(w, on, t);
    if (!(on & F_(CPU)))
        return;
    if (o->opts.latency) {
        text_int(t, w->cpu, 3);
    } else {
        text_char(t, '[');
        text_int0(t, w->cpu, 3);
        text_char(t, ']');
    }
    text_char(t, ' ');
}

/* Samples of one thread follow each other, so its columns are those of the line
 * before. */
static void put_who_kept(struct out_perf *o, const struct sample *s,
                         const struct evl_event *e, struct text *t)
{
    struct who_text *k = &o->who;
    const struct who *w = &s->who;
    const char *comm = comm_of(o, w);
    bool bare = comm_is_bare(o, e);

    /* Compared by pointer: an equal name elsewhere costs a new text, but is never
     * wrong. */
    if (k->len && k->comm == comm && k->tid == w->tid && k->cpu == w->cpu &&
        k->pid == w->pid && k->guest == w->guest && k->class == e->class &&
        k->bare == bare) {
        text_put(t, k->text, k->len);
    } else {
        size_t before = t->len;
        put_who(o, w, e, comm, t);
        k->len = text_kept(t, before, k->text, WHO_TEXT);
    }
    k->comm = comm;
    k->thread = w->thread;
    k->epoch = w->epoch;
    k->event = s->event;
    k->guest = w->guest;
    k->pid = w->pid;
    k->tid = w->tid;
    k->cpu = w->cpu;
    k->class = e->class;
    k->bare = bare;
}

/* Dividing a time into digits takes longer than any other column; but between two packets
 * all have one time, and from packet to packet only the digits behind the point differ. */
static inline bool time_is_kept(struct out_perf *o, uint64_t ns)
{
    struct time_text *k = &o->time;
    uint64_t part = ns - k->second;

    if (k->len && k->ns == ns)
        return true;
    /* The last second before 2^64 ns is short: 0 is less than one behind its start. */
    if (!k->len || ns < k->second || part >= START_SECOND)
        return false;
    k->ns = ns;
    put_dec_end(k->text + k->len - strlen(TIME_END),
                (uint32_t)(o->opts.ns ? part : part / 1000), o->opts.ns ? 9 : 6);
    return true;
}

static inline void put_digits(struct out_perf *o, uint64_t ns, struct text *t)
{
    struct time_text *k = &o->time;

    if (time_is_kept(o, ns)) {
        text_put(t, k->text, k->len);
        return;
    }
    size_t before = t->len;
    if (o->opts.ns)
        text_nsec(t, ns);
    else
        text_usec(t, ns);
    text_str(t, TIME_END);
    k->len = text_kept(t, before, k->text, TIME_TEXT);
    k->ns = ns;
    k->second = ns - ns % START_SECOND;
}

/* --reltime counts from the first sample that is printed, --deltatime from the one
 * before.  A time of 0 counts as none of these, as perf takes 0 for "not yet set". */
static inline void put_time(struct out_perf *o, uint64_t ns, struct text *t)
{
    uint64_t show = ns;

    if (o->opts.reltime) {
        if (!o->first_time)
            o->first_time = ns;
        show = ns - o->first_time;
    } else if (o->opts.deltatime) {
        show = o->last_time ? ns - o->last_time : 0;
        o->last_time = ns;
    }
    put_digits(o, show, t);
}

/* Which guest, where its own records tell. */
static inline bool shows_machine(const struct who *w, uint64_t on)
{
    return w->machine_pid && on & (F_(MACHINE_PID) | F_(VCPU));
}

static void put_machine(const struct who *w, uint64_t on, struct text *t)
{
    if (on & F_(MACHINE_PID)) {
        text_put(t, "VM:", 3);
        text_int(t, w->machine_pid, 5);
        text_char(t, ' ');
    }
    if (on & F_(VCPU)) {
        text_put(t, "VCPU:", 5);
        text_int0(t, w->vcpu, 3);
        text_char(t, ' ');
    }
}

/* A sample that was recorded without a time has, in perf, all bits of one set. */
static inline uint64_t time_shown(const struct sample *s, const struct evl_event *e,
                                  uint32_t record_type)
{
    return s->recorded && record_type == PTS_RECORD_SAMPLE &&
                   !(e->attr.sample_type & PTS_SAMPLE_TIME)
               ? UINT64_MAX
               : s->time;
}

void line_start(struct out_perf *o, const struct sample *s, const struct evl_event *e,
                uint32_t record_type, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (shows_machine(&s->who, on))
        put_machine(&s->who, on, t);
    if (on & (F_(COMM) | F_(PID) | F_(TID) | F_(CPU)))
        put_who_kept(o, s, e, t);
    if (on & F_(MISC))
        out_misc(t, s->misc, record_type);
    if (on & F_(TOD))
        out_tod(t, &o->opts, s->time);
    if (on & F_(TIME))
        put_time(o, time_shown(s, e, record_type), t);
}

static void put_event(struct out_perf *o, const struct sample *s,
                      const struct evl_event *e, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(PERIOD)) {
        text_dec(t, s->period, 10);
        text_char(t, ' ');
    }
    if (on & F_(EVENT)) {
        /* The width is that of the longest name known when the first line is printed.
         * Names that turn up later, from the trace, do not move the column. */
        if (!o->name_width)
            o->name_width = evl_name_width(o->l);
        text_strw(t, e->name, o->name_width);
        text_put(t, ": ", 2);
    }
}

static inline bool event_is_kept(const struct out_perf *o, const struct sample *s)
{
    const struct event_text *k = &o->event[s->event % EVENT_TEXTS];

    return k->len && k->event == s->event && k->period == s->period;
}

/* All branches have a period of 1. */
void line_event(struct out_perf *o, const struct sample *s, const struct evl_event *e,
                struct text *t)
{
    struct event_text *k = &o->event[s->event % EVENT_TEXTS];

    if (event_is_kept(o, s)) {
        text_put(t, k->text, k->len);
        return;
    }
    size_t before = t->len;
    put_event(o, s, e, t);
    k->len = text_kept(t, before, k->text, EVENT_TEXT);
    k->event = s->event;
    k->period = s->period;
}

void line_flags(struct out_perf *o, uint32_t flags, struct text *t)
{
    struct flag_text *k = flag_text_of(o, flags);

    if (flag_is_kept(k, flags)) {
        text_put(t, k->text, FLAG_TEXT);
        return;
    }
    size_t before = t->len;
    out_flags(t, flags);
    /* An odd combination, or no memory: such a text must not be found again. */
    if (t->failed || t->len - before != FLAG_TEXT)
        return;
    memcpy(k->text, t->at + before, FLAG_TEXT);
    k->flags = flags;
    k->known = true;
}
