/* perf_tape.c - all records of a recording in one row, as perf reads them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records that lie behind each other in one file go into one run, so that the tape of
 * an ordinary file has a single one and a look-up costs a comparison.  Only unpacked
 * records and directories have more, and are searched by halving.
 */
#include "decoder/file/perf_tape.h"

static bool continues(const struct perf_run *last, const struct perf_run *next)
{
    return !last->cut && last->source == next->source &&
           last->unpacked == next->unpacked && last->ptr + last->len == next->ptr &&
           (last->unpacked ? last->shown : last->shown + last->len) == next->shown;
}

pts_status tape_put(struct perf_tape *t, const struct perf_run *next)
{
    struct perf_run *run = t->run.len ? &t->run.at[t->run.len - 1] : NULL;
    if (run && continues(run, next)) {
        run->len += next->len;
        run->cut = next->cut;
        return PTS_OK;
    }
    run = VEC_PUSH(&t->run);
    if (!run)
        return PTS_E_NOMEM;
    *run = *next;
    return PTS_OK;
}

/* Halving; with one run the loop is not entered. */
const struct perf_run *tape_find(const struct perf_tape *t, uint64_t at)
{
    size_t lo = 0, hi = t->run.len;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->run.at[mid].at <= at)
            lo = mid;
        else
            hi = mid;
    }
    if (lo == hi || at < t->run.at[lo].at || at - t->run.at[lo].at >= t->run.at[lo].len)
        return NULL;
    return &t->run.at[lo];
}
