/* plain_end.h - how far a queue must be followed for its errors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_FLOW_PLAIN_END_H
#define PTS_WALKER_FLOW_PLAIN_END_H

#include "decoder/base/crew.h"
#include "decoder/pt/plain.h"
#include "walker/flow/flow.h"

struct plain_search {
    const struct plain_sizes *sizes;
    struct crew *crew;   /* who looks; NULL: the caller alone */
    uint64_t part_bytes; /* that one looks at in one go, not 0 */
    size_t stretch;      /* as in plain_read */
    /* So many bytes have been gone through; or NULL. */
    void (*passed)(void *ctx, uint64_t bytes);
    void *ctx;
};

/* Whether plain packets tell nothing of what a flow is asked for. */
bool plain_is_enough(const struct flow_config *conf);

/* Looks from the end of a queue on for where its plain packets begin, and notes it there. */
pts_status plain_end_find(const struct plain_search *how, struct flow_queue *queue);

#endif
