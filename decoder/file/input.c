/* input.c - a whole file as one run of bytes.
 *
 * SPDX-License-Identifier: MIT
 *
 * A mapping of a regular file is private and read only, and made writable when that is
 * needed (copy on write: the file stays as it is).  A pipe has to be read to its end,
 * or as far as somebody wants it, before anything can be said of it; what does not fit
 * into memory then goes into a temporary file, which is mapped like any other.
 */
#include "decoder/file/input.h"

#include "decoder/base/arena.h"
#include "decoder/base/diag.h"
#include "decoder/base/sys.h"
#include "decoder/file/readin.h"
#include "decoder/file/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLURP_CHUNK = 1 << 20 };

static pts_status input_fail(const char *path, int err, struct pts_diag *why)
{
    char text[128];
    return diag_set(why, PTS_E_IO, UINT64_MAX, "failed to open %s: %s", path,
                    strerror_r(err, text, sizeof(text)));
}

/* Pages to be written of at least `room` bytes, the file right behind them. */
static void *map_behind(int fd, size_t len, size_t *room)
{
    /* A file can be mapped at whole pages only: the room in front is rounded up to
     * these. */
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t front = (*room + page - 1) / page * page;
    if (len > SIZE_MAX - front)
        return MAP_FAILED;
    uint8_t *all =
        /* Both at once, so that nothing else gets between; the file then takes the
         * second part. */
        mmap(NULL, front + len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return MAP_FAILED;
    void *p = mprotect(all, front, PROT_READ | PROT_WRITE) == 0
                  ? mmap(all + front, len, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0)
                  : MAP_FAILED;
    if (p == MAP_FAILED)
        munmap(all, front + len);
    else
        *room = front;
    return p;
}

static pts_status input_map(int fd, size_t len, size_t room, struct input *in)
{
    void *p = room ? map_behind(fd, len, &room)
                   : mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED)
        return PTS_E_IO;
    in->ptr = p;
    in->len = len;
    in->room = room;
    in->mapped = true;
    return PTS_OK;
}

/* --- What cannot be mapped --- */

/* Bytes read so far: in memory, or in a file once there are too many. */
struct slurp {
    int fd;
    const char *path;
    const struct input_how *how;
    uint8_t *at; /* how->room bytes are left free at its beginning */
    size_t len, cap;
    int file; /* -1: still in memory */
    struct pts_diag *why;
};

static pts_status slurp_grow(struct slurp *s)
{
    size_t want = s->cap ? s->cap * 2 : (size_t)SLURP_CHUNK * 2;
    uint8_t *more = want > s->cap && want < SIZE_MAX - s->how->room
                        ? mem_resize(s->at, s->how->room + want, 1)
                        : NULL;
    if (!more)
        return diag_set(s->why, PTS_E_NOMEM, s->len, "%s does not fit into memory",
                        s->path);
    if (!s->at)
        memset(more, 0, s->how->room);
    s->at = more;
    s->cap = want;
    return PTS_OK;
}

static pts_status slurp_write(struct slurp *s, size_t n)
{
    const uint8_t *p = s->at + s->how->room;
    while (n) {
        ssize_t done = write(s->file, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            char text[128];
            return diag_set(s->why, PTS_E_IO, s->len,
                            "no room for %s in a temporary file in %s: %s", s->path,
                            s->how->temp_dir, strerror_r(errno, text, sizeof(text)));
        }
        p += done;
        n -= (size_t)done;
    }
    return PTS_OK;
}

/* From now on the memory is only a buffer. */
static pts_status slurp_to_file(struct slurp *s)
{
    s->file = spool_file(s->how->temp_dir, s->why);
    return s->file < 0 ? PTS_E_IO : slurp_write(s, s->len);
}

/* What was read is there; *over: no more is wanted. */
static pts_status slurp_keep(struct slurp *s, const uint8_t *bytes, size_t n,
                             bool *over)
{
    const struct input_how *how = s->how;
    *over = how->wants && !how->wants(how->ctx, bytes, n);
    s->len += n;
    if (s->file >= 0)
        return slurp_write(s, n);
    return how->temp_dir && s->len > SPOOL_MEMORY ? slurp_to_file(s) : PTS_OK;
}

static pts_status slurp_some(struct slurp *s)
{
    /* In memory bytes are appended; with a file the buffer is filled anew each time. */
    size_t from = s->file < 0 ? s->len : 0;
    pts_status st = s->cap - from < SLURP_CHUNK ? slurp_grow(s) : PTS_OK;
    if (st != PTS_OK)
        return st;
    uint8_t *to = s->at + s->how->room + from;
    ssize_t n = read(s->fd, to, s->cap - from);
    bool over;
    if (n == 0)
        return PTS_END;
    if (n < 0)
        return errno == EINTR ? PTS_OK : input_fail(s->path, errno, s->why);
    st = slurp_keep(s, to, (size_t)n, &over);
    return st == PTS_OK && over ? PTS_END : st;
}

static pts_status input_slurp(int fd, const char *path, const struct input_how *how,
                              struct input *in, struct pts_diag *why)
{
    struct slurp s = {.fd = fd, .path = path, .how = how, .file = -1, .why = why};
    pts_status st = PTS_OK;
    while (st == PTS_OK)
        st = slurp_some(&s);
    if (st == PTS_END && s.file >= 0) {
        st = input_map(s.file, s.len, how->room, in);
        if (st != PTS_OK)
            diag_set(why, st, UINT64_MAX, "cannot map %s", path);
    } else if (st == PTS_END) {
        st = PTS_OK;
        in->ptr = s.at + how->room;
        in->len = s.len;
        in->room = how->room;
        in->owned = true;
        s.at = NULL; /* given away */
    }
    if (s.file >= 0)
        close(s.file);
    mem_free(s.at);
    return st;
}

/* --- Opening --- */

static bool path_mode(const char *path, mode_t mode)
{
    struct stat sb;
    return sys_stat(path, &sb) && (sb.st_mode & S_IFMT) == mode;
}

bool input_is_dir(const char *path)
{
    return path_mode(path, S_IFDIR);
}

bool input_is_file(const char *path)
{
    return path_mode(path, S_IFREG);
}

pts_status input_open(const char *path, const struct input_how *how, struct input *out,
                      struct pts_diag *why)
{
    struct input in = {.trusted = true};
    struct stat sb;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : sys_open(path, O_RDONLY);
    if (fd < 0)
        return input_fail(path, errno, why);
    pts_status st = PTS_OK;
    if (fstat(fd, &sb) != 0) {
        st = input_fail(path, errno, why);
        goto done;
    }
    if (S_ISREG(sb.st_mode)) {
        /* Who gives a file as standard input has chosen it. */
        in.trusted = is_stdin || sb.st_uid == 0 || sb.st_uid == geteuid();
    }
    in.mtime = sb.st_mtime;
    /* Standard input may be a file that was partly read: map only what starts at 0. */
    bool from_start = !is_stdin || lseek(fd, 0, SEEK_CUR) == 0;
    /* What cannot be mapped is read: pipes, but also files of no size, as in /proc. */
    if (!S_ISREG(sb.st_mode) || sb.st_size == 0 || !from_start ||
        input_map(fd, (size_t)sb.st_size, how->room, &in) != PTS_OK) {
        st = input_slurp(fd, path, how, &in, why);
    } else {
        in.dev = sb.st_dev;
        in.ino = sb.st_ino;
        in.readin = how->in_order ? readin_new(fd, in.ptr, in.len) : NULL;
    }
    if (st == PTS_OK)
        *out = in;
done:
    if (!is_stdin)
        close(fd);
    return st;
}

bool input_was_cut(const struct input *in, const char *path, uint64_t *len)
{
    struct stat sb;
    bool is_stdin = strcmp(path, "-") == 0;
    if (!in->ino || (is_stdin ? fstat(STDIN_FILENO, &sb) : stat(path, &sb)) != 0)
        return false;
    /* Another file of this name does no harm. */
    if (sb.st_dev != in->dev || sb.st_ino != in->ino || (size_t)sb.st_size >= in->len)
        return false;
    *len = (uint64_t)sb.st_size;
    return true;
}

bool input_own(struct input *in)
{
    void *p = (void *)(uintptr_t)in->ptr;
    in->written = true;
    readin_free(in->readin);
    in->readin = NULL;
    return !in->mapped || mprotect(p, in->len, PROT_READ | PROT_WRITE) == 0;
}

bool input_soon(const struct input *in, const uint8_t *at, size_t n)
{
    if (at < in->ptr || (size_t)(at - in->ptr) >= in->len)
        return false;
    if (in->readin)
        readin_soon(in->readin, at, n);
    return true;
}

void input_for_many(const struct input *in)
{
    if (in->readin)
        readin_for_many(in->readin);
}

bool input_copy(const struct input *in, const uint8_t *at, uint8_t *to, size_t n)
{
    return in->readin && readin_copy(in->readin, at, to, n);
}

void input_let_go(const struct input *in)
{
    if (in->readin)
        readin_let_go(in->readin);
    else if (in->mapped && !in->written)
        (void)madvise((void *)(uintptr_t)in->ptr, in->len, MADV_DONTNEED);
}

void input_close(struct input *in)
{
    readin_free(in->readin);
    uint8_t *all = in->ptr ? (uint8_t *)(uintptr_t)in->ptr - in->room : NULL;
    if (in->mapped)
        munmap(all, in->room + in->len);
    else if (in->owned)
        mem_free(all);
    *in = (struct input){0};
}
