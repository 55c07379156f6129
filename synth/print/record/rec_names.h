/* rec_names.h - what records only mention, by name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_RECORD_REC_NAMES_H
#define PTS_SYNTH_PRINT_RECORD_REC_NAMES_H

#include "synth/print/text.h"

#include <stdint.h>

/* All may be NULL. */
struct rec_names {
    void *ctx;
    const char *(*event)(void *ctx, uint32_t evsel);
    /* Appends the kernel symbol at addr as "NAME+0xoff", or nothing. */
    void (*symbol)(void *ctx, uint64_t addr, struct text *t);
    bool counts; /* READ records are something that is worked with */
};

#endif
