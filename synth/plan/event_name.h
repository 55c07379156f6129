/* event_name.h - what perf calls an event that has no name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PLAN_EVENT_NAME_H
#define PTS_SYNTH_PLAN_EVENT_NAME_H

#include "synth/plan/event_attr.h"

#include <stddef.h>

enum { EVENT_NAME_MAX = 128 };

/* Writes it NUL-terminated, cut to fit. */
void event_name(const struct evl_attr *a, char *buf, size_t size);

#endif
