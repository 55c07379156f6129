/* tracepoint.c - what the samples of tracepoints say (field trace).
 *
 * SPDX-License-Identifier: MIT
 *
 * A recording brings the formats of all its events (TRACING_DATA).  One is read when
 * its first sample comes: there may be many formats, and few events with samples.
 *
 *     TRACING_DATA -> known: format -> tp_read, once -> tp_event
 *                     strings of the kernel                |
 *     sample --------------------------------------------> tp_print -> text
 */
#include "synth/print/tracepoint/tracepoint.h"

#include "decoder/base/vec.h"
#include "synth/plan/number.h"
#include "synth/print/tracepoint/tp_eval.h"
#include "synth/print/tracepoint/tp_print.h"
#include "synth/print/tracepoint/tp_read.h"

#include <stdlib.h>

struct known {
    struct trace_format format;
    const char *name;       /* NULL: nobody has asked */
    struct tp_event *event; /* NULL: not read yet */
};

struct tracepoints {
    struct arena arena;
    struct trace_iter
        formats; /* at their end: how the recorded machine writes numbers */
    bool functions, raw;
    VEC(struct known) known; /* by id */
    VEC(struct tp_string) strings;
    uint64_t cut; /* samples that were too short */
    uint64_t
        unknown; /* ... whose format is not there, or nobody can tell which it is */
};

static int by_addr(const void *a, const void *b)
{
    const struct tp_string *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Without its quotes and the line end in it. */
static const char *unquoted(struct arena *a, const char *s, size_t n)
{
    if (n && s[0] == '"') {
        s++;
        n--;
    }
    n -= n && s[n - 1] == '"';
    n -= n >= 2 && memcmp(s + n - 2, "\\n", 2) == 0 ? 2 : 0;
    return arena_strndup(a, s, n);
}

/* 0xffffffff81234567 : "text" */
static bool add_string(struct tracepoints *tp, const char *line, size_t n)
{
    const char *colon = memchr(line, ':', n), *end;

    if (!colon || colon + 2 > line + n)
        return true;
    const char *addr = arena_strndup(&tp->arena, line, (size_t)(colon - line));
    struct tp_string *s = VEC_PUSH(&tp->strings);
    if (!addr || !s)
        return false;
    s->addr = read_number(addr, &end, 16);
    s->text = unquoted(&tp->arena, colon + 2, (size_t)(line + n - colon - 2));
    return s->text != NULL;
}

static pts_status read_strings(struct tracepoints *tp, struct pts_bytes formats)
{
    struct pts_bytes b = trace_strings(formats);

    if (!b.ptr)
        return PTS_OK;
    const char *at = (const char *)b.ptr, *end = at + b.len;
    while (at < end) {
        size_t n = (size_t)(end - at);
        const char *line_end = memchr(at, '\n', n);
        n = line_end ? (size_t)(line_end - at) : n;
        if (!add_string(tp, at, n))
            return PTS_E_NOMEM;
        at += n + 1;
    }
    if (tp->strings.len)
        qsort(tp->strings.at, tp->strings.len, sizeof(*tp->strings.at), by_addr);
    return PTS_OK;
}

static int by_id(const void *a, const void *b)
{
    const struct known *x = a, *y = b;
    return (x->format.id > y->format.id) - (x->format.id < y->format.id);
}

static pts_status read_formats(struct tracepoints *tp, struct pts_bytes formats)
{
    struct trace_format format;

    /* Damage ends the list: what came before it can be printed. */
    tp->formats = trace_begin(formats);
    while (trace_next(&tp->formats, &format)) {
        struct known *k = VEC_PUSH(&tp->known);
        if (!k)
            return PTS_E_NOMEM;
        *k = (struct known){.format = format};
    }
    if (tp->known.len)
        qsort(tp->known.at, tp->known.len, sizeof(*tp->known.at), by_id);
    return PTS_OK;
}

pts_status tracepoints_new(struct pts_bytes formats, bool functions,
                           struct tracepoints **out)
{
    struct tracepoints *tp = mem_zalloc(1, sizeof(*tp));

    if (!tp)
        return PTS_E_NOMEM;
    tp->functions = functions;
    pts_status st = read_formats(tp, formats);
    if (st == PTS_OK)
        st = read_strings(tp, formats);
    if (st < 0) {
        tracepoints_free(tp);
        return st;
    }
    *out = tp;
    return PTS_OK;
}

void tracepoints_free(struct tracepoints *tp)
{
    if (!tp)
        return;
    VEC_FREE(&tp->known);
    VEC_FREE(&tp->strings);
    arena_free(&tp->arena);
    mem_free(tp);
}

/* NULL: there is none. */
static struct known *known_of(const struct tracepoints *tp, uint64_t id)
{
    const struct known key = {.format.id = (uint32_t)id};

    if (id > UINT32_MAX || !tp->known.len)
        return NULL;
    return bsearch(&key, tp->known.at, tp->known.len, sizeof(key), by_id);
}

/* NULL: there is none, or (t fails) no memory. */
static struct tp_event *event_of(struct tracepoints *tp, uint64_t id, struct text *t)
{
    struct known *k = known_of(tp, id);

    if (k && !k->event && tp_read(&tp->arena, &tp->formats, &k->format, &k->event) < 0)
        t->failed = true;
    return k ? k->event : NULL;
}

pts_status tracepoint_format(struct tracepoints *tp, uint64_t config,
                             struct tracepoint_format *out)
{
    struct text t = {0};
    struct known *k = known_of(tp, config);
    struct tp_event *e = k ? event_of(tp, config, &t) : NULL;

    if (!k)
        return PTS_END;
    if (e && !k->name)
        k->name = arena_strndup(&tp->arena, (const char *)k->format.name.ptr,
                                k->format.name.len);
    if (!e || !k->name)
        return PTS_E_NOMEM;
    *out = (struct tracepoint_format){e, k->format.system, k->name};
    return PTS_OK;
}

pts_status tracepoint_format_nth(struct tracepoints *tp, size_t n,
                                 struct tracepoint_format *out)
{
    return n < tp->known.len ? tracepoint_format(tp, tp->known.at[n].format.id, out)
                             : PTS_END;
}

uint64_t tracepoints_cut(const struct tracepoints *tp)
{
    return tp ? tp->cut : 0;
}

uint64_t tracepoints_unknown(const struct tracepoints *tp)
{
    return tp ? tp->unknown : 0;
}

void tracepoints_raw(struct tracepoints *tp)
{
    tp->raw = true;
}

struct asking {
    const struct lookup *look;
    const struct who *who;
};

static struct tp_function function_at(void *ctx, uint64_t addr)
{
    const struct asking *ask = ctx;
    struct place at;

    ask->look->place(ask->look->ctx, ask->who, PTS_MODE_KERNEL, addr, &at);
    return (struct tp_function){at.sym, at.sym_ip};
}

/* perf goes by the type that the sample says, in its first two bytes. */
static uint64_t type_of(const struct tp_event *e, struct pts_bytes raw)
{
    const struct tp_field *f = tp_event_field(e, "common_type", true);
    const struct tp_record r = {e, raw};

    return f ? tp_number(&r, f->offset, f->size) : e->id;
}

/* Never a part of its caller: the lines of all other events would pay for it. */
__attribute__((noinline)) void tracepoint_put(struct tracepoints *tp,
                                              const struct lookup *look,
                                              const struct tracepoint_sample *s,
                                              struct text *t)
{
    if (!tp)
        return;
    struct tp_event *e = event_of(tp, s->config, t);
    struct asking ask = {look, s->who};
    const struct tp_names names = {.ctx = &ask,
                                   .function = tp->functions ? function_at : NULL,
                                   .raw = tp->raw,
                                   .string = tp->strings.at,
                                   .strings = tp->strings.len};

    tp->unknown += !e && !t->failed;
    if (!e)
        return;
    tp->cut += s->raw.len < e->least;
    uint64_t type = type_of(e, s->raw);
    /* Fields one by one are those of the event, whatever type the sample says. */
    if (type != e->id && !tp->raw)
        e = event_of(tp, type, t);
    if (e)
        tp_print(t, e, s->raw, &names);
}
