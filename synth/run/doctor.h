/* doctor.h - what is wrong with a recording, and what to do about it.
 *
 * SPDX-License-Identifier: MIT
 *
 * A sink that looks at faults only: when all of the trace was decoded, it says how it was
 * recorded, which code was there, what was lost, and the faults by cause and image.
 */
#ifndef PTS_SYNTH_RUN_DOCTOR_H
#define PTS_SYNTH_RUN_DOCTOR_H

#include "decoder/base/idmap.h"
#include "synth/print/text.h"
#include "synth/run/run.h"

/* Faults of one cause in one image. */
struct doctor_group {
    uint32_t code, dso; /* SB_NONE: no map, or the fault is of no address */
    uint64_t count;
    uint64_t first_ip, first_time;
};

struct doctor {
    struct run *run; /* set before it begins */
    struct text *text;
    struct scene scene;
    struct as_view *view;
    VEC(struct doctor_group) group;
    struct idmap by_kind; /* code and dso -> group */
    uint64_t faults;
    uint32_t findings; /* things that somebody could do something about */
};

/* The sink; its ctx is d, which has its run and its text. */
struct sink doctor_sink(struct doctor *d);
void doctor_free(struct doctor *d); /* NULL is fine */

/* doctor_text.c: all that is to be said, into d->text. */
void doctor_text(struct doctor *d);

/* What to do about faults with this code, a clause; NULL: it says nothing to anybody. */
const char *doctor_advice(uint32_t code);

#endif
