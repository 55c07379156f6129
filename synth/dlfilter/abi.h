/* abi.h - the binary interface between perf and a compiled filter, as of perf 6.1.
 *
 * SPDX-License-Identifier: MIT
 *
 * Filters were compiled against perf's header, so offsets and sizes are facts that cannot
 * change.  A struct begins with its size: a filter that knows a longer one looks before it
 * reads behind ours, and one that knows a shorter one never looks there.
 */
#ifndef PTS_SYNTH_DLFILTER_ABI_H
#define PTS_SYNTH_DLFILTER_ABI_H

#include <ptscript/record.h>
#include <stddef.h>
#include <stdint.h>

/* What a filter is shown of a sample. */
struct dl_sample {
    uint32_t size;
    uint16_t ins_lat, p_stage_cyc; /* the second: not on x86 */
    uint64_t ip;
    int32_t pid, tid;
    uint64_t time, addr, id, stream_id, period, weight, transaction;
    uint64_t insn_cnt, cyc_cnt;
    int32_t cpu;
    uint32_t flags; /* PTS_FLAG_* */
    uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
    uint8_t cpumode;
    uint8_t addr_correlates_sym; /* addr is code, or data that has a symbol */
    uint16_t misc;
    uint32_t raw_size;
    const void *raw_data;
    uint64_t brstack_nr;
    const struct pts_branch *brstack;
    uint64_t raw_callchain_nr;
    const uint64_t *raw_callchain; /* with the words that name a context */
    const char *event;
    int32_t machine_pid, vcpu; /* since v1 */
};
_Static_assert(sizeof(struct dl_sample) == 208, "as filters were compiled");
_Static_assert(offsetof(struct dl_sample, cpu) == 96, "as filters were compiled");
_Static_assert(offsetof(struct dl_sample, raw_data) == 152, "as filters were compiled");
_Static_assert(offsetof(struct dl_sample, event) == 192, "as filters were compiled");
_Static_assert(sizeof(struct pts_branch) == 24, "from, to, flags");

/* What lies at an address. */
struct dl_place {
    uint32_t size;
    uint32_t symoff;
    const char *sym;
    uint64_t addr; /* in the file */
    uint64_t sym_start, sym_end;
    const char *dso;
    uint8_t sym_binding; /* STB_* */
    uint8_t is_64_bit, is_kernel_ip;
    uint32_t buildid_size;
    const uint8_t *buildid;
    uint8_t filtered; /* FILTERED_*; this and comm: from resolve_ip alone */
    const char *comm;
};
_Static_assert(sizeof(struct dl_place) == 80, "as filters were compiled");
_Static_assert(offsetof(struct dl_place, buildid) == 56, "as filters were compiled");

enum { DL_FUNCTIONS = 128 };

/* What a filter may ask, if it has a variable perf_dlfilter_fns. */
struct dl_functions {
    const struct dl_place *(*resolve_ip)(void *ctx);
    const struct dl_place *(*resolve_addr)(void *ctx);
    char **(*args)(void *ctx, int *count);
    int32_t (*resolve_address)(void *ctx, uint64_t address, struct dl_place *out);
    const uint8_t *(*insn)(void *ctx, uint32_t *length);
    const char *(*srcline)(void *ctx, uint32_t *line);
    const void *(*attr)(void *ctx); /* struct perf_event_attr */
    int32_t (*object_code)(void *ctx, uint64_t ip, void *to, uint32_t size);
    /* Since v2: gives back what resolve_address took. */
    void (*al_cleanup)(void *ctx, struct dl_place *al);
    void *reserved[DL_FUNCTIONS - 9];
};
_Static_assert(sizeof(struct dl_functions) == DL_FUNCTIONS * sizeof(void *),
               "as filters were compiled");

/* What a filter may have; each may be missing. */
typedef int dl_start_fn(void **data, void *ctx);
typedef int dl_stop_fn(void *data, void *ctx);
typedef int dl_event_fn(void *data, const struct dl_sample *sample, void *ctx);
typedef const char *dl_about_fn(const char **longer);

#endif
