/* perfdata.h - the container: header, attrs, data, features.
 *
 * SPDX-License-Identifier: MIT
 *
 * The data section is gathered in a file without a name beside the output and copied at
 * the end, because what stands before it (ids, the first records) is known only then.
 */
#ifndef PTRECORD_PERFDATA_H
#define PTRECORD_PERFDATA_H

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/event.h"
#include "testdata/ptrecord/keep.h"
#include "testdata/ptrecord/rec.h"

#include <stdio.h>

struct perfdata {
    struct keep out;
    FILE *data;
    uint64_t len;
    int error;            /* errno of the first write that failed, or 0 */
    struct buf index;     /* AUXTRACE records: u64 offset in data, u64 size */
    struct buf build_ids; /* records of the BUILD_ID feature */
};

struct perfdata_head {
    const struct event *events;
    uint32_t ring_n;
    const struct buf *front; /* records before the data */
    uint32_t cpus;
    uint64_t first_ns, last_ns;
    int argc;
    char **argv;
};

/* False with a line on stderr: PATH cannot be written. */
bool perfdata_open(struct perfdata *p, const char *path);
void perfdata_put(struct perfdata *p, const void *bytes, size_t len);
/* An AUXTRACE record of SIZE bytes comes next: for the index. */
void perfdata_mark_aux(struct perfdata *p, uint64_t size);
/* For the BUILD_ID feature, which is not there when MMAP2 records have the ids. */
void perfdata_dso(struct perfdata *p, const struct rec_map *m, bool in_mmap2);
/* False with a line on stderr: there is no recording, and what had its name is as it
 * was. */
bool perfdata_close(struct perfdata *p, const struct perfdata_head *h);
/* There is nothing to be recorded. */
void perfdata_drop(struct perfdata *p);

#endif
