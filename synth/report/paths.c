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

static uint64_t pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* Where a node is found, or belongs.  The table is much smaller than a map, and asked for most frames of most
 * samples. */
static uint32_t *step_slot(const struct paths *p, uint32_t parent, uint32_t frame)
{
    const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (pair(parent, frame) ^ parent) * mix >> 32 & (p->steps - 1);

    for (uint32_t n; (n = p->by_step[i]) != 0; i = (i + 1) & (p->steps - 1))
        if (p->node.at[n].frame == frame && p->node.at[n].parent == parent)
            break;
    return &p->by_step[i];
}

/* Half of it is free. */
static bool steps_grow(struct paths *p)
{
    enum { FIRST = 1 << 10 };
    const size_t more = p->steps ? p->steps * 2 : FIRST;
    uint32_t *table = mem_table(more, sizeof(*table));

    if (!table)
        return false;
    mem_free(p->by_step);
    p->by_step = table;
    p->steps = more;
    for (uint32_t i = 1; i < p->node.len; i++)
        *step_slot(p, p->node.at[i].parent, p->node.at[i].frame) = i;
    return true;
}

/* A node that is met for the first time; PATHS_NONE: no memory. */
static uint32_t node_new(struct paths *p, uint32_t parent, uint32_t frame)
{
    const uint32_t i = (uint32_t)p->node.len;

    if (i >= PATHS_NONE - 1 || (i >= p->steps / 2 && !steps_grow(p)))
        return PATHS_NONE;
    uint32_t *slot = step_slot(p, parent, frame);
    struct path_node *new = VEC_PUSH(&p->node);
    if (!new)
        return PATHS_NONE;
    *slot = i;
    *new = (struct path_node){.frame = frame, .parent = parent};
    return i;
}

/* The node behind another one, often the same as the last time; PATHS_NONE: no memory. */
static uint32_t path_step(struct paths *p, uint32_t parent, uint32_t frame)
{
    uint32_t i = p->node.at[parent].last;

    if (i && p->node.at[i].frame == frame)
        return i;
    i = p->steps ? *step_slot(p, parent, frame) : 0;
    if (!i)
        i = node_new(p, parent, frame);
    if (i != PATHS_NONE)
        p->node.at[parent].last = i;
    return i;
}

/* How many nodes the chain in hand has in common with the last one. */
static size_t common(const struct paths *p)
{
    size_t n = p->word.len < p->trail.len ? p->word.len : p->trail.len, k = 0;

    while (k < n && p->node.at[p->trail.at[k]].frame == p->word.at[k].frame)
        k++;
    return k;
}

/* The root is there, and room for so many more nodes of the chain in hand. */
static bool make_room(struct paths *p, size_t steps)
{
    struct path_node *root = p->node.len ? p->node.at : VEC_PUSH(&p->node);

    if (root && p->node.len == 1)
        *root = (struct path_node){.frame = PATHS_NONE};
    return root && VEC_ROOM(&p->trail, steps);
}

/* The node where the chain in hand ends. */
static uint32_t path_end(struct paths *p)
{
    size_t k = common(p);
    uint32_t node = k ? p->trail.at[k - 1] : 0;

    p->trail.len = k;
    if (!make_room(p, p->word.len - k))
        return PATHS_NONE;
    for (; node != PATHS_NONE && k < p->word.len; k++) {
        node = path_step(p, node, p->word.at[k].frame);
        p->trail.at[k] = node;
    }
    p->trail.len = node != PATHS_NONE ? k : 0;
    return node;
}

uint32_t path_chain(struct paths *p, uint32_t row)
{
    const uint32_t node = path_end(p);
    const uint64_t end = pair(node, row);
    uint32_t i = idmap_get(&p->by_end, end);

    if (node == PATHS_NONE || i != IDMAP_NONE)
        return node == PATHS_NONE ? PATHS_NONE : i;
    i = (uint32_t)p->chain.len;
    struct path_chain *new = i < PATHS_NONE - 1 ? VEC_PUSH(&p->chain) : NULL;
    if (!new || !idmap_set(&p->by_end, end, i))
        return PATHS_NONE;
    *new = (struct path_chain){.node = node, .row = row};
    return i;
}

void paths_free(struct paths *p)
{
    VEC_FREE(&p->frame);
    VEC_FREE(&p->node);
    VEC_FREE(&p->chain);
    VEC_FREE(&p->word);
    VEC_FREE(&p->trail);
    idmap_free(&p->by_hash);
    mem_free(p->by_step);
    idmap_free(&p->by_end);
    *p = (struct paths){0};
}
