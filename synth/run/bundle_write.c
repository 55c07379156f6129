/* bundle_write.c - a bundle is written.
 *
 * SPDX-License-Identifier: MIT
 *
 * It gets its name when it is complete and on the disk: nobody ever sees half of one, and
 * nothing is overwritten unless that was asked for.
 */
#include "synth/run/bundle.h"

#include "decoder/base/diag.h"
#include "decoder/base/nameless.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "decoder/base/whole.h"
#include "decoder/open/bundle_open.h"
#include "decoder/open/perf_zstd.h"
#include "decoder/base/tar.h"
#include "synth/run/replace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 17, WHOLE_MOST = 256 << 20 };

struct writing {
    const char *path; /* what it will be called */
    struct nameless file;
    struct perf_zstd_pack *zstd;
    struct pts_diag *why;
    struct pts_bundle_done done;
    uint8_t in[PIECE], out[PIECE];
};

static pts_status cannot(struct writing *w, const char *path, const char *what)
{
    char text[100];

    return diag_set(w->why, PTS_E_IO, UINT64_MAX, "%s: %s%s", path, what,
                    strerror_r(errno, text, sizeof(text)));
}

static pts_status write_bytes(struct writing *w, const uint8_t *p, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t k = write(w->file.fd, p + done, n - done);
        if (k < 0 && errno != EINTR)
            return cannot(w, w->path, "cannot be written: ");
        done += k > 0 ? (size_t)k : 0;
    }
    return PTS_OK;
}

static pts_status pack(struct writing *w, const void *p, size_t n, bool last)
{
    struct pts_bytes in = {p, n};
    size_t made;

    do {
        pts_status st =
            perf_zstd_pack_next(w->zstd, &in, last, w->out, sizeof(w->out), &made);
        if (st == PTS_OK)
            st = write_bytes(w, w->out, made);
        if (st < 0)
            return st;
    } while (in.len || made == sizeof(w->out));
    return PTS_OK;
}

static pts_status pack_head(struct writing *w, const char *name, uint64_t size,
                            int64_t mtime)
{
    struct tar_member m = {.size = size, .mtime = mtime, .mode = 0600};
    uint8_t head[TAR_HEAD_MAX];

    snprintf(m.name, sizeof(m.name), "%s", name);
    size_t n = tar_head(&m, head);
    return n ? pack(w, head, n, false)
             : diag_set(w->why, PTS_E_RANGE, UINT64_MAX, "%.200s: too long a name",
                        name);
}

static pts_status pack_zeros(struct writing *w, size_t n, bool last)
{
    static const uint8_t zeros[2 * TAR_BLOCK];

    return pack(w, zeros, n, last);
}

/* As many bytes as its head says. */
static pts_status pack_bytes(struct writing *w, int fd, const char *path, uint64_t size)
{
    pts_status st = PTS_OK;

    while (size && st == PTS_OK) {
        ssize_t n = read(fd, w->in, size < PIECE ? (size_t)size : PIECE);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot(w, path, "");
        if (!n)
            return diag_set(w->why, PTS_E_TRUNCATED, UINT64_MAX,
                            "%s: it was cut while it was read", path);
        size -= (uint64_t)n;
        st = pack(w, w->in, (size_t)n, false);
    }
    return st;
}

/* One without a size, as those below /proc: then it is what there is to be read. */
static pts_status pack_whole(struct writing *w, int fd, const struct bundle_file *f,
                             int64_t mtime, uint64_t *size)
{
    struct whole text = {0};
    pts_status rc = whole_read(fd, f->from, WHOLE_MOST, &text);

    if (rc < 0)
        rc = cannot(w, f->from, "");
    else if (text.len >= WHOLE_MOST)
        rc = diag_set(w->why, PTS_E_RANGE, UINT64_MAX, "%s: it has no end", f->from);
    *size = text.len;
    if (rc == PTS_OK)
        rc = pack_head(w, f->to, text.len, mtime);
    if (rc == PTS_OK)
        rc = pack(w, text.at, text.len, false);
    VEC_FREE(&text);
    return rc;
}

static pts_status pack_file(struct writing *w, const struct bundle_file *f)
{
    struct stat st;
    int fd = sys_open_regular(f->from, &st);
    pts_status rc;

    if (fd < 0)
        return cannot(w, f->from, "");
    uint64_t size = (uint64_t)st.st_size;
    if (!size) {
        rc = pack_whole(w, fd, f, st.st_mtim.tv_sec, &size);
    } else {
        rc = pack_head(w, f->to, size, st.st_mtim.tv_sec);
        if (rc == PTS_OK)
            rc = pack_bytes(w, fd, f->from, size);
    }
    if (rc == PTS_OK)
        rc = pack_zeros(w, tar_padding(size), false);
    close(fd);
    w->done.files++;
    w->done.bytes += size;
    return rc;
}

static pts_status pack_all(struct writing *w, const struct bundle_files *f)
{
    const size_t n = strlen(BUNDLE_VERSION);
    pts_status st = pack_head(w, BUNDLE_MARK, n, 0);

    if (st == PTS_OK)
        st = pack(w, BUNDLE_VERSION, n, false);
    if (st == PTS_OK)
        st = pack_zeros(w, tar_padding(n), false);
    for (size_t i = 0; st == PTS_OK && i < f->file.len; i++)
        st = pack_file(w, &f->file.at[i]);
    return st == PTS_OK ? pack_zeros(w, (size_t)2 * TAR_BLOCK, true) : st;
}

static pts_status give_name(struct writing *w, int replace)
{
    if (fsync(w->file.fd) != 0)
        return cannot(w, w->path, "cannot be written: ");
    return nameless_give(&w->file, w->path, replace) ? PTS_OK : cannot(w, w->path, "");
}

static pts_status write_to(struct writing *w, const struct bundle_files *f, int replace)
{
    if (!nameless_open(&w->file, w->path))
        return cannot(w, w->path, "");
    pts_status st = perf_zstd_pack_new(&w->zstd);
    if (st == PTS_OK)
        st = pack_all(w, f);
    if (st == PTS_OK)
        st = give_name(w, replace);
    nameless_close(&w->file);
    perf_zstd_pack_free(w->zstd);
    return st;
}

static pts_status write_bundle(pts_session *s, const char *path, int replace,
                               struct pts_bundle_done *done, struct pts_diag *why)
{
    struct bundle_files files = {0};
    struct writing *w = mem_zalloc(1, sizeof(*w));
    pts_status st = w ? bundle_find(s, &files, why) : PTS_E_NOMEM;

    if (st == PTS_OK) {
        w->path = path;
        w->why = why;
        w->done.missing = files.missing;
        st = write_to(w, &files, replace);
    }
    if (st == PTS_OK && done) {
        w->done.size = done->size < sizeof(*done) ? done->size : sizeof(*done);
        memcpy(done, &w->done, w->done.size);
    }
    bundle_files_free(&files);
    mem_free(w);
    return st;
}

pts_status pts_bundle_write(pts_session *s, const char *path, int replace,
                            struct pts_bundle_done *done, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct stat st;

    if (!s->path || s->bundle.dir)
        return diag_set(
            why, PTS_E_UNSUPPORTED, UINT64_MAX,
            "only of a recording in a file or directory a bundle can be made");
    /* Before the work, so that it is not done for nothing. */
    if (!replace && lstat(path, &st) == 0) {
        errno = EEXIST;
        char text[100];
        return diag_set(why, PTS_E_IO, UINT64_MAX, "%s: %s", path,
                        strerror_r(errno, text, sizeof(text)));
    }
    if (replace && !replace_may(s, path, why))
        return PTS_E_IO;
    return refused_since(mark, write_bundle(s, path, replace, done, why), why);
}
