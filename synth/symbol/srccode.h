/* srccode.h - the source text of a line.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line of source text is printed when a thread comes to it, not for each instruction
 * of it; so it is remembered for every thread which one was the last.
 */
#ifndef PTS_SYNTH_SYMBOL_SRCCODE_H
#define PTS_SYNTH_SYMBOL_SRCCODE_H

#include "synth/symbol/srcline.h"

#include <ptscript/bytes.h>

/* The source files read so far.  Not for several threads at once. */
struct srccode;

pts_status srccode_new(struct srccode **out);
void srccode_free(struct srccode *c); /* NULL is fine */

/* What was printed last for a thread; zero-initialise. */
struct srccode_last {
    const char *file;
    size_t len;
    uint32_t line;
};

/* The text of a line, lent for the life of c; len 0: there is no such file or line. */
pts_status srccode_line(struct srccode *c, const struct srcline_at *at,
                        struct pts_bytes *out);
/* What -F srccode prints for a place, without the line feed: "|LINE     text".  *text
 * is lent until the next call.  PTS_END: nothing, for there is no such file or line, or
 * it is the one printed last. */
pts_status srccode_text(struct srccode *c, const struct srcline_at *at,
                        struct srccode_last *last, const char **text, size_t *n);

#endif
