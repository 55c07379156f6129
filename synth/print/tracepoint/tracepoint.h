/* tracepoint.h - what the samples of tracepoints say (field trace).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TRACEPOINT_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TRACEPOINT_H

#include "synth/print/text.h"
#include "synth/symbol/place.h"

#include <ptscript/bytes.h>

struct tracepoints;

/* formats: the bytes of TRACING_DATA, lent for the life of the result.  functions: the
 * names of the kernel's functions are shown. */
pts_status tracepoints_new(struct pts_bytes formats, bool functions,
                           struct tracepoints **out);
void tracepoints_free(struct tracepoints *tp); /* NULL is fine */
/* From now on fields one by one, in place of what their formats say. */
void tracepoints_raw(struct tracepoints *tp);

/* What the samples of an event are, for who wants their fields. */
struct tp_event;
struct tracepoint_format {
    struct tp_event *event;
    const char *system, *name;
};
/* PTS_END: there is none for this attr.config. */
pts_status tracepoint_format(struct tracepoints *tp, uint64_t config,
                             struct tracepoint_format *out);
/* The n-th of all that are described, by attr.config; PTS_END: there are no more. */
pts_status tracepoint_format_nth(struct tracepoints *tp, size_t n,
                                 struct tracepoint_format *out);

/* How many samples ended before a field of theirs. */
uint64_t tracepoints_cut(const struct tracepoints *tp);
/* How many there were whose format the recording does not have. */
uint64_t tracepoints_unknown(const struct tracepoints *tp);

struct tracepoint_sample {
    const struct who *who;
    uint64_t config; /* attr.config of its event */
    struct pts_bytes raw;
};

/* The text of a sample; nothing without a format.  tp may be NULL. */
void tracepoint_put(struct tracepoints *tp, const struct lookup *look,
                    const struct tracepoint_sample *s, struct text *t);

#endif
