/* stat_table.c - the counters of a perf stat recording, as perf script lists them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Values lie in one array: of each event, for each of its CPUs, one for each thread. It
 * is made when both maps are known; until then there is nothing to be set.
 */
#include "synth/stat_table.h"

#include "decoder/arena.h"
#include "decoder/perf_cpus.h"
#include "decoder/vec.h"

/* No real recording has more; a file that claims more is not listed. */
enum { VALUES_MAX = 1 << 20 };

typedef VEC(int32_t) numbers;

struct stat_value {
    uint64_t value, enabled, running;
};

struct stat_event {
    numbers cpus; /* its own, from an EVENT_UPDATE; empty: those of the CPU_MAP */
    size_t first; /* of its values */
};

struct stat_table {
    const struct perf_file *f;
    const struct evlist *l;
    numbers cpus, threads;
    bool have_cpus, have_threads;
    bool begun; /* the heading was printed */
    size_t event_count;
    struct stat_event *event;
    struct stat_value *value; /* NULL: not both maps yet */
};

pts_status stat_table_new(const struct perf_file *f, const struct evlist *l,
                          struct stat_table **out)
{
    struct stat_table *s = mem_zalloc(1, sizeof(*s));
    if (!s)
        return PTS_E_NOMEM;
    s->f = f;
    s->l = l;
    s->event_count = f->evsel.len;
    s->event = mem_zalloc(s->event_count + 1, sizeof(*s->event));
    if (!s->event) {
        mem_free(s);
        return PTS_E_NOMEM;
    }
    *out = s;
    return PTS_OK;
}

void stat_table_free(struct stat_table *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->event_count; i++)
        VEC_FREE(&s->event[i].cpus);
    VEC_FREE(&s->cpus);
    VEC_FREE(&s->threads);
    mem_free(s->event);
    mem_free(s->value);
    mem_free(s);
}

static pts_status push(numbers *to, int64_t n)
{
    int32_t *slot = VEC_PUSH(to);
    if (!slot)
        return PTS_E_NOMEM;
    *slot = (int32_t)n;
    return PTS_OK;
}

static pts_status take_cpus(numbers *to, struct pts_bytes data)
{
    struct perf_cpus cpus = perf_cpus_of(data);
    pts_status st = PTS_OK;
    int64_t cpu;

    to->len = 0;
    while (st == PTS_OK && perf_cpus_next(&cpus, &cpu))
        st = push(to, cpu);
    return st;
}

static const numbers *cpus_of(const struct stat_table *s, size_t event)
{
    const numbers *own = &s->event[event].cpus;
    return own->len ? own : &s->cpus;
}

/* Both maps are known: room for all counters. */
static pts_status make_values(struct stat_table *s)
{
    if (!s->have_cpus || !s->have_threads)
        return PTS_OK;
    size_t n = 0;
    for (size_t i = 0; i < s->event_count; i++) {
        s->event[i].first = n;
        n += cpus_of(s, i)->len * s->threads.len;
        if (n > VALUES_MAX)
            return PTS_OK;
    }
    s->value = mem_zalloc(n + 1, sizeof(*s->value));
    return s->value ? PTS_OK : PTS_E_NOMEM;
}

static pts_status take_threads(struct stat_table *s, const struct perf_rec *r)
{
    struct pts_thread_map map;
    pts_status st = PTS_OK;

    if (perf_rec_thread_map(r, &map) != PTS_OK)
        return PTS_OK;
    for (uint64_t i = 0; st == PTS_OK && i < map.count; i++)
        st = push(&s->threads, (int32_t)rd_u64(map.at + PERF_THREAD_BYTES * i));
    s->have_threads = true;
    return st == PTS_OK ? make_values(s) : st;
}

static pts_status take_cpu_map(struct stat_table *s, const struct perf_rec *r)
{
    pts_status st =
        take_cpus(&s->cpus, (struct pts_bytes){r->ptr + PERF_REC_HEADER,
                                               (size_t)(r->size - PERF_REC_HEADER)});
    s->have_cpus = true;
    return st == PTS_OK ? make_values(s) : st;
}

static pts_status take_update(struct stat_table *s, const struct perf_rec *r)
{
    struct pts_event_update u;
    const struct pts_counter *id;

    if (s->value || perf_rec_update(r, &u) != PTS_OK || u.type != PERF_UPDATE_CPUS ||
        !(id = perf_file_id(s->f, u.id)))
        return PTS_OK;
    return take_cpus(&s->event[id->event].cpus, u.data);
}

static void take_stat(struct stat_table *s, const struct perf_rec *r)
{
    struct pts_stat v;
    const struct pts_counter *id;

    if (!s->value || perf_rec_stat(r, &v) != PTS_OK || !(id = perf_file_id(s->f, v.id)))
        return;
    const numbers *cpus = cpus_of(s, id->event);
    size_t cpu = 0;
    while (cpu < cpus->len && cpus->at[cpu] != v.cpu)
        cpu++;
    if (cpu < cpus->len && v.thread < s->threads.len)
        s->value[s->event[id->event].first + cpu * s->threads.len + v.thread] =
            (struct stat_value){v.value, v.enabled, v.running};
}

static void put_counter(struct text *t, const struct stat_value *v)
{
    text_char(t, ' ');
    text_dec(t, v->value, 15);
    text_char(t, ' ');
    text_dec(t, v->enabled, 15);
    text_char(t, ' ');
    text_dec(t, v->running, 15);
}

static void list_event(const struct stat_table *s, size_t event, uint64_t time,
                       struct text *t)
{
    const numbers *cpus = cpus_of(s, event);
    const struct stat_value *values = s->value + s->event[event].first;

    for (size_t thread = 0; thread < s->threads.len; thread++) {
        for (size_t cpu = 0; cpu < cpus->len; cpu++) {
            text_int(t, cpus->at[cpu], 3);
            text_char(t, ' ');
            text_int(t, s->threads.at[thread], 8);
            put_counter(t, &values[cpu * s->threads.len + thread]);
            text_char(t, ' ');
            text_dec(t, time, 15);
            text_char(t, ' ');
            text_str(t, s->l->ev.at[event].name);
            text_char(t, '\n');
        }
    }
}

static void list(struct stat_table *s, const struct perf_rec *r, struct text *t)
{
    struct pts_stat_round round;

    if (!s->value || perf_rec_stat_round(r, &round) != PTS_OK)
        return;
    if (!s->begun)
        text_str(t, "CPU   THREAD             VAL             ENA             RUN"
                    "            TIME EVENT\n");
    s->begun = true;
    for (size_t i = 0; i < s->event_count; i++)
        list_event(s, i, round.time, t);
}

pts_status stat_table_record(struct stat_table *s, const struct perf_rec *r,
                             struct text *t, const char **extra)
{
    switch (r->type) {
    case PERF_REC_THREAD_MAP:
        if (!s->have_threads)
            return take_threads(s, r);
        *extra = "Extra thread map event, ignoring.\n";
        break;
    case PERF_REC_CPU_MAP:
        if (!s->have_cpus)
            return take_cpu_map(s, r);
        *extra = "Extra cpu map event, ignoring.\n";
        break;
    case PERF_REC_EVENT_UPDATE:
        return take_update(s, r);
    case PERF_REC_STAT:
        take_stat(s, r);
        break;
    case PERF_REC_STAT_ROUND:
        list(s, r, t);
        break;
    }
    return PTS_OK;
}
