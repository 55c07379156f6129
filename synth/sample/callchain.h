/* callchain.h - the callers of a sample, from the call stack of its thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * A chain is made of words as in a recorded one: return addresses, youngest first, and
 * before those of another privilege level a word that names it.
 */
#ifndef PTS_SYNTH_SAMPLE_CALLCHAIN_H
#define PTS_SYNTH_SAMPLE_CALLCHAIN_H

#include "synth/sample/chain.h"

#include <ptscript/record.h>

/* The chain of a sample made at ip; s may be NULL.  At most max (2 or more) words;
 * returns how many. */
uint32_t callchain_take(const struct chain_stack *s, uint64_t ip, uint64_t *out,
                        uint32_t max);
/* The same for a recorded sample: it was written somewhat later than it was taken, so
 * calls that came after it are left out, and ip itself is not part of it. */
uint32_t callchain_take_late(const struct chain_stack *s, uint64_t ip, uint64_t *out,
                             uint32_t max);

/* With the processor's own record of calls (PERF_SAMPLE_BRANCH_CALL_STACK) the user
 * part of a chain is taken from there.  perf looks for it among the first `most` words
 * only; false: it is not there.  word has room for 2 + count words more; *len changes.
 */
bool callchain_by_branches(uint64_t *word, size_t *len, uint64_t most,
                           const struct pts_branch *branches, size_t count);

/* The cpumode that a word names for the addresses behind it; PTS_MODE_UNKNOWN when it is
 * none that perf knows. */
uint8_t callchain_mode(uint64_t context);
/* How many words of a chain are to be shown when it may have so many frames: with one bad
 * word, perf drops the chain. */
uint32_t callchain_sound(const uint64_t *word, uint32_t n, uint64_t frames);

/* That of words before the first that names one: in perf those that come behind one when a chain
 * is read from its end keep it. */
static inline uint8_t callchain_mode_from_end(const uint64_t *chain, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (chain[i] >= PTS_CONTEXT_MAX)
            return callchain_mode(chain[i]);
    return PTS_MODE_USER;
}

/* A chain read from its end: the outermost frame first.  Zero-initialised but for what is
 * lent; `left` is the most frames. */
struct callchain_back {
    const uint64_t *chain;
    uint32_t at; /* words left to be read */
    uint8_t mode;
    uint64_t left;
};

struct callchain_back callchain_back(const uint64_t *chain, uint32_t words,
                                     uint64_t frames);
/* The next address and its cpumode; false: there is none. */
bool callchain_back_next(struct callchain_back *b, uint64_t *ip, uint8_t *mode);

#endif
