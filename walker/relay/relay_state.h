/* relay_state.h - what the files behind relay.h share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_RELAY_RELAY_STATE_H
#define PTS_WALKER_RELAY_RELAY_STATE_H

#include "walker/relay/relay_kind.h"
#include "walker/relay/relay_segment.h"

/* There may be one for each few bytes of a file, so that its size counts. */
struct relay {
    struct relay_conf conf;
    struct carry_use use;
    struct relay_kind kind;
    uint8_t *missing;  /* of the whole queue */
    struct flow *flow; /* what was followed last; who comes next takes it on */
    struct carry
        *truth; /* at the end of flow; as it is large, only where queues are cut */
    struct marks *marks; /* NULL: none are kept */
    struct cut next;     /* the segment that will be given next */
    struct segment *ring;
    struct pt_event time; /* told between pieces */
    bool cuts;            /* next was looked for */
    bool following;       /* flow goes on telling */
    bool telling;         /* the first one given is true, and being told */
    bool paused;          /* it has told nothing for a while (flow_config.pause) */
    bool ended;           /* all is told */
    uint8_t
        crowded;  /* others come in between; after so many segments it is seen anew */
    uint8_t lone; /* segments that were followed alone since others came, up to a few */
    uint32_t first, count; /* given ones */
    uint32_t skip;         /* events that are told again: they were told of a segment */
    uint32_t alone, among; /* so often nobody came, or others did, while it followed */
    uint32_t allowed;      /* so many may be given */
    uint32_t wrong;        /* guesses, less the right ones */
    uint32_t dsos;
    uint32_t met;
};

static inline struct queue_place relay_truth_at(const struct relay *r)
{
    return (struct queue_place){r->truth->at.buf, r->truth->at.off};
}

static inline struct segment *relay_first_given(const struct relay *r)
{
    return r->count ? &r->ring[r->first % r->kind.most] : NULL;
}

/* Whether each segment begins with the truth.  Where others come in between there are enough queues to follow side
 * by side, and who followed a wrong guess would have told all its times for nothing. */
static inline bool relay_chains(const struct relay *r)
{
    return r->kind.chained || (r->crowded && r->kind.chained_in_crowds);
}

static inline uint64_t relay_bytes_of_segment(const struct relay *r)
{
    return relay_chains(r) ? r->kind.chained_bytes : r->kind.bytes;
}

#endif
