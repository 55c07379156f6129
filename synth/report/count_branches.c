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

    count_spot_names(r, &s);
    s.shown = ip;
    s.asked = s.at.addr;
    s.absolute = true;
    s.level = s.at.dso ? count_level(mode) : count_level(PTS_MODE_HYPERVISOR);
    return s;
}

/* Those of its ends perf looks for where they are, but that of the row beside it. */
static pts_status branch_lines(struct report *r, const struct sample *s,
                               struct subject *i, const struct pts_branch *b)
{
    const struct place_query from = {&s->who, b->from, mode_at_addr(b->from, false)},
                             to = {&s->who, b->to, mode_at_addr(b->to, false)};
    struct line_text at_from = {0}, at_to = {0};
    pts_status st = count_lines_beside(r, &to, i);

    if (st == PTS_OK && r->opts.branch_lines)
        st = lines_sample(&r->lines, &from, &i->from->at, &at_from);
    if (st == PTS_OK && r->opts.branch_lines)
        st = lines_sample(&r->lines, &to, &i->spot.at, &at_to);
    i->srcline_from = at_from.line;
    i->srcline_to = at_to.line;
    return st;
}

/* What the branches of a sample have in common. */
struct branches_of {
    const struct sample *sample;
    struct subject *item;
    uint8_t filtered;
    uint32_t owner;
};

/* One that was not counted before: *row, or HISTS_NONE where it is left out. */
static pts_status branch_row(struct report *r, const struct sample *s,
                             struct subject *i, const struct pts_branch *b,
                             uint8_t filtered, uint32_t *row)
{
    *row = HISTS_NONE;
    r->from_spot = branch_spot(r, &s->who, b->from);
    i->from = &r->from_spot;
    i->spot = branch_spot(r, &s->who, b->to);
    i->flags = b->flags;
    if (r->opts.hide_unresolved && !(i->from->at.sym && i->spot.at.sym))
        return PTS_OK;
    pts_status st = branch_lines(r, s, i, b);
    return st < 0 ? st
                  : hists_row(&r->hists[s->event], report_opts_of(r, s->event),
                              &r->keys, i, filtered, row);
}

/* Of a sample; what: as what the memo knows the branch, besides its ends and its owner. */
static pts_status count_branch(struct report *r, const struct branches_of *of,
                               const struct pts_branch *b, uint64_t what)
{
    const struct sample *s = of->sample;
    struct memo_slot *slot = NULL;
    uint32_t row;

    pts_status st = count_refresh(r, s->event);
    if (st < 0)
        return st;
    if (r->memo) {
        const struct memo_key key = {b->to, b->from, what, of->owner};
        slot = memo_place(r->memo, &key);
        if (memo_count(slot, &key, 1))
            return PTS_OK;
        count_later(r, slot);
        slot = memo_at(r->memo, &key);
    }
    st = branch_row(r, s, of->item, b, of->filtered, &row);
    if (st < 0 || row == HISTS_NONE)
        return st;
    if (slot)
        slot->to = row + 1;
    if (r->opts.total_cycles &&
        !blocks_row(&r->blocks, s->event, row, &of->item->spot.at))
        return PTS_E_NOMEM;
    const struct amount one = {1, 1, s->cpumode, true};
    count_in_row(r, s->event, row, &one);
    return PTS_OK;
}

/* Oldest first. */
static pts_status count_blocks(struct report *r, const struct who *who,
                               const struct sample_stacks *st)
{
    struct place before;
    bool ok = true, known = false;

    for (uint32_t k = st->branch_count; ok && k-- > 0;) {
        const struct pts_branch *b = &st->branches[k];
        const struct place *from =
            place_at(r->places, who, mode_at_addr(b->from, false), b->from);
        ok = blocks_count(&r->blocks, who, from, known ? &before : NULL,
                          branch_cycles(b->flags));
        known = r->any_branch;
        if (known)
            before = *place_at(r->places, who, mode_at_addr(b->to, false), b->to);
    }
    return ok ? PTS_OK : PTS_E_NOMEM;
}

bool count_is_branch(const struct report *r, const struct sample *s)
{
    return !s->recorded && r->scene.plan->evl.ev.at[s->event].is_branch;
}

pts_status count_branches(struct report *r, const struct sample *s, struct subject *i)
{
    const struct sample_stacks *st = s->stacks;
    const struct pts_branch own = {s->ip, s->addr, 0};
    pts_status rc = r->parents ? count_frames(r, s, i) : PTS_OK;
    const struct branches_of of = {s, i, count_filters(r, s, i), count_owner(r, s)};

    if (rc < 0 || of.owner == IDMAP_NONE)
        return rc < 0 ? rc : PTS_E_NOMEM;
    /* For all of them perf takes the first one's. */
    uint64_t cycles = st && st->branches && st->branch_count
                          ? branch_cycles(st->branches[0].flags)
                          : 0;
    r->more.weight = cycles ? cycles : 1;
    /* A branch that is a sample of its own counts as a stack of one. */
    if (count_is_branch(r, s))
        return itrace_on(&r->opts.run.itrace, ITRACE_ON(BRSTACK))
                   ? count_branch(r, &of, &own, MEMO_BRANCH)
                   : PTS_OK;
    if (r->opts.total_cycles && cycles)
        rc = count_blocks(r, &s->who, st);
    for (uint32_t k = 0; rc == PTS_OK && st && st->branches && k < st->branch_count;
         k++)
        rc = count_branch(r, &of, &st->branches[k], st->branches[k].flags);
    return rc;
}

bool count_known_branch(struct report *r, const struct sample *s)
{
    if (!r->memo || !count_is_branch(r, s))
        return false;
    const struct memo_key key = {s->addr, s->ip, MEMO_BRANCH, count_owner(r, s)};

    return key.owner != IDMAP_NONE && memo_count(memo_place(r->memo, &key), &key, 1);
}
