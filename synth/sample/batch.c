/* batch.c - what a run delivers, in perf's order, some at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/batch.h"

#include <string.h>

const void *batch_keep(struct batch *b, const void *from, size_t n)
{
    void *to = arena_alloc(&b->arena, n);

    if (to && n)
        memcpy(to, from, n);
    /* Counted for batch_full: bytes are what makes a batch of stacks large, not
     * items. */
    b->kept += n;
    return to;
}

struct series *batch_series(struct batch *b, const struct sample *form)
{
    /* Enough for all that come into the batch. */
    bool room = b->brief.len || VEC_ROOM(&b->brief, b->most);
    struct item *item = room ? VEC_PUSH(&b->item) : NULL;

    if (!item)
        return NULL;
    item->kind = ITEM_SERIES;
    item->series = (struct series){*form, b->brief.at + b->brief.len, 0};
    return &item->series;
}

pts_status batch_error(struct batch *b, const struct pts_auxtrace_error *e)
{
    const void *kept = batch_keep(b, e, sizeof(*e));
    struct item *item = kept ? VEC_PUSH(&b->item) : NULL;

    if (!item)
        return PTS_E_NOMEM;
    item->kind = ITEM_ERROR;
    item->error = kept;
    return PTS_OK;
}

pts_status batch_text(struct batch *b, const char *text, size_t n)
{
    struct item_text *kept = arena_alloc(&b->arena, sizeof(*kept) + n);
    struct item *item = kept ? VEC_PUSH(&b->item) : NULL;

    if (!item)
        return PTS_E_NOMEM;
    kept->len = n;
    memcpy(kept->at, text, n);
    b->kept += n;
    item->kind = ITEM_TEXT;
    item->text = kept;
    return PTS_OK;
}

pts_status batch_record(struct batch *b, enum item_kind kind, uint64_t off,
                        uint32_t epoch)
{
    struct item *item = VEC_PUSH(&b->item);

    if (!item)
        return PTS_E_NOMEM;
    item->kind = kind;
    item->epoch = epoch;
    item->record = off;
    return PTS_OK;
}

void batch_empty(struct batch *b)
{
    b->item.len = 0;
    b->brief.len = 0;
    b->kept = 0;
    arena_reset(&b->arena);
}

void batch_free(struct batch *b)
{
    VEC_FREE(&b->item);
    VEC_FREE(&b->brief);
    arena_free(&b->arena);
}
