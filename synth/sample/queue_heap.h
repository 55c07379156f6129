/* queue_heap.h - queues by time, and those at the same time as in perf.
 *
 * SPDX-License-Identifier: MIT
 *
 * A binary heap.  Ties are decided by its shape, so it must move its entries just as perf's does: on
 * removal the hole sinks to a leaf, towards the right child unless the left one is strictly less,
 * and the last entry rises from there.
 */
#ifndef PTS_SYNTH_SAMPLE_QUEUE_HEAP_H
#define PTS_SYNTH_SAMPLE_QUEUE_HEAP_H

#include <stdint.h>

struct queued {
    uint64_t tsc;
    uint32_t queue;
};

/* Puts w into the hole at `pos`, or higher up. */
static inline void queue_rise(struct queued *heap, uint32_t pos, struct queued w)
{
    while (pos) {
        uint32_t parent = (pos - 1) / 2;
        if (heap[parent].tsc <= w.tsc)
            break;
        heap[pos] = heap[parent];
        pos = parent;
    }
    heap[pos] = w;
}

/* There is room. */
static inline void queue_push(struct queued *heap, uint32_t *count, struct queued w)
{
    queue_rise(heap, (*count)++, w);
}

/* There is one. */
static inline struct queued queue_pop(struct queued *heap, uint32_t *count)
{
    const struct queued least = heap[0];
    uint32_t n = (*count)--, pos = 0;

    for (;;) {
        uint32_t left = 2 * pos + 1, right = left + 1;
        if (left >= n)
            break;
        if (right >= n) {
            heap[pos] = heap[left];
            return least;
        }
        /* Added and not chosen: a branch there is wrong half of the time. */
        uint32_t child = left + (uint32_t)(heap[left].tsc >= heap[right].tsc);
        heap[pos] = heap[child];
        pos = child;
    }
    queue_rise(heap, pos, heap[n - 1]);
    return least;
}

/* Puts w in the place of the least one, in whatever order of those at the same time: for who does not go by
 * the shape. */
static inline void queue_replace(struct queued *heap, uint32_t count, struct queued w)
{
    uint32_t pos = 0;

    for (;;) {
        uint32_t child = 2 * pos + 1;
        if (child + 1 < count && heap[child + 1].tsc < heap[child].tsc)
            child++;
        if (child >= count || heap[child].tsc >= w.tsc)
            break;
        heap[pos] = heap[child];
        pos = child;
    }
    heap[pos] = w;
}

#endif
