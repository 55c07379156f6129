/* relay_cut.c - where a queue is cut into segments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/relay/relay_cut.h"

#include "decoder/pt/psb.h"

/* A PSB comes each 2 to 64 KB, in rare recordings each few MB; further it is not looked for,
 * as that takes time and memory. */
enum { LOOK_BYTES = 4 << 20, PERIOD_BYTES = 64 << 10 };

/* The first PSB at or behind a place. */
static bool psb_from(const struct flow_queue *q, struct queue_place from,
                     uint64_t *left, struct queue_place *out)
{
    for (; from.buf < q->count && *left; from = (struct queue_place){from.buf + 1, 0}) {
        const struct pt_buf *b = &q->bufs[from.buf];
        const uint8_t *at = b->ptr + (from.off < b->len ? from.off : b->len);
        const uint8_t *end = b->ptr + b->len;
        if ((uint64_t)(end - at) > *left)
            end = at + *left;
        const uint8_t *psb = psb_find_last(at, end);
        *left -= (uint64_t)((psb ? psb : end) - at);
        if (!psb)
            continue;
        *out = (struct queue_place){from.buf, (uint64_t)(psb - b->ptr)};
        return true;
    }
    return false;
}

static struct queue_place further(const struct flow_queue *q, struct queue_place p,
                                  uint64_t bytes)
{
    while (p.buf < q->count && q->bufs[p.buf].len - p.off <= bytes) {
        bytes -= q->bufs[p.buf].len - p.off;
        p = (struct queue_place){p.buf + 1, 0};
    }
    p.off += bytes;
    return p;
}

struct cut cut_behind(const struct flow_queue *q, struct queue_place p, uint64_t bytes)
{
    const uint64_t known = bytes > PERIOD_BYTES ? bytes - PERIOD_BYTES : 0;
    const struct queue_place least = further(q, p, bytes);
    uint64_t left = LOOK_BYTES;
    struct cut c = {0};

    c.any = psb_from(q, further(q, p, known), &left, &c.begin);
    do {
        c.enter = c.begin;
        c.any = c.any && psb_from(q, further(q, c.enter, PSB_BYTES), &left, &c.begin);
        /* A flow gets from one buffer to the next while it reads a packet, and cannot stop there. */
    } while (c.any && (queue_place_before(c.begin, least) || !c.begin.off));
    c.any = c.any && !(q->plain_end && !queue_place_before(c.begin, q->plain));
    return c;
}
