/* branch_stats.h - kinds of branches, which perf counts below the rows of branches.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_BRANCH_STATS_H
#define PTS_SYNTH_REPORT_BRANCH_STATS_H

#include "synth/print/text.h"

#include <ptscript/record.h>

/* The last kind says that there is a newer one beside it. */
enum { BRANCH_KINDS = 16, BRANCH_KIND_NEWER = 15, BRANCH_NEWER = 8 };

struct branch_stats {
    uint64_t kind[BRANCH_KINDS], newer[BRANCH_NEWER];
    uint64_t forward, backward, over_4k, over_2m;
};

static inline uint32_t branch_kind(uint64_t flags)
{
    return flags >> 20 & (BRANCH_KINDS - 1);
}

/* BRANCH_NEWER and above: none that perf knows. */
static inline uint32_t branch_newer(uint64_t flags)
{
    return flags >> 26 & 15;
}

static inline uint32_t branch_cycles(uint64_t flags)
{
    return flags >> 4 & 0xffff;
}

/* NULL: it has no name of its own. */
const char *branch_kind_name(uint32_t kind);
const char *branch_newer_name(uint32_t newer);
/* Of one whose kind is not 0. */
void branch_stats_count(struct branch_stats *s, const struct pts_branch *b);
/* Nothing when no kind was known. */
void branch_stats_text(const struct branch_stats *s, struct text *t);

#endif
