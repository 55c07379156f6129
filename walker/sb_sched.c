/* sb_sched.c - which thread a sched:sched_switch sample switches to.
 *
 * SPDX-License-Identifier: MIT
 *
 * TRACING_DATA holds, among much else, the kernel's description of the event:
 *
 *     name: sched_switch
 *     ID: 314
 *     format:
 *         ...
 *         field:pid_t next_pid;  offset:56;  size:4;  signed:1;
 *
 *     print fmt: ...
 */
#include "walker/sb_sched.h"

#include <string.h>

/* What follows `key` in text, or an empty span. */
static struct span after(struct span text, const char *key)
{
    size_t n = strlen(key);
    const uint8_t *p = text.len ? memmem(text.ptr, text.len, key, n) : NULL;
    if (!p)
        return (struct span){text.ptr, 0};
    return (struct span){p + n, text.len - (size_t)(p - text.ptr) - n};
}

static struct span before(struct span text, const char *key)
{
    const uint8_t *p = text.len ? memmem(text.ptr, text.len, key, strlen(key)) : NULL;
    return p ? (struct span){text.ptr, (size_t)(p - text.ptr)} : text;
}

/* The decimal number that text begins with; false when there is none or a huge one. */
static bool number(struct span text, uint32_t *out)
{
    uint32_t v = 0;
    size_t i = 0;
    for (; i < text.len && i < 9 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
        v = v * 10 + (uint32_t)(text.ptr[i] - '0');
    *out = v;
    return i > 0 && i < 9;
}

/* A pipe has the formats behind a record instead of in a feature section. */
static struct span formats(const struct perf_file *f, const struct perf_order *order)
{
    struct perf_rec r;
    for (size_t i = 0; f->pipe && i < order->rec.len; i++)
        if (perf_rec_at(f, order->rec.at[i].off, &r) == PTS_OK &&
            r.type == PERF_REC_TRACING_DATA)
            return (struct span){r.ptr + r.size, (size_t)r.payload};
    return f->feature[PERF_FEAT_TRACING_DATA];
}

struct sched_format sched_format_of(const struct perf_file *f,
                                    const struct perf_order *order)
{
    struct span text = after(formats(f, order), "name: sched_switch\n");
    struct sched_format out = {0};
    uint32_t id;
    text = before(text, "print fmt:");
    if (!number(after(text, "ID: "), &id))
        return out;
    out.config = id;
    out.known = number(after(after(text, " next_pid;"), "offset:"), &out.offset);
    return out;
}

bool sched_next_tid(const struct perf_file *f, const struct sched_format *format,
                    const struct perf_rec *r, int32_t *tid)
{
    struct perf_sample s;
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
