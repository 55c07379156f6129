/* told.h - build ids as the public interface has them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_WALKER_CACHE_TOLD_H
#define PTS_WALKER_CACHE_TOLD_H

#include "walker/code/image_elf.h"

#include <ptscript/buildid.h>
#include <string.h>

_Static_assert((int)PTS_IMAGE_ID_MAX == (int)BUILD_ID_MAX,
               "one is copied to the other");

static inline struct pts_image_id id_told(const struct build_id *id)
{
    struct pts_image_id out = {.len = id->len};
    memcpy(out.bytes, id->bytes, sizeof(out.bytes));
    return out;
}

static inline struct build_id id_own(const struct pts_image_id *id)
{
    return build_id_of(id->bytes, id->len);
}

#endif
