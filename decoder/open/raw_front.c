/* raw_front.c - the records that stand in front of a bare trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * Written twice by the same code, first only to be measured: no length is counted by
 * hand.
 */
#include "decoder/open/raw_front.h"

#include "decoder/file/perf_abi.h"
#include "decoder/file/perf_attr.h"

#include <inttypes.h>
#include <stdio.h>

enum { COMM_MAX = 15, PROT_READ_EXEC = 5 };

/* at NULL: nothing is written, only measured. */
struct out {
    uint8_t *at;
    size_t len;
};

static void put(struct out *o, const void *p, size_t n)
{
    if (o->at)
        memcpy(o->at + o->len, p, n);
    o->len += n;
}

static void put_zeros(struct out *o, size_t n)
{
    if (o->at)
        memset(o->at + o->len, 0, n);
    o->len += n;
}

static void put_u32(struct out *o, uint32_t v)
{
    put(o, &v, sizeof(v));
}

static void put_u64(struct out *o, uint64_t v)
{
    put(o, &v, sizeof(v));
}

/* n characters, a NUL, and zeros up to the next word. */
static void put_text(struct out *o, const char *s, size_t n)
{
    put(o, s, n);
    put_zeros(o, 8 - n % 8);
}

/* The size is filled in by rec_end, when it is known. */
static size_t rec_begin(struct out *o, uint32_t type, uint16_t misc)
{
    size_t from = o->len;
    put_u32(o, type);
    put(o, &misc, sizeof(misc));
    put_zeros(o, sizeof(uint16_t));
    return from;
}

static void rec_end(struct out *o, size_t from)
{
    uint16_t size = (uint16_t)(o->len - from);
    if (o->at)
        memcpy(o->at + from + 6, &size, sizeof(size));
}

/* As perf record would have written them for the kernel: places are addresses. */
static void put_filters(struct out *o, const struct pts_raw_opts *raw)
{
    enum { FILTER_TEXT = 64 };
    char text[PTS_RAW_FILTERS * FILTER_TEXT];
    size_t n = 0;
    for (size_t i = 0; i < PTS_RAW_FILTERS; i++) {
        const struct pts_raw_filter *f = &raw->filter[i];
        if (f->cfg == PTS_RAW_FILTER_OFF)
            continue;
        const char *verb = f->cfg == PTS_RAW_FILTER_STOP ? "tracestop" : "filter";
        uint64_t size = f->b - f->a == UINT64_MAX ? UINT64_MAX : f->b - f->a + 1;
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %#" PRIx64 "/%#" PRIx64,
                              n ? "," : "", verb, f->a, size);
    }
    put_u64(o, n);
    if (n)
        put_text(o, text, n);
}

static void put_info(struct out *o, const struct raw_front *f)
{
    const struct pts_raw_opts *raw = f->raw->opts;
    const struct raw_about *a = &f->about;
    size_t from = rec_begin(o, PTS_RECORD_AUXTRACE_INFO, 0);
    put_u64(o, PTS_AUXTRACE_INTEL_PT);
    put_u64(o, RAW_PMU_TYPE);
    put_u64(o, a->time_shift);
    put_u64(o, a->time_mult);
    put_u64(o, a->time_zero);
    put_u64(o, 1); /* which is known */
    put_u64(o, RAW_CFG_TSC);
    put_u64(o, RAW_CFG_NORETCOMP);
    put_u64(o, a->have_sched_switch);
    put_u64(o, 0); /* no snapshot */
    put_u64(o, a->per_cpu);
    put_u64(o, RAW_CFG_MTC);
    put_u64(o, RAW_CFG_MTC_FREQ);
    put_u64(o, raw->cpuid_15_ebx);
    put_u64(o, raw->cpuid_15_eax);
    put_u64(o, RAW_CFG_CYC);
    put_u64(o, raw->nom_freq);
    put_filters(o, raw);
    put_u64(o, raw->event_trace != 0);
    rec_end(o, from);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_comm(struct out *o, const struct raw_front *f)
{
    const char *name =
        base_of(f->raw->map_count ? f->raw->map[0].name : f->raw->opts->trace);
    size_t from = rec_begin(o, PTS_RECORD_COMM, 0);
    put_u32(o, RAW_PROCESS);
    put_u32(o, RAW_PROCESS);
    put_text(o, name, strnlen(name, COMM_MAX));
    put_zeros(o, attr_id_bytes(f->attr));
    rec_end(o, from);
}

static void put_map(struct out *o, const struct raw_front *f,
                    const struct perf_raw_map *map)
{
    size_t from = rec_begin(o, PTS_RECORD_MMAP2, PTS_MODE_USER);
    put_u32(o, (uint32_t)f->about.pid);
    put_u32(o, (uint32_t)f->about.pid);
    put_u64(o, map->addr);
    put_u64(o, map->len);
    put_u64(o, map->off);
    put_zeros(o, 4 + 4 + 8 + 8); /* device and inode are not known */
    put_u32(o, PROT_READ_EXEC);
    put_u32(o, 0);
    put_text(o, map->name, strlen(map->name));
    put_zeros(o, attr_id_bytes(f->attr));
    rec_end(o, from);
}

static void put_auxtrace(struct out *o, const struct raw_front *f)
{
    size_t from = rec_begin(o, PTS_RECORD_AUXTRACE, 0);
    put_u64(o, f->trace_len);
    put_u64(o, 0); /* its offset in the buffer */
    put_u64(o, f->about.reference);
    put_u32(o, 0); /* which buffer it was */
    put_u32(o, (uint32_t)f->about.tid);
    put_u32(o, (uint32_t)f->about.cpu);
    put_u32(o, 0);
    rec_end(o, from);
}

size_t raw_front_write(const struct raw_front *f, uint8_t *at)
{
    struct out o = {at, 0};
    put_info(&o, f);
    /* With side-band records somebody else has said what the thread is called. */
    if (!f->raw->opts->sideband_count)
        put_comm(&o, f);
    for (size_t i = 0; i < f->raw->map_count; i++)
        put_map(&o, f, &f->raw->map[i]);
    put_auxtrace(&o, f);
    return o.len;
}
