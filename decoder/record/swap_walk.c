/* swap_walk.c - walking over the fields of a record whose bytes are to be turned.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each step is bounded by the end of the record alone: a count that lies makes the walk
 * end early, and the reader of the record finds out.
 *
 * Two walkers in one: the usual one turns every field; with as_perf the fields are
 * turned already and the bytes are made what perf's dump shows, which forgets some of
 * them.
 */
#include "decoder/record/swap_walk.h"

uint64_t walk_number(struct walk *w, size_t n, bool forgets)
{
    if (walk_left(w) < n) {
        w->at = w->end;
        return 0;
    }
    if (!w->as_perf)
        walk_turn(w->at, n);
    uint64_t v = rd_le(w->at, n);
    if (w->as_perf && forgets)
        walk_turn(w->at, n);
    w->at += n;
    return v;
}

uint64_t walk_u64(struct walk *w)
{
    return walk_number(w, 8, false);
}

void walk_words(struct walk *w, uint64_t n)
{
    for (; n && walk_left(w) >= 8; n--)
        walk_u64(w);
}

void walk_pair(struct walk *w)
{
    if (walk_left(w) < 8) {
        w->at = w->end;
        return;
    }
    /* Two numbers in one word: perf turns the word, which swaps them. */
    uint32_t a = rd_u32(w->at), b = rd_u32(w->at + 4);
    if (w->as_perf) {
        memcpy(w->at, &b, 4);
        memcpy(w->at + 4, &a, 4);
    } else {
        walk_turn(w->at, 4);
        walk_turn(w->at + 4, 4);
    }
    w->at += 8;
}

void walk_bytes(struct walk *w, uint64_t n)
{
    w->at += n < walk_left(w) ? n : walk_left(w);
}

void walk_garbled(struct walk *w, uint64_t n)
{
    if (n > walk_left(w))
        n = walk_left(w);
    for (uint64_t i = 0; w->as_perf && i + 8 <= n; i += 8)
        walk_turn(w->at + i, 8);
    w->at += n;
}

void walk_layout(struct walk *w, const char *fields)
{
    for (; *fields; fields++) {
        switch (*fields) {
        case 'b':
            walk_bytes(w, 1);
            break;
        case 'h':
        case 'H':
            walk_number(w, 2, *fields == 'H');
            break;
        case 'd':
        case 'D':
            walk_number(w, 4, *fields == 'D');
            break;
        case 'q':
        case 'Q':
            walk_number(w, 8, *fields == 'Q');
            break;
        case 'p':
            walk_pair(w);
            break;
        case '*':
            walk_words(w, UINT64_MAX);
            break;
        case '.':
            walk_bytes(w, UINT64_MAX);
            break;
        }
    }
}
