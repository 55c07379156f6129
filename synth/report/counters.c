/* counters.c - perf report --threads: what counters of threads had counted.
 *
 * SPDX-License-Identifier: MIT
 *
 *     #   PID    TID  cpu-clock  page-faults
 *       32337  32337      83213       757097
 */
#include "synth/report/counters.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_TEXT = 32 };

/* Values stand in rows of all events, so a new event makes all of them longer. */
static bool widen(struct counters *c)
{
    size_t events = c->event.len, threads = c->thread.len;

    if (!VEC_ROOM(&c->value, threads))
        return false;
    for (size_t i = threads; i > 0; i--) {
        uint64_t *row = c->value.at + (i - 1) * (events + 1);
        memmove(row, c->value.at + (i - 1) * events, events * sizeof(*row));
        row[events] = 0;
    }
    c->value.len = threads * (events + 1);
    return true;
}

static bool event_of(struct counters *c, const struct count_read *r, size_t *out)
{
    for (*out = 0; *out < c->event.len; ++*out)
        if (c->event.at[*out] == r->event)
            return true;
    if (!widen(c) || !VEC_ROOM(&c->event, 1) || !VEC_ROOM(&c->name, 1))
        return false;
    c->event.at[c->event.len++] = r->event;
    c->name.at[c->name.len++] = r->name;
    return true;
}

static bool thread_of(struct counters *c, const struct count_read *r, size_t *out)
{
    for (*out = 0; *out < c->thread.len; ++*out)
        if (c->thread.at[*out].pid == r->who.pid &&
            c->thread.at[*out].tid == r->who.tid)
            return true;
    if (!VEC_ROOM(&c->thread, 1) || !VEC_ROOM(&c->value, c->event.len))
        return false;
    c->thread.at[c->thread.len++] = r->who;
    for (size_t i = 0; i < c->event.len; i++)
        c->value.at[c->value.len++] = 0;
    return true;
}

bool counters_add(struct counters *c, const struct count_read *r)
{
    size_t event, thread;

    if (!event_of(c, r, &event) || !thread_of(c, r, &thread))
        return false;
    c->value.at[thread * c->event.len + event] += r->value;
    return true;
}

static void grow(size_t *width, size_t n)
{
    *width = n > *width ? n : *width;
}

static size_t digits(uint64_t v, const char *format)
{
    char text[NUMBER_TEXT];
    int n = snprintf(text, sizeof(text), format, (unsigned long long)v);

    return n < 0 ? 0 : (size_t)n;
}

static size_t digits_of(int32_t v)
{
    char text[NUMBER_TEXT];
    int n = snprintf(text, sizeof(text), "%d", (int)v);

    return n < 0 ? 0 : (size_t)n;
}

struct widths {
    size_t pid, tid, name, raw, count;
};

static struct widths widths_of(const struct counters *c)
{
    struct widths w = {.pid = 3, .tid = 3, .name = 4, .raw = 3, .count = 5};

    for (size_t i = 0; i < c->thread.len; i++) {
        grow(&w.pid, digits_of(c->thread.at[i].pid));
        grow(&w.tid, digits_of(c->thread.at[i].tid));
    }
    for (size_t i = 0; i < c->event.len; i++) {
        grow(&w.name, strlen(c->name.at[i]));
        grow(&w.raw, digits(c->event.at[i], "%llx"));
    }
    for (size_t i = 0; i < c->value.len; i++)
        grow(&w.count, digits(c->value.at[i], "%llu"));
    return w;
}

static size_t column_width(const struct counters *c, size_t event)
{
    size_t width = strlen(c->name.at[event]);

    for (size_t i = 0; i < c->thread.len; i++)
        grow(&width, digits(c->value.at[i * c->event.len + event], "%llu"));
    return width;
}

static void put_who(const struct counted *who, const struct widths *w, struct text *t)
{
    text_fmt(t, "  %*d  %*d", (int)w->pid, (int)who->pid, (int)w->tid, (int)who->tid);
}

static void put_table(const struct counters *c, const struct widths *w, struct text *t)
{
    text_fmt(t, "# %*s  %*s", (int)w->pid, "PID", (int)w->tid, "TID");
    for (size_t k = 0; k < c->event.len; k++) {
        text_str(t, "  ");
        text_strw(t, c->name.at[k], column_width(c, k));
    }
    text_char(t, '\n');
    for (size_t i = 0; i < c->thread.len; i++) {
        put_who(&c->thread.at[i], w, t);
        for (size_t k = 0; k < c->event.len; k++) {
            text_str(t, "  ");
            text_dec(t, c->value.at[i * c->event.len + k], column_width(c, k));
        }
        text_char(t, '\n');
    }
}

/* perf ends none of them. */
static void put_lines(const struct counters *c, const struct widths *w, struct text *t)
{
    text_fmt(t, "# %*s  %*s  %*s  %*s  %*s\n", (int)w->pid, "PID", (int)w->tid, "TID",
             (int)w->name, "Name", (int)w->raw, "Raw", (int)w->count, "Count");
    for (size_t i = 0; i < c->thread.len; i++)
        for (size_t k = 0; k < c->event.len; k++) {
            put_who(&c->thread.at[i], w, t);
            text_str(t, "  ");
            text_strw(t, c->name.at[k], w->name);
            text_fmt(t, "  %*llx  %*llu", (int)w->raw,
                     (unsigned long long)c->event.at[k], (int)w->count,
                     (unsigned long long)c->value.at[i * c->event.len + k]);
        }
}

void counters_text(const struct counters *c, bool raw, struct text *t)
{
    const struct widths w = widths_of(c);

    if (raw)
        put_lines(c, &w, t);
    else
        put_table(c, &w, t);
}

void counters_free(struct counters *c)
{
    VEC_FREE(&c->thread);
    VEC_FREE(&c->event);
    VEC_FREE(&c->value);
    VEC_FREE(&c->name);
}
