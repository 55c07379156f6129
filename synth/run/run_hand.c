/* run_hand.c - the sink gets a batch.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/run.h"

static uint64_t item_ns(const struct item *item)
{
    switch (item->kind) {
    case ITEM_SAMPLE:
        return item->sample.time;
    case ITEM_SERIES:
        return item->series.count ? item->series.at[item->series.count - 1].time : 0;
    case ITEM_ERROR:
        return item->error->time;
    case ITEM_RECORD:
    case ITEM_TRACE:
    case ITEM_TEXT:
        break;
    }
    return 0;
}

static uint64_t item_count(const struct item *item)
{
    return item->kind == ITEM_SERIES ? item->series.count : 1;
}

static void taken_noted(struct run *r, size_t from)
{
    const struct batch *b = &r->delivery.batch;

    for (size_t i = from; i < r->taken; i++)
        r->given += item_count(&b->item.at[i]);
    for (size_t i = r->taken; i > from; i--) {
        uint64_t ns = item_ns(&b->item.at[i - 1]);
        if (!ns)
            continue;
        r->last_ns = ns;
        return;
    }
}

/* A sink need not take all at once.  The batch is emptied when it has, and not before
 * (I9). */
pts_status run_hand_on(struct run *r)
{
    struct batch *b = &r->delivery.batch;
    size_t from = r->taken;
    pts_status st = PTS_OK;

    if (r->kept) {
        r->taken = b->item.len;
        taken_noted(r, 0);
        r->taken = 0;
        return r->sink.keep(r->sink.wants.ctx, b);
    }
    if (r->sink.take && r->taken < b->item.len)
        st = r->sink.take(r->sink.wants.ctx, b, r->taken, &r->taken);
    else
        r->taken = b->item.len;
    taken_noted(r, from);
    if (r->taken >= b->item.len) {
        batch_empty(b);
        r->taken = 0;
    }
    return st;
}
