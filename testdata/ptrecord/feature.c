/* feature.c - feature sections of a perf.data file.
 *
 * SPDX-License-Identifier: MIT
 *
 * They describe the simulated machine, not the one that ptrecord runs on: recordings
 * are the same wherever they are made.
 */
#include "testdata/ptrecord/feature.h"
#include "testdata/ptrecord/machine.h"

#include <stdio.h>
#include <string.h>

typedef void put_fn(struct buf *b, const struct perfdata_head *h,
                    const struct perfdata *p, uint64_t data_at);

enum { STRING_ALIGN = 64 };

static void put_string(struct buf *b, const char *s)
{
    uint32_t len = (uint32_t)(strlen(s) / STRING_ALIGN + 1) * STRING_ALIGN;

    buf_u32(b, len);
    buf_str(b, s, STRING_ALIGN);
}

#define PUT(name)                                                                      \
    static void name(struct buf *b, const struct perfdata_head *h,                     \
                     const struct perfdata *p, uint64_t data_at)

PUT(put_build_id)
{
    (void)h, (void)data_at;
    buf_put(b, p->build_ids.data, p->build_ids.len);
}

PUT(put_hostname)
{
    (void)h, (void)p, (void)data_at;
    put_string(b, "ptrecord");
}

PUT(put_os_release)
{
    (void)h, (void)p, (void)data_at;
    put_string(b, "6.1.0-44-amd64");
}

PUT(put_version)
{
    (void)h, (void)p, (void)data_at;
    put_string(b, "6.1.187");
}

PUT(put_arch)
{
    (void)h, (void)p, (void)data_at;
    put_string(b, "x86_64");
}

PUT(put_nr_cpus)
{
    (void)p, (void)data_at;
    buf_u32(b, h->cpus);
    buf_u32(b, h->cpus);
}

PUT(put_cpu_desc)
{
    (void)h, (void)p, (void)data_at;
    put_string(b, MACHINE_CPU_DESC);
}

PUT(put_cpu_id)
{
    (void)h, (void)p, (void)data_at;
    put_string(b, MACHINE_CPU_ID);
}

PUT(put_total_mem)
{
    (void)h, (void)p, (void)data_at;
    buf_u64(b, MACHINE_MEMORY_KB);
}

PUT(put_cmdline)
{
    static const char *const perf[] = {"/usr/bin/perf", "record", "-e"};

    (void)p, (void)data_at;
    buf_u32(b, (uint32_t)h->argc + 5);
    for (int i = 0; i < 3; i++)
        put_string(b, perf[i]);
    put_string(b, h->events[EVENT_PT].name);
    put_string(b, "--");
    for (int i = 0; i < h->argc; i++)
        put_string(b, h->argv[i]);
}

PUT(put_event_desc)
{
    (void)p, (void)data_at;
    buf_u32(b, event_count(h->events));
    buf_u32(b, EVENT_ATTR_SIZE);
    for (int k = 0; k < EVENT_KINDS; k++) {
        if (!h->events[k].used)
            continue;
        event_put_attr(b, &h->events[k]);
        buf_u32(b, h->ring_n);
        put_string(b, h->events[k].name);
        for (uint32_t i = 0; i < h->ring_n; i++)
            buf_u64(b, event_id((enum event_kind)k, i));
    }
}

/* All of them, as a list. */
static void put_cpus(struct buf *b, const struct perfdata_head *h)
{
    char list[24] = "0";

    if (h->cpus > 1)
        snprintf(list, sizeof(list), "0-%u", h->cpus - 1);
    put_string(b, list);
}

/* One socket, a core for each CPU. */
PUT(put_cpu_topology)
{
    char cpu[24];

    (void)p, (void)data_at;
    buf_u32(b, 1);
    put_cpus(b, h);
    buf_u32(b, h->cpus);
    for (uint32_t i = 0; i < h->cpus; i++) {
        snprintf(cpu, sizeof(cpu), "%u", i);
        put_string(b, cpu);
    }
    for (uint32_t i = 0; i < h->cpus; i++) {
        buf_u32(b, i);
        buf_u32(b, 0);
    }
}

PUT(put_numa_topology)
{
    (void)p, (void)data_at;
    buf_u32(b, 1);
    buf_u32(b, 0);
    buf_u64(b, MACHINE_MEMORY_KB);
    buf_u64(b, MACHINE_MEMORY_KB / 2); /* free */
    put_cpus(b, h);
}

PUT(put_pmu_mappings)
{
    static const struct {
        uint32_t type;
        const char *name;
    } pmu[] = {
        {4,            "cpu"       },
        {PMU_SOFTWARE, "software"  },
        {2,            "tracepoint"},
        {5,            "breakpoint"},
        {PMU_INTEL_PT, "intel_pt"  }
    };
    size_t n = sizeof(pmu) / sizeof(pmu[0]);

    (void)h, (void)p, (void)data_at;
    buf_u32(b, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        buf_u32(b, pmu[i].type);
        put_string(b, pmu[i].name);
    }
}

PUT(put_auxtrace)
{
    uint64_t v;

    (void)h;
    buf_u64(b, p->index.len / 16);
    for (size_t i = 0; i < p->index.len; i += 8) {
        memcpy(&v, p->index.data + i, 8);
        buf_u64(b, i % 16 ? v : v + data_at + h->front->len);
    }
}

PUT(put_sample_time)
{
    (void)p, (void)data_at;
    buf_u64(b, h->first_ns);
    buf_u64(b, h->last_ns);
}

/* The trace leads; the event after it belongs to it. */
PUT(put_group_desc)
{
    (void)h, (void)p, (void)data_at;
    buf_u32(b, 1);
    put_string(b, "{anon_group}");
    buf_u32(b, 0);
    buf_u32(b, 2);
}

static const struct {
    unsigned bit;
    put_fn *put;
} features[] = {
    {2,  put_build_id     },
    {3,  put_hostname     },
    {4,  put_os_release   },
    {5,  put_version      },
    {6,  put_arch         },
    {7,  put_nr_cpus      },
    {8,  put_cpu_desc     },
    {9,  put_cpu_id       },
    {10, put_total_mem    },
    {11, put_cmdline      },
    {12, put_event_desc   },
    {13, put_cpu_topology },
    {14, put_numa_topology},
    {16, put_pmu_mappings },
    {17, put_group_desc   },
    {18, put_auxtrace     },
    {21, put_sample_time  },
};
enum { FEATURES = sizeof(features) / sizeof(features[0]) };

static bool have(unsigned nth, const struct perfdata_head *h, const struct perfdata *p)
{
    put_fn *put = features[nth].put;

    return (put != put_build_id || p->build_ids.len) &&
           (put != put_group_desc || h->events[EVENT_CYCLES].used) &&
           (put != put_auxtrace || p->index.len);
}

uint64_t feature_bits(const struct perfdata_head *h, const struct perfdata *p)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < FEATURES; i++)
        bits |= (uint64_t)have(i, h, p) << features[i].bit;
    return bits;
}

void feature_put(struct buf *b, const struct perfdata_head *h, const struct perfdata *p,
                 uint64_t data_at, uint64_t at)
{
    struct buf body = {0};

    for (unsigned i = 0; i < FEATURES; i++)
        at += have(i, h, p) ? 16 : 0;
    for (unsigned i = 0; i < FEATURES; i++) {
        size_t start = body.len;

        if (!have(i, h, p))
            continue;
        features[i].put(&body, h, p, data_at);
        buf_u64(b, at + start);
        buf_u64(b, body.len - start);
    }
    buf_put(b, body.data, body.len);
    buf_free(&body);
}
