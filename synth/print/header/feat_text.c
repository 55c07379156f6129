/* feat_text.c - the header of a recording as perf prints it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each feature is a section with a number (PTS_FEAT_*), and of a layout of its own that
 * include/ptscript/features.h turns into items.  Its bytes are gone through twice: the
 * first reading decides whether they are sound, and when they are not the feature is
 * printed as if it were empty, as perf does; the second prints.
 *
 *     feat_text    which printer, and is it sound
 *     feat_machine, feat_recording, feat_bpf    the printers
 *     feat_parts   what they share: items of a kind, of this feature or another
 */
#include "synth/print/header/feat_text.h"

#include "decoder/base/refused.h"
#include "decoder/file/perf_feat.h"
#include "synth/print/header/feat_bpf.h"
#include "synth/print/header/feat_machine.h"
#include "synth/print/header/feat_recording.h"

#include <time.h>

enum {
    LONG = 1, /* only on demand */
    PART = 2  /* of one that ends early perf prints what it has read */
};

/* clang-format off */
static const struct {
    feat_fn *text;
    unsigned how;
} table[] = {
    [PTS_FEAT_HOSTNAME]         = {feat_hostname,        0},
    [PTS_FEAT_OSRELEASE]        = {feat_osrelease,       0},
    [PTS_FEAT_VERSION]          = {feat_version,         0},
    [PTS_FEAT_ARCH]             = {feat_arch,            0},
    [PTS_FEAT_NRCPUS]           = {feat_nrcpus,          0},
    [PTS_FEAT_CPUDESC]          = {feat_cpudesc,         0},
    [PTS_FEAT_CPUID]            = {feat_cpuid,           0},
    [PTS_FEAT_TOTAL_MEM]        = {feat_total_mem,       0},
    [PTS_FEAT_CMDLINE]          = {feat_cmdline,         0},
    [PTS_FEAT_EVENT_DESC]       = {feat_event_desc,      0},
    [PTS_FEAT_CPU_TOPOLOGY]     = {feat_cpu_topology,    LONG | PART},
    [PTS_FEAT_NUMA_TOPOLOGY]    = {feat_numa_topology,   LONG},
    [PTS_FEAT_BRANCH_STACK]     = {feat_branch_stack,    0},
    [PTS_FEAT_PMU_MAPPINGS]     = {feat_pmu_mappings,    0},
    [PTS_FEAT_GROUP_DESC]       = {feat_group_desc,      0},
    [PTS_FEAT_AUXTRACE]         = {feat_auxtrace,        0},
    [PTS_FEAT_STAT]             = {feat_stat,            0},
    [PTS_FEAT_CACHE]            = {feat_cache,           LONG},
    [PTS_FEAT_SAMPLE_TIME]      = {feat_sample_time,     0},
    [PTS_FEAT_MEM_TOPOLOGY]     = {feat_mem_topology,    LONG},
    [PTS_FEAT_CLOCKID]          = {feat_clockid,         0},
    [PTS_FEAT_DIR_FORMAT]       = {feat_dir_format,      0},
    [PTS_FEAT_BPF_PROG_INFO]    = {feat_bpf_prog_info,   PART},
    [PTS_FEAT_BPF_BTF]          = {feat_bpf_btf,         PART},
    [PTS_FEAT_COMPRESSED]       = {feat_compressed,      0},
    [PTS_FEAT_CPU_PMU_CAPS]     = {feat_cpu_pmu_caps,    0},
    [PTS_FEAT_CLOCK_DATA]       = {feat_clock_data,      0},
    [PTS_FEAT_HYBRID_TOPOLOGY]  = {feat_hybrid_topology, LONG},
    [PTS_FEAT_PMU_CAPS]         = {feat_pmu_caps,        0},
};
/* clang-format on */

pts_status feat_text(struct text *t, const struct feat_env *env, uint32_t id,
                     struct pts_bytes bytes, bool full)
{
    struct feat f = {t, env, id, bytes, true};
    struct pts_feature_iter it = feat_begin(&f);
    struct pts_feature_item item;
    pts_status st;
    if (id >= sizeof(table) / sizeof(table[0]) || !table[id].text)
        return PTS_OK;
    if (table[id].how & LONG && !full) {
        text_fmt(t, "# %s info available, use -I to display\n", pts_feature_name(id));
        return PTS_OK;
    }
    while ((st = pts_feature_next(&it, &item)) == PTS_OK) {
    }
    f.sound = st == PTS_END;
    if (!f.sound && !(table[id].how & PART))
        f.bytes = (struct pts_bytes){0};
    table[id].text(&f);
    return f.sound ? PTS_OK : st;
}

static void text_captured(struct text *t, const struct perf_file *f)
{
    time_t when = (time_t)f->in.mtime;
    char date[64] = "(null)\n";
    refused_watch(); /* without memory the time zone is forgotten */
    ctime_r(&when, date);
    refused_watched(NULL);
    text_str(t, "# captured on    : ");
    text_str(t, date);
    text_str(t, "# header version : "); /* perf counts from 0 */
    text_dec(t, f->said.version - 1u, 0);
    text_str(t, "\n# data offset    : ");
    text_dec(t, f->pipe ? 0 : f->data.off, 0);
    text_str(t, "\n# data size      : ");
    text_dec(t, f->pipe ? 0 : f->said.data_size, 0);
    text_str(t, "\n# feat offset    : ");
    text_dec(t, f->pipe ? 0 : f->data.off + f->said.data_size, 0);
    text_char(t, '\n');
}

/* All of a file.  One that is announced but not there is printed like an empty one. */
static void text_file(struct text *t, const struct feat_env *env, bool full)
{
    const struct perf_file *f = env->file;
    for (uint32_t id = 1; !f->said.no_table && id < PTS_FEAT_END; id++)
        if (perf_feat_announced(f, id))
            (void)!feat_text(t, env, id, f->feature[id], full);
    text_str(t, "# missing features: ");
    for (uint32_t id = 1; pts_feature_name(id); id++) {
        if (perf_feat_announced(f, id))
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
