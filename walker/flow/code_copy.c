/* code_copy.c - code that changed while it was recorded, as it was at a point.
 *
 * SPDX-License-Identifier: MIT
 *
 * Going forward in time, changes are made one by one; going back (segments, another run of
 * the same records) all of them are undone, and made again as far as needed.
 */
#include "walker/flow/code_copy.h"

#include "decoder/base/arena.h"

#include <string.h>

static pts_status copy_new(const struct sb_dso *dso, const struct code *from,
                           struct code_copy **out)
{
    struct code_copy *c = mem_zalloc(1, sizeof(*c));
    /* Code that only changes tell (pages of kprobes) begins empty. */
    uint64_t size = from->bytes ? from->size : dso->code_len;

    if (!c)
        return PTS_E_NOMEM;
    c->dso = dso;
    c->bytes = mem_zalloc(size ? (size_t)size : 1, 1);
    if (!c->bytes) {
        mem_free(c);
        return PTS_E_NOMEM;
    }
    if (from->bytes)
        memcpy(c->bytes, from->bytes, (size_t)size);
    code_init(&c->code, c->bytes, size, from->bytes ? from->is_64bit : true);
    *out = c;
    return PTS_OK;
}

static struct code_copy *copy_of(struct code_copies *all, const struct sb_dso *dso,
                                 const struct code *from)
{
    for (size_t i = 0; i < all->at.len; i++)
        if (all->at.at[i].copy->dso == dso)
            return all->at.at[i].copy;
    struct code_copy_slot *slot =
        VEC_ROOM(&all->at, 1) ? &all->at.at[all->at.len] : NULL;
    if (!slot || copy_new(dso, from, &slot->copy) != PTS_OK)
        return NULL;
    all->at.len++;
    return slot->copy;
}

/* The part of a change that lies in the code. */
static uint64_t part_of(const struct code_copy *c, const struct sb_change *change)
{
    if (change->off >= c->code.size)
        return 0;
    uint64_t left = c->code.size - change->off;
    return change->len < left ? change->len : left;
}

static void change_make(struct code_copy *c, const struct sb_change *change)
{
    uint64_t n = part_of(c, change);

    if (!n)
        return;
    memcpy(c->bytes + change->off, change->bytes, (size_t)n);
    code_forget(&c->code, change->off, n);
}

static void change_undo(struct code_copy *c, const struct sb_change *change,
                        const struct code *from)
{
    uint64_t n = part_of(c, change);

    if (!n)
        return;
    if (from->bytes)
        memcpy(c->bytes + change->off, from->bytes + change->off, (size_t)n);
    else
        memset(c->bytes + change->off, 0, (size_t)n);
    code_forget(&c->code, change->off, n);
}

struct code *code_copy_at(struct code_copies *all, const struct sideband *sb,
                          const struct sb_dso *dso, struct code *code, uint32_t epoch)
{
    struct sb_change change;

    /* Without its code changes of it are of no use, unless there is nothing else. */
    if (!sb_changes(sb, dso) || (!code->bytes && !dso->code_len))
        return code;
    struct code_copy *c = copy_of(all, dso, code);
    if (!c)
        return NULL;
    if (epoch < c->epoch) {
        for (uint32_t i = 0; i < c->done; i++)
            if (sb_change_at(sb, dso, i, &change))
                change_undo(c, &change, code);
        c->done = c->epoch = 0;
    }
    while (sb_change_at(sb, dso, c->done, &change) && change.epoch <= epoch) {
        change_make(c, &change);
        c->epoch = change.epoch;
        c->done++;
    }
    return &c->code;
}

void code_copies_free(struct code_copies *all)
{
    for (size_t i = 0; i < all->at.len; i++) {
        code_free(&all->at.at[i].copy->code);
        mem_free(all->at.at[i].copy->bytes);
        mem_free(all->at.at[i].copy);
    }
    VEC_FREE(&all->at);
}
