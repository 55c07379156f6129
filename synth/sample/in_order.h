/* in_order.h - whether samples come in the order of their times: --debug-mode.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SAMPLE_IN_ORDER_H
#define PTS_SYNTH_SAMPLE_IN_ORDER_H

#include "synth/plan/plan.h"

/* Zero-initialise. */
struct in_order {
    uint64_t last, bad;
};

/* Says when a sample is earlier than the one before. */
void in_order_look(struct in_order *o, const struct plan *p, uint64_t time);
/* Says how many were. */
void in_order_end(const struct in_order *o, const struct plan *p);

#endif
