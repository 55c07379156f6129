/* feat_parts.h - what the printers of single features share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_FEAT_PARTS_H
#define PTS_SYNTH_FEAT_PARTS_H

#include "synth/feat_text.h"

/* A feature on its way to text. */
struct feat {
    struct text *t;
    const struct feat_env *env;
    uint32_t id;
    struct pts_bytes bytes;
    bool sound;
};

/* Its items, from the first. */
struct pts_feature_iter feat_begin(const struct feat *f);
/* The next item of a kind, passing over others. */
bool feat_next(struct pts_feature_iter *it, enum pts_item_kind kind,
               struct pts_feature_item *item);
/* The first item of a kind; zeros without one. */
bool feat_only(const struct feat *f, enum pts_item_kind kind,
               struct pts_feature_item *item);
/* A line of the feature's text behind `lead`. */
void feat_line(const struct feat *f, const char *lead);

/* Prints one feature. */
typedef void feat_fn(const struct feat *f);

/* feat_machine.c */
feat_fn feat_hostname, feat_osrelease, feat_arch, feat_nrcpus, feat_cpudesc, feat_cpuid,
    feat_total_mem, feat_cpu_topology, feat_numa_topology, feat_pmu_mappings,
    feat_cache, feat_mem_topology, feat_cpu_pmu_caps, feat_pmu_caps,
    feat_hybrid_topology;

/* feat_recording.c */
feat_fn feat_version, feat_cmdline, feat_event_desc, feat_branch_stack, feat_auxtrace,
    feat_stat, feat_group_desc, feat_sample_time, feat_clockid, feat_dir_format,
    feat_bpf_prog_info, feat_bpf_btf, feat_compressed, feat_clock_data;

#endif
