/* paths.h - call chains that have been counted before.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same chains come again and again, and each is counted for its sample and for each of
 * its frames, with what is behind that one:
 *
 *     main read copy    of the sample    main read copy
 *                       of main          main read copy
 *                       of read               read copy
 *                       of copy                    copy
 *
 * So the ends of chains are nodes of a tree that begins at the last frame, and counting is
 * adding to a number in each.  When all samples have come each node is put into its row once,
 * in the order in which they were met, with all that it weighs.
 */
#ifndef PTS_SYNTH_REPORT_PATHS_H
#define PTS_SYNTH_REPORT_PATHS_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/report/frames.h"

#define PATHS_NONE UINT32_MAX

/* Frames that look alike and are counted in the same row. */
struct path_frame {
    struct frame frame; /* the first of them */
    uint32_t event, row;
    uint8_t mode;  /* what they are counted as; 0: as the frame before */
    uint32_t next; /* with the same hash */
};

struct path_node {
    uint32_t up;          /* what is behind its frame; PATHS_NONE: nothing */
    uint32_t frame;       /* or PATH_SAMPLE | its row: a whole chain, of a sample */
    uint64_t frames : 16; /* of its chain, up to 65535 */
    uint64_t count : 48;
    uint64_t weight;
};
#define PATH_SAMPLE 0x80000000u

/* A frame of the chain in hand. */
struct path_word {
    uint64_t ip;
    uint32_t frame, node;
    uint8_t mode, as; /* as: what it is counted as */
};

/* Zero-initialise. */
struct paths {
    VEC(struct path_frame) frame;
    struct idmap by_hash;
    VEC(struct path_node) node;
    uint32_t *table; /* of nodes + 1, by what they are */
    size_t slots;
    VEC(uint32_t) counted; /* nodes, in the order in which they first were */
    VEC(struct path_word) word;
};

/* The words of the chain in hand the other way round, without the innermost ones beyond so
 * many. */
void path_turn(struct paths *p, uint64_t most);
/* A frame's number; PATHS_NONE: no memory. */
uint32_t path_frame(struct paths *p, const struct path_frame *f, enum frame_key key);
/* The node of a frame with what is behind it; PATHS_NONE: no memory. */
uint32_t path_step(struct paths *p, uint32_t up, uint32_t frame);
/* False: no memory. */
bool path_count(struct paths *p, uint32_t node, uint64_t weight);
/* The frames of a node, in place of what was there. */
pts_status path_frames(const struct paths *p, uint32_t node, struct frames *out);
void paths_free(struct paths *p);

#endif
