/* out_perf.h - samples as the lines of perf script.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line's columns come from the fields of its event's class.  Some widths
 * depend on what was printed before, as in perf, so one out_perf must see all lines of
 * a run in order.
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_PERF_H
#define PTS_SYNTH_PRINT_LINE_OUT_PERF_H

#include "synth/plan/evlist.h"
#include "synth/plan/fields.h"
#include "synth/print/line/out_indent.h"
#include "synth/print/line/out_opts.h"
#include "synth/print/text.h"
#include "synth/sample/series.h"
#include "synth/symbol/places.h"

#include <ptscript/status.h>

struct out_perf;

/* All of it is lent for the life of the result.  fields and evlist must not change
 * after the first line. */
pts_status out_perf_new(const struct fields *f, const struct evlist *l,
                        struct places *places, const struct out_opts *opts,
                        struct out_perf **out);
void out_perf_free(struct out_perf *o); /* NULL is fine */

/* The line of one sample. */
void out_perf_sample(struct out_perf *o, const struct sample *s, struct text *t);

/* Those of a series from number `from` on, as long as nothing has to be looked up for them: how
 * many that are. */
uint32_t out_perf_kept(struct out_perf *o, const struct series *of, uint32_t from,
                       struct text *t);

/* Several can make lines of one run at once, as long as a line needs to know no more of those
 * before it than this: */
struct out_settled {
    size_t name_width;   /* of the event column; 0: no line had one */
    uint64_t first_time; /* what --reltime counts from; 0: no line had one */
};
struct out_settled out_perf_settled(const struct out_perf *o);
void out_perf_settle(struct out_perf *o, const struct out_settled *s);
/* ... and than how wide the column callindent is: what is known of that in front of the next
 * line, may be looked at and set. */
struct out_indent *out_perf_indent(struct out_perf *o);
/* Whether there are lines with that column. */
bool out_perf_indents(const struct out_perf *o);
/* Whether there may be such lines at all: fields and options are such, */
bool out_perf_parts(const struct out_perf *o);
/* ... and whether this one is.  Places are then all that it asks for. */
bool out_perf_is_apart(const struct out_perf *o, const struct sample *s);

/* A line that is left out. */
void out_perf_leave(struct out_perf *o, const struct sample *s);

/* The columns in front of a side-band record: comm, tid, cpu, time.  record_type:
 * perf's number of it, s->event: the event its sample id belongs to. */
void out_perf_start(struct out_perf *o, const struct sample *s, uint32_t record_type,
                    struct text *t);

#endif
