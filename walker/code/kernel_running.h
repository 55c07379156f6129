/* kernel_running.h - the kernel of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CODE_KERNEL_RUNNING_H
#define PTS_WALKER_CODE_KERNEL_RUNNING_H

#include "walker/code/image_elf.h"

/* Its build id; false: it does not tell. */
bool kernel_running_id(struct build_id *out);
/* Whether host is this machine's name and release that of its kernel. */
bool kernel_running_is(const char *host, const char *release);

#endif
