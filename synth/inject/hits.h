/* hits.h - which files samples or maps hit, and their build ids.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_INJECT_HITS_H
#define PTS_SYNTH_INJECT_HITS_H

#include "decoder/file/perf_file.h"
#include "synth/inject/put_record.h"
#include "synth/sample/sample.h"
#include "walker/sideband/sideband.h"

/* A build id that was given by hand; lent. */
struct hits_known {
    uint32_t dso;
    const uint8_t *id;
    uint8_t len;
};

/* Zero-initialise; give back with hits_free. */
struct hits {
    const struct sideband *sb;
    struct as_view *view;
    bool *hit;  /* by dso */
    bool *left; /* the same: not to be listed */
    VEC(struct hits_known) known;
    /* The answer for the last sample. */
    uint32_t thread, epoch;
    bool kernel;
    const struct as_map *map;
};

/* sb: lent for the life of it. */
pts_status hits_init(struct hits *h, const struct sideband *sb);
void hits_free(struct hits *h);
/* The dso that a sample is in, if nothing hit it before; else NULL, also when there is none. */
pts_status hits_sample(struct hits *h, const struct sample *s,
                       const struct sb_dso **now);
/* The same for the dso that is mapped at an address, if it is called so. */
struct hits_at {
    uint32_t thread, epoch;
    uint64_t addr;
    bool kernel;
    const char *name;
};
pts_status hits_map(struct hits *h, const struct hits_at *at,
                    const struct sb_dso **now);
/* The dso there, if it is called so, is not to be listed (left). */
pts_status hits_leave_out(struct hits *h, const struct hits_at *at);

/* The index of the dso there, if it is called so; else of none: that of the last. */
uint32_t hits_index(struct hits *h, const struct hits_at *at);

/* Its build id is this one, whatever was recorded; false: no memory. */
bool hits_know(struct hits *h, const struct sb_dso *d, const uint8_t *id, uint8_t len);
const struct hits_known *hits_knows(const struct hits *h, const struct sb_dso *d);
/* Its build id as given by hand, else as recorded, else that of its file.  False: there is none. */
bool hits_id(const struct hits *h, const struct sb_dso *d, uint32_t type,
             struct put_id *out, uint8_t keep[20]);

#endif
