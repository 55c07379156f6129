/* count_branches.c - the branches of a sample, in place of itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/count.h"

/* perf looks in all maps in turn, so what is in none is as of the last kind. */
static struct spot_of branch_spot(struct report *r, const struct who *w, uint64_t ip)
{
    uint8_t mode = mode_at_addr(ip, false);
    struct spot_of s = {.at = *place_at(r->places, w, mode, ip)};

    s.shown = ip;
    s.asked = s.at.addr;
    s.absolute = true;
    s.level = s.at.dso ? count_level(mode) : count_level(PTS_MODE_HYPERVISOR);
    return s;
}

/* perf takes each branch of a row for its first one. */
static void count_kind(struct report *r, const struct subject *i)
{
    const struct pts_branch first = {i->from.at.ip, i->spot.at.ip, i->flags};

    if (branch_kind(first.flags))
        branch_stats_count(&r->kinds, &first);
}

static void count_in_row(struct report *r, const struct sample *s, uint32_t row)
{
    struct hists *h = &r->hists[s->event];
    const struct amount a = {1, 1, s->cpumode, true};

    hists_count(h, row, &a);
    count_sample(h, row);
    count_kind(r, &h->entry.at[row].item);
}

/* Those of its ends perf looks for where they are, but that of the row beside it. */
static pts_status branch_lines(struct report *r, const struct sample *s,
                               struct subject *i, const struct pts_branch *b)
{
    const struct place_query from = {&s->who, b->from, mode_at_addr(b->from, false)},
                             to = {&s->who, b->to, mode_at_addr(b->to, false)};
    pts_status st = count_lines_beside(r, &to, i);

    if (st == PTS_OK && r->opts.branch_lines)
        st = lines_sample(&r->lines, &from, &i->from.at, &i->srcline_from);
    if (st == PTS_OK && r->opts.branch_lines)
        st = lines_sample(&r->lines, &to, &i->spot.at, &i->srcline_to);
    return st;
}

/* One that was not counted before: *row, or HISTS_NONE where it is left out. */
static pts_status branch_row(struct report *r, const struct sample *s,
                             struct subject *i, const struct pts_branch *b,
                             bool filtered, uint32_t *row)
{
    *row = HISTS_NONE;
    i->from = branch_spot(r, &s->who, b->from);
    i->spot = branch_spot(r, &s->who, b->to);
    i->flags = b->flags;
    if (r->opts.hide_unresolved && !(i->from.at.sym && i->spot.at.sym))
        return PTS_OK;
    pts_status st = branch_lines(r, s, i, b);
    return st < 0
               ? st
               : hists_row(&r->hists[s->event], &r->opts, &r->keys, i, filtered, row);
}

/* key: what the memo knows it by, less its owner. */
static pts_status count_branch(struct report *r, const struct sample *s,
                               struct subject *i, const struct pts_branch *b,
                               bool filtered, uint64_t what)
{
    struct memo_slot *slot = NULL;
    uint32_t row;

    if (r->memo) {
        const struct memo_key key = {b->to, b->from, what, count_owner(r, s)};
        if (key.owner == IDMAP_NONE)
            return PTS_E_NOMEM;
        slot = memo_at(r->memo, &key);
    }
    if (slot && slot->to) {
        count_in_row(r, s, slot->to - 1);
        return PTS_OK;
    }
    pts_status st = branch_row(r, s, i, b, filtered, &row);
    if (st < 0 || row == HISTS_NONE)
        return st;
    if (slot)
        slot->to = row + 1;
    count_in_row(r, s, row);
    return PTS_OK;
}

static bool is_branch(const struct report *r, const struct sample *s)
{
    return !s->recorded && r->scene.plan->evl.ev.at[s->event].is_branch;
}

pts_status count_branches(struct report *r, const struct sample *s, struct subject *i)
{
    const struct sample_stacks *st = s->stacks;
    const struct pts_branch own = {s->ip, s->addr, 0};
    pts_status rc = r->parents ? count_frames(r, s, i) : PTS_OK;
    bool filtered = count_is_filtered(r, s, i);

    if (rc < 0)
        return rc;
    /* For all of them perf takes the first one's. */
    uint64_t cycles = st && st->branches && st->branch_count
                          ? branch_cycles(st->branches[0].flags)
                          : 0;
    i->more.weight = cycles ? cycles : 1;
    /* A branch that is a sample of its own counts as a stack of one. */
    if (is_branch(r, s))
        return itrace_on(&r->opts.run.itrace, ITRACE_ON(BRSTACK))
                   ? count_branch(r, s, i, &own, filtered, MEMO_BRANCH)
                   : PTS_OK;
    if (r->opts.total_cycles && st && st->branches && st->branch_count)
        r->cycles |= branch_cycles(st->branches[0].flags) != 0;
    for (uint32_t k = 0; rc == PTS_OK && st && st->branches && k < st->branch_count;
         k++)
        rc = count_branch(r, s, i, &st->branches[k], filtered, st->branches[k].flags);
    return rc;
}

bool count_known_branch(struct report *r, const struct sample *s)
{
    if (!r->memo || !is_branch(r, s))
        return false;
    const struct memo_key key = {s->addr, s->ip, MEMO_BRANCH, count_owner(r, s)};
    const struct memo_slot *slot = memo_at(r->memo, &key);
    if (key.owner == IDMAP_NONE || !slot->to)
        return false;
    count_in_row(r, s, slot->to - 1);
    return true;
}
