/* count_series.c - the samples of a series, in the rows that they belong to.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all are of rows that the memo knows: no sample is made for those.
 */
#include "synth/report/count.h"

/* As what the memo knows samples of this form; 0: they are looked at one by one. */
static uint64_t remembered_as(const struct report *r, const struct sample *form)
{
    if (!r->memo || r->opts.mem_mode || r->hists[form->event].by_tree ||
        cpus_skip(&r->opts.cpus, form->who.cpu))
        return 0;
    if (r->opts.branches)
        return count_is_branch(r, form) ? MEMO_BRANCH : 0;
    return count_is_plain(r) ? MEMO_SAMPLE : 0;
}

static struct memo_key key_of(const struct brief *b, uint64_t as, uint32_t owner)
{
    return as == MEMO_BRANCH ? (struct memo_key){b->addr, b->ip, as, owner}
                             : (struct memo_key){b->ip, 0, as, owner};
}

/* How many of a series, from number `from` on, the memo knows.  s: the form. */
static uint32_t count_remembered(struct report *r, const struct series *of,
                                 uint32_t from, uint64_t as, struct sample *s)
{
    const uint64_t period = as == MEMO_BRANCH ? 1 : s->period;
    uint32_t owner = IDMAP_NONE, i = from;

    for (; i < of->count; i++) {
        const uint8_t mode = mode_at_addr(of->at[i].ip, false);
        if (owner == IDMAP_NONE || mode != s->cpumode) {
            s->cpumode = mode;
            owner = count_owner(r, s);
        }
        const struct memo_key key = key_of(&of->at[i], as, owner);
        if (!memo_count(memo_place(r->memo, &key), &key, period))
            break;
    }
    return i;
}

pts_status report_count_series(struct report *r, const struct series *of)
{
    struct sample one = of->form;
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < of->count; i++) {
        const uint64_t as = remembered_as(r, &one);
        if (as)
            i = count_remembered(r, of, i, as, &one);
        if (i == of->count)
            break;
        series_sample(&one, &of->at[i]);
        st = report_count(r, &one);
    }
    return st;
}
