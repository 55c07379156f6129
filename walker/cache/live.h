/* live.h - what the machine says of itself: the kernel that runs, the vdso.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CACHE_LIVE_H
#define PTS_WALKER_CACHE_LIVE_H

#include "decoder/base/bytes.h"
#include "walker/code/image_elf.h"

/* The build id in a file of notes such as /sys/kernel/notes; len 0: none. */
struct build_id live_notes_id(const char *path);

/* That of the kernel that runs. */
struct build_id live_kernel_id(void);

/* The vdso that the kernel gave this process, and its build id; none: no bytes. */
struct pts_bytes live_vdso(struct build_id *id);

#endif
