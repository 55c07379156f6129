/* strict_libipt.h - the instructions that libipt finds in a trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * Its header and ours have structs of the same names, so it is behind this one.
 */
#ifndef PTS_TESTS_PROP_STRICT_LIBIPT_H
#define PTS_TESTS_PROP_STRICT_LIBIPT_H

#include <stddef.h>
#include <stdint.h>

struct libipt_in {
    uint8_t *trace;
    size_t trace_len;
    const uint8_t *code;
    uint64_t base, size; /* of the code */
    const char *cpuid;   /* or NULL */
};

/* Fills ip, up to the first fault: *fault is libipt's number of it, 0 at the end.  Returns
 * how many. */
uint32_t libipt_follow(struct libipt_in *in, uint64_t *ip, uint32_t max, int *fault);

#endif
