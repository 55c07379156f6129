/* sb_sched.c - which thread a sched:sched_switch sample switches to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/sb_sched.h"

#include "decoder/trace_format.h"

static bool span_is(struct pts_bytes s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

/* A pipe has the formats behind a record instead of in a feature section. */
static struct pts_bytes formats(const struct perf_file *f,
                                const struct perf_order *order)
{
    struct perf_rec r;
    for (size_t i = 0; f->pipe && i < order->rec.len; i++)
        if (perf_rec_at(f, order->rec.at[i].off, &r) == PTS_OK &&
            r.type == PERF_REC_TRACING_DATA)
            return (struct pts_bytes){r.ptr + r.size, (size_t)r.payload};
    return f->feature[PERF_FEAT_TRACING_DATA];
}

struct sched_format sched_format_of(const struct perf_file *f,
                                    const struct perf_order *order)
{
    struct trace_iter it = trace_begin(formats(f, order));
    struct sched_format out = {0};
    struct trace_format format;
    struct trace_field field;
    while (trace_next(&it, &format)) {
        if (strcmp(format.system, "sched") != 0 ||
            !span_is(format.name, "sched_switch"))
            continue;
        out.config = format.id;
        while (!out.known && trace_field_next(&format.fields, &field)) {
            out.offset = field.offset;
            out.known = span_is(field.name, "next_pid");
        }
        break;
    }
    return out;
}

bool sched_next_tid(const struct perf_file *f, const struct sched_format *format,
                    const struct perf_rec *r, int32_t *tid)
{
    struct pts_sample s;
    if (!format->known || r->type != PERF_REC_SAMPLE || r->evsel >= f->evsel.len)
        return false;
    const struct pts_attr *attr = &f->evsel.at[r->evsel].attr;
    if (attr->type != PERF_TYPE_TRACEPOINT || attr->config != format->config ||
        perf_rec_sample(f, r, &s) != PTS_OK)
        return false;
    if (s.raw.len < 4 || format->offset > s.raw.len - 4)
        return false;
    *tid = (int32_t)rd_u32(s.raw.ptr + format->offset);
    return true;
}
