/* batch.h - what a run delivers, in perf's order, some at a time.
 *
 * SPDX-License-Identifier: MIT
 *
 *     items    [sample][sample][error][sample][record 0x5a8]...     about BATCH_ITEMS
 *                  |       |      |
 *     arena    chain, branches, raw data, message ...
 *
 * All that a run tells is in its batches, and nothing passes them by: whoever gets them
 * needs to know neither queues nor packets.  What a batch points to lives until it is
 * emptied.
 */
#ifndef PTS_SYNTH_SAMPLE_BATCH_H
#define PTS_SYNTH_SAMPLE_BATCH_H

#include "decoder/base/vec.h"
#include "synth/sample/series.h"

/* A batch is handed on when it has so many, or so much behind them; the last event may
 * add more.  What filters kept back counts, too: its bytes are here until then. */
enum { BATCH_ITEMS = 128, BATCH_BYTES = 1 << 20 };

enum item_kind {
    ITEM_SAMPLE,
    ITEM_SERIES, /* several samples; only for sinks that say that they take such */
    ITEM_ERROR,  /* a fault of the trace, or data that were lost */
    ITEM_RECORD, /* a side-band record that somebody wants */
    ITEM_TRACE,  /* the packets that a record brought, if somebody wants them */
    ITEM_TEXT    /* what a filter printed (gate.h) */
};

struct item_text {
    size_t len;
    char at[];
};

struct item {
    enum item_kind kind;
    uint32_t epoch; /* of a record: the number that it has */
    union {
        struct sample sample;
        struct series series;
        const struct pts_auxtrace_error *error;
        uint64_t record; /* its offset; ITEM_TRACE: of the record that brought it */
        const struct item_text *text;
    };
};

/* Zero-initialise; give back with batch_free. */
struct batch {
    VEC(struct item) item;
    VEC(struct brief) brief; /* of all series; does not move while there are any */
    struct arena arena;
    size_t kept; /* bytes of it */
    size_t most; /* items that are wanted, each brief being one */
};

/* Room for a sample behind the last item: batch_add makes it one.  NULL: no memory. */
static inline struct sample *batch_room(struct batch *b)
{
    return VEC_ROOM(&b->item, 1) ? &b->item.at[b->item.len].sample : NULL;
}

static inline void batch_add(struct batch *b)
{
    b->item.at[b->item.len++].kind = ITEM_SAMPLE;
}

static inline bool batch_full(const struct batch *b)
{
    return b->item.len + b->brief.len >= b->most || b->kept >= BATCH_BYTES;
}

/* A series of which only the form is there yet; NULL: no memory.  It holds until the next item is
 * added. */
struct series *batch_series(struct batch *b, const struct sample *form);

/* Behind the last one of the last series; NULL: there is no room. */
static inline struct brief *batch_brief(struct batch *b, struct series *last)
{
    if (b->brief.len == b->brief.cap)
        return NULL;
    last->count++;
    return &b->brief.at[b->brief.len++];
}

/* Room for several, up to a full batch; batch_took adds those that were filled in. */
struct briefs {
    struct brief *at, *end;
};

static inline struct briefs batch_briefs(const struct batch *b)
{
    const size_t items = b->item.len + b->brief.len;
    size_t most = items < b->most && b->kept < BATCH_BYTES ? b->most - items : 0;
    struct brief *at = b->brief.at + b->brief.len;

    if (most > b->brief.cap - b->brief.len)
        most = b->brief.cap - b->brief.len;
    return (struct briefs){at, at + most};
}

/* The same for a series that begins with them: there is room for its item, too, if no other one has to move
 * for that. */
static inline struct briefs batch_briefs_apart(struct batch *b)
{
    if (b->item.len == b->item.cap || (!b->brief.len && !VEC_ROOM(&b->brief, b->most)))
        return (struct briefs){0};
    struct briefs room = batch_briefs(b);
    if (room.at < room.end)
        room.end--;
    return room;
}

static inline void batch_took(struct batch *b, struct series *last, uint32_t count)
{
    last->count += count;
    b->brief.len += count;
}

/* The error's message is kept as it is (lent). */
pts_status batch_error(struct batch *b, const struct pts_auxtrace_error *e);
/* A copy of the n bytes. */
pts_status batch_text(struct batch *b, const char *text, size_t n);
pts_status batch_record(struct batch *b, enum item_kind kind, uint64_t off,
                        uint32_t epoch);

/* A copy of n bytes that lives as long as the items; NULL: no memory. */
const void *batch_keep(struct batch *b, const void *from, size_t n);

void batch_empty(struct batch *b);
void batch_free(struct batch *b);

#endif
