/* out_start.h - what lines begin with, kept from one to the next.
 *
 * SPDX-License-Identifier: MIT
 *
 *     "             cc1 10456 [000] 147735.513462069: "      thread, time, and perhaps the event
 *                                          ^^^^^^^^^ all that the next line changes, if anything
 *
 * Samples of one thread and event follow each other, and most of them in the same second; those of
 * several CPUs come by turns, so one is kept for each of a few.
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_START_H
#define PTS_SYNTH_PRINT_LINE_OUT_START_H

#include "decoder/base/digits.h"
#include "synth/print/text.h"
#include "synth/sample/sample.h"

enum { START_TEXT = 160, START_SECOND = 1000000000, STARTS = 16 };

struct out_start {
    struct who who;
    uint32_t event;
    uint64_t period;
    uint64_t ns, second; /* second: when the one in it began, in ns */
    uint8_t len;         /* 0: nothing kept */
    uint8_t point;       /* behind the digits of the time */
    uint8_t digits;      /* 6 or 9, behind its point */
    uint8_t shape;       /* what the line is like behind it: enum line_shape */
    char text[START_TEXT + PUT_WIDE];
};

/* Where that of a sample is kept, of STARTS. */
static inline uint32_t start_slot(const struct sample *s)
{
    return ((uint32_t)s->who.tid + (uint32_t)s->who.cpu * 3 + s->event * 5) % STARTS;
}

static inline bool who_is(const struct who *a, const struct who *b)
{
    enum { SIZE = sizeof(*a), REST = SIZE - sizeof(uint64_t) };
    _Static_assert(SIZE == 44, "no byte of it is left out, and none is padding");
    uint64_t x, y, other = 0;

    for (size_t i = 0; i < REST; i += sizeof(x)) {
        memcpy(&x, (const char *)a + i, sizeof(x));
        memcpy(&y, (const char *)b + i, sizeof(y));
        other |= x ^ y;
    }
    memcpy(&x, (const char *)a + REST, sizeof(x));
    memcpy(&y, (const char *)b + REST, sizeof(y));
    return !(other | (x ^ y));
}

/* Whether it is that of s but for the time. */
static inline bool start_is_like(const struct out_start *k, const struct sample *s)
{
    return k->event == s->event && k->period == s->period && who_is(&k->who, &s->who);
}

/* Whether it is that of a sample now that it is like, at that time. */
static inline bool start_at(struct out_start *k, uint64_t ns)
{
    const uint64_t part = ns - k->second;

    if (!k->len)
        return false;
    if (k->ns == ns)
        return true;
    /* The last second before 2^64 ns is short: 0 is less than one behind its start. */
    if (ns < k->second || part >= START_SECOND)
        return false;
    k->ns = ns;
    if (k->digits == 9)
        put_dec_end(k->text + k->point, (uint32_t)part, 9);
    else
        put_dec_end(k->text + k->point, (uint32_t)(part / 1000), 6);
    return true;
}

static inline char *start_put(const struct out_start *k, char *p)
{
    return put_wide(p, k->text, k->len);
}

/* That of s is what t has from byte `from` on, with the end of the time at byte `point` of t. */
static inline void start_keep(struct out_start *k, const struct sample *s,
                              const struct text *t, size_t from, size_t point)
{
    k->len = text_kept(t, from, k->text, START_TEXT);
    k->point = (uint8_t)(point - from);
    k->who = s->who;
    k->event = s->event;
    k->period = s->period;
    k->ns = s->time;
    k->second = s->time - s->time % START_SECOND;
}

#endif
