/* live.h - what the machine says of itself: the vdso.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CACHE_LIVE_H
#define PTS_WALKER_CACHE_LIVE_H

#include "decoder/base/bytes.h"
#include "walker/code/image_elf.h"

enum { LIVE_PATH = 32 };

/* The vdso that the kernel gave this process, and its build id; none: no bytes. */
struct pts_bytes live_vdso(struct build_id *id);

/* The same as a file without a name; its path is for as long as the descriptor that is
 * returned is open.  -1: none. */
int live_vdso_file(char path[LIVE_PATH]);

#endif
