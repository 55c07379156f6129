/* event.c - the events of a recording: perf_event_attr and ids.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/event.h"

enum {
    SAMPLE_IP = 1 << 0,
    SAMPLE_TID = 1 << 1,
    SAMPLE_TIME = 1 << 2,
    SAMPLE_ADDR = 1 << 3,
    SAMPLE_CPU = 1 << 7,
    SAMPLE_PERIOD = 1 << 8,
    SAMPLE_BRANCH_STACK = 1 << 11,
    SAMPLE_WEIGHT = 1 << 14,
    SAMPLE_DATA_SRC = 1 << 15,
    SAMPLE_IDENTIFIER = 1 << 16,
    SAMPLE_REGS_INTR = 1 << 18,
    SAMPLE_AUX = 1 << 20,
    READ_ID_LOST = 0x14,
    SW_DUMMY = 9,
    CPU_CYCLES = 0x3c,               /* UNHALTED_CORE_CYCLES.THREAD */
    REGS_GENERAL = 0xff03ff,         /* without segments, which PEBS does not have */
    BRANCHES_USER = 1 << 0 | 1 << 3, /* any branch of user space */
    PERIOD = 10000
};

enum attr_bit {
    ATTR_DISABLED = 1 << 0,
    ATTR_INHERIT = 1 << 1,
    ATTR_EXCLUDE_KERNEL = 1 << 5,
    ATTR_EXCLUDE_HV = 1 << 6,
    ATTR_MMAP = 1 << 8,
    ATTR_COMM = 1 << 9,
    ATTR_ENABLE_ON_EXEC = 1 << 12,
    ATTR_TASK = 1 << 13,
    ATTR_PRECISE_3 = 3 << 15,
    ATTR_SAMPLE_ID_ALL = 1 << 18,
    ATTR_EXCLUDE_GUEST = 1 << 20,
    ATTR_MMAP2 = 1 << 23,
    ATTR_COMM_EXEC = 1 << 24,
    ATTR_CONTEXT_SWITCH = 1 << 26,
    ATTR_KSYMBOL = 1 << 29,
    ATTR_BPF_EVENT = 1 << 30
};
#define ATTR_AUX_OUTPUT (1ULL << 31)
#define ATTR_BUILD_ID   (1ULL << 34)
#define REGS_XMM        (0xffffffffULL << 32)

static uint64_t pt_config(const struct rec_conf *c)
{
    uint64_t config = 1; /* pt */

    config |= c->cyc ? PT_CYC : 0;
    config |= c->pwr_evt ? 1u << 4 : 0;
    config |= c->fup_on_ptw ? 1u << 5 : 0;
    config |= c->mtc ? PT_MTC : 0;
    config |= c->tsc ? PT_TSC : 0;
    config |= c->noretcomp ? PT_NORETCOMP : 0;
    config |= c->ptw ? 1u << 12 : 0;
    config |= c->branch ? 1u << 13 : 0;
    config |= c->event ? 1u << 31 : 0;
    config |= c->mtc_period << 14;
    config |= c->cyc_thresh << 19;
    config |= c->psb_period << 24;
    return config;
}

static uint64_t sample_type(const struct rec_conf *conf)
{
    return SAMPLE_IP | SAMPLE_TID | SAMPLE_IDENTIFIER |
           (conf->untimed ? 0 : SAMPLE_TIME) |
           (conf->mode == REC_PER_CPU ? SAMPLE_CPU : 0);
}

static struct event dummy(const struct rec_conf *conf, bool used, uint64_t flags)
{
    return (struct event){.used = used,
                          .name = "dummy:u",
                          .type = PMU_SOFTWARE,
                          .config = SW_DUMMY,
                          .period = 1,
                          .sample_type = sample_type(conf),
                          .flags = flags};
}

static struct event pebs(const struct rec_conf *conf, uint64_t flags)
{
    return (struct event){.used = true,
                          .name = "cycles/aux-output/uppp",
                          .type = PMU_CPU,
                          .config = CPU_CYCLES,
                          .period = PERIOD,
                          .sample_type = sample_type(conf) | SAMPLE_ADDR |
                                         SAMPLE_PERIOD | SAMPLE_WEIGHT |
                                         SAMPLE_DATA_SRC | SAMPLE_REGS_INTR |
                                         (conf->pebs_lbr ? SAMPLE_BRANCH_STACK : 0),
                          .flags = flags | ATTR_PRECISE_3 | ATTR_AUX_OUTPUT,
                          .branches = conf->pebs_lbr ? BRANCHES_USER : 0,
                          .regs_intr = REGS_GENERAL | (conf->pebs_xmm ? REGS_XMM : 0)};
}

static struct event sampled(const struct rec_conf *conf, uint64_t flags)
{
    return (struct event){.used = true,
                          .name = "cycles:u",
                          .type = PMU_HARDWARE,
                          .period = PERIOD,
                          .sample_type = sample_type(conf) | SAMPLE_PERIOD | SAMPLE_AUX,
                          .flags = flags,
                          .aux_sample_size = conf->aux_bytes};
}

void event_list(struct event list[EVENT_KINDS], const struct rec_conf *conf)
{
    bool per_cpu = conf->mode == REC_PER_CPU, switches = per_cpu && conf->tsc;
    bool own = switches && conf->own_switches;
    bool overwritten = conf->snapshot || conf->aux_sample;
    uint64_t user = ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV | ATTR_SAMPLE_ID_ALL;
    uint64_t inherit = per_cpu ? ATTR_INHERIT : 0;
    uint64_t at_exec = ATTR_DISABLED | ATTR_ENABLE_ON_EXEC;

    list[EVENT_PT] =
        (struct event){.used = true,
                       .name = "intel_pt//u",
                       .type = PMU_INTEL_PT,
                       .config = pt_config(conf),
                       .period = 1,
                       .sample_type = sample_type(conf),
                       .flags = user | inherit | at_exec | ATTR_EXCLUDE_GUEST,
                       .aux_watermark = overwritten ? 0 : 1 << 20};
    list[EVENT_SWITCH] = dummy(conf, switches && !own, user | ATTR_CONTEXT_SWITCH);
    list[EVENT_TRACK] =
        dummy(conf, true,
              user | inherit | (own ? ATTR_CONTEXT_SWITCH : at_exec) | ATTR_MMAP |
                  ATTR_COMM | ATTR_TASK | ATTR_MMAP2 | ATTR_COMM_EXEC | ATTR_KSYMBOL |
                  ATTR_BPF_EVENT | (conf->build_ids ? ATTR_BUILD_ID : 0));
    if (conf->pebs)
        list[EVENT_CYCLES] = pebs(conf, user | inherit | ATTR_EXCLUDE_GUEST);
    if (conf->aux_sample)
        list[EVENT_CYCLES] = sampled(conf, user | inherit | ATTR_EXCLUDE_GUEST);
}

void event_put_attr(struct buf *b, const struct event *e)
{
    size_t at = b->len;

    buf_u32(b, e->type);
    buf_u32(b, EVENT_ATTR_SIZE);
    buf_u64(b, e->config);
    buf_u64(b, e->period);
    buf_u64(b, e->sample_type);
    buf_u64(b, READ_ID_LOST);
    buf_u64(b, e->flags);
    buf_zero(b, 24); /* wakeup_events to config2 */
    buf_u64(b, e->branches);
    buf_zero(b, 16); /* sample_regs_user to clockid */
    buf_u64(b, e->regs_intr);
    buf_u32(b, e->aux_watermark);
    buf_u32(b, 0); /* sample_max_stack */
    buf_u32(b, e->aux_sample_size);
    buf_zero(b, at + EVENT_ATTR_SIZE - b->len);
}

unsigned event_count(const struct event list[EVENT_KINDS])
{
    unsigned n = 0;

    for (int k = 0; k < EVENT_KINDS; k++)
        n += list[k].used;
    return n;
}

uint64_t event_id(enum event_kind kind, uint32_t idx)
{
    return 100 + idx * EVENT_KINDS + kind;
}
