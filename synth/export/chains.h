/* chains.h - the call chain of a sample as a path of calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_EXPORT_CHAINS_H
#define PTS_SYNTH_EXPORT_CHAINS_H

#include "synth/export/call_path.h"
#include "synth/export/where.h"

struct chain_frame {
    uint64_t ip;
    uint8_t mode; /* of the maps that it is looked up in */
};

/* Zero-initialise but for the first two. */
struct export_chains {
    struct export_where *where;
    struct call_paths *paths;
    VEC(struct chain_frame) frame; /* from the outermost on */
    VEC(struct export_at) at;      /* what lies there */
};

/* The id of the path of a sample's chain, 0: it has none; rows for what is new. */
pts_status export_chain_id(struct export_chains *c, const struct sample *s,
                           uint32_t machine, uint32_t *id);
void export_chains_free(struct export_chains *c);

#endif
