/* sched_stat.c - how long threads slept, told where they went to sleep (inject -s).
 *
 * SPDX-License-Identifier: MIT
 *
 * perf reads the sched_switch as if it were a sample of the sched_stat_*, changes time and
 * period, and writes it over its own bytes.  All of it is as before but
 *
 *     IDENTIFIER IP TID [TIME] ADDR ID STREAM_ID CPU [PERIOD] READ CALLCHAIN
 *     RAW         size | 4 bytes | ...    the 4 bytes become the upper half of the word that
 *                                         perf had in hand before: that of CPU, 0, or the tid
 *     STACK_USER  size | bytes | used     size becomes used, and what is behind moves up
 */
#include "synth/inject/sched_stat.h"

#include "decoder/base/diag.h"
#include "decoder/file/trace_field.h"

/* --- Events ----------------------------------------------------------------------- */

/* The field `pid`, of those that all events share, too. */
static void find_pid(const struct perf_file *f, uint64_t config, struct sched_event *e)
{
    struct trace_format format;
    struct trace_field field;

    if (!trace_find(f->feature[PTS_FEAT_TRACING_DATA], config, &format))
        return;
    struct trace_fields it = trace_fields_of(&format);
    while (trace_field_next(&it, &field)) {
        if (field.name.len != 3 || memcmp(field.name.ptr, "pid", 3) != 0)
            continue;
        e->pid_at = field.offset;
        e->pid_size = field.size;
        return;
    }
}

static struct sched_event event_of(const struct perf_file *f, const char *name,
                                   const struct pts_attr *a)
{
    static const char stat[] = "sched:sched_stat_";
    struct sched_event e = {SLEEP_OTHER};

    if (strcmp(name, "sched:sched_switch") == 0)
        e.kind = SLEEP_SWITCH;
    else if (strcmp(name, "sched:sched_process_exit") == 0)
        e.kind = SLEEP_EXIT;
    else if (strncmp(name, stat, sizeof(stat) - 1) == 0)
        e.kind = SLEEP_STAT;
    if (e.kind == SLEEP_STAT && a->type == PTS_TYPE_TRACEPOINT)
        find_pid(f, a->config, &e);
    return e;
}

pts_status sched_init(struct sched_stat *s, const struct perf_file *file,
                      const struct evlist *evl, struct pts_diag *why)
{
    s->file = file;
    for (size_t i = 0; !file->pipe && i < file->evsel.len && i < evl->ev.len; i++) {
        const struct pts_attr *a = &file->evsel.at[i].attr;
        struct sched_event *e = VEC_PUSH(&s->event);
        if (!e)
            return PTS_E_NOMEM;
        *e = event_of(file, evl->ev.at[i].name, a);
        if (e->kind == SLEEP_SWITCH && !(a->sample_type & PTS_SAMPLE_TID))
            return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                            "Samples for %s event do not have TID attribute set.",
                            evl->ev.at[i].name);
    }
    return PTS_OK;
}

void sched_free(struct sched_stat *s)
{
    VEC_FREE(&s->event);
    VEC_FREE(&s->off);
    idmap_free(&s->thread);
}

bool sched_is_of(const struct sched_stat *s, const struct record *r)
{
    return r->head.evsel < s->event.len &&
           s->event.at[r->head.evsel].kind != SLEEP_OTHER;
}

/* --- Threads ---------------------------------------------------------------------- */

static void forget(struct sched_stat *s, uint32_t tid)
{
    uint32_t i = idmap_get(&s->thread, tid);

    if (i != IDMAP_NONE)
        s->off.at[i] = UINT64_MAX;
}

static pts_status keep(struct sched_stat *s, uint32_t tid, uint64_t off)
{
    uint32_t i = idmap_get(&s->thread, tid);

    if (i == IDMAP_NONE) {
        i = (uint32_t)s->off.len;
        if (!VEC_ROOM(&s->off, 1) || !idmap_set(&s->thread, tid, i))
            return PTS_E_NOMEM;
        s->off.len++;
    }
    s->off.at[i] = off;
    return PTS_OK;
}

/* Whom a sched_stat_* is about.  perf compares the lower 32 bits. */
static uint32_t pid_of(const struct sched_event *e, struct pts_bytes raw)
{
    uint32_t pid = 0;
    bool number =
        e->pid_size == 1 || e->pid_size == 2 || e->pid_size == 4 || e->pid_size == 8;
    size_t n = e->pid_size < sizeof(pid) ? e->pid_size : sizeof(pid);

    if (number && e->pid_at < raw.len && n <= raw.len - e->pid_at)
        memcpy(&pid, raw.ptr + e->pid_at, n);
    return pid;
}

/* --- The sample ------------------------------------------------------------------- */

/* Where a sample of this type has a word among those in front of READ. */
static size_t word_at(uint64_t type, uint64_t word)
{
    static const uint64_t order[] = {
        PTS_SAMPLE_IDENTIFIER, PTS_SAMPLE_IP,   PTS_SAMPLE_TID,
        PTS_SAMPLE_TIME,       PTS_SAMPLE_ADDR, PTS_SAMPLE_ID,
        PTS_SAMPLE_STREAM_ID,  PTS_SAMPLE_CPU,  PTS_SAMPLE_PERIOD};
    size_t at = PERF_REC_HEADER;

    for (size_t i = 0; order[i] != word; i++)
        at += type & order[i] ? 8 : 0;
    return at;
}

static void put_word(char *p, uint64_t type, uint64_t word, uint64_t v)
{
    if (type & word)
        memcpy(p + word_at(type, word), &v, sizeof(v));
}

static void put_raw_head(char *p, const struct record *r)
{
    const struct pts_sample *s = &r->u.sample;
    uint32_t upper = s->type & PTS_SAMPLE_CPU ? 0 : (uint32_t)r->head.id.tid;

    if (s->raw.len >= sizeof(upper))
        memcpy(p + (s->raw.ptr - r->head.ptr), &upper, sizeof(upper));
}

/* What is behind a stack's bytes in use, up to the record's end, stays there as well. */
static void close_stack(char *p, const struct record *r)
{
    const struct pts_sample *s = &r->u.sample;
    uint64_t used = s->stack.len;

    if (!s->stack_size || used >= s->stack_size)
        return;
    size_t at = (size_t)(s->stack.ptr - r->head.ptr);
    size_t rest = at + (size_t)s->stack_size + 8;
    memcpy(p + at - 8, &used, sizeof(used));
    memcpy(p + at + used, &used, sizeof(used));
    memmove(p + at + used + 8, p + rest, r->head.size - rest);
}

static void put_slept(struct text *t, const struct record *r, const struct record *stat)
{
    size_t at = t->len;

    text_put(t, (const char *)r->head.ptr, r->head.size);
    if (t->failed)
        return;
    char *p = t->at + at;
    put_word(p, r->u.sample.type, PTS_SAMPLE_TIME, stat->head.id.time);
    put_word(p, r->u.sample.type, PTS_SAMPLE_PERIOD, stat->u.sample.period);
    put_raw_head(p, r);
    close_stack(p, r);
}

static void take_stat(struct sched_stat *s, const struct record *stat, struct text *t,
                      struct record *made)
{
    const struct sched_event *e = &s->event.at[stat->head.evsel];
    uint32_t i = idmap_get(&s->thread, pid_of(e, stat->u.sample.raw));

    if (i == IDMAP_NONE || s->off.at[i] == UINT64_MAX ||
        perf_rec_at(s->file, s->off.at[i], &made->head) < 0) {
        made->head.size = 0;
        return;
    }
    made->head.evsel = stat->head.evsel; /* as what it is read */
    if (record_body(s->file, &made->head, &made->u) == PTS_RECORD_WHOLE)
        put_slept(t, made, stat);
    else
        made->head.size = 0;
}

pts_status sched_take(struct sched_stat *s, const struct record *r, struct text *t,
                      struct record *made)
{
    uint32_t tid = (uint32_t)r->head.id.tid;

    made->head.size = 0;
    switch (s->event.at[r->head.evsel].kind) {
    case SLEEP_SWITCH:
        return keep(s, tid, r->head.off);
    case SLEEP_EXIT:
        forget(s, tid);
        break;
    case SLEEP_STAT:
        take_stat(s, r, t, made);
        break;
    case SLEEP_OTHER:
        break;
    }
    return PTS_OK;
}
