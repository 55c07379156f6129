/* around.h - what of a machine keys ask for: its sockets, cgroups, namespaces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_KEY_AROUND_H
#define PTS_SYNTH_REPORT_KEY_AROUND_H

#include "decoder/file/perf_file.h"
#include "decoder/record/record.h"
#include "synth/rows/strings.h"

/* Zero-initialise. */
struct around {
    VEC(int32_t) socket; /* of each CPU */
    VEC(struct around_cgroup {
        uint64_t id;
        const char *path;
    })
    cgroup;
    VEC(struct pts_namespace) space; /* of cgroups, a thread's */
    struct idmap by_id, by_tid;
};

/* What the file says of sockets. */
pts_status around_begin(struct around *a, const struct perf_file *f);
/* Whether a type of record tells of the others. */
bool around_wants(uint32_t type);
pts_status around_take(struct around *a, struct strings *strings,
                       const struct record *r);
/* -1: not known. */
int32_t around_socket(const struct around *a, int32_t cpu);
/* All zero: not known. */
struct pts_namespace around_space(const struct around *a, int32_t tid);
/* NULL: it has no name. */
const char *around_cgroup(const struct around *a, uint64_t id);
void around_free(struct around *a);

#endif
