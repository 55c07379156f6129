/* history.c - the branches of a sample as frames of its call chain (--branch-history).
 *
 * SPDX-License-Identifier: MIT
 *
 *     branches, newest first     chain       frames
 *     b -> c                     c           c   b   b'  a   main
 *     a -> b'                    a  main     `--'    `--'    `-- beyond the branches
 *
 * Rounds of a loop are there once: what follows is said to have come round so often.
 */
#include "synth/report/frames.h"

#include "synth/report/branch_stats.h"
#include "synth/sample/callchain.h"

#include <stdio.h>

enum { DEPTH_MAX = 127, SLOTS = 127, SLOT_BITS = 7, CALL_MAX = 8 };

struct history {
    struct pts_branch at[DEPTH_MAX];
    struct round {
        uint32_t count;
        uint64_t cycles;
    } round[DEPTH_MAX];
    uint32_t len;
    uint32_t first_call; /* words of the chain that the branches have, too */
};

/* A branch out of a call that the chain names next: its word is behind the instruction. */
static bool is_call(const struct sample_stacks *st, uint32_t word, uint64_t from)
{
    if (word >= st->chain_len)
        return false;
    return st->chain[word] >= PTS_CONTEXT_MAX ||
           (from < st->chain[word] && from >= st->chain[word] - CALL_MAX);
}

static void take(struct history *h, const struct frames_want *want,
                 const struct sample_stacks *st)
{
    uint32_t n = st->branch_count;

    if (n > want->max_stack)
        n = (uint32_t)want->max_stack;
    for (uint32_t i = 0; i < n; i++) {
        h->at[i] = st->branches[want->callers_first ? st->branch_count - 1 - i : i];
        if (!want->callers_first && st->chain)
            h->first_call += is_call(st, h->first_call, h->at[i].from);
    }
    h->len = n;
}

static bool is_round(const struct history *h, uint32_t from, uint32_t i)
{
    for (uint32_t k = 0; from + k < i && i + k < h->len; k++)
        if (h->at[from + k].from != h->at[i + k].from)
            return false;
    return true;
}

/* Takes out the round that begins at i; what follows has its cycles. */
static void drop_round(struct history *h, uint32_t from, uint32_t i)
{
    uint32_t n = i - from < h->len - i ? i - from : h->len - i, left = h->len - i - n;
    uint64_t cycles = 0;

    for (uint32_t k = i; k < i + n; k++)
        cycles += branch_cycles(h->at[k].flags);
    if (left) {
        h->round[i + n].count++;
        h->round[i + n].cycles = cycles;
        memmove(h->at + i, h->at + i + n, left * sizeof(*h->at));
        memmove(h->round + i, h->round + i + n, left * sizeof(*h->round));
    }
    h->len -= n;
}

/* Where a branch was first met is kept by a hash; who comes second finds no room. */
static void drop_rounds(struct history *h)
{
    enum { EMPTY = 255 };
    uint8_t slot[SLOTS];

    memset(slot, EMPTY, sizeof(slot));
    for (uint32_t i = 0; i < h->len; i++) {
        uint64_t hash = h->at[i].from * UINT64_C(0x61c8864680b583eb);
        uint8_t *s = &slot[(hash >> (64 - SLOT_BITS)) % SLOTS];
        if (*s == EMPTY)
            *s = (uint8_t)i;
        else if (h->at[*s].from == h->at[i].from && is_round(h, *s, i))
            drop_round(h, *s, i);
    }
}

/* Looked for in all maps in turn. */
static pts_status put_end(struct frames *f, const struct frames_want *want,
                          const struct sample *s, uint64_t ip, const struct hop *hop)
{
    const struct place_query q = {&s->who, ip, mode_at_addr(ip, false)};

    return frame_put(f, want, &q, hop);
}

static pts_status put_branches(struct frames *f, const struct frames_want *want,
                               const struct sample *s, const struct history *h)
{
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < h->len; i++) {
        const struct pts_branch *b = &h->at[i];
        const struct hop to = {.flags = b->flags, .from = b->from, .branch = true},
                         from = {.flags = b->flags,
                                 .rounds = h->round[i].count,
                                 .cycles = h->round[i].cycles,
                                 .branch = true};
        st = put_end(f, want, s, b->to, &to);
        if (st == PTS_OK)
            st = put_end(f, want, s, b->from, &from);
    }
    return st;
}

/* The mode that the last word before `end` names. */
static uint8_t mode_before(const struct sample_stacks *st, uint32_t end, uint8_t mode)
{
    while (end > 0)
        if (st->chain[--end] >= PTS_CONTEXT_MAX)
            return callchain_mode(st->chain[end]);
    return mode;
}

/* The words of the chain from `first` on, as many as there are but for `less`; of a mode
 * that perf does not know nothing is left, not even the branches. */
static pts_status put_calls(struct frames *f, const struct frames_want *want,
                            const struct sample *s, uint32_t first, uint32_t less)
{
    const struct sample_stacks *st = s->stacks;
    uint32_t end = st->chain_len > less ? st->chain_len - less : 0;
    uint8_t mode = PTS_MODE_USER;
    uint64_t frames = 0;
    pts_status rc = PTS_OK;

    if (want->callers_first)
        mode = mode_before(st, st->chain_len, mode);
    for (uint32_t i = first; rc == PTS_OK && mode != PTS_MODE_UNKNOWN && i < end &&
                             frames < want->max_stack;
         i++) {
        uint32_t at = want->callers_first ? st->chain_len - 1 - i : i;
        uint64_t ip = st->chain[at];
        if (ip < PTS_CONTEXT_MAX) {
            const struct place_query q = {&s->who, ip, mode};
            rc = frame_put(f, want, &q, NULL);
            frames++;
        } else {
            mode = want->callers_first ? mode_before(st, at, mode) : callchain_mode(ip);
        }
    }
    if (mode == PTS_MODE_UNKNOWN)
        f->len = 0;
    return rc;
}

pts_status frames_put_history(struct frames *f, const struct frames_want *want,
                              const struct sample *s)
{
    const struct sample_stacks *stacks = s->stacks;
    struct history h;
    pts_status st = PTS_OK;

    h.len = h.first_call = 0;
    if (stacks->branch_count <= DEPTH_MAX) {
        memset(h.round, 0, sizeof(h.round));
        take(&h, want, stacks);
        drop_rounds(&h);
        st = put_branches(f, want, s, &h);
    }
    return st == PTS_OK && stacks->chain ? put_calls(f, want, s, h.first_call, h.len)
                                         : st;
}
