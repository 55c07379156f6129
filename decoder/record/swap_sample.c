/* swap_sample.c - turning the fields of a SAMPLE, and of the sample id of others.
 *
 * SPDX-License-Identifier: MIT
 *
 * Which there are says the event, as in perf_sample.c; here it only matters how wide
 * they are, so that runs of words are taken together.
 */
#include "decoder/record/swap_walk.h"

static void walk_read(struct walk *w, uint64_t format)
{
    unsigned extra =
        (format & PTS_READ_ID ? 1u : 0) + (format & PTS_READ_LOST ? 1u : 0);
    unsigned times = (format & PTS_READ_TIME_ENABLED ? 1u : 0) +
                     (format & PTS_READ_TIME_RUNNING ? 1u : 0);
    uint64_t n = walk_u64(w);
    walk_words(w, times);
    if (!(format & PTS_READ_GROUP))
        walk_words(w, extra);
    else
        for (; n && walk_left(w) >= 8; n--)
            walk_words(w, 1 + extra);
}

/* perf gives all of it its old bytes back, the length included. */
static void walk_raw(struct walk *w)
{
    walk_bytes(w, walk_number(w, 4, true));
}

/* Bit-fields of these widths lie the other way round. */
static void turn_branch_flags(uint8_t *p)
{
    static const uint8_t widths[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 31};
    uint64_t v = rd_u64(p), flags = 0;
    unsigned at = 0;
    for (size_t i = 0; i < sizeof(widths); i++) {
        uint64_t field = v >> (64 - at - widths[i]) & ((UINT64_C(1) << widths[i]) - 1);
        flags |= field << at;
        at += widths[i];
    }
    memcpy(p, &flags, 8);
}

static void walk_branches(struct walk *w, uint64_t kind)
{
    uint64_t n = walk_u64(w);
    if (kind & PTS_BRANCH_HW_INDEX)
        walk_u64(w);
    for (uint64_t i = 0; i < n && walk_left(w) >= 24; i++) {
        walk_words(w, 3);
        if (!w->as_perf)
            turn_branch_flags(w->at - 8);
    }
    if (kind & PTS_BRANCH_COUNTERS)
        walk_words(w, n);
}

static void walk_regs(struct walk *w, uint64_t mask)
{
    if (walk_u64(w))
        walk_words(w, (uint64_t)__builtin_popcountll(mask));
}

static void walk_stack(struct walk *w)
{
    uint64_t n = walk_u64(w);
    if (n == 0)
        return;
    walk_garbled(w, n);
    walk_u64(w);
}

/* In the order of perf_event_open(2); what is left are words. */
void walk_sample(struct walk *w)
{
    const struct pts_attr *a = w->attr;
    static const uint64_t one_word = PTS_SAMPLE_DATA_SRC |
                                     PTS_SAMPLE_TRANSACTION, /* around REGS_INTR: */
        paged = PTS_SAMPLE_PHYS_ADDR | PTS_SAMPLE_CGROUP | PTS_SAMPLE_DATA_PAGE_SIZE |
                PTS_SAMPLE_CODE_PAGE_SIZE;
    uint64_t type = a->sample_type;
    walk_words(w, (uint64_t)__builtin_popcountll(
                      type & (PTS_SAMPLE_IDENTIFIER | PTS_SAMPLE_IP)));
    if (type & PTS_SAMPLE_TID)
        walk_pair(w);
    walk_words(w, (uint64_t)__builtin_popcountll(
                      type & (PTS_SAMPLE_TIME | PTS_SAMPLE_ADDR | PTS_SAMPLE_ID |
                              PTS_SAMPLE_STREAM_ID)));
    if (type & PTS_SAMPLE_CPU)
        walk_pair(w);
    walk_words(w, type & PTS_SAMPLE_PERIOD ? 1 : 0);
    if (type & PTS_SAMPLE_READ)
        walk_read(w, a->read_format);
    if (type & PTS_SAMPLE_CALLCHAIN)
        walk_words(w, walk_u64(w));
    if (type & PTS_SAMPLE_RAW)
        walk_raw(w);
    if (type & PTS_SAMPLE_BRANCH_STACK)
        walk_branches(w, a->branch_sample_type);
    if (type & PTS_SAMPLE_REGS_USER)
        walk_regs(w, a->sample_regs_user);
    if (type & PTS_SAMPLE_STACK_USER)
        walk_stack(w);
    walk_words(w, type & (PTS_SAMPLE_WEIGHT | PTS_SAMPLE_WEIGHT_STRUCT) ? 1 : 0);
    walk_words(w, (uint64_t)__builtin_popcountll(type & one_word));
    if (type & PTS_SAMPLE_REGS_INTR)
        walk_regs(w, a->sample_regs_intr);
    walk_words(w, (uint64_t)__builtin_popcountll(type & paged));
    if (type & PTS_SAMPLE_AUX)
        walk_bytes(w, walk_u64(w));
    walk_layout(w, "*");
}

void walk_sample_id(struct walk *w)
{
    uint64_t type = w->attr->sample_type;
    if (type & PTS_SAMPLE_TID)
        walk_pair(w);
    walk_words(w, (uint64_t)__builtin_popcountll(
                      type & (PTS_SAMPLE_TIME | PTS_SAMPLE_ID | PTS_SAMPLE_STREAM_ID)));
    if (type & PTS_SAMPLE_CPU)
        walk_pair(w);
    walk_words(w, type & PTS_SAMPLE_IDENTIFIER ? 1 : 0);
}
