/* perf_learn.h - what records say of the recording itself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_OPEN_PERF_LEARN_H
#define PTS_DECODER_OPEN_PERF_LEARN_H

#include "decoder/record/perf_rec.h"

/* Takes in what a record, just put onto the tape, says of the recording. */
PTS_MUST_USE pts_status perf_learn(struct perf_file *f, const struct perf_rec *r,
                                   struct pts_diag *why);
/* Takes idx, cpu and tid of the counters from the ID_INDEX records on the tape, when
 * all counters are known. */
void perf_learn_counters(struct perf_file *f);

/* What a record that is on no tape says of events: HEADER_ATTR, ID_INDEX, EVENT_UPDATE.
 */
PTS_MUST_USE pts_status perf_learn_given(struct perf_file *f, const struct perf_rec *r,
                                         struct pts_diag *why);

#endif
