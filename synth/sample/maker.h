/* maker.h - makes samples from what the decoder tells.
 *
 * SPDX-License-Identifier: MIT
 *
 * It must be given the events of all queues in the order in which their samples are to
 * come.
 */
#ifndef PTS_SYNTH_SAMPLE_MAKER_H
#define PTS_SYNTH_SAMPLE_MAKER_H

#include "synth/sample/delivery.h"
#include "walker/flow/event.h"

struct maker;

/* Both lent for the life of the result. */
pts_status maker_new(const struct plan *plan, struct delivery *to, struct maker **out);
void maker_free(struct maker *m); /* NULL is fine */

/* One event of a queue, and the batch that it is from.  Faults (EV_ERROR) go through here, too. */
pts_status maker_event(struct maker *m, uint32_t queue, const struct pt_event *ev,
                       const struct event_batch *batch, const struct whose *w);
/* Events that follow each other: *done says how many of them, from the first on, became samples as
 * by maker_event.  It stops at one that is not before `until` or something else than a branch or
 * an instruction, and when the batch of samples is full. */
struct maker_line {
    const struct pt_event *at;
    uint32_t count;
    uint64_t until;
    const struct event_batch *batch;
};
pts_status maker_line(struct maker *m, uint32_t queue, const struct maker_line *line,
                      const struct whose *w, uint32_t *done);
/* An AUX_OUTPUT_HW_ID record: what a counter of the queue counts from here on. */
pts_status maker_counter(struct maker *m, uint32_t queue, uint64_t counter,
                         uint32_t event);
/* An AUX record with the TRUNCATED flag: error 8, if errors are wanted. */
pts_status maker_lost(struct maker *m, const struct pts_sample_id *id);

/* What perf would have made up from the trace so far: records, and samples and errors
 * among them. */
uint64_t maker_records(const struct maker *m);
uint64_t maker_samples(const struct maker *m);
uint32_t maker_errors(const struct maker *m);
/* Of those the ones with a code of perf's. */
uint32_t maker_errors_of(const struct maker *m, uint32_t code);
/* Errors of the trace that were met, but not wanted. */
uint32_t maker_untold(const struct maker *m);

#endif
