/* event_flags.h - perf's flags of a branch that the decoder tells.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf prints them as words (call, return, jcc, hw int ...), and filters branches and
 * keeps call stacks by them, so they are made once for each event, before its samples.
 */
#ifndef PTS_SYNTH_SAMPLE_EVENT_FLAGS_H
#define PTS_SYNTH_SAMPLE_EVENT_FLAGS_H

#include "walker/flow/event.h"

/* PTS_FLAG_*.  interrupts: with those of the interrupt flag, which processors with event trace
 * tell. */
uint32_t event_flags(const struct pt_event *ev, bool interrupts);

#endif
