/* test_overlap.c - pieces of trace that have a stretch in common, or say so.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/overlap.h"
#include "decoder/pt/psb.h"
#include "tests/lib/t.h"

static uint8_t a[400], b[400];

static struct pts_bytes bytes(const uint8_t *p, size_t n)
{
    return (struct pts_bytes){p, n};
}

/* PSB, TSC, PSBEND at p; its length. */
static size_t put_psb(uint8_t *p, uint8_t tsc)
{
    memcpy(p, psb_pattern, PSB_BYTES);
    memcpy(p + 16, "\x19\0\0\0\0\0\0\0\x02\x23", 10);
    p[17] = tsc;
    return 26;
}

/* Two PSB+ with `fill` behind each. */
static size_t put_two(uint8_t *p, uint8_t tsc, size_t fill)
{
    size_t n = put_psb(p, tsc);
    memset(p + n, 6, fill);
    n += fill;
    n += put_psb(p + n, (uint8_t)(tsc + 1));
    memset(p + n, 6, fill);
    return n + fill;
}

T(no_psb_is_nothing)
{
    bool on = true;
    EQ(overlap_find(bytes(a, 0), bytes(b, 0), OVERLAP_BY_TIME, &on), 0);
    EQ(on, false);
    memset(b, 6, sizeof(b));
    EQ(overlap_find(bytes(a, 0), bytes(b, 40), OVERLAP_BY_TIME, &on), 40);
    put_psb(b + 3, 1);
    EQ(overlap_find(bytes(a, 0), bytes(b, 40), OVERLAP_BY_TIME, &on), 3);
    EQ(overlap_find(bytes(a, 0), bytes(b, 40), OVERLAP_BY_BYTES, &on), 3);
}

T(the_same_stamp_is_the_same_place)
{
    bool on = false;
    size_t n = put_two(a, 7, 20), m = put_two(b, 8, 30);
    EQ(overlap_find(bytes(a, n), bytes(b, m), OVERLAP_BY_TIME, &on), 46);
    EQ(on, true);
    /* all of it is known */
    EQ(overlap_find(bytes(a, n), bytes(a, n), OVERLAP_BY_TIME, &on), n);
    EQ(on, false);
    /* later, and earlier */
    put_two(b, 20, 30);
    EQ(overlap_find(bytes(a, n), bytes(b, m), OVERLAP_BY_TIME, &on), 0);
    EQ(on, false);
    put_two(b, 1, 30);
    EQ(overlap_find(bytes(a, n), bytes(b, m), OVERLAP_BY_TIME, &on), m);
    EQ(on, false);
}

T(padding_is_left_out)
{
    bool on = false;
    size_t n = put_two(a, 7, 20), m;
    memset(a + n, 0, 5);
    m = put_two(b, 8, 60);
    /* the zeros of a stand where b has more trace */
    EQ(overlap_find(bytes(a, n + 5), bytes(b, m), OVERLAP_BY_TIME, &on), 46);
}

T(bytes_alone)
{
    bool on = false;
    size_t n = put_two(a, 7, 20);
    memcpy(b, a + 46, 46);
    memset(b + 46, 9, 20);
    EQ(overlap_find(bytes(a, n), bytes(b, 66), OVERLAP_BY_BYTES, &on), 46);
    EQ(on, true);
    b[30]++;
    EQ(overlap_find(bytes(a, n), bytes(b, 66), OVERLAP_BY_BYTES, &on), 0);
    EQ(on, false);
}

static uint64_t seed = 1;

static uint64_t next(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 33;
}

static size_t put_random(uint8_t *p)
{
    size_t n = 0;
    while (n < 300) {
        if (next() % 3 == 0)
            n += put_psb(p + n, (uint8_t)(next() % 4));
        else
            p[n++] = (uint8_t)next();
        if (next() % 40 == 0)
            break;
    }
    return n;
}

T(anything)
{
    for (int i = 0; i < 100000; i++) {
        bool on;
        size_t n = put_random(a), m = put_random(b);
        n -= next() % (n + 1) % 20;
        m -= next() % (m + 1) % 20;
        size_t skip = overlap_find(bytes(a, n), bytes(b, m),
                                   i % 2 ? OVERLAP_BY_TIME : OVERLAP_BY_BYTES, &on);
        CHECK(skip <= m);
        CHECK(!on || skip < m);
    }
}

T_RUN(T_CASE(no_psb_is_nothing), T_CASE(the_same_stamp_is_the_same_place),
      T_CASE(padding_is_left_out), T_CASE(bytes_alone), T_CASE(anything))
