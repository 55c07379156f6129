/* patch.h - code that changed while it was recorded, as it was at any point.
 *
 * SPDX-License-Identifier: MIT
 *
 * The kernel patches itself, and says so (TEXT_POKE).  Images do not change (image.h) and are
 * not copied: what changed is kept beside them, in pieces of 16 bytes, each as often as it
 * changed.  Whoever reads code at an epoch reads the image, and over it the pieces of then:
 *
 *     place   epoch   told   bytes
 *      40       3     001..  -- -- e8         from epoch 3 on
 *      40       9     111..  0f 1f e8         from epoch 9 on; what was told before, too
 *      77       3     1111.  55 48 89 e5
 *
 * So nobody replays changes, time may go back, and readers share all of it.  (A private mapping
 * of the file for each reader would cost address space and page tables by reader, need a file,
 * and every reader would have to make all changes.)
 */
#ifndef PTS_WALKER_CODE_PATCH_H
#define PTS_WALKER_CODE_PATCH_H

#include "decoder/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATCH_SIZE = 16 };

struct patch {
    uint64_t place; /* offset / PATCH_SIZE */
    uint32_t epoch; /* in effect from here on, until the next one of this place */
    uint16_t told;  /* a bit for each byte that is known */
    uint8_t bytes[PATCH_SIZE];
};

/* Of one dso.  Zero-initialise. */
struct patches {
    VEC(struct patch) at; /* after patches_finish: by place, then epoch */
};

/* An answer for an epoch, and for which others it is the same. */
struct when {
    uint32_t epoch;
    uint32_t from, until; /* from <= epoch < until */
    bool timed;           /* there is code in it that changes at some time */
};

static inline struct when when_at(uint32_t epoch)
{
    return (struct when){.epoch = epoch, .until = UINT32_MAX};
}

/* n bytes at off are others from an epoch on.  In the order of epochs.  False: no memory. */
bool patches_add(struct patches *p, uint32_t epoch, uint64_t off, const uint8_t *bytes,
                 size_t n);
void patches_finish(struct patches *p);
void patches_free(struct patches *p);

/* The first byte at or behind off that may change; UINT64_MAX: there is none. */
uint64_t patches_next(const struct patches *p, uint64_t off);

/* Puts what changed over the n bytes at off. */
void patches_put(const struct patches *p, uint32_t epoch, uint64_t off, uint8_t *bytes,
                 size_t n);

/* Narrows w to the epochs at which the n bytes at off are as at w->epoch. */
void patches_narrow(const struct patches *p, uint64_t off, size_t n, struct when *w);

#endif
