/* leg.h - code from one branch that only a packet decides to the next.
 *
 * SPDX-License-Identifier: MIT
 *
 * The direct jumps and calls on the way are followed when a leg is made, so that
 * passing it is one step however many blocks it goes through.  A leg lies within one
 * map.  Legs therefore belong to the part of a file that a map shows, whatever address
 * that is at, and their places count from the start of that part:
 *
 *     at          end                 leg.next[1]
 *     v           v                   v
 *     mov; jmp ~~> call ~~> cmp; jne ~~> ...       one leg; ~~> is followed
 *                  pass[1].ret ^     '-> ...       leg.next[0]
 *
 * A leg through code that changes while it is recorded (patch.h) holds for a span of epochs and
 * is made anew, in its place, for who asks at another one.  No leg links to it: it is looked up
 * each time.
 */
#ifndef PTS_WALKER_CODE_LEG_H
#define PTS_WALKER_CODE_LEG_H

#include "walker/code/block.h"

enum {
    LEG_DIRECT_MAX = 64, /* direct branches in a leg: there may be a loop of them */
    LEG_PASS_MAX = 16    /* ... mostly there are fewer */
};

/* A direct jump or call that a leg passes. */
struct leg_pass {
    struct leg *back; /* where a call returns to; NULL: not known */
    uint32_t ret;     /* the place behind it */
    int32_t
        rel; /* from there to where it leads; 0: a call asks for its own address, and
                       * nobody returns */
    uint32_t ninsn : 23; /* instructions of the leg up to it, and it */
    uint32_t call : 1;
    uint32_t len : 8;
};

/* What each walk looks at comes first. */
struct leg {
    struct leg *next[2]; /* when the branch is not taken, when it is; NULL: not known */
    uint32_t length;     /* instructions with the branch at its end, and LEG_ODD */
    int8_t
        push; /* 1: one call is passed, of which `back` is; -1: it is a return, and passes no
                       * call; 0: neither */
    uint8_t branch; /* BRANCH_COND or BRANCH_INDIRECT; BRANCH_NONE: no leg is here */
    uint8_t calls;  /* direct calls passed */
    uint8_t direct; /* direct branches passed, calls too */
    struct leg *back;
    uint32_t at;  /* where it begins */
    uint32_t end; /* where the branch is */
    int32_t rel;
    uint8_t cls; /* of that branch, as in struct block */
    uint8_t len;
    uint8_t special; /* of its instructions: as in struct ild, together */
    bool timed;      /* it leads through code that changes: leg_holds() says when */
    struct leg_pass pass
        []; /* the direct ones; room for all when it is timed, and the epochs behind */
};

/* In leg.length of all but conditional branches with no call in front of them. */
#define LEG_ODD (UINT32_C(1) << 31)

static inline uint32_t leg_ninsn(const struct leg *leg)
{
    return leg->length & ~LEG_ODD;
}

/* Where legs are: hashed by leg.at. */
struct leg_slots {
    uint32_t shift; /* there are 1 << (32 - shift) */
    struct leg *at[];
};

/* The legs of one part of a file in one mode. */
struct leg_map {
    struct leg_map *next; /* of the same code */
    struct code *code;
    enum ild_mode mode;
    uint64_t off; /* in the file */
    uint32_t len;
    uint32_t count;
    struct leg_slots *slots;
    pthread_mutex_t *lock; /* held by who adds one; NULL: nobody else is there */
};

/* Several threads may walk legs and find out more of them.  What is linked is whole, and a link never changes
 * but from NULL, so whoever sees one may follow it, and who does not yet looks the leg up.  The processor sees
 * what is behind a pointer not before the pointer; a tool that looks for races has to be told.  (An atomic
 * load is one that the compiler leaves where it is: 3 % of the instructions of a walk.) */
static inline struct leg *leg_seen(struct leg *const *link)
{
#ifdef __SANITIZE_THREAD__
    return __atomic_load_n(link, __ATOMIC_ACQUIRE);
#else
    return *link;
#endif
}

static inline void leg_link(struct leg **link, struct leg *to)
{
    __atomic_store_n(link, to, __ATOMIC_RELEASE);
}

/* The legs of len bytes at off of c, all of them in the file; they belong to c, or to who it has them in
 * common with (code.pool).  NULL when c is mapped in too many ways, or without memory. */
struct leg_map *leg_map_of(struct code *c, enum ild_mode mode, uint64_t off,
                           uint32_t len);

/* Makes the leg at `at` and files it.  NULL without memory. */
struct leg *leg_make(struct leg_map *m, uint32_t at, uint32_t epoch);

/* It is known where a call that leg passes returns to. */
void leg_returns(struct leg *leg, struct leg_pass *call, struct leg *back);

/* A timed leg as it is at an epoch. */
struct leg *leg_then(const struct leg_map *m, struct leg *leg, uint32_t epoch);

static inline uint32_t leg_hash(uint32_t at, uint32_t shift)
{
    uint32_t near = (at >> 2) & 31;
    return (((at >> 7) * UINT32_C(0x9e3779b1) >> shift) & ~31u) + near;
}

/* That at `at` if it was made. */
static inline struct leg *leg_made(const struct leg_map *m, uint32_t at)
{
    const struct leg_slots *s = __atomic_load_n(&m->slots, __ATOMIC_ACQUIRE);
    uint32_t i = leg_hash(at, s->shift);
    struct leg *leg;

    while ((leg = leg_seen(&s->at[i])) && leg->at != at)
        i = (i + 1) & (UINT32_MAX >> s->shift);
    return leg;
}

/* The leg at `at`, below m->len, at an epoch.  NULL without memory. */
static inline struct leg *leg_at(struct leg_map *m, uint32_t at, uint32_t epoch)
{
    struct leg *leg = leg_made(m, at);

    if (!leg)
        return leg_make(m, at, epoch);
    return leg->timed ? leg_then(m, leg, epoch) : leg;
}

/* An instruction of a leg. */
struct leg_insn {
    uint64_t at, to; /* to: of a direct branch */
    uint8_t len, cls;
    bool direct; /* it is a direct branch */
    bool behind; /* ... or one comes before it */
};

/* The n-th from 1 of one that is not timed, before the branch at its end.  False: it cannot be
 * read. */
bool leg_insn(const struct leg_map *m, const struct leg *leg, uint32_t n,
              struct leg_insn *out);

/* Where leg goes on when its conditional branch is taken or not; may be off the map. */
static inline uint64_t leg_to(const struct leg *leg, unsigned taken)
{
    return leg->end + (uint64_t)leg->len + (taken ? (uint64_t)(int64_t)leg->rel : 0);
}

#endif
