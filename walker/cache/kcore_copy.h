/* kcore_copy.h - the kernel's code out of an image of all memory.
 *
 * SPDX-License-Identifier: MIT
 *
 *     /proc/kcore   [all of memory..........] [kernel......] [modules........]
 *                                               |text|           |code|
 *     the copy      headers |text|code|
 *
 * What the lists of symbols and modules say that code is, as perf 6.1 has it: from _stext to
 * _etext, from the first module to the last symbol of one, and the trampolines into the kernel.
 */
#ifndef PTS_WALKER_CACHE_KCORE_COPY_H
#define PTS_WALKER_CACHE_KCORE_COPY_H

#include "walker/code/kallsyms.h"

/* From the kcore `from`, read by place as nothing else of it can be, to the empty file
 * `to`.  PTS_E_FORMAT: it is none, or the lists are of another; PTS_E_RANGE: that is more than
 * a kernel has. */
pts_status kcore_copy(int from, int to, const struct kallsyms *names,
                      const struct whole *modules, struct pts_diag *why);

#endif
