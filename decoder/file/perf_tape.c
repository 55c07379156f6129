/* perf_tape.c - all records of a recording in one row, as perf reads them.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records that lie behind each other in one file go into one run, so that the tape of
 * an ordinary file has a single one and a look-up costs a comparison.  Where there are more a table
 * of lanes tells between which two to look:
 *
 *     tape   | run 0         | 1 | 2           | 3 | 4        |
 *     lanes  0       0       1       2       2     ^ 4
 */
#include "decoder/file/perf_tape.h"

static bool continues(const struct perf_run *last, const struct perf_run *next)
{
    return !last->cut && !last->payload && !next->payload && last->kept == next->kept &&
           last->source == next->source && last->unpacked == next->unpacked &&
           last->ptr + last->len == next->ptr &&
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
    t->lane.len = 0;
    run = VEC_PUSH(&t->run);
    if (!run)
        return PTS_E_NOMEM;
    *run = *next;
    return PTS_OK;
}

pts_status tape_index(struct perf_tape *t)
{
    const size_t runs = t->run.len;

    t->lane.len = 0;
    if (runs <= 2)
        return PTS_OK;
    const uint64_t from = t->run.at[0].at, len = tape_end(t, from) - from;
    for (t->lane_bits = 12; len >> t->lane_bits > 2 * runs; t->lane_bits++)
        ;
    const size_t lanes = (size_t)(len >> t->lane_bits) + 1;
    if (!VEC_ROOM(&t->lane, lanes))
        return PTS_E_NOMEM;
    for (size_t i = 0, run = 0; i < lanes; i++) {
        while (run + 1 < runs && t->run.at[run + 1].at - from <= (uint64_t)i
                                                                     << t->lane_bits)
            run++;
        t->lane.at[t->lane.len++] = (uint32_t)run;
    }
    return PTS_OK;
}

void tape_free(struct perf_tape *t)
{
    VEC_FREE(&t->run);
    VEC_FREE(&t->lane);
}

/* Halving; with one run the loop is not entered. */
const struct perf_run *tape_find(const struct perf_tape *t, uint64_t at)
{
    size_t lo = 0, hi = t->run.len;

    if (t->lane.len && at >= t->run.at[0].at) {
        const uint64_t lane = (at - t->run.at[0].at) >> t->lane_bits;
        if (lane >= t->lane.len)
            return NULL;
        lo = t->lane.at[lane];
        hi = lane + 1 < t->lane.len ? t->lane.at[lane + 1] + 1 : hi;
    }
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
