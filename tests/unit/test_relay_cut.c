/* test_relay_cut.c - where a queue is cut into segments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/pt/psb.h"
#include "tests/lib/t.h"
#include "walker/relay/relay_cut.h"

enum { KB = 1024, LEN = 256 * KB, LARGE = 8 << 20 };

static uint8_t bytes[2][LEN];
static struct pt_buf bufs[2];
static struct flow_queue queue;

/* Two buffers, with a PSB every so many bytes of each. */
static void psbs_each(size_t period)
{
    for (size_t i = 0; i < 2; i++) {
        memset(bytes[i], 0, LEN);
        for (size_t at = 0; at + PSB_BYTES <= LEN; at += period)
            memcpy(bytes[i] + at, psb_pattern, PSB_BYTES);
        bufs[i] = (struct pt_buf){.ptr = bytes[i], .len = LEN};
    }
    queue = (struct flow_queue){.bufs = bufs, .count = 2};
}

static struct cut cut(uint32_t buf, uint64_t off, uint64_t wanted)
{
    return cut_behind(&queue, (struct queue_place){buf, off}, wanted);
}

static bool is(struct queue_place p, uint32_t buf, uint64_t off)
{
    return p.buf == buf && p.off == off;
}

T(begins_at_the_first_psb_that_is_far_enough)
{
    psbs_each(2 * KB);
    struct cut c = cut(0, 0, 12 * KB);
    CHECK(c.any);
    CHECK(is(c.enter, 0, 10 * KB));
    CHECK(is(c.begin, 0, 12 * KB));
    c = cut(0, 12 * KB, 12 * KB + 1);
    CHECK(is(c.enter, 0, 24 * KB));
    CHECK(is(c.begin, 0, 26 * KB));
}

/* Only so much is looked at, and not all that is there. */
T(is_near_in_a_large_buffer)
{
    static uint8_t large[LARGE];
    for (size_t at = 0; at < LARGE; at += 16 * KB)
        memcpy(large + at, psb_pattern, PSB_BYTES);
    const struct pt_buf one = {.ptr = large, .len = LARGE};
    queue = (struct flow_queue){.bufs = &one, .count = 1};
    struct cut c = cut(0, 0, 12 * KB);
    CHECK(is(c.enter, 0, 0));
    CHECK(is(c.begin, 0, 16 * KB));
    c = cut(0, 0, 1024 * KB);
    CHECK(is(c.begin, 0, 1024 * KB));
    memset(large + 16 * KB, 0, LARGE - 32 * KB);
    CHECK(!cut(0, 0, 12 * KB).any); /* too far */
}

/* What is guessed from is then the beginning of the segment before it. */
T(is_one_period_where_that_is_more)
{
    psbs_each(16 * KB);
    const struct cut c = cut(0, 32 * KB, 12 * KB);
    CHECK(is(c.enter, 0, 32 * KB));
    CHECK(is(c.begin, 0, 48 * KB));
}

T(is_looked_for_only_near_its_end)
{
    psbs_each(2 * KB);
    memset(bytes[0] + 2 * KB, 0, 30 * KB);
    const struct cut c = cut(0, 0, 96 * KB);
    CHECK(is(c.enter, 0, 94 * KB));
    CHECK(is(c.begin, 0, 96 * KB));
}

T(begins_in_no_buffer_s_first_byte)
{
    psbs_each(16 * KB);
    const struct cut c = cut(0, LEN - 16 * KB, 12 * KB);
    CHECK(is(c.enter, 1, 0));
    CHECK(is(c.begin, 1, 16 * KB));
}

T(from_between_two_psbs)
{
    psbs_each(16 * KB);
    const struct cut c = cut(0, 17 * KB, 1 * KB);
    CHECK(is(c.enter, 0, 32 * KB));
    CHECK(is(c.begin, 0, 48 * KB));
}

T(is_none_at_the_end)
{
    psbs_each(16 * KB);
    CHECK(!cut(1, LEN - 16 * KB, 1 * KB).any);
    CHECK(!cut(1, 0, LEN).any);
    queue.plain_end = true;
    queue.plain = (struct queue_place){0, 64 * KB};
    CHECK(cut(0, 32 * KB, 12 * KB).any);
    CHECK(!cut(0, 48 * KB, 12 * KB).any);
}

T_RUN(T_CASE(begins_at_the_first_psb_that_is_far_enough),
      T_CASE(is_near_in_a_large_buffer), T_CASE(is_one_period_where_that_is_more),
      T_CASE(is_looked_for_only_near_its_end), T_CASE(begins_in_no_buffer_s_first_byte),
      T_CASE(from_between_two_psbs), T_CASE(is_none_at_the_end))
