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
 * While samples come only whole chains are counted.  When all have come each is counted for its
 * frames, once, with all that it weighs, and the trees of rows are made of all their chains
 * together (path_trees.c).  Where perf's order of rows turns out to contradict itself (hists.h),
 * that is done with those that came until then, and later ones are counted frame by frame
 * (count_callers.c).
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

/* Of a sample, with its row; as many as were counted. */
struct path_chain {
    uint64_t count, weight;
    uint32_t row, first, frames; /* of the steps */
    uint32_t next;               /* with the same hash */
    uint8_t mode;                /* of the sample */
};

/* A frame of the chain in hand. */
struct path_word {
    uint64_t ip;
    uint32_t frame;
    uint8_t mode;
};

/* Zero-initialise. */
struct paths {
    VEC(struct path_frame) frame;
    struct idmap by_hash;
    VEC(struct path_chain) chain;
    VEC(uint32_t) step; /* frames of chains */
    struct idmap by_steps;
    VEC(struct path_word) word;
};

/* The words of the chain in hand the other way round, without the innermost ones beyond so
 * many. */
void path_turn(struct paths *p, uint64_t most);
/* A frame's number; PATHS_NONE: no memory. */
uint32_t path_frame(struct paths *p, const struct path_frame *f, enum frame_key key);
/* The chain in hand, of a sample; PATHS_NONE: no memory. */
uint32_t path_chain(struct paths *p, uint32_t row, uint8_t mode);
/* Numbers that are the same where frames are, for trees; NULL: no memory. */
uint32_t *paths_alike(const struct paths *p, enum frame_key key);
void paths_free(struct paths *p);

#endif
