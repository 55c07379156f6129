/* tar.h - the members of a tar archive: their heads.
 *
 * SPDX-License-Identifier: MIT
 *
 * POSIX ustar, with a pax member in front of one whose name or target is too long for it; sizes
 * that do not fit into octal digits are binary, as all present tars have it.
 *
 *     [head][bytes, zeros up to 512]  [head][bytes...]  [512 zeros][512 zeros]
 */
#ifndef PTS_DECODER_BASE_TAR_H
#define PTS_DECODER_BASE_TAR_H

#include <ptscript/bytes.h>
#include <ptscript/status.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    TAR_BLOCK = 512,
    TAR_NAME = 4096,                            /* with the NUL */
    TAR_HEAD_MAX = 4 * TAR_BLOCK + 2 * TAR_NAME /* what tar_head may write */
};

struct tar_member {
    char name[TAR_NAME];
    uint64_t size;
    int64_t mtime; /* seconds since 1970 */
    enum tar_type { TAR_FILE, TAR_DIR, TAR_LINK, TAR_PAX, TAR_OTHER } type;
    /* Only written, not read. */
    const char *target; /* of a TAR_LINK */
    uint32_t mode, uid, gid;
};

/* The head of a file, folder or link, a multiple of TAR_BLOCK; 0: a name is too long. */
size_t tar_head(const struct tar_member *m, uint8_t out[TAR_HEAD_MAX]);

/* Zeros behind so many bytes. */
static inline size_t tar_padding(uint64_t size)
{
    return (size_t)(-size & (TAR_BLOCK - 1));
}

/* What a block says.  PTS_END: it is all zero; PTS_E_FORMAT: it is no head. */
pts_status tar_read(const uint8_t block[TAR_BLOCK], struct tar_member *out);
/* What a pax member says of the next one: its name, if any.  False: it is not sound. */
bool tar_read_pax(struct pts_bytes bytes, struct tar_member *next);

#endif
