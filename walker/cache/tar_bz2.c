/* tar_bz2.c - a tar file, packed by bzip2, into an open file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/cache/tar_bz2.h"

#include "decoder/base/arena.h"
#include "decoder/base/tar.h"
#include "walker/cache/folder.h"

#include <bzlib.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { LEVEL = 9 };

static const char zeros[2 * TAR_BLOCK];

struct tar_bz2 {
    bz_stream bz;
    int fd, err;
    char packed[1 << 16], plain[1 << 16];
};

/* --- bzip2 ------------------------------------------------------------------------ */

static void pack(struct tar_bz2 *t, const void *bytes, size_t n, int action)
{
    int rc = BZ_RUN_OK;
    /* It only reads. */
    t->bz.next_in = (char *)(uintptr_t)bytes;
    t->bz.avail_in = (unsigned)n;
    while (!t->err &&
           (t->bz.avail_in || (action == BZ_FINISH && rc != BZ_STREAM_END))) {
        t->bz.next_out = t->packed;
        t->bz.avail_out = sizeof(t->packed);
        rc = BZ2_bzCompress(&t->bz, action);
        if (rc < 0)
            t->err = EIO;
        else
            t->err = folder_put(t->fd, t->packed, sizeof(t->packed) - t->bz.avail_out);
    }
}

int tar_bz2_begin(int fd, struct tar_bz2 **out)
{
    struct tar_bz2 *t = mem_zalloc(1, sizeof(*t));
    if (!t)
        return ENOMEM;
    t->fd = fd;
    if (BZ2_bzCompressInit(&t->bz, LEVEL, 0, 0) != BZ_OK) {
        mem_free(t);
        return ENOMEM;
    }
    *out = t;
    return 0;
}

int tar_bz2_end(struct tar_bz2 *t)
{
    if (!t->err)
        pack(t, zeros, sizeof(zeros), BZ_RUN);
    if (!t->err)
        pack(t, NULL, 0, BZ_FINISH);
    int err = t->err;
    BZ2_bzCompressEnd(&t->bz);
    mem_free(t);
    return err;
}

/* --- tar -------------------------------------------------------------------------- */

static void bytes_put(struct tar_bz2 *t, int from, uint64_t size)
{
    for (uint64_t left = size; left > 0 && !t->err;) {
        size_t n = left < sizeof(t->plain) ? (size_t)left : sizeof(t->plain);
        ssize_t got = read(from, t->plain, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* it became shorter */
            t->err = got < 0 ? errno : EIO;
            return;
        }
        pack(t, t->plain, (size_t)got, BZ_RUN);
        left -= (uint64_t)got;
    }
    pack(t, zeros, tar_padding(size), BZ_RUN);
}

static int head_put(struct tar_bz2 *t, const struct tar_member *m)
{
    uint8_t head[TAR_HEAD_MAX];
    size_t n = tar_head(m, head);
    if (!n)
        return t->err = ENAMETOOLONG;
    pack(t, head, n, BZ_RUN);
    return t->err;
}

int tar_bz2_add(struct tar_bz2 *t, const char *name, const struct stat *st,
                const char *target, int from)
{
    bool file = S_ISREG(st->st_mode), link = S_ISLNK(st->st_mode);
    struct tar_member m = {.size = file ? (uint64_t)st->st_size : 0,
                           .mtime = st->st_mtime,
                           .type = file   ? TAR_FILE
                                   : link ? TAR_LINK
                                          : TAR_DIR,
                           .target = target,
                           .mode = st->st_mode & 0777,
                           .uid = st->st_uid & 07777777,
                           .gid = st->st_gid & 07777777};
    if (snprintf(m.name, sizeof(m.name), "%s", name) >= (int)sizeof(m.name))
        return t->err = ENAMETOOLONG;
    if (head_put(t, &m) == 0 && file)
        bytes_put(t, from, m.size);
    return t->err;
}
