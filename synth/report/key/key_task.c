/* key_task.c - keys of who and when: comm, pid, cpu, time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/key/key_parts.h"

#include <string.h>

static uint32_t comm_words(struct key_context *c, const struct subject *i,
                           uint64_t *word)
{
    return word_of(c, i->comm, word);
}

/* With the first name of its own a thread has it in rows of the time before, too. */
static const char *comm_now(const struct key_context *c, const struct subject *i)
{
    return c->epoch < i->named ? i->made_up : i->comm;
}

static int64_t comm_compare(const struct key_context *c, const struct subject *a,
                            const struct subject *b)
{
    const char *of_a = comm_now(c, a), *of_b = comm_now(c, b);

    return of_a == of_b ? 0 : strcmp(of_b, of_a);
}

static void comm_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    (void)c, (void)width;
    text_str(t, i->comm);
}

/* perf goes by the name that the thread had in the end. */
static uint32_t comm_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return (uint32_t)strlen(i->last_comm);
}

static uint32_t pid_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    (void)c;
    *word = (uint32_t)i->tid;
    return 1;
}

static int64_t pid_compare(const struct key_context *c, const struct subject *a,
                           const struct subject *b)
{
    (void)c;
    return (int64_t)b->tid - a->tid;
}

/* In a column that has no room for the number perf puts the whole name. */
static void pid_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    enum { TID = 7 };
    size_t n = strlen(i->last_comm);
    size_t rest = width > TID ? width - TID - 1 : n ? n : 1;

    (void)c;
    text_fmt(t, "%7d:", (int)i->tid);
    text_put(t, i->last_comm, n < rest ? n : rest);
    text_spaces(t, n < rest ? rest - n : 0);
}

static uint32_t pid_width(const struct key_context *c, const struct subject *i)
{
    return comm_width(c, i) + 8;
}

static uint32_t cpu_words(struct key_context *c, const struct subject *i,
                          uint64_t *word)
{
    (void)c;
    *word = (uint32_t)i->cpu;
    return 1;
}

static int64_t cpu_compare(const struct key_context *c, const struct subject *a,
                           const struct subject *b)
{
    (void)c;
    return (int64_t)b->cpu - a->cpu;
}

static void number_cell(int32_t v, size_t width, struct text *t)
{
    text_int0(t, v, width + (v < 0)); /* a precision: the sign comes in addition */
}

static void cpu_cell(const struct key_context *c, const struct subject *i, size_t width,
                     struct text *t)
{
    (void)c;
    number_cell(i->cpu, width, t);
}

static uint32_t cpu_width(const struct key_context *c, const struct subject *i)
{
    (void)c, (void)i;
    return 3;
}

static uint32_t time_words(struct key_context *c, const struct subject *i,
                           uint64_t *word)
{
    (void)c;
    *word = i->time;
    return 1;
}

static int64_t time_compare(const struct key_context *c, const struct subject *a,
                            const struct subject *b)
{
    (void)c;
    return by_number(a->time, b->time);
}

/* Cut at the width, which is that of a machine that has not been up for long. */
static void time_cell(const struct key_context *c, const struct subject *i,
                      size_t width, struct text *t)
{
    const uint64_t second = 1000000000;
    const size_t from = t->len;

    text_fmt(t, "%llu.", (unsigned long long)(i->time / second));
    if (c->ns)
        text_fmt(t, "%09llu", (unsigned long long)(i->time % second));
    else
        text_fmt(t, "%06llu", (unsigned long long)(i->time % second / 1000));
    if (t->len - from > width)
        t->len = from + width;
}

static uint32_t time_width(const struct key_context *c, const struct subject *i)
{
    (void)i;
    return c->ns ? 16 : 12;
}

const struct key key_comm = {
    .name = "comm",
    .title = "Command",
    .pads = true,
    .words = comm_words,
    .compare = comm_compare,
    .cell = comm_cell,
    .width = comm_width,
};

const struct key key_pid = {
    .name = "pid",
    .title = "    Pid:Command",
    .words = pid_words,
    .compare = pid_compare,
    .cell = pid_cell,
    .width = pid_width,
};

const struct key key_cpu = {
    .name = "cpu",
    .title = "CPU",
    .words = cpu_words,
    .compare = cpu_compare,
    .cell = cpu_cell,
    .width = cpu_width,
};

const struct key key_time = {
    .name = "time",
    .title = "Time",
    .words = time_words,
    .compare = time_compare,
    .cell = time_cell,
    .width = time_width,
};

/* --- What tracepoints say ----------------------------------------------------------- */

static uint32_t trace_words(struct key_context *c, const struct subject *i,
                            uint64_t *word)
{
    return word_of(c, i->trace, word);
}

static int64_t trace_compare(const struct key_context *c, const struct subject *a,
                             const struct subject *b)
{
    (void)c;
    return a->trace && b->trace ? strcmp(b->trace, a->trace) : 0;
}

static void trace_cell(const struct key_context *c, const struct subject *i,
                       size_t width, struct text *t)
{
    const char *text = i->trace ? i->trace : "N/A";
    size_t n = strlen(text);

    (void)c;
    text_put(t, text, n < width ? n : width);
}

static uint32_t trace_width(const struct key_context *c, const struct subject *i)
{
    (void)c;
    return i->trace && !i->trace_skipped ? (uint32_t)strlen(i->trace) : 0;
}

static void trace_skip(struct subject *i, bool late)
{
    (void)late;
    i->trace_skipped = !i->trace_read;
}

const struct key key_trace = {
    .name = "trace",
    .title = "Trace output",
    .words = trace_words,
    .compare = trace_compare,
    .skip = trace_skip,
    .cell = trace_cell,
    .width = trace_width,
};
