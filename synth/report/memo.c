/* memo.c - which row an address was counted in the last time.
 *
 * SPDX-License-Identifier: MIT
 *
 * Whoever comes later with the same hash takes the slot.
 */
#include "synth/report/memo.h"

#include <string.h>

_Static_assert(sizeof(struct memo_key) == 56, "keys are compared as bytes");

struct memo_slot *memo_at(struct memo_slot *all, const struct memo_key *key)
{
    const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (key->ip ^ (key->from * mix)) + key->space + key->event * mix;
    struct memo_slot *s = &all[(hash * mix >> 40) % MEMO_SLOTS];

    if (memcmp(&s->key, key, sizeof(*key)) != 0)
        *s = (struct memo_slot){.key = *key};
    return s;
}
