/* kernel_running.h - the kernel of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CODE_KERNEL_RUNNING_H
#define PTS_WALKER_CODE_KERNEL_RUNNING_H

#include "walker/code/image_elf.h"

/* The build id in a file of notes such as /sys/kernel/notes; len 0: none. */
struct build_id kernel_notes_id(const char *path);
/* That of this kernel. */
static inline struct build_id kernel_running_id(void)
{
    return kernel_notes_id("/sys/kernel/notes");
}
/* Whether host is this machine's name and release that of its kernel. */
bool kernel_running_is(const char *host, const char *release);

#endif
