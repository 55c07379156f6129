/* count_series.c - the samples of a series, in the rows that they belong to.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all are of rows that the memo knows: no sample is made for those.
 */
#include "synth/report/count.h"

/* Whether what the memo knows of it is all that is to be done. */
static bool is_remembered(const struct report *r, const struct sample *form)
{
    return count_is_plain(r) && !r->opts.mem_mode && !r->hists[form->event].by_tree &&
           !cpus_skip(&r->opts.cpus, form->who.cpu);
}

/* How many of a series, from number `from` on, the memo knows.  s: the form. */
static uint32_t count_remembered(struct report *r, const struct series *of,
                                 uint32_t from, struct sample *s)
{
    struct memo_key key = {.what = MEMO_SAMPLE, .owner = IDMAP_NONE};
    uint32_t i = from;

    for (; i < of->count; i++) {
        const uint8_t mode = mode_at_addr(of->at[i].ip, false);
        if (key.owner == IDMAP_NONE || mode != s->cpumode) {
            s->cpumode = mode;
            key.owner = count_owner(r, s);
        }
        key.ip = of->at[i].ip;
        if (!memo_count(memo_place(r->memo, &key), &key, s->period))
            break;
    }
    return i;
}

pts_status report_count_series(struct report *r, const struct series *of)
{
    struct sample one = of->form;
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < of->count; i++) {
        if (is_remembered(r, &one))
            i = count_remembered(r, of, i, &one);
        if (i == of->count)
            break;
        series_sample(&one, &of->at[i]);
        st = report_count(r, &one);
    }
    return st;
}
