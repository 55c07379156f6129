/* idmap.h - a hash from numbers to numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * Strings are looked up by their hash; whoever does so compares them himself and keeps
 * a chain of those that share one.
 */
#ifndef PTS_DECODER_BASE_IDMAP_H
#define PTS_DECODER_BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

/* Zero-initialise to get an empty map. */
struct idmap {
    struct idmap_cell *cell; /* cap of them, a power of two */
    uint32_t cap, len;
};

/* The value of key, or IDMAP_NONE. */
uint32_t idmap_get(const struct idmap *m, uint64_t key);
/* Sets it (value is not IDMAP_NONE); false when there is no memory. */
bool idmap_set(struct idmap *m, uint64_t key, uint32_t value);
void idmap_free(struct idmap *m);

/* n bytes of p hashed into h; start with any number. */
uint64_t idmap_hash(uint64_t h, const void *p, size_t n);

#endif
