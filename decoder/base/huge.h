/* huge.h - memory in huge pages.
 *
 * SPDX-License-Identifier: MIT
 *
 * The system gives 2 MB at a time instead of a page, if it can: on virtual machines to be given one
 * costs more than most of what is done with it.
 */
#ifndef PTS_DECODER_BASE_HUGE_H
#define PTS_DECODER_BASE_HUGE_H

#include <stddef.h>

enum { HUGE_BYTES = 2 << 20 };

/* HUGE_BYTES zeroed bytes, aligned to as many, or NULL: who asks has another way. */
void *huge_new(void);
void huge_free(void *p);

#endif
