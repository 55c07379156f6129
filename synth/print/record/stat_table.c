/* stat_table.c - the counters of a perf stat recording, as perf script lists them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Values lie in one array: of each event, for each of its CPUs, one for each thread. It
 * is made when both maps are known; until then there is nothing to be set.
 *
 *     event 0                        event 1
 *     cpu 0          cpu 1           cpu 0
 *     [t0][t1][t2]   [t0][t1][t2]    [t0][t1][t2]  ...
 *     ^ first                        ^ first
 *
 * STAT records fill it, and each STAT_ROUND lists it with what it has then: values stay
 * from round to round.  Events made from a trace are listed too, if its AUXTRACE_INFO came
 * before the maps, though nothing ever counts them.
 */
#include "synth/print/record/stat_table.h"

#include "decoder/base/vec.h"
#include "decoder/record/perf_cpus.h"

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
    bool begun;         /* the heading was printed */
    size_t event_count; /* the file's; then also those made from its trace */
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
    s->event = mem_zalloc(l->ev.len + 1, sizeof(*s->event));
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
        /* Checked at each event, so that the sum cannot run over; no table then
         * (I6). */
        if (n > VALUES_MAX)
            return PTS_OK;
    }
    s->value = mem_zalloc(n + 1, sizeof(*s->value));
    return s->value ? PTS_OK : PTS_E_NOMEM;
}

/* --- The list --------------------------------------------------------------------- */

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

    /* Listed by thread and then CPU, though stored the other way round. */
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

static void list(struct stat_table *s, uint64_t time, struct text *t)
{
    if (!s->begun)
        text_str(t, "CPU   THREAD             VAL             ENA             RUN"
                    "            TIME EVENT\n");
    s->begun = true;
    for (size_t i = 0; i < s->event_count; i++)
        list_event(s, i, time, t);
}

/* --- Records ---------------------------------------------------------------------- */

struct stat_out {
    struct text *t;
    const char *extra; /* what perf says of a map that comes again */
};

static pts_status take_threads(struct stat_table *s, const struct record *r,
                               struct stat_out *out)
{
    const struct pts_thread_map *map = &r->u.thread_map;
    pts_status st = PTS_OK;

    if (s->have_threads)
        out->extra = "Extra thread map event, ignoring.\n";
    if (s->have_threads || r->how != PTS_RECORD_WHOLE)
        return PTS_OK;
    for (uint64_t i = 0; st == PTS_OK && i < map->count; i++)
        st = push(&s->threads, pts_thread_map_at(map, i).pid);
    s->have_threads = true;
    return st == PTS_OK ? make_values(s) : st;
}

static pts_status take_cpu_map(struct stat_table *s, const struct record *r,
                               struct stat_out *out)
{
    if (s->have_cpus) {
        out->extra = "Extra cpu map event, ignoring.\n";
        return PTS_OK;
    }
    pts_status st = take_cpus(&s->cpus, r->u.bytes);
    s->have_cpus = true;
    return st == PTS_OK ? make_values(s) : st;
}

/* Now there are the events that are made from the trace. */
static pts_status take_trace(struct stat_table *s, const struct record *r,
                             struct stat_out *out)
{
    (void)r;
    (void)out;
    if (!s->value)
        s->event_count = s->l->ev.len;
    return PTS_OK;
}

/* An event with CPUs of its own.  It counts only before the table has its size. */
static pts_status take_update(struct stat_table *s, const struct record *r,
                              struct stat_out *out)
{
    const struct pts_event_update *u = &r->u.event_update;

    (void)out;
    if (s->value || r->how != PTS_RECORD_WHOLE || u->type != PTS_UPDATE_CPUS)
        return PTS_OK;
    const struct pts_counter *id = perf_file_id(s->f, u->id);
    return id ? take_cpus(&s->event[id->event].cpus, u->data) : PTS_OK;
}

static pts_status take_stat(struct stat_table *s, const struct record *r,
                            struct stat_out *out)
{
    const struct pts_stat *v = &r->u.stat;

    (void)out;
    if (!s->value || r->how != PTS_RECORD_WHOLE)
        return PTS_OK;
    const struct pts_counter *id = perf_file_id(s->f, v->id);
    if (!id)
        return PTS_OK;
    const numbers *cpus = cpus_of(s, id->event);
    size_t cpu = 0;
    while (cpu < cpus->len && cpus->at[cpu] != v->cpu)
        cpu++;
    if (cpu < cpus->len && v->thread < s->threads.len)
        s->value[s->event[id->event].first + cpu * s->threads.len + v->thread] =
            (struct stat_value){v->value, v->enabled, v->running};
    return PTS_OK;
}

static pts_status take_round(struct stat_table *s, const struct record *r,
                             struct stat_out *out)
{
    if (s->value && r->how == PTS_RECORD_WHOLE)
        list(s, r->u.stat_round.time, out->t);
    return PTS_OK;
}

typedef pts_status take_fn(struct stat_table *s, const struct record *r,
                           struct stat_out *out);

/* clang-format off */
static take_fn *const takers[] = {
    [PTS_RECORD_AUXTRACE_INFO] = take_trace,
    [PTS_RECORD_THREAD_MAP]    = take_threads,
    [PTS_RECORD_CPU_MAP]       = take_cpu_map,
    [PTS_RECORD_STAT]          = take_stat,
    [PTS_RECORD_STAT_ROUND]    = take_round,
    [PTS_RECORD_EVENT_UPDATE]  = take_update,
};
/* clang-format on */

bool stat_table_wants(uint32_t type)
{
    return RECORD_ROW(takers, type) != NULL;
}

pts_status stat_table_record(struct stat_table *s, const struct record *r,
                             struct text *t, const char **extra)
{
    take_fn *take = RECORD_ROW(takers, r->head.type);
    struct stat_out out = {t, NULL};
    pts_status st = take ? take(s, r, &out) : PTS_OK;

    if (out.extra)
        *extra = out.extra;
    return st;
}
