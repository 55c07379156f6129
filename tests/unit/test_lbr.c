/* test_lbr.c - the last branches of a thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/lbr.h"
#include "tests/lib/t.h"

#define KERNEL 0xffffffff81000000u

static struct pts_branch got[8];

static void push(struct lbr *l, uint32_t size, uint64_t from, uint64_t to)
{
    EQ(lbr_push(l, size, &(struct pts_branch){from, to, 0}), PTS_OK);
}

T(newest_first)
{
    struct lbr l = {0};
    EQ(lbr_take(&l, got, 8), 0);
    for (uint64_t i = 1; i <= 2; i++)
        push(&l, 3, i, 10 * i);
    EQ(lbr_take(&l, got, 8), 2);
    EQ(got[0].from, 2);
    EQ(got[1].to, 10);
    lbr_free(&l);
}

T(the_oldest_is_forgotten)
{
    struct lbr l = {0};
    for (uint64_t i = 1; i <= 7; i++)
        push(&l, 3, i, 10 * i);
    EQ(lbr_take(&l, got, 8), 3);
    EQ(got[0].from, 7);
    EQ(got[2].from, 5);
    EQ(lbr_take(&l, got, 2), 2);
    EQ(got[1].from, 6);
    lbr_clear(&l);
    EQ(lbr_take(&l, got, 8), 0);
    push(&l, 3, 9, 90);
    EQ(lbr_take(&l, got, 8), 1);
    lbr_free(&l);
}

T(what_came_after_a_user_sample_is_left_out)
{
    struct lbr l = {0};
    push(&l, 8, 0x100, 0x200);
    push(&l, 8, 0x210, 0);      /* the trace ended */
    push(&l, 8, 0x220, KERNEL); /* an interrupt wrote the sample */
    EQ(lbr_take_late(&l, 0x215, got, 8), 1);
    EQ(got[0].from, 0x100);
    lbr_free(&l);
}

T(what_came_after_a_kernel_sample_is_left_out)
{
    struct lbr l = {0};
    push(&l, 8, 0x100, KERNEL);
    push(&l, 8, KERNEL + 0x10, KERNEL + 0x100);
    push(&l, 8, KERNEL + 0x120, KERNEL + 0x200);
    push(&l, 8, KERNEL + 0x210, KERNEL + 0x300);
    EQ(lbr_take_late(&l, KERNEL + 0x110, got, 8), 2); /* between the second and third */
    EQ(got[0].to, KERNEL + 0x100);
    EQ(lbr_take_late(&l, KERNEL + 0x900, got, 8), 1); /* nowhere: from user code on */
    EQ(got[0].from, 0x100);
    EQ(lbr_take_late(&l, KERNEL + 0x205, got, 2), 2);
    EQ(got[0].to, KERNEL + 0x200);
    lbr_free(&l);
}

T_RUN(T_CASE(newest_first), T_CASE(the_oldest_is_forgotten),
      T_CASE(what_came_after_a_user_sample_is_left_out),
      T_CASE(what_came_after_a_kernel_sample_is_left_out))
