/* tracepoint.h - what the samples of tracepoints say (field trace).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_TRACEPOINT_H
#define PTS_SYNTH_TRACEPOINT_H

#include "synth/fmt.h"
#include "synth/place.h"

#include <ptscript/bytes.h>

struct tracepoints;

/* formats: the bytes of TRACING_DATA, lent for the life of the result.  functions: the
 * names of the kernel's functions are shown. */
pts_status tracepoints_new(struct pts_bytes formats, bool functions,
                           struct tracepoints **out);
void tracepoints_free(struct tracepoints *tp); /* NULL is fine */

/* The text of a sample of the event with this attr.config; nothing without a format.
 * tp may be NULL. */
void tracepoint_put(struct tracepoints *tp, const struct lookup *look,
                    const struct who *who, uint64_t config, struct pts_bytes raw,
                    struct text *t);

#endif
