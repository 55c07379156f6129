/* printed.h - what a filter prints, kept, so that it stands between the right lines.
 *
 * SPDX-License-Identifier: MIT
 *
 * A filter prints by the C library's stdout, as perf does, and counts on both being one
 * stream: what it prints for a sample stands in front of that sample's line.  Lines here
 * are made later, and written without stdio.  So while a filter runs, stdout is a stream
 * into memory.
 *
 * That is a variable of the process: no other thread may print while this one is within
 * a filter.
 */
#ifndef PTS_SYNTH_DLFILTER_PRINTED_H
#define PTS_SYNTH_DLFILTER_PRINTED_H

#include <ptscript/status.h>
#include <stddef.h>
#include <stdio.h>

/* Zero-initialise. */
struct printed {
    FILE *into;
    FILE *real; /* stdout, while a filter runs */
    char *text;
    size_t len; /* of the text, after printed_end */
};

pts_status printed_open(struct printed *p);
void printed_close(struct printed *p);

/* Around a call of a filter.  printed_end: p->text has what it printed, until the next
 * printed_begin. */
void printed_begin(struct printed *p);
pts_status printed_end(struct printed *p);

#endif
