/* buildid.h - build ids of mapped files, and the names of their debug files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_BUILDID_H
#define PTRECORD_BUILDID_H

#include "testdata/ptrecord/maps.h"
#include "testdata/ptrecord/task.h"

#include <stdbool.h>
#include <stdint.h>

/* The build id of what M maps, from memory if it is the vdso.  Its size; 0: none. */
uint8_t buildid_of_map(const struct task *t, const struct map *m, uint8_t id[20]);

enum { DEBUGLINK_MAX = 256 };
/* The name of the file that has its symbols, without a folder; false: it says none. */
bool debuglink_of_map(const struct task *t, const struct map *m,
                      char name[DEBUGLINK_MAX]);

#endif
