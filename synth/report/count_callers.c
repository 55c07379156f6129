/* count_callers.c - the frames of a sample, each in its row.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/count.h"

/* The row of the sample that an item is of; HISTS_NONE: of none. */
static uint32_t counted_as(const struct report *r, const struct report_opts *o,
                           const struct hists *h, size_t n, const struct subject *item)
{
    for (size_t i = 0; i < n; i++)
        if (hists_is(h, o, &r->keys, r->counted[i], item))
            return r->counted[i];
    return HISTS_NONE;
}

uint8_t count_frame_mode(const struct who *w, uint8_t cpumode)
{
    if (!w->guest)
        return cpumode;
    return cpumode == PTS_MODE_KERNEL ? PTS_MODE_GUEST_KERNEL : PTS_MODE_GUEST_USER;
}

pts_status count_frame_item(struct report *r, const struct frame *f, struct subject *i,
                            uint8_t *mode)
{
    const struct place_query q = {&r->framed, f->ip, f->cpumode};

    i->spot = count_spot(r, &r->framed, f->cpumode, f->ip);
    i->spot.shown = i->spot.asked = f->ip;
    i->spot.absolute = true;
    i->spot.at.sym = f->sym;
    i->spot.inlined = f->inlined;
    if (i->spot.at.dso)
        *mode = count_frame_mode(&r->framed, f->cpumode);
    i->level = count_level(*mode);
    pts_status st = count_lines_beside(r, &q, i);
    i->line_given = f->srcline != NULL;
    if (f->srcline)
        i->srcline = f->srcline;
    return st;
}

/* perf forgets some of an item when it looks whether a frame was counted: by these keys none
 * was, but where they are nothing. */
static bool is_forgotten(const struct report_opts *o, const struct subject *i)
{
    static const struct subject_more no_more;
    static const struct subject nothing = {.from = &subject_nowhere, .more = &no_more};
    bool any = o->times && i->time;

    for (uint32_t k = 0; o->more && k < o->key_count; k++)
        any |= o->key[k]->more && key_compare(o->key[k], NULL, i, &nothing) != 0;
    return any;
}

/* The row of a frame; HISTS_NONE: it has been counted. */
static pts_status frame_row(struct report *r, uint32_t event, const struct subject *i,
                            size_t n, uint8_t filtered, uint32_t *row)
{
    struct hists *h = &r->hists[event];
    const struct report_opts *o = report_opts_of(r, event);
    uint32_t again = h->by_tree ? counted_as(r, o, h, n, i) : HISTS_NONE;
    pts_status st = PTS_OK;

    *row = HISTS_NONE;
    if (again == HISTS_NONE)
        st = hists_row(h, o, &r->keys, i, filtered, row);
    for (size_t k = 0; again == HISTS_NONE && k < n; k++)
        again = r->counted[k] == *row ? *row : HISTS_NONE;
    if (again != HISTS_NONE) {
        hists_at(h, again)->met_again = true;
        *row = HISTS_NONE;
    }
    return st;
}

pts_status count_callers(struct report *r, const struct sample *s, struct subject *i,
                         uint32_t own, uint8_t filtered)
{
    struct hists *h = &r->hists[s->event];
    struct amount a = {s->period, 1, s->cpumode, false};
    bool chains = count_has_chains(r, s->event);
    size_t n = 0;

    if (!vec_room((void **)&r->counted, &r->counted_cap, r->frames.len + 1,
                  sizeof(*r->counted)))
        return PTS_E_NOMEM;
    bool forgotten = is_forgotten(&r->opts, i);
    if (!forgotten)
        r->counted[n++] = own;
    for (size_t k = 0; k < r->frames.len; k++) {
        const struct chain_add rest = {&r->frames, k, a.period, 1};
        uint32_t row = HISTS_NONE;
        pts_status st = count_frame_item(r, &r->frames.at[k], i, &a.cpumode);
        if (st == PTS_OK)
            st = frame_row(r, s->event, i, n, filtered, &row);
        if (st < 0)
            return st;
        if (row == HISTS_NONE)
            continue;
        hists_count(h, row, &a);
        if (r->opts.chains) /* also where rows show none: it is for their order */
            hists_depth(h, row, r->frames.len - k);
        if (chains)
            st = hists_chain(h, &r->opts, row, &rest);
        if (st < 0)
            return st;
        if (!forgotten)
            r->counted[n++] = row;
    }
    return PTS_OK;
}
