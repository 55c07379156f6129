/* utf8.h - names as text that a database takes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_EXPORT_UTF8_H
#define PTS_SYNTH_EXPORT_UTF8_H

#include "synth/print/text.h"

#include <stdbool.h>

/* Whether n bytes are UTF-8 (RFC 3629). */
bool utf8_is(const char *s, size_t n);
/* Appends them, with U+FFFD in place of each byte that is not. */
void utf8_put(struct text *t, const char *s, size_t n);
/* The same, of the first `most` characters. */
void utf8_put_some(struct text *t, const char *s, size_t n, size_t most);

#endif
