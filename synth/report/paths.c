/* paths.c - call chains that have been counted before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/paths.h"

enum { SLOTS_MIN = 1024 };

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
    struct path_frame *new = i < PATH_SAMPLE ? VEC_PUSH(&p->frame) : NULL;
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

/* --- Nodes ------------------------------------------------------------------------- */

static size_t slot_of(const struct paths *p, uint32_t up, uint32_t frame)
{
    uint64_t key = ((uint64_t)up << 32 | frame) * UINT64_C(0x9e3779b97f4a7c15);

    return (key ^ key >> 32) & (p->slots - 1);
}

/* Twice the slots: no more than half are ever taken. */
static bool table_grow(struct paths *p)
{
    size_t slots = p->slots ? p->slots * 2 : SLOTS_MIN;
    uint32_t *table = mem_zalloc(slots, sizeof(*table));

    if (!table)
        return false;
    mem_free(p->table);
    p->table = table;
    p->slots = slots;
    for (uint32_t n = 0; n < p->node.len; n++) {
        size_t i = slot_of(p, p->node.at[n].up, p->node.at[n].frame);
        while (table[i])
            i = (i + 1) & (slots - 1);
        table[i] = n + 1;
    }
    return true;
}

uint32_t path_step(struct paths *p, uint32_t up, uint32_t frame)
{
    if (p->node.len * 2 >= p->slots && !table_grow(p))
        return PATHS_NONE;
    size_t i = slot_of(p, up, frame);
    for (; p->table[i]; i = (i + 1) & (p->slots - 1)) {
        const struct path_node *n = &p->node.at[p->table[i] - 1];
        if (n->up == up && n->frame == frame)
            return p->table[i] - 1;
    }
    struct path_node *new = p->node.len < PATHS_NONE - 1 ? VEC_PUSH(&p->node) : NULL;
    if (!new)
        return PATHS_NONE;
    unsigned behind = up == PATHS_NONE ? 0 : p->node.at[up].frames;
    bool more = !(frame & PATH_SAMPLE) && behind < UINT16_MAX;
    *new = (struct path_node){
        .up = up, .frame = frame, .frames = (uint16_t)(behind + more)};
    p->table[i] = (uint32_t)p->node.len;
    return (uint32_t)p->node.len - 1;
}

bool path_count(struct paths *p, uint32_t node, uint64_t weight)
{
    struct path_node *n = &p->node.at[node];

    if (!n->count) {
        uint32_t *new = VEC_PUSH(&p->counted);
        if (!new)
            return false;
        *new = node;
    }
    n->count++;
    n->weight += weight;
    return true;
}

pts_status path_frames(const struct paths *p, uint32_t node, struct frames *out)
{
    out->len = 0;
    if (p->node.at[node].frame & PATH_SAMPLE)
        node = p->node.at[node].up;
    for (; node != PATHS_NONE; node = p->node.at[node].up) {
        struct frame *new = VEC_PUSH(out);
        if (!new)
            return PTS_E_NOMEM;
        *new = p->frame.at[p->node.at[node].frame].frame;
    }
    return PTS_OK;
}

void paths_free(struct paths *p)
{
    VEC_FREE(&p->frame);
    VEC_FREE(&p->node);
    VEC_FREE(&p->counted);
    VEC_FREE(&p->word);
    idmap_free(&p->by_hash);
    mem_free(p->table);
}
