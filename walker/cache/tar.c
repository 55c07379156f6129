/* tar.c - a tar file, packed by bzip2, into an open file.
 *
 * SPDX-License-Identifier: MIT
 *
 *     | header | bytes, up to a whole block |   for each; two empty blocks end it all
 *       512 bytes: name mode uid gid size mtime sum type target magic
 *
 * A name or target of more than 100 bytes is the bytes of an entry of its own, "L" or "K",
 * in front of that which has it: GNU tar's way, which all others read.
 */
#include "walker/cache/tar.h"

#include "decoder/base/arena.h"
#include "walker/cache/folder.h"

#include <bzlib.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, SHORT_NAME = 100, LEVEL = 9 };

struct header {
    char name[SHORT_NAME], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
    char target[SHORT_NAME], magic[8], user[32], group[32], major[8], minor[8],
        rest[167];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

struct tar {
    bz_stream bz;
    int fd, err;
    char packed[1 << 16], plain[1 << 16];
};

/* --- bzip2 ------------------------------------------------------------------------ */

static void pack(struct tar *t, const void *bytes, size_t n, int action)
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

int tar_begin(int fd, struct tar **out)
{
    struct tar *t = mem_zalloc(1, sizeof(*t));
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

int tar_end(struct tar *t)
{
    static const char empty[2 * BLOCK];
    if (!t->err)
        pack(t, empty, sizeof(empty), BZ_RUN);
    if (!t->err)
        pack(t, NULL, 0, BZ_FINISH);
    int err = t->err;
    BZ2_bzCompressEnd(&t->bz);
    mem_free(t);
    return err;
}

/* --- tar -------------------------------------------------------------------------- */

static void octal(char *to, size_t size, uint64_t value)
{
    to[--size] = '\0';
    while (size > 0) {
        to[--size] = (char)('0' + (value & 7));
        value >>= 3;
    }
}

/* Of less than 8 GB, which is what twelve digits can say. */
static void header_put(struct tar *t, char type, const char *name, const char *target,
                       const struct stat *st, uint64_t size)
{
    struct header h = {.type = type, .magic = "ustar  "};
    const unsigned char *byte = (const unsigned char *)&h;
    unsigned sum = 0;
    memcpy(h.name, name, strnlen(name, SHORT_NAME));
    memcpy(h.target, target, strnlen(target, SHORT_NAME));
    octal(h.mode, sizeof(h.mode), st->st_mode & 0777);
    octal(h.uid, sizeof(h.uid), st->st_uid & 07777777);
    octal(h.gid, sizeof(h.gid), st->st_gid & 07777777);
    octal(h.size, sizeof(h.size), size);
    octal(h.mtime, sizeof(h.mtime), (uint64_t)(st->st_mtime > 0 ? st->st_mtime : 0));
    memset(h.sum, ' ', sizeof(h.sum));
    for (size_t i = 0; i < sizeof(h); i++)
        sum += byte[i];
    octal(h.sum, 7, sum);
    pack(t, &h, sizeof(h), BZ_RUN);
}

static void padding_put(struct tar *t, uint64_t size)
{
    static const char empty[BLOCK];
    if (size % BLOCK)
        pack(t, empty, BLOCK - size % BLOCK, BZ_RUN);
}

static void long_put(struct tar *t, char type, const char *text)
{
    static const struct stat none;
    size_t n = strlen(text);
    if (n <= SHORT_NAME)
        return;
    header_put(t, type, "././@LongLink", "", &none, n + 1);
    pack(t, text, n + 1, BZ_RUN);
    padding_put(t, n + 1);
}

static void bytes_put(struct tar *t, int from, uint64_t size)
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
    padding_put(t, size);
}

int tar_add(struct tar *t, const char *name, const struct stat *st, const char *target,
            int from)
{
    bool file = S_ISREG(st->st_mode), link = S_ISLNK(st->st_mode);
    uint64_t size = file ? (uint64_t)st->st_size : 0;
    if (size >> 33)
        return t->err = EFBIG;
    if (link)
        long_put(t, 'K', target);
    long_put(t, 'L', name);
    header_put(t, file ? '0' : link ? '2' : '5', name, link ? target : "", st, size);
    if (file)
        bytes_put(t, from, size);
    return t->err;
}
