/* timeline.h - values that change in the course of the recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each key (0, 1, 2 ...) has its own history.  Points are added in order of epoch for
 * all keys mixed; after timeline_finish each history is one sorted run.
 */
#ifndef PTS_WALKER_SIDEBAND_TIMELINE_H
#define PTS_WALKER_SIDEBAND_TIMELINE_H

#include "decoder/base/vec.h"

#include <ptscript/status.h>
#include <stdint.h>

#define TIMELINE_NONE UINT32_MAX

struct tl_point {
    uint32_t epoch; /* from here on */
    uint32_t value;
};

struct tl_added {
    uint32_t key;
    struct tl_point point;
};

/* Zero-initialise to get an empty one. */
struct timeline {
    VEC(struct tl_added) added;
    struct tl_point *point;
    uint32_t *start; /* keys + 1 of them */
    uint32_t keys;
};

/* Room for so many points more; without memory for it they are added one by one. */
void timeline_expect(struct timeline *t, size_t points);
pts_status timeline_add(struct timeline *t, uint32_t key, uint32_t epoch,
                        uint32_t value);
/* keys: one more than the largest key added. */
pts_status timeline_finish(struct timeline *t, uint32_t keys);
void timeline_free(struct timeline *t);

/* The history of key; *n points, of which several may share an epoch: the last counts.
 */
const struct tl_point *timeline_of(const struct timeline *t, uint32_t key, uint32_t *n);

/* The value at an epoch, TIMELINE_NONE before the first point.  *until becomes the next
 * epoch with a point, if that is earlier than it was. */
uint32_t timeline_at(const struct timeline *t, uint32_t key, uint32_t epoch,
                     uint32_t *until);

#endif
