/* arena.h - memory that is given back all at once.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is needed until a recording or a run is closed comes from an arena: nobody has
 * to know who owns it, and a call that fails half-way has nothing to give back.  All
 * other memory passes the three doors below, which note when there is none (I13).
 */
#ifndef PTS_DECODER_BASE_ARENA_H
#define PTS_DECODER_BASE_ARENA_H

#include <stddef.h>

struct arena_chunk;

/* Zero-initialise to get an empty arena. */
struct arena {
    struct arena_chunk *head;
    size_t used; /* bytes of head in use */
    size_t all;  /* bytes of all chunks */
};

/* n zeroed bytes aligned to 16, or NULL when there is no memory. */
void *arena_alloc(struct arena *a, size_t n);

/* A NUL-terminated copy of n bytes of s, or NULL when there is no memory. */
char *arena_strndup(struct arena *a, const char *s, size_t n);

/* Gives everything back; the arena is empty and usable again. */
void arena_free(struct arena *a);

/* Empties the arena, too, but keeps a chunk for what comes next. */
void arena_reset(struct arena *a);

/* The only doors to the allocator outside this file's arenas.  mem_resize doubles as
 * allocate (p NULL); both return NULL when there is no memory, leaving p as it was. */
void *mem_resize(void *p, size_t count, size_t size);
void *mem_zalloc(size_t count, size_t size);
/* The same for a table that is looked at all over before it is filled: it is in memory at once.  A page
 * that is read first is one of zeros that all have in common, and another takes its place when it is
 * written, of which each processor that has a thread of this process must be told. */
void *mem_table(size_t count, size_t size);
void mem_free(void *p);

#endif
