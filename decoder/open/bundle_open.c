/* bundle_open.c - a bundle is unpacked: a recording and the files that it needs.
 *
 * SPDX-License-Identifier: MIT
 *
 * Whoever sends a bundle chooses the names in it.  They are taken apart here: a name that
 * is absolute, has . or .. in it, or begins otherwise than those of a bundle ends it.
 * Members are files and folders, never links, and are made in a folder that was empty, so
 * nothing that is there can lead out of it; a name comes once.
 *
 * Memory does not depend on the bundle.  Disk does: as much as UNPACKED_MAX says.
 */
#include "decoder/open/bundle_open.h"

#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "decoder/file/input.h"
#include "decoder/open/perf_zstd.h"
#include "decoder/base/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 17, MEMBERS_MAX = 1 << 17, TIMES = 256 };
static const uint64_t small = UINT64_C(64) << 20; /* that much may always be unpacked */

struct unpack {
    const char *path;
    struct bundle *to;
    struct pts_diag *why;
    struct perf_zstd *zstd;
    struct pts_bytes in;
    uint64_t made, most; /* bytes unpacked, and as many as there may be */
    uint8_t *piece;
    size_t at, len; /* of the piece that is not used yet */
    bool marked;
};

/* --- Bytes ------------------------------------------------------------------------- */

static pts_status bad(struct unpack *u, const char *what)
{
    return diag_set(u->why, PTS_E_FORMAT, UINT64_MAX, "%s: %s", u->path, what);
}

static pts_status fill(struct unpack *u)
{
    u->at = 0;
    pts_status st = perf_zstd_next(u->zstd, &u->in, u->piece, PIECE, &u->len);
    if (st == PTS_E_FORMAT)
        return bad(u, "it is damaged: it cannot be unpacked");
    u->made += u->len;
    if (u->made > u->most)
        return diag_set(u->why, PTS_E_RANGE, UINT64_MAX,
                        "%s: it unpacks to more than 64 MiB and %d times its size",
                        u->path, TIMES);
    return st < 0 || u->len ? st : bad(u, "it ends too early");
}

/* The next bytes, at most n. */
static pts_status take(struct unpack *u, uint64_t n, struct pts_bytes *out)
{
    pts_status st = u->at < u->len ? PTS_OK : fill(u);

    if (st < 0)
        return st;
    size_t left = u->len - u->at;
    *out = (struct pts_bytes){u->piece + u->at, n < left ? (size_t)n : left};
    u->at += out->len;
    return PTS_OK;
}

static pts_status take_into(struct unpack *u, uint8_t *to, size_t n)
{
    struct pts_bytes part;
    pts_status st = PTS_OK;

    for (; n && (st = take(u, n, &part)) == PTS_OK; n -= part.len, to += part.len)
        memcpy(to, part.ptr, part.len);
    return st;
}

static pts_status skip(struct unpack *u, uint64_t n)
{
    struct pts_bytes part;
    pts_status st = PTS_OK;

    for (; n && (st = take(u, n, &part)) == PTS_OK; n -= part.len)
        ;
    return st;
}

/* --- Files ------------------------------------------------------------------------- */

/* Whether the first n bytes are a part of a name, and others below it. */
static bool is_folder(const char *part, size_t n, const char *name)
{
    return n == strlen(name) && memcmp(part, name, n) == 0 && part[n] == '/';
}

static bool name_is_sound(const char *name)
{
    bool first = true;

    for (const char *part = name; *part; first = false) {
        size_t n = strcspn(part, "/");
        if (!n || (n == 1 && part[0] == '.') || (n == 2 && memcmp(part, "..", 2) == 0))
            return false;
        if (first && !(n == 9 && memcmp(part, "perf.data", 9) == 0) &&
            !is_folder(part, n, "symfs") && !is_folder(part, n, "kernel"))
            return false;
        part += n;
        if (*part && !*++part)
            return false; /* of a folder */
    }
    return !first;
}

static pts_status cannot(struct unpack *u, const char *path)
{
    char text[100];

    return diag_set(u->why, PTS_E_IO, UINT64_MAX, "%s: cannot unpack to %s: %s",
                    u->path, path, strerror_r(errno, text, sizeof(text)));
}

static pts_status remember(struct unpack *u, const char *path)
{
    const char *copy = arena_strndup(&u->to->arena, path, strlen(path));
    const char **slot = copy ? VEC_PUSH(&u->to->made) : NULL;

    if (slot)
        *slot = copy;
    return slot ? PTS_OK : PTS_E_NOMEM;
}

/* The folders above a file, those that are not there. */
static pts_status make_folders(struct unpack *u, char *path, size_t from)
{
    pts_status st = PTS_OK;

    for (char *slash = strchr(path + from, '/'); slash && st == PTS_OK;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) == 0)
            st = remember(u, path);
        else if (errno != EEXIST)
            st = cannot(u, path);
        *slash = '/';
    }
    return st;
}

static pts_status write_all(struct unpack *u, int fd, const char *path, uint64_t size)
{
    struct pts_bytes part;
    pts_status st = PTS_OK;

    for (; size && (st = take(u, size, &part)) == PTS_OK; size -= part.len)
        for (size_t done = 0; done < part.len;) {
            ssize_t n = write(fd, part.ptr + done, part.len - done);
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return cannot(u, path);
            done += (size_t)n;
        }
    return st;
}

static int create(const char *path)
{
    int fd;

    do
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* The time is that of the original, which perf shows as that of the recording. */
static pts_status make_file(struct unpack *u, const struct tar_member *m)
{
    char path[PATH_MAX];
    size_t dir = strlen(u->to->dir) + 1;
    int n = snprintf(path, sizeof(path), "%s/%s", u->to->dir, m->name);

    if (!name_is_sound(m->name) || n < 0 || n >= PATH_MAX)
        return bad(u, "it is no bundle: a name in it is not one of a bundle's");
    pts_status st = make_folders(u, path, dir);
    if (st < 0)
        return st;
    int fd = create(path);
    if (fd < 0)
        return errno == EEXIST ? bad(u, "a name is in it twice") : cannot(u, path);
    st = remember(u, path);
    if (st == PTS_OK)
        st = write_all(u, fd, path, m->size);
    const struct timespec when[2] = {{.tv_sec = m->mtime}, {.tv_sec = m->mtime}};
    if (st == PTS_OK && futimens(fd, when) != 0)
        st = cannot(u, path);
    if (close(fd) != 0 && st == PTS_OK)
        st = cannot(u, path);
    return st;
}

/* --- Members ----------------------------------------------------------------------- */

/* A pax member and the head of the one that it is about. */
static pts_status read_pax(struct unpack *u, struct tar_member *m)
{
    uint8_t text[TAR_NAME + TAR_BLOCK], block[TAR_BLOCK];
    uint64_t size = m->size;

    if (size > sizeof(text))
        return bad(u, "it is no bundle");
    pts_status st = take_into(u, text, (size_t)size);
    if (st == PTS_OK)
        st = skip(u, tar_padding(size));
    if (st == PTS_OK)
        st = take_into(u, block, sizeof(block));
    if (st == PTS_OK && (tar_read(block, m) != PTS_OK || m->type == TAR_PAX ||
                         !tar_read_pax((struct pts_bytes){text, (size_t)size}, m)))
        return bad(u, "it is no bundle");
    return st;
}

static pts_status read_mark(struct unpack *u, const struct tar_member *m)
{
    uint8_t text[sizeof(BUNDLE_VERSION) - 1];

    if (strcmp(m->name, BUNDLE_MARK) != 0 || m->type != TAR_FILE ||
        m->size != sizeof(text))
        return bad(u, "it is no bundle");
    pts_status st = take_into(u, text, sizeof(text));
    if (st == PTS_OK && memcmp(text, BUNDLE_VERSION, sizeof(text)) != 0)
        return bad(u, "it is a bundle of an unknown version");
    u->marked = true;
    return st;
}

static pts_status read_member(struct unpack *u, struct tar_member *m)
{
    uint8_t block[TAR_BLOCK];
    pts_status st = take_into(u, block, sizeof(block));

    if (st < 0)
        return st;
    st = tar_read(block, m);
    if (st == PTS_E_FORMAT)
        return bad(u, "it is no bundle");
    if (st == PTS_OK && m->type == TAR_PAX)
        st = read_pax(u, m);
    if (st != PTS_OK)
        return st;
    if (!u->marked)
        st = read_mark(u, m);
    else if (m->type == TAR_FILE)
        st = make_file(u, m);
    else if (m->type != TAR_DIR || m->size)
        return bad(u, "it is no bundle: it has links or the like in it");
    return st == PTS_OK ? skip(u, tar_padding(m->size)) : st;
}

static pts_status read_members(struct unpack *u)
{
    struct tar_member *m = arena_alloc(&u->to->arena, sizeof(*m));
    pts_status st = m ? PTS_OK : PTS_E_NOMEM;

    for (uint32_t i = 0; st == PTS_OK && i <= MEMBERS_MAX; i++)
        st = i < MEMBERS_MAX ? read_member(u, m) : bad(u, "it has too many files");
    return st == PTS_END ? PTS_OK : st;
}

/* --- All --------------------------------------------------------------------------- */

/* Whether the first n bytes can be had. */
static bool read_first(int fd, const char *path, uint8_t *to, size_t n)
{
    size_t done = 0;

    while (done < n) {
        ssize_t k = pread(fd, to + done, n - done, (off_t)done);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            refused_file(path, errno);
        if (k <= 0)
            return false;
        done += (size_t)k;
    }
    return true;
}

bool bundle_is(const char *path)
{
    static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
    uint8_t first[4];
    struct stat st;
    /* Looked at before it is opened: a FIFO's writer must not see anybody come and go. */
    int fd = sys_is_regular(path) ? sys_open_regular(path, &st) : -1;

    if (fd < 0)
        return false;
    bool is = read_first(fd, path, first, sizeof(first)) &&
              memcmp(first, magic, sizeof(magic)) == 0;
    close(fd);
    return is;
}

static pts_status make_dir(struct unpack *u, const char *temp_dir)
{
    char path[PATH_MAX];
    struct bundle *b = u->to;
    int n = snprintf(path, sizeof(path), "%s/ptscript-XXXXXX", temp_dir);

    if (n < 0 || (size_t)n + 16 > sizeof(path) || !mkdtemp(path))
        return cannot(u, temp_dir);
    b->dir = arena_strndup(&b->arena, path, (size_t)n);
    if (!b->dir) {
        rmdir(path);
        return PTS_E_NOMEM;
    }
    snprintf(path + n, sizeof(path) - (size_t)n, "/perf.data");
    b->recording = arena_strndup(&b->arena, path, strlen(path));
    snprintf(path + n, sizeof(path) - (size_t)n, "/symfs");
    b->symfs = arena_strndup(&b->arena, path, strlen(path));
    return b->recording && b->symfs ? PTS_OK : PTS_E_NOMEM;
}

/* A file of it, NULL in *out: it has none. */
static pts_status find_file(struct bundle *b, const char *name, const char **out)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/%s", b->dir, name);

    if (n < 0 || n >= PATH_MAX || !sys_is_regular(path))
        return PTS_OK;
    *out = arena_strndup(&b->arena, path, (size_t)n);
    return *out ? PTS_OK : PTS_E_NOMEM;
}

pts_status bundle_unpack(const char *path, const char *temp_dir, struct bundle *out,
                         struct pts_diag *why)
{
    static const struct input_how how;
    struct input in;
    struct unpack u = {.path = path, .to = out, .why = why};
    pts_status st = input_open(path, &how, &in, why);

    if (st != PTS_OK)
        return st;
    u.in = (struct pts_bytes){in.ptr, in.len};
    u.most = small + (uint64_t)in.len * TIMES;
    u.piece = arena_alloc(&out->arena, PIECE);
    st = u.piece ? perf_zstd_new(&u.zstd) : PTS_E_NOMEM;
    if (st == PTS_OK)
        st = make_dir(&u, temp_dir);
    if (st == PTS_OK)
        st = read_members(&u);
    if (st == PTS_OK)
        st = find_file(out, "kernel/kallsyms", &out->kallsyms);
    if (st == PTS_OK)
        st = find_file(out, "kernel/vmlinux", &out->vmlinux);
    perf_zstd_free(u.zstd);
    input_close(&in);
    return st;
}

/* What was made last goes first: files, then their folders. */
void bundle_remove(const struct bundle *b)
{
    for (size_t i = b->made.len; i-- > 0;)
        if (unlink(b->made.at[i]) != 0)
            rmdir(b->made.at[i]);
    if (b->dir)
        rmdir(b->dir);
}

void bundle_free(struct bundle *b)
{
    VEC_FREE(&b->made);
    arena_free(&b->arena);
    *b = (struct bundle){0};
}
