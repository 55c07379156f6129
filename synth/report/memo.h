/* memo.h - where an address was counted the last time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Samples, callers and branches come again and again; where they go is remembered by all
 * that it depends on, so that their places need not be looked up and compared.  Of keys that
 * are different from sample to sample (cpu, time) there is no memo.
 */
#ifndef PTS_SYNTH_REPORT_MEMO_H
#define PTS_SYNTH_REPORT_MEMO_H

#include "decoder/base/idmap.h"
#include "decoder/base/vec.h"
#include "synth/symbol/place.h"

/* Whose address it is, of which event. */
struct memo_owner {
    const char *comm;
    uint32_t thread, guest, space, kernel_space, event;
    int32_t pid, tid;
    uint32_t mode; /* cpumode of the sample */
};

/* Zero-initialise. */
struct memo_owners {
    VEC(struct owner_known {
        struct memo_owner key;
        uint32_t next; /* with the same hash; IDMAP_NONE */
    })
    known;
    struct idmap by_hash;
};

/* Its number; IDMAP_NONE: no memory. */
uint32_t memo_owner(struct memo_owners *all, const struct memo_owner *key);
void memo_owners_free(struct memo_owners *all);

enum { MEMO_SLOTS = 1 << 15 };

/* What is asked for. */
struct memo_key {
    uint64_t ip, from, what; /* what: a branch's word in the stack, or of these: */
    uint32_t owner;
};
#define MEMO_SAMPLE UINT64_MAX       /* from: 0 */
#define MEMO_FRAME  (UINT64_MAX - 1) /* from: its mode */
#define MEMO_BRANCH (UINT64_MAX - 2) /* a sample of its own */

/* Whoever comes later with the same hash takes the slot, when its row has been told (count_known.c). */
struct memo_slot {
    struct memo_key key;
    uint32_t to;     /* 1 + a number; 0: not known yet */
    uint32_t more;   /* samples that its row has not been told of, */
    uint64_t period; /* and theirs */
};
_Static_assert(sizeof(struct memo_slot) == 48, "many lie in the cache of a processor");

/* The only place where the answer for a key can be, among MEMO_SLOTS that began as zeros. */
static inline struct memo_slot *memo_place(struct memo_slot *all,
                                           const struct memo_key *k)
{
    const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (k->ip ^ k->from * mix ^ k->owner) * mix;

    return &all[hash >> 32 & (MEMO_SLOTS - 1)];
}

static inline bool memo_is(const struct memo_slot *s, const struct memo_key *k)
{
    return s->key.ip == k->ip && s->key.from == k->from && s->key.what == k->what &&
           s->key.owner == k->owner;
}

/* One more of what was counted before.  false: it was not, and has to be counted. */
static inline bool memo_count(struct memo_slot *s, const struct memo_key *k,
                              uint64_t period)
{
    if (!s->to || !memo_is(s, k) || s->more == UINT32_MAX)
        return false;
    s->more++;
    s->period += period;
    return true;
}

/* Where the answer for a key is or belongs. */
static inline struct memo_slot *memo_at(struct memo_slot *all, const struct memo_key *k)
{
    struct memo_slot *s = memo_place(all, k);

    if (!memo_is(s, k))
        *s = (struct memo_slot){.key = *k};
    return s;
}

#endif
