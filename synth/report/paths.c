/* paths.c - call chains that have been counted before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/paths.h"

/* --- Frames ------------------------------------------------------------------------ */

/* Finer than frame_compare: what is told apart here comes together in the rows' trees. */
static bool by_symbol(const struct frame *f, enum frame_key key)
{
    return key == FRAME_FUNCTION && f->sym && !f->inlined;
}

static bool looks_alike(const struct path_frame *a, const struct path_frame *b,
                        enum frame_key key)
{
    bool symbol = by_symbol(&a->frame, key);

    return a->event == b->event && a->row == b->row && a->mode == b->mode &&
           a->frame.dso == b->frame.dso && symbol == by_symbol(&b->frame, key) &&
           (symbol ? a->frame.start == b->frame.start : a->frame.ip == b->frame.ip);
}

uint32_t path_frame(struct paths *p, const struct path_frame *f, enum frame_key key)
{
    const uint64_t words[] = {(uint64_t)f->event << 32 | f->row,
                              (uint64_t)f->frame.dso << 8 | f->mode,
                              by_symbol(&f->frame, key) ? f->frame.start : f->frame.ip};
    uint64_t hash = idmap_hash(0, words, sizeof(words));
    uint32_t first = idmap_get(&p->by_hash, hash), i = first;

    while (i != IDMAP_NONE && !looks_alike(&p->frame.at[i], f, key))
        i = p->frame.at[i].next;
    if (i != IDMAP_NONE)
        return i;
    i = (uint32_t)p->frame.len;
    struct path_frame *new = i < PATHS_NONE ? VEC_PUSH(&p->frame) : NULL;
    if (!new || !idmap_set(&p->by_hash, hash, i))
        return PATHS_NONE;
    *new = *f;
    new->next = first;
    return i;
}

void path_turn(struct paths *p, uint64_t most)
{
    struct path_word *at = p->word.at;
    size_t n = p->word.len, first = n > most ? n - (size_t)most : 0;

    for (size_t i = first, j = n; i + 1 < j; i++) {
        const struct path_word one = at[i];
        at[i] = at[--j];
        at[j] = one;
    }
    if (first)
        memmove(at, at + first, (n - first) * sizeof(*at));
    p->word.len = n - first;
}

/* What frame_compare takes for the same. */
static uint64_t hash_alike(const struct frame *f, enum frame_key key)
{
    const uint64_t words[] = {(uint64_t)f->dso << 1 | by_symbol(f, key),
                              by_symbol(f, key) ? f->start : f->ip};

    return idmap_hash(1, words, sizeof(words));
}

uint32_t *paths_alike(const struct paths *p, enum frame_key key)
{
    uint32_t *alike = mem_zalloc(p->frame.len + 1, sizeof(*alike)),
             *next = mem_zalloc(p->frame.len + 1, sizeof(*next));
    struct idmap first = {0};
    bool ok = alike && next;

    for (uint32_t i = 0; ok && i < p->frame.len; i++) {
        const struct frame *f = &p->frame.at[i].frame;
        uint64_t hash = hash_alike(f, key);
        uint32_t head = idmap_get(&first, hash), k = head;
        while (k != IDMAP_NONE && frame_compare(&p->frame.at[k].frame, f, key) != 0)
            k = next[k];
        alike[i] = k == IDMAP_NONE ? i : k;
        next[i] = head;
        ok = k != IDMAP_NONE || idmap_set(&first, hash, i);
    }
    idmap_free(&first);
    mem_free(next);
    if (!ok)
        mem_free(alike);
    return ok ? alike : NULL;
}

/* --- Chains ------------------------------------------------------------------------ */

static bool is_chain(const struct paths *p, const struct path_chain *a,
                     const struct path_chain *b)
{
    return a->row == b->row && a->mode == b->mode && a->frames == b->frames &&
           memcmp(p->step.at + a->first, p->step.at + b->first,
                  a->frames * sizeof(*p->step.at)) == 0;
}

uint32_t path_chain(struct paths *p, uint32_t row, uint8_t mode)
{
    size_t n = p->word.len;
    struct path_chain c = {.row = row,
                           .mode = mode,
                           .first = (uint32_t)p->step.len,
                           .frames = (uint32_t)n};

    if (p->step.len + n >= UINT32_MAX || !VEC_ROOM(&p->step, n))
        return PATHS_NONE;
    for (size_t i = 0; i < n; i++)
        p->step.at[c.first + i] = p->word.at[i].frame;
    uint64_t hash = idmap_hash((uint64_t)row << 8 | mode, p->step.at + c.first,
                               n * sizeof(*p->step.at));
    c.next = idmap_get(&p->by_steps, hash);
    for (uint32_t i = c.next; i != IDMAP_NONE; i = p->chain.at[i].next)
        if (is_chain(p, &p->chain.at[i], &c))
            return i;
    uint32_t i = (uint32_t)p->chain.len;
    struct path_chain *new = i < PATHS_NONE ? VEC_PUSH(&p->chain) : NULL;
    if (!new || !idmap_set(&p->by_steps, hash, i))
        return PATHS_NONE;
    *new = c;
    p->step.len += n;
    return i;
}

void paths_free(struct paths *p)
{
    VEC_FREE(&p->frame);
    VEC_FREE(&p->chain);
    VEC_FREE(&p->step);
    VEC_FREE(&p->word);
    idmap_free(&p->by_hash);
    idmap_free(&p->by_steps);
}
