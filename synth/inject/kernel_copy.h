/* kernel_copy.h - what a recording's folder has of the kernel, copied to another one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_INJECT_KERNEL_COPY_H
#define PTS_SYNTH_INJECT_KERNEL_COPY_H

#include <stdbool.h>
#include <stdint.h>

/* What such folders of a recording are called, or begin with. */
#define KERNEL_DIR "kcore_dir"

/* Whether there is any in the folder `from`. */
bool kernel_is_in(const char *from);
/* Copies them to the folder `to`: their files, and links as they are.  False and errno: it
 * cannot be done. */
bool kernel_copy(const char *from, const char *to);
/* The same of a guest's folder: of kcore_dir alone, which becomes kcore_dir__PID. */
bool kernel_copy_guest(const char *from, uint32_t pid, const char *to);

#endif
