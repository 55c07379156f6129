/* live.h - what the machine says of itself: the vdso.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CACHE_LIVE_H
#define PTS_WALKER_CACHE_LIVE_H

#include "decoder/base/bytes.h"
#include "walker/code/image_elf.h"

/* The vdso that the kernel gave this process, and its build id; none: no bytes. */
struct pts_bytes live_vdso(struct build_id *id);

#endif
