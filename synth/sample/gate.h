/* gate.h - somebody who looks at each sample and may drop it: a compiled filter.
 *
 * SPDX-License-Identifier: MIT
 *
 *     sample -> early -> --time, --tid, -S ... -> late -> batch
 *
 * Each answers PTS_OK: keep it; PTS_END: drop it; or fails, which ends the run.  What it
 * prints goes into the batch, in front of the sample.
 */
#ifndef PTS_SYNTH_SAMPLE_GATE_H
#define PTS_SYNTH_SAMPLE_GATE_H

#include "synth/sample/batch.h"
#include "synth/sample/sample.h"

struct gate {
    void *ctx;
    /* b: for text that is printed. */
    pts_status (*early)(void *ctx, const struct sample *s, struct batch *b);
    pts_status (*late)(void *ctx, const struct sample *s, struct batch *b);
};

#endif
