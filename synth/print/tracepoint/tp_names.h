/* tp_names.h - what a tracepoint's sample only points to: strings and functions of the
 * kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_PRINT_TRACEPOINT_TP_NAMES_H
#define PTS_SYNTH_PRINT_TRACEPOINT_TP_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* What an event points to in the kernel: a string of its, by address. */
struct tp_string {
    uint64_t addr;
    const char *text;
};

/* A function of the kernel and where it begins; NULL: there is none. */
struct tp_function {
    const char *name;
    uint64_t start;
};

struct tp_names {
    void *ctx;
    struct tp_function (*function)(void *ctx, uint64_t addr);
    const struct tp_string *string; /* sorted by address */
    size_t strings;
    bool raw; /* fields one by one, whatever the format says */
};

#endif
