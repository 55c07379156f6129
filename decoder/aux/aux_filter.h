/* aux_filter.h - the address filters of a recording, as its AUXTRACE_INFO tells them.
 *
 * SPDX-License-Identifier: MIT
 *
 *     filter START[/SIZE][@FILE]      start START[@FILE]
 *     tracestop START[/SIZE][@FILE]   stop START[@FILE]
 *
 * in any number, with spaces and commas between them.
 */
#ifndef PTS_DECODER_AUX_AUX_FILTER_H
#define PTS_DECODER_AUX_AUX_FILTER_H

#include <ptscript/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aux_filter {
    bool stop;            /* tracing stops there, else it is confined to it */
    uint64_t start, size; /* as the kernel was given them; 0 for a symbol */
    const char *file;     /* in the text; NULL: the kernel */
    size_t file_len;
};

/* The filter at *p, which moves behind it.  PTS_END: there is no other; PTS_E_RANGE:
 * perf would not understand it. */
PTS_MUST_USE pts_status aux_filter_next(const char **p, struct aux_filter *out);

#endif
