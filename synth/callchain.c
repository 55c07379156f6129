/* callchain.c - the callers of a sample, from the call stack of its thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec 32, sections 3 and 4.
 */
#include "synth/callchain.h"

#include "synth/place.h"

static uint64_t context_of(uint64_t ip)
{
    return ip < KERNEL_START ? CHAIN_USER : CHAIN_KERNEL;
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
    while (first < len && context_of(call_at(s, first)) == CHAIN_KERNEL &&
           !(context == CHAIN_KERNEL && call_at(s, first) == ip))
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
                           const struct last_branch *branches, size_t count)
{
    size_t n = 0;

    while (n < *len && n < most && word[n] != CHAIN_USER)
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
