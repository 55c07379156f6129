/* count_known.c - samples of rows that are known.
 *
 * SPDX-License-Identifier: MIT
 *
 * Rows are large, and far from each other.  So they are not told of each sample: what comes again
 * is counted in its slot of the memo, until somebody else takes that.
 */
#include "synth/report/count.h"

/* perf takes each branch of a row for its first one. */
static void count_kind(struct report *r, const struct subject *i)
{
    const struct pts_branch first = {i->from->at.ip, i->spot.at.ip, i->flags};

    if (branch_kind(first.flags))
        branch_stats_count(&r->kinds, &first);
}

void count_in_row(struct report *r, uint32_t event, uint32_t row,
                  const struct amount *a)
{
    struct hists *h = &r->hists[event];

    hists_count(h, row, a);
    h->samples += a->count;
    /* perf looks at sockets later. */
    if (!(hists_at(h, row)->filtered & ~FILTER_SOCKET))
        h->samples_shown += a->count;
    for (uint64_t i = 0; r->opts.branches && i < a->count; i++)
        count_kind(r, &hists_at(h, row)->item);
}

void count_later(struct report *r, struct memo_slot *slot)
{
    if (!slot->more)
        return;
    const struct memo_owner *owner = &r->owners.known.at[slot->key.owner].key;
    const struct amount a = {slot->period, slot->more, (uint8_t)owner->mode, true};
    count_in_row(r, owner->event, slot->to - 1, &a);
    slot->more = 0;
    slot->period = 0;
}

void count_known_end(struct report *r)
{
    for (size_t i = 0; r->memo && i < MEMO_SLOTS; i++)
        count_later(r, &r->memo[i]);
}
