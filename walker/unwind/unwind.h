/* unwind.h - the callers of a sample, from a copy of its stack.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf record --call-graph dwarf copies the top of the stack and the registers; what
 * called what follows from these and the .eh_frame of the files mapped.
 */
#ifndef PTS_WALKER_UNWIND_UNWIND_H
#define PTS_WALKER_UNWIND_UNWIND_H

#include <ptscript/record.h>
#include <ptscript/status.h>
#include <stdbool.h>

/* Something mapped; file is empty when it is none that can be read. */
struct unwind_map {
    uint64_t start, end, pgoff;
    uint64_t base; /* lowest start - pgoff of all maps of this file */
    struct pts_bytes file;
};

/* What is mapped at an address; false: nothing. */
struct unwind_memory {
    void *ctx;
    bool (*map)(void *ctx, uint64_t addr, struct unwind_map *out);
};

struct unwinder;

pts_status unwinder_new(struct unwinder **out);
void unwinder_free(struct unwinder *u); /* NULL is fine */

/* Addresses into ip, the sample's own first, then those that calls return to, less one
 * so that they are inside the call; *n of them, at most `most` (1 or more).  PTS_END:
 * perf gives up on the sample's whole chain.  regs: of a 64-bit x86 process. */
pts_status unwind_stack(struct unwinder *u, const struct unwind_memory *memory,
                        const struct pts_regs *regs, struct pts_bytes stack,
                        uint64_t *ip, size_t most, size_t *n);

#endif
