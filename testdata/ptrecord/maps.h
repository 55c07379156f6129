/* maps.h - the executable mappings of a process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_MAPS_H
#define PTRECORD_MAPS_H

#include "decoder/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct map {
    uint64_t start, end, pgoff, ino;
    uint32_t maj, min, prot; /* PROT_* */
    bool shared;
    char *name; /* as the kernel names it in MMAP2: "//anon" if it has no name */
};

struct maps {
    VEC(struct map) list; /* in order of address */
};

/* Reads /proc/TID/maps anew.  False when the process is gone: MAPS is as it was. */
bool maps_read(struct maps *maps, pid_t tid);
/* The mapping at ADDR, or NULL. */
const struct map *maps_find(const struct maps *maps, uint64_t addr);
/* Is an executable mapping in these bytes? */
bool maps_overlap(const struct maps *maps, uint64_t addr, uint64_t len);
/* Is the same mapping, or one that holds it, in MAPS? */
bool maps_hold(const struct maps *maps, const struct map *m);
void maps_copy(struct maps *to, const struct maps *from);
void maps_free(struct maps *maps);

#endif
