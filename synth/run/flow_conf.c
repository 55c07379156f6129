/* flow_conf.c - how the trace was recorded, as far as decoding depends on it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most of it is in the configuration of the intel_pt events (IA32_RTIT_CTL as perf
 * stores it); the places of some bits come from AUXTRACE_INFO.
 */
#include "synth/run/flow_conf.h"

#include "decoder/aux/aux_filter.h"

#include <string.h>

enum {
    CFG_PASS_THROUGH = 1 << 0,
    CFG_CYC = 1 << 1,
    CFG_BRANCH = 1 << 13,
    CFG_CYC_THRESHOLD_SHIFT = 19,
    CFG_CYC_THRESHOLD_MASK = 0xf
};
#define CFG_NO_TNT (UINT64_C(1) << 55)

/* All configurations of intel_pt events or-ed; *first: that of the first. */
static uint64_t config_bits(const struct pts_session *s, uint64_t *first,
                            bool *no_branch, bool *have_tsc)
{
    uint64_t any = 0;
    bool found = false;

    *first = 0;
    *no_branch = false;
    *have_tsc = s->info.tsc_bit != 0;
    for (size_t i = 0; i < s->attrs.len; i++) {
        const struct evl_attr *a = &s->attrs.at[i];
        if (a->type != s->info.pmu_type)
            continue;
        if (!found)
            *first = a->config;
        found = true;
        any |= a->config;
        /* One event without timestamps is enough: then they cannot be relied on. */
        *have_tsc &= (a->config & s->info.tsc_bit) != 0;
        /* BranchEn counts only if bit 0 says that the bits are given as they are;
         * perf's default is to trace branches. */
        *no_branch |= a->config & CFG_PASS_THROUGH && !(a->config & CFG_BRANCH);
    }
    *have_tsc &= found;
    return any;
}

static uint32_t mtc_shift(const struct aux_info *info, uint64_t config)
{
    if (!info->mtc_freq_bits)
        return 0;
    return (uint32_t)((config & info->mtc_freq_bits) >>
                      __builtin_ctzll(info->mtc_freq_bits)) &
           31;
}

/* A millisecond or so: who waits for events may be asked whether to go on. */
enum { PAUSE_BYTES = 1 << 18 };

/* --- Address filters --- */

static pts_status regions_make(const char *text, struct arena *arena,
                               struct flow_regions *out)
{
    struct aux_filter from;

    while (aux_filter_next(&text, &from) == PTS_OK) {
        struct flow_filter *r = VEC_PUSH(&out->at);
        if (!r)
            return PTS_E_NOMEM;
        *r = (struct flow_filter){from.stop, from.start, from.size, NULL};
        if (!from.file)
            continue;
        r->file = arena_strndup(arena, from.file, from.file_len);
        if (!r->file)
            return PTS_E_NOMEM;
    }
    return PTS_OK;
}

pts_status flow_conf_make(const struct pts_session *s, const struct decode_plan *plan,
                          struct arena *arena, struct flow_regions *regions,
                          struct flow_config *out)
{
    const char *cpuid = perf_feat_string(s->file, PTS_FEAT_CPUID);
    uint64_t config;
    bool no_branch, have_tsc;
    uint64_t any = config_bits(s, &config, &no_branch, &have_tsc);

    *out = (struct flow_config){
        .clock = {.ctc_n = s->info.tsc_ctc_n,
                  .ctc_d = s->info.tsc_ctc_d,
                  .mtc_shift = mtc_shift(&s->info, config),
                  .max_nonturbo = plan->max_non_turbo},
        .have_tsc = have_tsc,
        .timeless = plan->timeless,
        .ret_compression = !(any & s->info.noretcomp_bit),
        .branch_enable = !no_branch,
        .quick = plan->quick,
        .strict = plan->strict,
        .max_loops = plan->max_loops,
        .errata = pt_errata_of(cpuid),
        .approx_ipc = plan->approx_ipc,
        .fup_next_ip = cpuid && strncmp(cpuid, "GenuineIntel,6,92,", 18) == 0,
        .want_insn_bytes = plan->insn_bytes,
        .want_cycles = plan->cycles,
        .want = plan->events,
        .want_classes = plan->want_classes,
        .net_calls = plan->net_calls,
        .last_branches = plan->last_branches,
        .period_type = plan->events & EV_INSN ? plan->period_unit : PERIOD_NONE,
        .period = plan->period,
        .ranges = plan->range.at,
        .range_count = (uint32_t)plan->range.len,
        .bare = s->file->raw,
        .guest_images = s->file->bare.images,
        .late_tsc = s->file->bare.late_tsc,
        .pause = PAUSE_BYTES,
    };
    if (any & CFG_NO_TNT && !no_branch && !out->quick)
        out->quick = 1; /* code cannot be followed */
    if (config & CFG_CYC)
        out->cyc_threshold =
            (uint32_t)(config >> CFG_CYC_THRESHOLD_SHIFT) & CFG_CYC_THRESHOLD_MASK;
    pts_status st = regions_make(s->info.filter, arena, regions);
    out->filters = regions->at.at;
    out->filter_count = (uint32_t)regions->at.len;
    return st;
}

/* Whether any intel_pt event traced the kernel. */
static bool traces_kernel(const struct pts_session *s)
{
    for (size_t i = 0; i < s->attrs.len; i++) {
        const struct evl_attr *a = &s->attrs.at[i];
        if (a->type == s->info.pmu_type && !(a->flags & PTS_ATTR_EXCLUDE_KERNEL))
            return true;
    }
    return false;
}

/* By how many ticks what two CPUs did may come in the wrong order.  (A thread leaves user
 * space long before it comes to another CPU.) */
static uint64_t order_error(const struct flow_config *c)
{
    enum { UNKNOWN = 1 << 20 }; /* time is told once in a piece of trace */
    const struct clock_config *clock = &c->clock;

    if (!clock->mtc_shift || !clock->ctc_n || !clock->ctc_d)
        return UNKNOWN;
    return ((uint64_t)clock->ctc_n << clock->mtc_shift) / clock->ctc_d;
}

void flow_conf_all_branches(struct flow_config *out)
{
    out->net_calls = false;
    out->want_classes = UINT32_MAX;
}

void flow_conf_shared(const struct sideband *sb, struct flow_config *out)
{
    const bool some = out->net_calls || out->want_classes != UINT32_MAX;

    out->threads_shared = some && out->want & EV_BRANCH && !out->timeless &&
                          !out->switch_to && sb_shares(sb);
}

void flow_conf_switches(const struct pts_session *s, const struct sideband *sb,
                        struct flow_config *out)
{
    const struct sb_kernel *k = sb_kernel(sb);
    uint32_t how = s->info.have_sched_switch;
    uint64_t hook = how == AUX_SWITCHES_TRACEPOINT ? k->trace_switch : k->sched_out;

    if (!s->info.per_cpu || out->timeless || sb_guests_switch(sb) || !traces_kernel(s))
        return;
    if (how != AUX_SWITCHES_TRACEPOINT && how != AUX_SWITCHES_CPU_WIDE)
        return;
    /* perf begins a stack anew at any branch that the thread takes elsewhere. */
    if (out->want & EV_BRANCH && sb_on_two_cpus(sb, order_error(out)))
        flow_conf_all_branches(out);
    out->switch_to = k->switch_to;
    /* Inlined, or not in the list: then nothing but the switch itself tells. */
    out->switch_hook = hook ? hook : k->switch_to;
}
