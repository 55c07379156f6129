/* feat_text.c - the header of a recording as perf prints it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A first reading decides whether a feature's bytes are sound; when they are not it is
 * printed as if it were empty, as perf does.
 */
#include "synth/feat_text.h"

#include "decoder/perf_feat.h"
#include "synth/feat_parts.h"

#include <time.h>

struct pts_feature_iter feat_other(const struct feat_env *env, uint32_t id)
{
    if (env->seen && !env->seen[id])
        return pts_feature_begin(id, NULL, 0, 0);
    return perf_feature_begin(env->file, id);
}

struct pts_feature_iter feat_begin(const struct feat *f)
{
    struct pts_feature_iter it =
        pts_feature_begin(f->id, f->bytes.ptr, f->bytes.len, f->env->file->foreign);
    struct pts_feature_iter cpus = feat_other(f->env, PTS_FEAT_NRCPUS);
    struct pts_feature_item item;
    if (pts_feature_next(&cpus, &item) == PTS_OK)
        pts_feature_set_cpus(&it, item.u.cpus.available);
    return it;
}

bool feat_next(struct pts_feature_iter *it, enum pts_item_kind kind,
               struct pts_feature_item *item)
{
    while (pts_feature_next(it, item) == PTS_OK)
        if (item->kind == kind)
            return true;
    return false;
}

bool feat_only(const struct feat *f, enum pts_item_kind kind,
               struct pts_feature_item *item)
{
    struct pts_feature_iter it = feat_begin(f);
    *item = (struct pts_feature_item){0};
    return feat_next(&it, kind, item);
}

void feat_line(const struct feat *f, const char *lead)
{
    struct pts_feature_item item;
    text_str(f->t, lead);
    text_str(f->t, feat_only(f, PTS_ITEM_TEXT, &item) ? item.u.text : "(null)");
    text_char(f->t, '\n');
}

static const struct {
    feat_fn *text;
    bool is_long; /* only on demand */
    bool in_part; /* of one that ends early perf prints what it has read */
} table[] = {
    [PTS_FEAT_HOSTNAME] = {feat_hostname,        false, false},
    [PTS_FEAT_OSRELEASE] = {feat_osrelease,       false, false},
    [PTS_FEAT_VERSION] = {feat_version,         false, false},
    [PTS_FEAT_ARCH] = {feat_arch,            false, false},
    [PTS_FEAT_NRCPUS] = {feat_nrcpus,          false, false},
    [PTS_FEAT_CPUDESC] = {feat_cpudesc,         false, false},
    [PTS_FEAT_CPUID] = {feat_cpuid,           false, false},
    [PTS_FEAT_TOTAL_MEM] = {feat_total_mem,       false, false},
    [PTS_FEAT_CMDLINE] = {feat_cmdline,         false, false},
    [PTS_FEAT_EVENT_DESC] = {feat_event_desc,      false, false},
    [PTS_FEAT_CPU_TOPOLOGY] = {feat_cpu_topology,    true,  true },
    [PTS_FEAT_NUMA_TOPOLOGY] = {feat_numa_topology,   true,  false},
    [PTS_FEAT_BRANCH_STACK] = {feat_branch_stack,    false, false},
    [PTS_FEAT_PMU_MAPPINGS] = {feat_pmu_mappings,    false, false},
    [PTS_FEAT_GROUP_DESC] = {feat_group_desc,      false, false},
    [PTS_FEAT_AUXTRACE] = {feat_auxtrace,        false, false},
    [PTS_FEAT_STAT] = {feat_stat,            false, false},
    [PTS_FEAT_CACHE] = {feat_cache,           true,  false},
    [PTS_FEAT_SAMPLE_TIME] = {feat_sample_time,     false, false},
    [PTS_FEAT_MEM_TOPOLOGY] = {feat_mem_topology,    true,  false},
    [PTS_FEAT_CLOCKID] = {feat_clockid,         false, false},
    [PTS_FEAT_DIR_FORMAT] = {feat_dir_format,      false, false},
    [PTS_FEAT_BPF_PROG_INFO] = {feat_bpf_prog_info,   false, true },
    [PTS_FEAT_BPF_BTF] = {feat_bpf_btf,         false, true },
    [PTS_FEAT_COMPRESSED] = {feat_compressed,      false, false},
    [PTS_FEAT_CPU_PMU_CAPS] = {feat_cpu_pmu_caps,    false, false},
    [PTS_FEAT_CLOCK_DATA] = {feat_clock_data,      false, false},
    [PTS_FEAT_HYBRID_TOPOLOGY] = {feat_hybrid_topology, true,  false},
    [PTS_FEAT_PMU_CAPS] = {feat_pmu_caps,        false, false},
};

pts_status feat_text(struct text *t, const struct feat_env *env, uint32_t id,
                     struct pts_bytes bytes, bool full)
{
    struct feat f = {t, env, id, bytes, true};
    struct pts_feature_iter it = feat_begin(&f);
    struct pts_feature_item item;
    pts_status st;
    if (id >= sizeof(table) / sizeof(table[0]) || !table[id].text)
        return PTS_OK;
    if (table[id].is_long && !full) {
        text_fmt(t, "# %s info available, use -I to display\n", pts_feature_name(id));
        return PTS_OK;
    }
    while ((st = pts_feature_next(&it, &item)) == PTS_OK) {
    }
    f.sound = st == PTS_END;
    if (!f.sound && !table[id].in_part)
        f.bytes = (struct pts_bytes){0};
    table[id].text(&f);
    return f.sound ? PTS_OK : st;
}

static void text_captured(struct text *t, const struct perf_file *f)
{
    time_t when = (time_t)f->in.mtime;
    char date[64] = "(null)\n";
    ctime_r(&when, date);
    text_str(t, "# captured on    : ");
    text_str(t, date);
    text_str(t, "# header version : "); /* perf counts from 0 */
    text_dec(t, f->version - 1u, 0);
    text_str(t, "\n# data offset    : ");
    text_dec(t, f->pipe ? 0 : f->data_off, 0);
    text_str(t, "\n# data size      : ");
    text_dec(t, f->pipe ? 0 : f->data_size, 0);
    text_str(t, "\n# feat offset    : ");
    text_dec(t, f->pipe ? 0 : f->data_off + f->data_size, 0);
    text_char(t, '\n');
}

static bool announced(const struct perf_file *f, uint32_t id)
{
    return f->announced[id / 8] >> id % 8 & 1;
}

/* All of a file.  One that is announced but not there is printed like an empty one. */
static void text_file(struct text *t, const struct feat_env *env, bool full)
{
    const struct perf_file *f = env->file;
    for (uint32_t id = 1; !f->no_table && id < PERF_FEAT_LIMIT; id++)
        if (announced(f, id))
            (void)!feat_text(t, env, id, f->feature[id], full);
    text_str(t, "# missing features: ");
    for (uint32_t id = 1; pts_feature_name(id); id++) {
        if (announced(f, id))
            continue;
        text_str(t, pts_feature_name(id));
        text_char(t, ' ');
    }
    text_char(t, '\n');
}

void head_text(struct text *t, const struct feat_env *env, bool full)
{
    text_str(t, "# ========\n");
    text_captured(t, env->file);
    if (!env->file->pipe)
        text_file(t, env, full);
    text_str(t, "# ========\n#\n");
}
