/* queues_plain.h - queues that are asked for their errors alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_QUEUES_PLAIN_H
#define PTS_SYNTH_RUN_QUEUES_PLAIN_H

#include "synth/run/queues.h"

/* Notes from where on one need not be followed (walker/flow/plain_end.h), if that is so. */
pts_status queue_find_plain(struct queues *q, struct flow_queue *queue);

#endif
