/* queues_plain.c - queues that are asked for their errors alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/queues_plain.h"

#include "walker/flow/plain_end.h"

enum { PART = 1 << 20, STRETCH = 16 << 10 };

/* Made once; NULL: no memory. */
static const struct plain_sizes *sizes_of(struct queues *q)
{
    if (q->plain_sizes)
        return q->plain_sizes;
    struct plain_sizes *s = arena_alloc(&q->arena, sizeof(*s));
    if (s)
        plain_sizes_make(s, q->conf.errata & ERRATUM_SKD007);
    q->plain_sizes = s;
    return s;
}

static void passed(void *ctx, uint64_t bytes)
{
    struct queues *q = ctx;

    perf_file_passed(q->file, &q->touched, bytes);
}

pts_status queue_find_plain(struct queues *q, struct flow_queue *queue)
{
    if (q->may_overlap || q->by_piece || q->log || !plain_is_enough(&q->conf))
        return PTS_OK;
    const struct plain_search how = {.sizes = sizes_of(q),
                                     .crew = q->team.relay.crew,
                                     .part_bytes = PART,
                                     .stretch = STRETCH,
                                     .passed = passed,
                                     .ctx = q};

    return how.sizes ? plain_end_find(&how, queue) : PTS_E_NOMEM;
}
