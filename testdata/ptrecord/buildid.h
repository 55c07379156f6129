/* buildid.h - build ids of mapped files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_BUILDID_H
#define PTRECORD_BUILDID_H

#include "testdata/ptrecord/maps.h"
#include "testdata/ptrecord/task.h"

#include <stdint.h>

/* The build id of what M maps, from memory if it is the vdso.  Its size; 0: none. */
uint8_t buildid_of_map(const struct task *t, const struct map *m, uint8_t id[20]);

#endif
