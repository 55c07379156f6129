/* block.h - code cut into blocks that end at a branch, decoded once.
 *
 * SPDX-License-Identifier: MIT
 *
 * A block belongs to the byte it starts at, so blocks may overlap.  What a block says
 * depends on the bytes alone, not on where they are mapped.
 *
 * Where bytes change while they are recorded (patch.h), a block holds for a span of epochs and
 * is decoded anew, in its place, for who asks at another one: none outlives a change.
 */
#ifndef PTS_WALKER_CODE_BLOCK_H
#define PTS_WALKER_CODE_BLOCK_H

#include "decoder/base/arena.h"
#include "walker/code/ild.h"
#include "walker/code/patch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum block_state {
    BLOCK_BRANCH, /* ends with a branch */
    BLOCK_LONG,   /* cut for its length: goes on at the byte after it */
    BLOCK_BAD     /* ends where no instruction can be read */
};

struct block {
    int32_t rel; /* branch displacement, for BRANCH_COND and BRANCH_DIRECT */
    uint16_t
        bytes; /* from the start to the last instruction (LONG: to the next block) */
    uint16_t ninsn; /* instructions with the last one; BAD: before the unreadable one */
    uint8_t cls;    /* enum insn_class of the last instruction */
    uint8_t branch; /* enum insn_branch of it */
    uint8_t len;    /* bytes of it */
    uint8_t state;  /* enum block_state */
    bool ptwrite;   /* the branch jumps over the signature of an emulated ptwrite */
    uint8_t special; /* of its instructions: as in struct ild, together */
    bool timed;      /* it reads code that changes: block_holds() says when */
};

/* Where the blocks of one mode are: hashed by where they start, in a table that doubles when it
 * is three quarters full. */
struct block_slot {
    uint64_t off;
    struct block *block; /* NULL: it is free */
};
struct block_table {
    struct block_slot *slot; /* 1 << (64 - shift); NULL: none was made yet */
    uint32_t shift;
    uint32_t count;
};

struct leg_map; /* leg.h */

/* The code bytes of one image, and what was found out about them: its blocks and legs, for
 * 64-bit and for 32-bit mode.  These grow with every step, so that whoever walks has a
 * struct code of its own; the bytes are shared, and legs if there is a pool (I3). */
struct code {
    const uint8_t *bytes; /* lent; NULL when there is no such file */
    uint64_t size;
    bool is_64bit;                 /* ELF class */
    bool given;                    /* by hand, and not by the side-band */
    bool file_only;                /* no bytes, but a file: of names */
    uint8_t manual;                /* ILD_SDM or 0: goes into each mode */
    const struct patches *patches; /* lent; NULL: it never changes */
    uint64_t same_from, same_to;   /* nothing changes in there: what was found last */
    uint64_t stop[2];              /* no leg leads through a branch to here; 0: none */
    struct block_table table[2];   /* of 64-bit mode, and of the others */
    struct arena blocks; /* and legs, in the order of their first use, so that what runs
                          * together lies together */
    struct leg_map *legs; /* one for each way it is mapped */
    struct code_pool
        *pool; /* lent: has them in place of this; NULL: nobody else wants them */
    struct leg_map *pooled; /* its map that was asked for last */
};

/* The code that several threads have legs of in common.  Of code that does not change. */
struct code_pool {
    pthread_mutex_t lock; /* held by who adds legs */
    struct code code;
};

/* NULL without memory. */
struct code_pool *code_pool_new(const struct code *of);
void code_pool_free(struct code_pool *p); /* NULL is fine */

/* bytes may be NULL.  Nothing is allocated yet. */
void code_init(struct code *c, const uint8_t *bytes, uint64_t size, bool is_64bit);
void code_free(struct code *c);

/* The mode of code of its ELF class. */
static inline enum ild_mode code_mode(const struct code *c, bool is_64bit)
{
    return (enum ild_mode)((is_64bit ? ILD_64 : ILD_32) | c->manual);
}

/* The first byte at or behind off that may change; UINT64_MAX: there is none.  Changes are few, and
 * code that runs together lies together: so the last answer is kept, for the one who walks it. */
uint64_t code_same_to(struct code *c, uint64_t off);

/* n bytes at off, all of them in the code, as they are at an epoch: in the image, or in buf
 * where they change. */
const uint8_t *code_read(const struct code *c, uint32_t epoch, uint64_t off,
                         uint8_t *buf, size_t n);

/* Whether a block is as it is at an epoch. */
bool block_holds(const struct block *b, uint32_t epoch);

/* Fills in and returns the block at off; NULL beyond the end or without memory. */
struct block *block_make(struct code *c, enum ild_mode mode, uint64_t off,
                         uint32_t epoch);

/* The same without keeping it, for off below the end; w is narrowed to when it holds. */
struct block block_decode(struct code *c, enum ild_mode mode, uint64_t off,
                          struct when *w);

/* Where the block at off is, or a free slot. */
static inline struct block_slot *block_slot_of(const struct block_table *t,
                                               uint64_t off)
{
    uint64_t i = off * UINT64_C(0x9e3779b97f4a7c15) >> t->shift;

    while (t->slot[i].block && t->slot[i].off != off)
        i = (i + 1) & (UINT64_MAX >> t->shift);
    return &t->slot[i];
}

/* The block at byte off of the code at an epoch; NULL when off is beyond the end. */
static inline struct block *block_at(struct code *c, enum ild_mode mode, uint64_t off,
                                     uint32_t epoch)
{
    const struct block_table *t = &c->table[!ild_is_64(mode)];

    if (t->slot) {
        struct block *b = block_slot_of(t, off)->block;
        if (b && (!b->timed || block_holds(b, epoch)))
            return b;
    }
    return block_make(c, mode, off, epoch);
}

#endif
