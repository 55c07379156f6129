/* strings.h - strings as numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * From 1 on, in the order in which they are first met; the same string always has the
 * same number, and a number is never used for another one.  Names come from tables that
 * live as long as the session, so most are known by where they are.
 */
#ifndef PTS_SYNTH_ROWS_STRINGS_H
#define PTS_SYNTH_ROWS_STRINGS_H

#include "decoder/base/arena.h"
#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"

struct string {
    const char *at;
    size_t len;
    uint32_t next; /* with the same hash; IDMAP_NONE: none */
};

/* Zero-initialise. */
struct strings {
    VEC(struct string) at;
    struct idmap by_hash;    /* to the first of a chain */
    struct idmap by_pointer; /* of those that stay where they are */
    struct arena arena;
};

/* The number of a string, which is copied; 0: there is no memory. */
uint32_t strings_of(struct strings *all, const char *s, size_t n);
/* The same of one that stays where it is for the life of `all`; 0 for NULL, too. */
uint32_t strings_kept(struct strings *all, const char *s);
/* NULL: no string has this number. */
const struct string *strings_at(const struct strings *all, uint32_t id);
void strings_free(struct strings *all);

#endif
