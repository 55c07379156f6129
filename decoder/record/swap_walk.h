/* swap_walk.h - walking over the fields of a record whose bytes are to be turned.
 *
 * SPDX-License-Identifier: MIT
 *
 * The same walk turns a record into this machine's order, and turns one that is in this
 * order into what perf 6.1 has in memory after it turned it: only what is done at each
 * field differs.  Lengths and counts are read in this machine's order by both.
 *
 * A field that is not all there ends the walk.
 */
#ifndef PTS_DECODER_RECORD_SWAP_WALK_H
#define PTS_DECODER_RECORD_SWAP_WALK_H

#include "decoder/base/bytes.h"

#include <ptscript/attr.h>

struct walk {
    uint8_t *at, *end;
    bool as_perf;                /* the record is turned: make it what perf has */
    uint16_t misc;               /* of the record */
    const struct pts_attr *attr; /* of its event; NULL: it is not known */
};

static inline size_t walk_left(const struct walk *w)
{
    return (size_t)(w->end - w->at);
}

static inline void walk_turn(uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint8_t b = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = b;
    }
}

/* A number of n bytes, which it returns; perf turns it as well unless it forgets to. */
uint64_t walk_number(struct walk *w, size_t n, bool forgets);
/* A word of 64 bits, or n of them. */
uint64_t walk_u64(struct walk *w);
void walk_words(struct walk *w, uint64_t n);
/* Two numbers of 32 bits that perf turns as if they were one of 64. */
void walk_pair(struct walk *w);
/* n bytes that nobody turns. */
void walk_bytes(struct walk *w, uint64_t n);
/* n bytes that perf turns in words of 64 bits. */
void walk_garbled(struct walk *w, uint64_t n);

/* Fields, a letter for each:
 *
 *     h d q   16, 32, 64 bits
 *     H D Q   the same, but perf 6.1 forgets to turn them
 *     p       a pair
 *     b       a byte
 *     *       64-bit words up to the end
 *     .       bytes up to the end
 */
void walk_layout(struct walk *w, const char *fields);

/* The body of a SAMPLE, and the sample id of another record; the event is known. */
void walk_sample(struct walk *w);
void walk_sample_id(struct walk *w);

#endif
