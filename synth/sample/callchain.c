/* callchain.c - the callers of a sample, from the call stack of its thread.
 *
 * SPDX-License-Identifier: MIT
 *
 *     made at ip         user | ip  ret  ret ... | kernel | ret ...
 *     recorded at ip            ret  ret ... | kernel | ret ...   calls since then left out
 *
 * perf makes the second kind in another way, so that it does not begin with ip and its
 * level; only where there is no call at all it is the same as the first.
 */
#include "synth/sample/callchain.h"

#include "synth/symbol/place.h"

static uint64_t context_of(uint64_t ip)
{
    return in_kernel(ip) ? PTS_CONTEXT_KERNEL : PTS_CONTEXT_USER;
}

static uint64_t call_at(const struct chain_stack *s, size_t i)
{
    return s->call.at[s->call.len - 1 - i].ret; /* 0: the youngest */
}

/* Appends the calls from `first` on; context: of the word before.  A context that
 * would be the last word is left out, with all after it. */
static uint32_t add_calls(const struct chain_stack *s, size_t first, uint64_t context,
                          uint64_t *out, uint32_t n, uint32_t max)
{
    for (size_t i = first; n < max && i < s->call.len; i++) {
        uint64_t ret = call_at(s, i), c = context_of(ret);
        if (c != context) {
            if (n >= max - 1)
                break;
            out[n++] = context = c;
        }
        out[n++] = ret;
    }
    return n;
}

uint32_t callchain_take(const struct chain_stack *s, uint64_t ip, uint64_t *out,
                        uint32_t max)
{
    out[0] = context_of(ip);
    out[1] = ip;
    return s ? add_calls(s, 0, out[0], out, 2, max) : 2;
}

uint32_t callchain_take_late(const struct chain_stack *s, uint64_t ip, uint64_t *out,
                             uint32_t max)
{
    uint64_t context = context_of(ip);
    size_t first = 0, len = s ? s->call.len : 0;
    uint32_t n = 0;

    /* the kernel code that ran between the sample and its record */
    while (first < len && context_of(call_at(s, first)) == PTS_CONTEXT_KERNEL &&
           !(context == PTS_CONTEXT_KERNEL && call_at(s, first) == ip))
        first++;
    if (s)
        n = add_calls(s, first, ip, out, 0, max); /* ip is no context */
    if (n)
        return n;
    out[0] = context;
    out[1] = ip;
    return 2;
}

/* Where the last branch went, then where each came from. */
bool callchain_by_branches(uint64_t *word, size_t *len, uint64_t most,
                           const struct pts_branch *branches, size_t count)
{
    size_t n = 0;

    while (n < *len && n < most && word[n] != PTS_CONTEXT_USER)
        n++;
    if (n == *len || n == most)
        return false;
    n++;
    if (count)
        word[n++] = branches[0].to;
    for (size_t i = 0; i < count; i++)
        word[n++] = branches[i].from;
    *len = n;
    return true;
}

/* --- Reading one ------------------------------------------------------------------ */

uint8_t callchain_mode(uint64_t context)
{
    switch (context) {
    case PTS_CONTEXT_HV:
        return PTS_MODE_HYPERVISOR;
    case PTS_CONTEXT_KERNEL:
        return PTS_MODE_KERNEL;
    case PTS_CONTEXT_USER:
        return PTS_MODE_USER;
    default:
        return PTS_MODE_UNKNOWN;
    }
}

uint32_t callchain_sound(const uint64_t *word, uint32_t n, uint64_t frames)
{
    uint32_t i = 0;

    for (; i < n && frames && word[i] != PTS_CONTEXT_DEFERRED; i++) {
        if (word[i] < PTS_CONTEXT_MAX)
            frames--;
        else if (callchain_mode(word[i]) == PTS_MODE_UNKNOWN)
            return 0;
    }
    return i;
}

/* The word in front of `at` that names a mode; without one it stays. */
static void mode_before(struct callchain_back *b)
{
    for (uint32_t i = b->at; i-- > 0;)
        if (b->chain[i] >= PTS_CONTEXT_MAX) {
            b->mode = callchain_mode(b->chain[i]);
            return;
        }
}

struct callchain_back callchain_back(const uint64_t *chain, uint32_t words,
                                     uint64_t frames)
{
    struct callchain_back b = {chain, words, PTS_MODE_USER, frames};

    mode_before(&b);
    return b;
}

bool callchain_back_next(struct callchain_back *b, uint64_t *ip, uint8_t *mode)
{
    while (b->at && b->left) {
        *ip = b->chain[--b->at];
        *mode = b->mode;
        if (*ip < PTS_CONTEXT_MAX) {
            b->left--;
            return true;
        }
        mode_before(b);
    }
    return false;
}
