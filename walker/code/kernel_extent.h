/* kernel_extent.h - which symbols of kallsyms are whose.
 *
 * SPDX-License-Identifier: MIT
 *
 * Going through them by address, one with a module's name belongs to that module if the
 * recording has it, else to nobody.  One without belongs to the kernel; but behind symbols of
 * a known module it belongs to nobody, as in perf 6.1, which begins a map there that has no
 * end.
 */
#ifndef PTS_WALKER_CODE_KERNEL_EXTENT_H
#define PTS_WALKER_CODE_KERNEL_EXTENT_H

#include "walker/code/kallsyms.h"
#include "walker/code/kernel_files.h"

/* Whose a symbol is. */
#define KERNEL_OWN    UINT32_MAX       /* the kernel's */
#define KERNEL_NOBODY (UINT32_MAX - 1) /* nobody's */

/* The walk: begin with KERNEL_WALK_INIT. */
struct kernel_walk {
    uint32_t now; /* a module, KERNEL_OWN, or KERNEL_NOBODY within an endless map */
    bool any_own;
};
#define KERNEL_WALK_INIT                                                               \
    {                                                                                  \
        KERNEL_OWN, false                                                              \
    }

/* The owner of the next symbol by address: a module's number, or one of those above.  name is
 * the kernel's, with the module's behind a tab. */
uint32_t kernel_owner(struct kernel_walk *w, const struct kallsym *k,
                      const struct kernel_want *want);

/* Where the kernel's own symbols begin and the last of them ends.  False: there are none, or
 * there is no memory. */
bool kernel_extent(const struct kallsyms *names, const struct kernel_want *want,
                   uint64_t *start, uint64_t *end);

#endif
