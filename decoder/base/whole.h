/* whole.h - all bytes of a file, also of one that has no size, as those below /proc.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_BASE_WHOLE_H
#define PTS_DECODER_BASE_WHOLE_H

#include "decoder/base/vec.h"

#include <ptscript/status.h>

/* A VEC of characters, for VEC_FREE. */
struct whole {
    char *at;
    size_t len, cap;
};

/* Reads on to its end, but no more than `most` bytes (and some).  What was read stays in
 * *out when it fails. */
pts_status whole_read(int fd, const char *path, size_t most, struct whole *out);

#endif
