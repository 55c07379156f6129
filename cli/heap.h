/* heap.h - memory from the system in few and large pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_HEAP_H
#define PTS_CLI_HEAP_H

/* For a run that needs several MB, before it does: of huge pages, and what is freed is kept.  It may take some
 * MB more then, since huge pages are not full.  Where the system bounds a process's memory, as with --mem,
 * nothing changes. */
void heap_widen(void);

/* Where it was not widened: what is freed is kept for what is asked for next.  For a run whose large tables are
 * there: those are touched where they are used only, unless they come from what is kept. */
void heap_keep(void);

#endif
