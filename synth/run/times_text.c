/* times_text.c - when a recording has trace, as a table.
 *
 * SPDX-License-Identifier: MIT
 *
 *     span       all of it, and samples
 *     windows    of each queue; what --time takes is in one column
 *     lost       records that tell of losses
 *     total
 *
 * Times are printed with all nine digits, so that a window can be given to --time as it is
 * and all that was traced in it is selected.
 */
#include "synth/run/times.h"

enum { TIME_WIDTH = 20, SPAN_WIDTH = 2 * TIME_WIDTH + 1 };

static uint64_t ns_of(const struct times *t, uint64_t tsc)
{
    return tsc_to_ns(tsc, &t->session->info.conv);
}

/* SEC.NNNNNNNNN, at most TIME_WIDTH bytes. */
static void put_time(struct text *t, uint64_t ns)
{
    text_fmt(t, "%llu.%09llu", (unsigned long long)(ns / 1000000000),
             (unsigned long long)(ns % 1000000000));
}

/* FROM,TO padded, and how long it is. */
static void put_span(struct text *t, uint64_t from, uint64_t to)
{
    size_t before = t->len;

    put_time(t, from);
    text_char(t, ',');
    put_time(t, to);
    size_t len = t->failed ? SPAN_WIDTH : t->len - before;
    text_spaces(t, len < SPAN_WIDTH ? SPAN_WIDTH - len : 0);
    uint64_t ns = to > from ? to - from : 0;
    text_fmt(t, " %5llu.%09llu", (unsigned long long)(ns / 1000000000),
             (unsigned long long)(ns % 1000000000));
}

/* "cpu 3", "tid 4242", "cpu 3 tid 4242". */
static void put_whose(struct text *t, int64_t cpu, int64_t tid, size_t width)
{
    size_t before = t->len;

    if (cpu >= 0)
        text_fmt(t, "cpu %lld", (long long)cpu);
    if (tid >= 0)
        text_fmt(t, "%stid %lld", cpu >= 0 ? " " : "", (long long)tid);
    if (cpu < 0 && tid < 0)
        text_char(t, '-');
    size_t len = t->failed ? width : t->len - before;
    text_spaces(t, len < width ? width - len : 0);
}

/* --- Span ------------------------------------------------------------------------- */

/* From the first time of all queues to the last; 0: there is none. */
static struct survey_window whole_of(const struct trace_index *x)
{
    struct survey_window all = {0};

    for (size_t i = 0; i < x->queue.len; i++) {
        const struct survey_sum *s = &x->queue.at[i].sum;
        if (s->first && (!all.from || s->first < all.from))
            all.from = s->first;
        if (s->last > all.to)
            all.to = s->last;
    }
    return all;
}

static void put_head(struct times *t, const struct survey_window *all)
{
    const struct perf_file *f = t->session->file;
    const struct trace_index *x = &t->trace;
    uint64_t bytes = 0, pieces = 0, sample[2];

    for (size_t i = 0; i < x->queue.len; i++) {
        const struct survey_sum *s = &x->queue.at[i].sum;
        bytes += s->bytes;
        pieces += s->pieces;
    }
    text_fmt(t->text, "%s: ", f->path);
    if (!t->session->has_pt)
        text_str(t->text, "no trace of Intel PT\n");
    else
        text_fmt(t->text, "%llu bytes of trace, queues: %zu, pieces: %llu\n",
                 (unsigned long long)bytes, x->queue.len, (unsigned long long)pieces);
    if (all->from) {
        text_str(t->text, "trace    ");
        put_span(t->text, ns_of(t, all->from), ns_of(t, all->to));
        text_char(t->text, '\n');
    }
    if (perf_feat_sample_time(f, &sample[0], &sample[1]) && sample[1]) {
        text_str(t->text, "samples  ");
        put_span(t->text, sample[0], sample[1]);
        text_char(t->text, '\n');
    }
}

/* --- Windows ---------------------------------------------------------------------- */

static void put_window(struct times *t, const struct index_queue *q,
                       const struct survey_window *w)
{
    static const char *const ends[SURVEY_ENDS] = {"end", "off", "TraceStop", "overflow",
                                                  "trace missing"};

    put_whose(t->text, q->cpu, t->session->info.per_cpu ? -1 : q->tid, 16);
    text_char(t->text, ' ');
    put_span(t->text, ns_of(t, w->from), ns_of(t, w->to));
    text_fmt(t->text, " %13llu %9llu  %s\n", (unsigned long long)w->bytes,
             (unsigned long long)w->overflows, ends[w->end]);
}

/* Whether b goes on a window that only went off, for too short to be told. */
static bool goes_on(const struct survey_window *a, const struct survey_window *b,
                    uint64_t gap)
{
    return a->end == SURVEY_OFF && b->from >= a->seen && b->from - a->seen < gap;
}

static void put_queue(struct times *t, const struct index_queue *q, uint64_t gap)
{
    const struct survey_window *w = t->trace.window.at + q->first;

    for (uint64_t i = 0; i < q->count;) {
        struct survey_window all = w[i++];
        for (; i < q->count && goes_on(&all, &w[i], gap); i++) {
            all.to = w[i].to > all.to ? w[i].to : all.to;
            all.seen = w[i].seen;
            all.bytes += w[i].bytes;
            all.overflows += w[i].overflows;
            all.end = w[i].end;
        }
        put_window(t, q, &all);
    }
}

/* Ticks: enough to have no more than a hundred windows of a queue, if nothing else is asked
 * for. */
static uint64_t gap_of(const struct times *t, const struct survey_window *all)
{
    const struct tsc_conv *conv = &t->session->info.conv;
    int64_t ms = t->opts.gap;

    if (ms <= 0)
        return (all->to - all->from) / 100;
    return tsc_ticks_of_ns((uint64_t)(ms < 1000000000 ? ms : 1000000000) * 1000000,
                           conv);
}

static void put_windows(struct times *t, const struct survey_window *all)
{
    const struct trace_index *x = &t->trace;

    if (!x->queue.len)
        return;
    uint64_t gap = gap_of(t, all);
    text_fmt(t->text, "\n%-16s %-41s %15s %13s %9s  %s\n", "queue",
             "window (for --time)", "seconds", "bytes", "overflows", "until");
    for (size_t i = 0; i < x->queue.len; i++) {
        const struct index_queue *q = &x->queue.at[i];
        put_queue(t, q, gap);
        if (!q->count) {
            put_whose(t->text, q->cpu, t->session->info.per_cpu ? -1 : q->tid, 16);
            text_fmt(t->text, " %-41s %15s %13llu %9llu  -\n", "-", "-",
                     (unsigned long long)q->sum.bytes,
                     (unsigned long long)q->sum.overflows);
        }
    }
}

/* --- Lost ------------------------------------------------------------------------- */

static void put_losses(struct times *t)
{
    const struct perf_file *f = t->session->file;
    uint64_t overflows = 0, bad = 0;
    bool cut = f->damage.odd & PERF_ODD_CUT;

    for (size_t i = 0; i < t->trace.queue.len; i++) {
        overflows += t->trace.queue.at[i].sum.overflows;
        bad += t->trace.queue.at[i].sum.bad;
    }
    t->findings = (uint32_t)t->loss.len + !!overflows + !!bad + cut;
    text_str(t->text, t->findings ? "\nlost\n" : "\nlost: nothing\n");
    for (size_t i = 0; i < t->loss.len; i++) {
        const struct times_loss *l = &t->loss.at[i];
        text_str(t->text, "  ");
        put_whose(t->text, l->cpu, l->tid, 21);
        text_char(t->text, ' ');
        put_time(t->text, l->time);
        text_str(t->text, "  ");
        if (l->count)
            text_fmt(t->text, "%llu ", (unsigned long long)l->count);
        text_fmt(t->text, "%s\n", l->what);
    }
    if (overflows) {
        text_spaces(t->text, 2);
        text_count(t->text, overflows, "time", "times");
        text_str(t->text, " the processor dropped packets (overflows)\n");
    }
    if (bad) {
        text_spaces(t->text, 2);
        text_count(t->text, bad, "place in the trace is no packet\n",
                   "places in the trace are no packets\n");
    }
    if (cut)
        text_fmt(t->text, "  the data behind offset 0x%llx, which cannot be read\n",
                 (unsigned long long)f->damage.bad.off);
}

void times_text(struct times *t)
{
    const struct survey_window all = whole_of(&t->trace);

    put_head(t, &all);
    put_windows(t, &all);
    put_losses(t);
}
