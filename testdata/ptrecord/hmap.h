/* hmap.h - a hash from addresses to anything of 8 bytes.
 *
 * SPDX-License-Identifier: MIT
 *
 * Entries go only in sweeps (a range of memory has changed), never singly: so open
 * addressing without tombstones.
 */
#ifndef PTRECORD_HMAP_H
#define PTRECORD_HMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hmap_entry {
    uint64_t key; /* 0: free; nothing is ever mapped at address 0 */
    uint64_t val;
};

/* Zero-initialise to get an empty one. */
struct hmap {
    struct hmap_entry *at;
    size_t cap, len;
};

/* NULL when KEY is not there.  Valid until the next hmap_put or hmap_sweep. */
struct hmap_entry *hmap_find(const struct hmap *m, uint64_t key);
void hmap_put(struct hmap *m, uint64_t key, uint64_t val);
/* Drops every entry for which DROP says so. */
void hmap_sweep(struct hmap *m, bool (*drop)(struct hmap_entry *e, void *ctx),
                void *ctx);
void hmap_copy(struct hmap *to, const struct hmap *from);
void hmap_free(struct hmap *m);

#endif
