/* index_file.c - FILE.ptidx: what was found out about the trace of FILE.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/index_file.h"

#include "decoder/base/diag.h"
#include "decoder/base/sys.h"
#include "decoder/base/whole.h"
#include "walker/cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Beside a recording in one file, as it was written there.  False: there can be none. */
static bool index_path(const struct pts_session *s, char path[PATH_MAX])
{
    const struct perf_file *f = s->file;

    if (!s->path || s->bundle.dir || f->dir || f->raw || f->foreign || !f->in.mapped)
        return false;
    int n = snprintf(path, PATH_MAX, "%s.ptidx", s->path);
    return n > 0 && n < PATH_MAX;
}

/* --- Reading ---------------------------------------------------------------------- */

static void tell_unused(const struct pts_session *s, const char *path,
                        const char *reason)
{
    char text[PATH_MAX + 200];

    snprintf(text, sizeof(text),
             "%s is not used: %s (ptscript time --index makes it anew)", path, reason);
    session_message(s, PTS_MSG_NOTE, text);
}

/* Of a piece its beginning is looked at, and the system maps what is near. */
static void looked_at(const struct pts_session *s, const struct aux_buf *b,
                      struct perf_passed *passed)
{
    enum { NEAR = 64 << 10 };

    perf_file_passed(s->file, passed, b->len < NEAR ? b->len : NEAR);
}

static bool has_all(const struct pts_session *s, const struct trace_index *x,
                    const struct aux_queues *queues)
{
    struct perf_passed passed = {0};

    for (size_t i = 0; i < queues->at.len; i++) {
        for (size_t k = 0; k < queues->at.at[i].buf.len; k++) {
            const struct aux_buf *b = &queues->at.at[i].buf.at[k];
            if (!index_find(x, b))
                return false;
            looked_at(s, b, &passed);
        }
    }
    return true;
}

/* PTS_END: it is not there, or not to be read. */
static pts_status read_file(const char *path, size_t most, struct whole *out)
{
    struct stat sb;
    int fd = sys_open_regular(path, &sb);

    if (fd < 0)
        return PTS_END;
    pts_status st = whole_read(fd, path, most, out);
    close(fd);
    return st;
}

/* PTS_E_FORMAT: *reason. */
static pts_status load(const struct pts_session *s, const char *path,
                       const struct aux_queues *queues, struct trace_index *out,
                       const char **reason)
{
    struct whole bytes = {0};
    struct trace_index x = {0};

    /* A window has 48 bytes, for 12 of trace at least; the rest is less. */
    pts_status st = read_file(path, s->file->in.len * 8 + 4096, &bytes);
    if (st != PTS_OK) {
        VEC_FREE(&bytes);
        return st;
    }
    st = index_read((const uint8_t *)bytes.at, bytes.len, s->file, &x, reason);
    VEC_FREE(&bytes);
    if (st == PTS_OK && !has_all(s, &x, queues)) {
        index_free(&x);
        st = PTS_E_FORMAT;
        *reason = "the trace is not what it was when it was made";
    }
    if (st == PTS_OK)
        *out = x;
    return st;
}

pts_status index_load(const struct pts_session *s, const struct aux_queues *queues,
                      struct trace_index *out)
{
    const char *reason = "it is damaged";
    char path[PATH_MAX];

    if (!index_path(s, path))
        return PTS_END;
    pts_status st = load(s, path, queues, out, &reason);
    if (st != PTS_E_FORMAT)
        return st;
    tell_unused(s, path, reason);
    return PTS_END;
}

pts_status index_load_silent(const struct pts_session *s,
                             const struct aux_queues *queues, struct trace_index *out)
{
    const char *reason;
    char path[PATH_MAX];

    if (!index_path(s, path))
        return PTS_END;
    pts_status st = load(s, path, queues, out, &reason);
    return st == PTS_E_FORMAT ? PTS_END : st;
}

bool index_lists(const struct trace_index *x, const struct aux_queue *from,
                 struct pt_buf *buf, struct arena *arena)
{
    struct pt_psbs *list = arena_alloc(arena, (from->buf.len + 1) * sizeof(*list));

    for (size_t i = 0; list && i < from->buf.len; i++) {
        const struct aux_buf *b = &from->buf.at[i];
        const struct index_piece *p = index_piece_at(x, b->off);
        /* Of one that was cut at its front places would be others. */
        if (!p || p->count == INDEX_UNLISTED || buf[i].ptr != b->ptr)
            continue;
        list[i] = (struct pt_psbs){x->psbs.psb.at + p->first, p->count};
        buf[i].psbs = &list[i];
    }
    return list;
}

/* --- Writing ---------------------------------------------------------------------- */

static pts_status cannot(const char *path, int err, struct pts_diag *why)
{
    char text[128];

    return diag_set(why, err == ENOMEM ? PTS_E_NOMEM : PTS_E_IO, UINT64_MAX, "%s: %s",
                    path, strerror_r(err, text, sizeof(text)));
}

/* Zero, or an errno: what is there under this name is no index of ours. */
static int may_replace(int at, const char *name)
{
    struct whole begin = {0};
    int fd = folder_file(at, name);

    if (fd < 0 && (errno == ELOOP || errno == EINVAL)) /* a link, a directory ... */
        return EEXIST;
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    pts_status st = whole_read(fd, name, INDEX_MAGIC, &begin);
    bool ours = index_is((const uint8_t *)begin.at, begin.len);
    close(fd);
    VEC_FREE(&begin);
    return st < 0 ? st == PTS_E_NOMEM ? ENOMEM : EIO : ours ? 0 : EEXIST;
}

static int write_whole(int at, const char *name, const struct index_bytes *bytes)
{
    struct folder_new n;
    int err = folder_new_begin(&n, at, 0600);

    if (err)
        return err;
    err = folder_put(n.fd, bytes->at, bytes->len);
    if (!err)
        return folder_new_commit(&n, name);
    folder_new_drop(&n);
    return err;
}

static pts_status write_to(const char *path, const struct index_bytes *bytes,
                           struct pts_diag *why)
{
    const char *name;
    int at = folder_above(path, &name);
    int err = at < 0 ? errno : may_replace(at, name);

    if (err == EEXIST) {
        close(at);
        return diag_set(why, PTS_E_IO, UINT64_MAX,
                        "%s: not an index of ptscript, so it is left alone", path);
    }
    if (!err)
        err = write_whole(at, name, bytes);
    if (at >= 0)
        close(at);
    return err ? cannot(path, err, why) : PTS_OK;
}

pts_status index_store(const struct pts_session *s, const struct trace_index *x,
                       struct pts_diag *why)
{
    struct index_bytes bytes = {0};
    char path[PATH_MAX];

    if (!index_path(s, path))
        return diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX,
                        "an index is only made of a recording in one file");
    pts_status st = index_write(x, s->file, &bytes);
    if (st == PTS_OK)
        st = write_to(path, &bytes, why);
    VEC_FREE(&bytes);
    return st;
}
