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

/* Those of an instruction's class (enum insn_class), alone. */
enum { EVENT_CLASSES = 16 };
extern const uint32_t event_class_flags[EVENT_CLASSES];
uint32_t event_flags_of_any(const struct pt_event *ev, bool interrupts);

/* PTS_FLAG_*.  interrupts: with those of the interrupt flag, which processors with event trace
 * tell.  Nearly all branches have those of their class. */
static inline uint32_t event_flags(const struct pt_event *ev, bool interrupts)
{
    bool plain = !interrupts && ev->from && ev->cls < EVENT_CLASSES &&
                 !(ev->flags & (EVF_TX_ABORT | EVF_ASYNC | EVF_IN_TX)) &&
                 !(ev->what & (EV_TRACE_BEGIN | EV_TRACE_END));

    return plain ? event_class_flags[ev->cls] : event_flags_of_any(ev, interrupts);
}

#endif
