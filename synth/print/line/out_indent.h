/* out_indent.h - the width of the column callindent.
 *
 * SPDX-License-Identifier: MIT
 *
 * Columns behind it would dance with each call, so it has a width that changes only when it
 * must: a multiple of 32 with room for the line, and not much more.  So whoever does not know
 * the lines before knows it all the same after some: each leaves two widths at most, and the
 * next that fits only one of them decides.
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_INDENT_H
#define PTS_SYNTH_PRINT_LINE_OUT_INDENT_H

#include <stddef.h>

enum { INDENT_STEP = 32, INDENT_AIR = 4, INDENT_SLACK = 52 };

/* Zero-initialise: it may be any. */
struct out_indent {
    unsigned count; /* 0: any width; 1: it is known */
    size_t at[2];   /* in rising order */
};

static inline void out_indent_is(struct out_indent *i, size_t width)
{
    *i = (struct out_indent){1, {width}};
}

static inline size_t out_indent_behind(size_t width, size_t len)
{
    if (len > width || (len && len + INDENT_SLACK < width))
        return (len + INDENT_AIR + INDENT_STEP - 1) / INDENT_STEP * INDENT_STEP;
    return width;
}

/* A line is so long. */
static inline void out_indent_line(struct out_indent *i, size_t len)
{
    if (!i->count &&
        len) { /* those that it would leave as they are, and its own is one */
        for (size_t w = (len + INDENT_STEP - 1) / INDENT_STEP * INDENT_STEP;
             w <= len + INDENT_SLACK; w += INDENT_STEP)
            i->at[i->count++] = w;
        return;
    }
    for (unsigned k = 0; k < i->count; k++)
        i->at[k] = out_indent_behind(i->at[k], len);
    if (i->count == 2 && i->at[0] == i->at[1])
        i->count = 1;
}

#endif
