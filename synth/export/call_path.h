/* call_path.h - paths of calls: who was called by whom, as a tree.
 *
 * SPDX-License-Identifier: MIT
 *
 *     root (1)
 *      '- main          a node is known by its parent and its symbol; by its address where
 *          |- f         there is no symbol
 *          '- 0x401000
 *
 * A node gets its id when a row first needs it, after those above it.
 */
#ifndef PTS_SYNTH_EXPORT_CALL_PATH_H
#define PTS_SYNTH_EXPORT_CALL_PATH_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/export/rows.h"

#include <stdbool.h>

/* The number of the root. */
enum { PATH_ROOT = 0, PATH_NONE = UINT32_MAX };

/* A place that is called; symbol 0: none. */
struct path_place {
    uint32_t symbol; /* id */
    uint64_t ip;
};

struct path_node {
    uint32_t parent;     /* number, PATH_NONE: it is the root */
    uint32_t symbol, id; /* ids; 0: none (yet) */
    uint32_t next;       /* another one with the same hash, or PATH_NONE */
    uint64_t ip;         /* of one without a symbol */
    uint32_t first; /* the first one with a symbol below it, or 0: most have no other */
    bool in_kernel;
};

/* Zero-initialise but for `to`, then call_paths_init. */
struct call_paths {
    const struct export_to *to;
    VEC(struct path_node) node;
    VEC(uint32_t) above; /* nodes without ids, on the way up */
    struct idmap by_symbol, by_hash;
    uint32_t ids;
};

pts_status call_paths_init(struct call_paths *p);
/* The number of the place's node below a parent, made if it is new. */
pts_status call_path_find(struct call_paths *p, uint32_t parent, struct path_place at,
                          uint32_t *out);
/* Its id; rows for those that get one now. */
pts_status call_path_id(struct call_paths *p, uint32_t node, uint32_t *id);
void call_paths_free(struct call_paths *p);

#endif
