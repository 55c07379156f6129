/* branch_stats.c - kinds of branches, which perf counts below the rows of branches.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/branch_stats.h"

enum { KIND_COND = 1, PAGE_BITS = 12, BIG_PAGE_BITS = 21, NAME_WIDTH = 8 };

static const char *const names[BRANCH_KINDS] = {
    "N/A",    "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
    "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", NULL};

static const char *const newer_names[BRANCH_NEWER] = {
    "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
    "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5"};

const char *branch_kind_name(uint32_t kind)
{
    return names[kind];
}

const char *branch_newer_name(uint32_t newer)
{
    return newer < BRANCH_NEWER ? newer_names[newer] : NULL;
}

void branch_stats_count(struct branch_stats *s, const struct pts_branch *b)
{
    uint32_t kind = branch_kind(b->flags);
    uint64_t differ = b->from ^ b->to;

    if (!kind || !b->from)
        return;
    if (kind != BRANCH_KIND_NEWER)
        s->kind[kind]++;
    else if (branch_newer(b->flags) < BRANCH_NEWER)
        s->newer[branch_newer(b->flags)]++;
    s->forward += kind == KIND_COND && b->to > b->from;
    s->backward += kind == KIND_COND && b->to <= b->from;
    s->over_2m += differ >> BIG_PAGE_BITS != 0;
    s->over_4k += differ >> PAGE_BITS && !(differ >> BIG_PAGE_BITS);
}

static void put(struct text *t, const char *name, uint64_t n, uint64_t total)
{
    if (!n || !name)
        return;
    text_char(t, '\n');
    text_strw(t, name, NAME_WIDTH);
    text_fmt(t, ": %5.1f%%", 100.0 * (double)n / (double)total);
}

/* perf ends it without a line's end.  Newer kinds have no part in what shares are of. */
void branch_stats_text(const struct branch_stats *s, struct text *t)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < BRANCH_KINDS; i++)
        total += s->kind[i];
    if (!total)
        return;
    text_str(t, "\n#\n# Branch Statistics:\n#");
    put(t, "COND_FWD", s->forward, total);
    put(t, "COND_BWD", s->backward, total);
    put(t, "CROSS_4K", s->over_4k, total);
    put(t, "CROSS_2M", s->over_2m, total);
    for (uint32_t i = 0; i < BRANCH_KINDS; i++)
        put(t, names[i], s->kind[i], total);
    for (uint32_t i = 0; i < BRANCH_NEWER; i++)
        put(t, newer_names[i], s->newer[i], total);
}
