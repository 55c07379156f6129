/* attr_text.h - an event's attributes as perf lists them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_HEADER_ATTR_TEXT_H
#define PTS_SYNTH_PRINT_HEADER_ATTR_TEXT_H

#include "synth/print/text.h"

#include <ptscript/attr.h>

/* Those that are not zero, as NAME `is` VALUE, separated by commas; `lead` comes before
 * the first. */
void attr_text(struct text *t, const struct pts_attr *a, const char *lead,
               const char *is);

#endif
