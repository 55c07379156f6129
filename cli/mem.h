/* mem.h - --mem: how much memory a run may take.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_MEM_H
#define PTS_CLI_MEM_H

#include "problem.h"

#include <stdint.h>

/* "200M", "1.5G" is not one; bytes without a letter.  False: *p says what is wrong. */
bool mem_read(const char *text, uint64_t *bytes, struct problem *p);
/* From now on the system gives no more than that; 0: as much as there is. */
void mem_bound(uint64_t bytes);
/* The run failed for want of memory: whether that may be why. */
void mem_say(void);

#endif
