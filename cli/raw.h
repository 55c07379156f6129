/* raw.h - options for a bare trace: --pt, --image, and what describes them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything has room here, so that nothing is allocated before the library is called.
 */
#ifndef PTS_CLI_RAW_H
#define PTS_CLI_RAW_H

#include "problem.h"

#include <ptscript/raw.h>

#include <stdbool.h>

enum { RAW_IMAGES_MAX = 256, RAW_SIDEBAND_MAX = 1024, RAW_NAMES_MAX = 1 << 16 };

/* Zero-initialise. */
struct cli_raw {
    struct pts_raw_opts opts; /* opts.trace: --pt; the rest after raw_check */
    const char *first;        /* the first of these options; NULL: there was none */
    bool has_sample_type;
    struct {
        bool cfg, a, b;
    } has_filter[PTS_RAW_FILTERS];
    size_t images, others; /* others: side-band files but the first */
    struct pts_raw_image image[RAW_IMAGES_MAX];
    const char *sideband[1 + RAW_SIDEBAND_MAX];
    char names[RAW_NAMES_MAX]; /* of images, without their addresses */
    size_t names_len;
};

/* Takes an option (by its long name, without --) and its value.  False: it is wrong,
 * and the problem is said. */
bool raw_take(struct cli_raw *r, const char *name, const char *value,
              struct problem *p);
/* When all are taken: whether they fit together. */
bool raw_check(struct cli_raw *r, struct problem *p);

/* Whether the value of --cpu is a processor (family/model/stepping), not a list. */
bool raw_is_model(const char *cpu);

#endif
