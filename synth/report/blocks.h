/* blocks.h - code between branches, by the cycles that it took (--total-cycles).
 *
 * SPDX-License-Identifier: MIT
 *
 *     stack, newest first    from1 -> to1  cycles 7     from0 <- to1: 7 cycles
 *                            from0 -> to0  cycles 9
 *
 * A block ends where a branch goes away, and begins where the branch before it came to, if
 * that is in the same function.  Of those that end at one place perf shows the longest, but
 * the cycles of all of them.
 */
#ifndef PTS_SYNTH_REPORT_BLOCKS_H
#define PTS_SYNTH_REPORT_BLOCKS_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/report/key/subject.h"

/* What ends at one place of a function. */
struct timed_block {
    uint32_t function;
    uint64_t end, start;            /* within it; start 0: also when it is not known */
    bool begun;                     /* it is known */
    uint64_t count, cycles;         /* of the longest, */
    uint64_t count_all, cycles_all; /* ... and of all */
};

/* A function that blocks are in. */
struct block_function {
    struct place at;       /* some place in it, */
    struct who who;        /* ... as this one saw it */
    uint64_t average;      /* cycles of a block, summed up; known in the end */
    uint32_t first, count; /* its blocks, in the end */
    uint32_t shown;        /* in the rows of this event, from 1 */
};

/* Where a row goes to. */
struct block_target {
    const struct sym *sym;
    const struct sb_dso *dso;
    uint64_t map;
};

/* Zero-initialise; give back with blocks_free. */
struct blocks {
    VEC(struct timed_block) block;
    VEC(struct block_function) function;
    VEC(struct block_target) target;
    struct idmap by_symbol, by_end, by_row;
    uint64_t total; /* cycles */
    bool moves;     /* symbols are keys */
};

/* A branch that goes away from a place after so many cycles; before: where the one before
 * it came to, NULL: not known.  False: no memory. */
bool blocks_count(struct blocks *b, const struct who *who, const struct place *from,
                  const struct place *before, uint32_t cycles);
/* A branch of a row of an event came to a place.  The first one says where the row goes to; it
 * moves when symbols are keys and another one is in another map.  False: no memory. */
bool blocks_row(struct blocks *b, uint32_t event, uint32_t row, const struct place *to);
/* No more come. */
void blocks_end(struct blocks *b);
/* The function that a row goes to in *out; NULL: it has no blocks.  False: no branch of that
 * event is in it. */
bool blocks_of(struct blocks *b, uint32_t event, uint32_t row,
               struct block_function **out);
void blocks_free(struct blocks *b);

#endif
