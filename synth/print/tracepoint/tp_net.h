/* tp_net.h - addresses and the like in a tracepoint's sample: %pM, %pI4, %pU, %*ph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_NET_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_NET_H

#include "synth/print/text.h"
#include "synth/print/tracepoint/tp_eval.h"

/* suffix: what stands behind %p; most: for h, of bytes. */
void tp_put_net(struct text *t, const struct tp_record *r, const char *suffix,
                int64_t most, const struct tp_node *arg);

#endif
