/* vec.h - a typed array that grows.
 *
 * SPDX-License-Identifier: MIT
 *
 *     VEC(struct map) maps = {0};
 *     struct map *m = VEC_PUSH(&maps);     NULL when there is no memory
 *     for (size_t i = 0; i < maps.len; i++) use(&maps.at[i]);
 *     VEC_FREE(&maps);
 *
 * Pushing may move the elements: keep indices, not pointers.
 */
#ifndef PTS_DECODER_BASE_VEC_H
#define PTS_DECODER_BASE_VEC_H

#include "decoder/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define VEC(type)                                                                      \
    struct {                                                                           \
        type *at;                                                                      \
        size_t len, cap;                                                               \
    }

static inline bool vec_room(void **at, size_t *cap, size_t want, size_t size)
{
    if (want <= *cap)
        return true;
    size_t n = *cap ? *cap * 2 : 16;
    if (n < want)
        n = want;
    void *p = mem_resize(*at, n, size);
    if (!p)
        return false;
    *at = p;
    *cap = n;
    return true;
}

/* Room for n more elements; false when there is no memory. */
#define VEC_ROOM(v, n)                                                                 \
    vec_room((void **)&(v)->at, &(v)->cap, (v)->len + (n), sizeof(*(v)->at))

static inline void vec_fit(void **at, size_t *cap, size_t len, size_t size)
{
    void *p = len && len < *cap ? mem_resize(*at, len, size) : NULL;

    if (!p)
        return;
    *at = p;
    *cap = len;
}

/* Room that no element takes is given back. */
#define VEC_FIT(v) vec_fit((void **)&(v)->at, &(v)->cap, (v)->len, sizeof(*(v)->at))

/* A new last element (not initialised), or NULL. */
#define VEC_PUSH(v) (VEC_ROOM(v, 1) ? &(v)->at[(v)->len++] : NULL)

#define VEC_FREE(v)                                                                    \
    do {                                                                               \
        mem_free((v)->at);                                                             \
        (v)->at = NULL;                                                                \
        (v)->len = (v)->cap = 0;                                                       \
    } while (0)

#endif
