/* spool.c - room for bytes that are in no file.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each block in a file has a file of its own, whose blocks on the disk are reserved
 * before it is mapped: a full disk is a failed call here, not a signal later.
 */
#include "decoder/file/spool.h"

#include "decoder/base/diag.h"
#include "decoder/base/huge.h"
#include "decoder/base/refused.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK_FIRST = 256 << 10, BLOCK_MAPPED = 64 << 20 };

/* For file systems that cannot make a file without a name. */
static int file_unnamed(const char *dir)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/ptscript-XXXXXX", dir);
    if (n < 0 || (size_t)n >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    /* The name is gone at once, so nothing is left behind, however the program ends. */
    if (fd >= 0)
        unlink(path);
    return fd;
}

int spool_file(const char *dir, struct pts_diag *why)
{
    int fd;

    do
        fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        fd = file_unnamed(dir);
    if (fd < 0) {
        char text[128];
        diag_set(why, PTS_E_IO, UINT64_MAX, "cannot make a temporary file in %s: %s",
                 dir, strerror_r(errno, text, sizeof(text)));
    }
    return fd;
}

/* It returns what others leave in errno. */
static int room_reserve(int fd, off_t n)
{
    int err;

    do
        err = posix_fallocate(fd, 0, n);
    while (err == EINTR);
    return err;
}

static bool block_map(const char *dir, struct spool_block *b)
{
    int fd = spool_file(dir, NULL);
    if (fd < 0) {
        refused_file(dir, errno);
        return false;
    }
    void *p = MAP_FAILED;
    int err = room_reserve(fd, (off_t)b->len);
    if (!err) {
        p = mmap(NULL, b->len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        err = p == MAP_FAILED ? errno : 0;
    }
    /* The mapping keeps the file. */
    close(fd);
    if (err) {
        refused_file(dir, err);
        return false;
    }
    b->ptr = p;
    b->mapped = true;
    return true;
}

/* There are many with little in them. */
static bool block_memory(const struct spool *s, struct spool_block *b)
{
    if (s->block.len && b->len <= HUGE_BYTES && (b->ptr = huge_new())) {
        b->len = HUGE_BYTES;
        b->mapped = true;
        return true;
    }
    b->ptr = mem_resize(NULL, b->len, 1);
    return b->ptr;
}

/* Memory first.  Blocks in files are large, as each costs a file and a mapping. */
static bool block_new(struct spool *s, size_t n)
{
    bool map = s->dir && s->held >= SPOOL_MEMORY;
    struct spool_block b = {.len = map ? BLOCK_MAPPED : BLOCK_FIRST};
    if (b.len < n)
        b.len = n;
    if (!VEC_ROOM(&s->block, 1) || !(map ? block_map(s->dir, &b) : block_memory(s, &b)))
        return false;
    s->block.at[s->block.len++] = b;
    /* What was left in the block before stays unused: bytes are not split. */
    s->used = 0;
    s->held += b.len;
    return true;
}

uint8_t *spool_room(struct spool *s, size_t n)
{
    if (!s->block.len || s->block.at[s->block.len - 1].len - s->used < n) {
        if (!block_new(s, n))
            return NULL;
    }
    return s->block.at[s->block.len - 1].ptr + s->used;
}

void spool_take(struct spool *s, size_t n)
{
    s->used += n;
}

void spool_free(struct spool *s)
{
    for (size_t i = 0; i < s->block.len; i++) {
        struct spool_block *b = &s->block.at[i];
        if (b->mapped)
            munmap(b->ptr, b->len);
        else
            mem_free(b->ptr);
    }
    VEC_FREE(&s->block);
    s->held = 0;
}
