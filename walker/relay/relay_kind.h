/* relay_kind.h - whether a queue is followed ahead of its turn, and in what segments.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_RELAY_RELAY_KIND_H
#define PTS_WALKER_RELAY_RELAY_KIND_H

#include "walker/relay/relay_conf.h"

struct relay_kind {
    bool ahead; /* else nobody does, and the rest says nothing */
    bool
        chained; /* each segment begins with what is known at the end of the one before it */
    bool chained_in_crowds; /* also where others come in between */
    bool crowds_only;       /* nobody follows ahead where no others do */
    bool large;             /* what segments tell takes much memory */
    uint16_t most;          /* segments that are given at once */
    uint32_t bytes;         /* of a segment */
    uint32_t chained_bytes; /* of one that begins so */
};

struct relay_kind relay_kind_of(const struct relay_conf *c);

#endif
