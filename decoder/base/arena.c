/* arena.c - a list of chunks that only grows.
 *
 * SPDX-License-Identifier: MIT
 *
 * Chunks are zeroed by calloc, which costs nothing for pages that come fresh from the
 * system.  What is left of a chunk when the next piece does not fit is given up.
 */
#include "decoder/base/arena.h"

#include "decoder/base/huge.h"
#include "decoder/base/refused.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* There are many arenas with little in them: chunks double up to a size. */
enum { FIRST_BYTES = 4 * 1024, CHUNK_BYTES = 64 * 1024, ALIGN_BYTES = 16 };

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    bool is_huge; /* HUGE_BYTES in all */
    _Alignas(ALIGN_BYTES) unsigned char data[];
};

/* Of an arena with much in it. */
enum { HUGE_FROM = 512 * 1024 };

/* NULL: not to be had. */
static struct arena_chunk *chunk_huge(void)
{
    struct arena_chunk *c = huge_new();

    if (!c)
        return NULL;
    c->is_huge = true;
    c->size = HUGE_BYTES - sizeof(*c);
    return c;
}

static struct arena_chunk *chunk_plain(size_t size)
{
    struct arena_chunk *c = mem_zalloc(1, sizeof(*c) + size);

    if (c)
        c->size = size;
    return c;
}

static void chunk_free(struct arena_chunk *c)
{
    if (c->is_huge)
        huge_free(c);
    else
        free(c);
}

static struct arena_chunk *chunk_new(struct arena *a, size_t n)
{
    size_t size = !a->head                          ? FIRST_BYTES
                  : a->head->size < CHUNK_BYTES / 2 ? a->head->size * 2
                                                    : CHUNK_BYTES;
    if (size < n)
        size = n;
    struct arena_chunk *c =
        a->all >= HUGE_FROM && n <= CHUNK_BYTES ? chunk_huge() : NULL;
    if (!c)
        c = chunk_plain(size);
    if (!c)
        return NULL;
    a->all += c->size;
    c->next = a->head;
    a->head = c;
    a->used = 0;
    return c;
}

void *arena_alloc(struct arena *a, size_t n)
{
    if (n > SIZE_MAX / 2) {
        refused_memory();
        return NULL;
    }
    n = (n + ALIGN_BYTES - 1) & ~(size_t)(ALIGN_BYTES - 1);
    if (!a->head || a->head->size - a->used < n) {
        if (!chunk_new(a, n))
            return NULL;
    }
    void *p = a->head->data + a->used;
    a->used += n;
    return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = n < SIZE_MAX ? arena_alloc(a, n + 1) : NULL;
    if (p)
        memcpy(p, s, n);
    return p;
}

void arena_reset(struct arena *a)
{
    while (a->head && a->head->next) {
        struct arena_chunk *c = a->head->next;
        a->head->next = c->next;
        a->all -= c->size;
        chunk_free(c);
    }
    if (a->head && a->head->size > CHUNK_BYTES) {
        arena_free(a); /* one that large will hardly be needed again */
        return;
    }
    if (a->head)
        memset(a->head->data, 0, a->used);
    a->used = 0;
}

void arena_free(struct arena *a)
{
    while (a->head) {
        struct arena_chunk *c = a->head;
        a->head = c->next;
        chunk_free(c);
    }
    a->used = a->all = 0;
}

void *mem_resize(void *p, size_t count, size_t size)
{
    void *more = reallocarray(p, count, size);

    if (!more && count && size)
        refused_memory();
    return more;
}

void *mem_zalloc(size_t count, size_t size)
{
    void *p = calloc(count, size);

    if (!p && count && size)
        refused_memory();
    return p;
}

void *mem_table(size_t count, size_t size)
{
    enum { PAGE = 4096 };
    void *p = mem_zalloc(count, size);

    for (size_t i = 0; p && i < count * size; i += PAGE)
        ((volatile uint8_t *)p)[i] = 0;
    return p;
}

void mem_free(void *p)
{
    free(p);
}
