/* filter.h - which samples of a run are wanted.
 *
 * SPDX-License-Identifier: MIT
 *
 *     --time, -C                      the sample
 *     --comms, --pid, --tid           its thread
 *     --dsos, -S                      what lies at its ip
 *     --graph-function                the calls before it
 *
 * From what costs nothing to what costs a look-up.  Filters stand in front of the sink:
 * of a sample that does not pass nothing more is worked out.
 */
#ifndef PTS_SYNTH_SAMPLE_FILTER_H
#define PTS_SYNTH_SAMPLE_FILTER_H

#include "synth/plan/plan.h"
#include "synth/sample/chain.h"
#include "synth/sample/sample.h"
#include "synth/symbol/places.h"

struct filter {
    const struct plan *plan;
    struct chains *chains;
    const struct lookup *look; /* these two: NULL where nothing is filtered */
    struct places *places;
};

/* All lent for its life.  look may be NULL where the plan filters nothing; nobody else
 * may ask by it, as a filter is ahead of whoever prints. */
pts_status filter_init(struct filter *f, const struct plan *plan, struct chains *chains,
                       const struct lookup *look);
void filter_free(struct filter *f);

/* Whether --time and -C let it pass: perf looks at these before all else. */
bool filter_in_time(const struct plan *p, const struct sample *sample);
/* Whether -C and those of threads let all pass that is made of a thread on a CPU. */
bool filter_lets(const struct filter *f, const struct who *w);
/* Which kinds of filters will not, of those that go by its thread and what lies at its ip:
 * bits of perf's address locations. */
enum {
    FILTERED_DSO = 1 << 0,
    FILTERED_THREAD = 1 << 1,
    FILTERED_SYMBOL = 1 << 3,
    FILTERED_GUEST = 1 << 4 /* not by filter_says */
};
uint8_t filter_says(const struct select *sel, const struct lookup *look,
                    const struct sample *sample);
/* Whether all filters let it pass.  --graph-function makes it depend on those before. */
bool filter_passes(const struct filter *f, const struct sample *sample);

#endif
