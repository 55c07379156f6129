/* front.c - the records before all others, which perf record makes itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/machine.h"
#include "testdata/ptrecord/record.h"
#include "testdata/ptrecord/recorder.h"

enum {
    AUXTRACE_INTEL_PT = 1,
    SWITCH_OWN = 2, /* have_sched_switch: by PERF_RECORD_SWITCH */
    SWITCH_CPU_WIDE = 3,
    CPU_MAP_CPUS = 0,
    CPU_MAP_RANGE = 2,
    EVENT_UPDATE_CPUS = 3
};

static void put_time_conv(struct buf *b, const struct clock_model *m)
{
    size_t at = record_begin(b, RECORD_TIME_CONV, 0);

    buf_u64(b, m->shift);
    buf_u64(b, m->mult);
    buf_u64(b, m->zero);
    buf_u64(b, 0);                /* time_cycles */
    buf_u64(b, (1ULL << 56) - 1); /* time_mask */
    buf_u64(b, 1);                /* cap_user_time_zero, no cap_user_time_short */
    record_end(b, at);
}

static void put_id_index(struct buf *b, const struct recorder *r)
{
    size_t at = record_begin(b, RECORD_ID_INDEX, 0);

    buf_u64(b, event_count(r->events) * r->ring_n);
    for (int k = 0; k < EVENT_KINDS; k++) {
        for (uint32_t i = 0; r->events[k].used && i < r->ring_n; i++) {
            const struct ring *ring = r->rings[i];
            bool any = k == EVENT_SWITCH; /* of every thread */

            buf_u64(b, event_id((enum event_kind)k, i));
            buf_u64(b, ring->idx);
            buf_u64(b, (uint64_t)(int64_t)(int32_t)ring->cpu);
            buf_u64(b, any ? ~0ULL : ring->tid);
        }
    }
    record_end(b, at);
}

static uint64_t have_switches(const struct recorder *r)
{
    if (r->events[EVENT_SWITCH].used)
        return SWITCH_CPU_WIDE;
    return side_own_switches(r) ? SWITCH_OWN : 0;
}

static void put_auxtrace_info(struct buf *b, const struct recorder *r)
{
    const struct clock_model *m = &r->model;
    const uint64_t priv[] = {PMU_INTEL_PT,
                             m->shift,
                             m->mult,
                             m->zero,
                             1,
                             PT_TSC,
                             PT_NORETCOMP,
                             have_switches(r),
                             r->conf.snapshot,
                             r->conf.mode == REC_PER_CPU,
                             PT_MTC,
                             PT_MTC_PERIOD,
                             m->ctc_num,
                             m->ctc_den,
                             PT_CYC,
                             m->nonturbo,
                             0, /* no filter */
                             0,
                             r->conf.event};
    size_t at = record_begin(b, RECORD_AUXTRACE_INFO, 0);

    buf_u32(b, AUXTRACE_INTEL_PT);
    buf_u32(b, 0);
    for (size_t i = 0; i < sizeof(priv) / sizeof(priv[0]); i++)
        buf_u64(b, priv[i]);
    record_end(b, at);
}

static void put_cpus(struct buf *b, const struct recorder *r)
{
    bool per_cpu = r->conf.mode == REC_PER_CPU;

    buf_u16(b, per_cpu ? CPU_MAP_RANGE : CPU_MAP_CPUS);
    if (per_cpu) {
        buf_u16(b, 0); /* u8 any_cpu, u8 padding */
        buf_u16(b, 0);
        buf_u16(b, (uint16_t)(r->conf.cpus - 1));
    } else {
        buf_u16(b, 1);
        buf_u16(b, UINT16_MAX);
        buf_u16(b, 0);
    }
}

static void put_event_update(struct buf *b, const struct recorder *r)
{
    size_t at;

    if (!r->events[EVENT_SWITCH].used)
        return;
    at = record_begin(b, RECORD_EVENT_UPDATE, 0);
    buf_u64(b, EVENT_UPDATE_CPUS);
    buf_u64(b, event_id(EVENT_SWITCH, 0));
    put_cpus(b, r);
    record_end(b, at);
}

static void put_thread_map(struct buf *b, const struct recorder *r)
{
    size_t at = record_begin(b, RECORD_THREAD_MAP, 0);
    uint64_t n = 0;

    for (const struct rec_thread *t = r->threads; t; t = t->next)
        n += r->conf.mode == REC_PER_THREAD || t == r->threads;
    buf_u64(b, n);
    for (const struct rec_thread *t = r->threads; t && n; t = t->next, n--) {
        buf_u64(b, t->tid);
        buf_zero(b, 16); /* comm: not known before exec */
    }
    record_end(b, at);
}

static void put_cpu_map(struct buf *b, const struct recorder *r)
{
    size_t at = record_begin(b, RECORD_CPU_MAP, 0);

    put_cpus(b, r);
    record_end(b, at);
}

void front_put(struct recorder *r, struct buf *b)
{
    put_time_conv(b, &r->model);
    put_id_index(b, r);
    put_auxtrace_info(b, r);
    put_event_update(b, r);
    put_thread_map(b, r);
    put_cpu_map(b, r);
    buf_put(b, r->synthesized.data, r->synthesized.len);
    record_empty(b, RECORD_FINISHED_INIT);
}
