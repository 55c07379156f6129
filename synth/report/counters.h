/* counters.h - perf report --threads: what counters of threads had counted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_COUNTERS_H
#define PTS_SYNTH_REPORT_COUNTERS_H

#include "decoder/base/vec.h"
#include "synth/print/text.h"

struct counted {
    int32_t pid, tid;
};

/* Zero-initialise. */
struct counters {
    VEC(struct counted) thread;
    VEC(uint32_t) event;    /* as they were met */
    VEC(uint64_t) value;    /* of each thread and event */
    VEC(const char *) name; /* of each event, lent */
};

/* A value of an event that a thread had. */
struct count_read {
    struct counted who;
    uint32_t event;
    const char *name;
    uint64_t value;
};

bool counters_add(struct counters *c, const struct count_read *r);
/* raw: all values behind each other, with their names. */
void counters_text(const struct counters *c, bool raw, struct text *t);
void counters_free(struct counters *c);

#endif
