/* memo.h - which row an address was counted in the last time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Callers and branches come again and again; where they go is remembered by all that it
 * depends on, so that their places need not be looked up and compared.  Of keys that are
 * different from sample to sample (cpu, time) there is no memo.
 */
#ifndef PTS_SYNTH_REPORT_MEMO_H
#define PTS_SYNTH_REPORT_MEMO_H

#include "synth/symbol/place.h"

enum { MEMO_SLOTS = 1 << 14 };

struct memo_key {
    uint64_t ip, from, flags; /* from and flags: of branches */
    const char *comm;
    uint32_t space, thread, guest, event;
    uint8_t mode, level, pad[6];
};

struct memo_slot {
    struct memo_key key;
    uint32_t row;
    uint8_t mode, level; /* as they are after it */
    bool used;
};

/* Where the answer for a key is or belongs; all zero but for the key when it is new. */
struct memo_slot *memo_at(struct memo_slot *all, const struct memo_key *key);

#endif
