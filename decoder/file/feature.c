/* feature.c - the feature sections of perf.data, item by item.
 *
 * SPDX-License-Identifier: MIT
 *
 * A section is bytes and a function that reads the next item of them, by this table.
 * One that is not known is a single item of bytes.
 */
#include "decoder/file/feature_item.h"

/* clang-format off */
static const struct {
    const char *name;
    item_fn *next;
} features[] = {
    [PTS_FEAT_TRACING_DATA]    = {"TRACING_DATA",    item_bytes},
    [PTS_FEAT_BUILD_ID]        = {"BUILD_ID",        item_build_id},
    [PTS_FEAT_HOSTNAME]        = {"HOSTNAME",        item_text},
    [PTS_FEAT_OSRELEASE]       = {"OSRELEASE",       item_text},
    [PTS_FEAT_VERSION]         = {"VERSION",         item_text},
    [PTS_FEAT_ARCH]            = {"ARCH",            item_text},
    [PTS_FEAT_NRCPUS]          = {"NRCPUS",          item_cpus},
    [PTS_FEAT_CPUDESC]         = {"CPUDESC",         item_text},
    [PTS_FEAT_CPUID]           = {"CPUID",           item_text},
    [PTS_FEAT_TOTAL_MEM]       = {"TOTAL_MEM",       item_number},
    [PTS_FEAT_CMDLINE]         = {"CMDLINE",         item_word},
    [PTS_FEAT_EVENT_DESC]      = {"EVENT_DESC",      item_event},
    [PTS_FEAT_CPU_TOPOLOGY]    = {"CPU_TOPOLOGY",    item_topology},
    [PTS_FEAT_NUMA_TOPOLOGY]   = {"NUMA_TOPOLOGY",   item_node},
    [PTS_FEAT_BRANCH_STACK]    = {"BRANCH_STACK",    item_none},
    [PTS_FEAT_PMU_MAPPINGS]    = {"PMU_MAPPINGS",    item_pmu},
    [PTS_FEAT_GROUP_DESC]      = {"GROUP_DESC",      item_group},
    [PTS_FEAT_AUXTRACE]        = {"AUXTRACE",        item_auxtrace},
    [PTS_FEAT_STAT]            = {"STAT",            item_none},
    [PTS_FEAT_CACHE]           = {"CACHE",           item_cache},
    [PTS_FEAT_SAMPLE_TIME]     = {"SAMPLE_TIME",     item_times},
    [PTS_FEAT_MEM_TOPOLOGY]    = {"MEM_TOPOLOGY",    item_memory},
    [PTS_FEAT_CLOCKID]         = {"CLOCKID",         item_number},
    [PTS_FEAT_DIR_FORMAT]      = {"DIR_FORMAT",      item_number},
    [PTS_FEAT_BPF_PROG_INFO]   = {"BPF_PROG_INFO",   item_bpf_program},
    [PTS_FEAT_BPF_BTF]         = {"BPF_BTF",         item_bpf_btf},
    [PTS_FEAT_COMPRESSED]      = {"COMPRESSED",      item_compressed},
    [PTS_FEAT_CPU_PMU_CAPS]    = {"CPU_PMU_CAPS",    item_cap},
    [PTS_FEAT_CLOCK_DATA]      = {"CLOCK_DATA",      item_clock},
    [PTS_FEAT_HYBRID_TOPOLOGY] = {"HYBRID_TOPOLOGY", item_hybrid},
    [PTS_FEAT_PMU_CAPS]        = {"PMU_CAPS",        item_caps},
};
/* clang-format on */

enum { KNOWN = sizeof(features) / sizeof(features[0]) };

const char *pts_feature_name(uint32_t id)
{
    return id < KNOWN ? features[id].name : NULL;
}

struct pts_feature_iter pts_feature_begin(uint32_t id, const void *bytes, size_t n,
                                          int foreign)
{
    static const uint8_t none[1];
    const uint8_t *p = n ? bytes : none;
    return (struct pts_feature_iter){
        .at = p, .end = p + n, .id = id, .kind = UINT32_MAX, .swap = foreign != 0};
}

/* The iterator only moves when an item was read: a section ends at the first one
 * that is not all there, or not understood. */
pts_status pts_feature_next(struct pts_feature_iter *it, struct pts_feature_item *item)
{
    struct cut c = {reader_of(it->at, (size_t)(it->end - it->at)), it->swap};
    struct pts_feature_item got = {0};
    if (it->stage == DONE)
        return PTS_END;
    item_fn *next =
        it->id < KNOWN && features[it->id].next ? features[it->id].next : item_bytes;
    pts_status st = next(it, &c, &got);
    if (c.r.bad)
        st = PTS_E_RANGE;
    if (st != PTS_OK) {
        it->stage = DONE;
        return st;
    }
    it->index = got.kind == it->kind ? it->index + 1 : 0;
    it->kind = got.kind;
    got.index = it->index;
    it->at = c.r.at;
    *item = got;
    return PTS_OK;
}
