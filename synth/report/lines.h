/* lines.h - source lines of what a report counts, kept.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_REPORT_LINES_H
#define PTS_SYNTH_REPORT_LINES_H

#include "synth/print/text.h"
#include "synth/rows/strings.h"
#include "synth/symbol/place.h"

/* Of a frame at an address of a file. */
struct line_known {
    const struct sb_dso *dso;
    uint64_t addr;
    const char *text;
};

/* Zero-initialise but for what is lent. */
struct lines {
    const struct lookup *look;
    struct strings *strings; /* where texts are kept */
    struct idmap by_hash;
    VEC(struct line_known) known;
    struct text named; /* is put together there */
};

void lines_free(struct lines *l);

/* FILE:LINE, or where there is no such what perf says in place of it, and the file; "": none. */
struct line_text {
    const char *line, *file;
};

/* Of a sample at a place.  Without debug data perf names the function, if it knows one. */
pts_status lines_sample(struct lines *l, const struct place_query *q,
                        const struct place *at, struct line_text *out);
/* Without debug data NULL. */
pts_status lines_known(struct lines *l, const struct place_query *q,
                       const struct place *at, const char **out);
/* The same of a caller or of where a branch goes, which perf looks for beside it. */
pts_status lines_beside(struct lines *l, const struct place_query *q,
                        const struct place *at, struct line_text *out);
/* The line of a frame: the function is in its name, so only the offset is left; or, not
 * with offsets, nothing: NULL. */
pts_status lines_frame(struct lines *l, const struct place_query *q,
                       const struct place *at, bool offsets, const char **out);

#endif
