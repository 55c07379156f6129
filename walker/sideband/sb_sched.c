/* sb_sched.c - which thread a sched:sched_switch sample switches to.
 *
 * SPDX-License-Identifier: MIT
 *
 * Kernels that have no SWITCH records (before 4.3) are recorded with this tracepoint in
 * their place.  Its fields stand where the kernel that was recorded put them, which the
 * recording tells.
 */
#include "walker/sideband/sb_sched.h"

#include "decoder/file/trace_field.h"
#include "decoder/record/record.h"

static bool span_is(struct pts_bytes s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.ptr, text, s.len) == 0;
}

struct sched_format sched_format_of(const struct perf_file *f,
                                    const struct perf_order *order)
{
    struct trace_iter it = trace_begin(perf_order_tracing(f, order));
    struct sched_format out = {0};
    struct trace_format format;
    struct trace_field field;
    while (trace_next(&it, &format)) {
        if (strcmp(format.system, "sched") != 0 ||
            !span_is(format.name, "sched_switch"))
            continue;
        out.config = format.id;
        struct trace_fields all = trace_fields_of(&format);
        while (!out.known && trace_field_next(&all, &field)) {
            out.offset = field.offset;
            out.known = field.own && span_is(field.name, "next_pid");
        }
        break;
    }
    return out;
}

bool sched_next_tid(const struct perf_file *f, const struct sched_format *format,
                    const struct perf_rec *r, int32_t *tid)
{
    union pts_record_body u;
    if (!format->known || r->type != PTS_RECORD_SAMPLE || r->evsel >= f->evsel.len)
        return false;
    const struct pts_attr *attr = &f->evsel.at[r->evsel].attr;
    if (attr->type != PTS_TYPE_TRACEPOINT || attr->config != format->config ||
        record_body(f, r, &u) != PTS_RECORD_WHOLE)
        return false;
    const struct pts_bytes raw = u.sample.raw;
    if (raw.len < 4 || format->offset > raw.len - 4)
        return false;
    *tid = (int32_t)rd_u32(raw.ptr + format->offset);
    return true;
}
