/* whole.c - all bytes of a file, also of one that has no size.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/whole.h"

#include "decoder/base/refused.h"

#include <errno.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

pts_status whole_read(int fd, const char *path, size_t most, struct whole *out)
{
    while (out->len < most) {
        if (!VEC_ROOM(out, CHUNK))
            return PTS_E_NOMEM;
        ssize_t n = read(fd, out->at + out->len, CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            refused_file(path, errno);
        if (n <= 0)
            return n < 0 ? PTS_E_IO : PTS_OK;
        out->len += (size_t)n;
    }
    return PTS_OK;
}
