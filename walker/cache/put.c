/* put.c - an entry into the build-id cache: whole, or not at all.
 *
 * SPDX-License-Identifier: MIT
 *
 *     1  NAME/ID/            made, link by link of the chain never followed
 *     2  NAME/ID/LEAF        a copy under another name, its build id read from that copy,
 *                            synced, renamed
 *     3  .build-id/xx/rest   last, since from there on others find it
 *
 * A copy and no hard link, as perf makes: a program that is written over in place would
 * change in the cache, too.
 */
#include "walker/cache/cache.h"

#include "decoder/base/diag.h"
#include "walker/cache/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is to be made, and how far it is. */
struct putting {
    struct pts_cache *c;
    const char *name; /* without "/" in front */
    char hex[BUILD_ID_TEXT];
    const struct build_id *id;
    int top, dir;
    struct pts_diag *why;
};

static pts_status fail(const struct putting *p, int err)
{
    char text[128];
    return diag_set(p->why, PTS_E_IO, UINT64_MAX, "%s/%s/%s: %s", p->c->dir, p->name,
                    p->hex, strerror_r(err, text, sizeof(text)));
}

/* --- Files ------------------------------------------------------------------------ */

static bool is_right(const struct putting *p, int fd)
{
    const struct build_id found = cache_id_of(fd, p->name);
    return found.len && build_id_same(p->id, &found);
}

/* One that is there and right is left alone. */
static bool is_there(const struct putting *p, const struct cache_part *part)
{
    int fd = folder_file(p->dir, part->leaf);
    bool there = fd >= 0 && (!part->check || is_right(p, fd));
    if (fd >= 0)
        close(fd);
    return there;
}

static pts_status file_fill(const struct putting *p, const struct cache_part *part,
                            int to)
{
    char wanted[BUILD_ID_TEXT], found[BUILD_ID_TEXT];
    int err = part->fd < 0 ? folder_put(to, part->bytes.ptr, part->bytes.len)
                           : folder_copy(part->fd, to, UINT64_MAX);
    if (err)
        return fail(p, err);
    if (!part->check || is_right(p, to))
        return PTS_OK;
    const struct build_id other = cache_id_of(to, p->name);
    build_id_text(p->id, wanted);
    return diag_set(p->why, PTS_E_FORMAT, UINT64_MAX, "build id %s instead of %s",
                    other.len ? build_id_text(&other, found) : "missing", wanted);
}

static mode_t mode_of(const struct cache_part *part)
{
    struct stat st;
    return part->fd >= 0 && fstat(part->fd, &st) == 0 ? (st.st_mode & 0777) | 0400
                                                      : 0644;
}

static pts_status file_put(const struct putting *p, const struct cache_part *part)
{
    struct folder_new n;
    if (is_there(p, part))
        return PTS_OK;
    int err = folder_new_begin(&n, p->dir, mode_of(part));
    if (err)
        return fail(p, err);
    pts_status st = file_fill(p, part, n.fd);
    if (st < 0) {
        folder_new_drop(&n);
        return st;
    }
    err = folder_new_commit(&n, part->leaf);
    return err ? fail(p, err) : PTS_OK;
}

/* --- The link --------------------------------------------------------------------- */

/* What perf probe keeps of a file.  It looks for it there, and ptscript has none. */
static int probes_put(int dir)
{
    struct folder_new n;
    struct stat st;
    if (fstatat(dir, "probes", &st, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    int err = folder_new_begin(&n, dir, 0644);
    return err ? err : folder_new_commit(&n, "probes");
}

/* One that leads to another file of this id is kept, as in perf. */
static pts_status link_put(const struct putting *p, const char *leaf)
{
    char folder[32], target[PATH_MAX + BUILD_ID_TEXT + 8];
    int fd = cache_file(p->top, p->id, leaf);
    if (fd >= 0) {
        bool right = strcmp(leaf, "kallsyms") == 0 || is_right(p, fd);
        close(fd);
        if (right)
            return PTS_OK;
    }
    snprintf(folder, sizeof(folder), ".build-id/%.2s", p->hex);
    snprintf(target, sizeof(target), "../../%s/%s", p->name, p->hex);
    int dir = folder_open(p->top, folder, true);
    if (dir < 0)
        return fail(p, errno);
    folder_sweep(dir);
    int err = probes_put(p->dir);
    if (!err)
        err = folder_link(dir, p->hex + 2, target);
    close(dir);
    return err ? fail(p, err) : PTS_OK;
}

/* --- All -------------------------------------------------------------------------- */

/* NAME/ID; a plain file in its place is of an old cache. */
static int entry_open(const struct putting *p)
{
    struct stat st;
    int above = folder_open(p->top, p->name, true);
    if (above < 0)
        return -1;
    if (fstatat(above, p->hex, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
        (void)unlinkat(above, p->hex, 0);
    int fd = folder_open(above, p->hex, true), err = errno;
    close(above);
    errno = err;
    return fd;
}

static void entry_drop(const struct putting *p)
{
    char path[PATH_MAX + BUILD_ID_TEXT + 1];
    snprintf(path, sizeof(path), "%s/%s", p->name, p->hex);
    if (strlen(path) < PATH_MAX)
        folder_prune(p->top, path);
    snprintf(path, sizeof(path), ".build-id/%.2s", p->hex);
    folder_prune(p->top, path);
}

static pts_status put_all(struct putting *p, const struct cache_part *part,
                          size_t count)
{
    pts_status st = PTS_OK;
    p->dir = entry_open(p);
    if (p->dir < 0)
        return fail(p, errno);
    folder_sweep(p->dir);
    for (size_t i = 0; st == PTS_OK && i < count; i++)
        st = file_put(p, &part[i]);
    if (st == PTS_OK)
        st = link_put(p, part[0].leaf);
    close(p->dir);
    return st;
}

pts_status cache_put(struct pts_cache *c, const char *name, const struct build_id *id,
                     const struct cache_part *part, size_t count, struct pts_diag *why)
{
    struct putting p = {.c = c, .id = id, .why = why};
    p.name = name + strspn(name, "/");
    build_id_text(id, p.hex);
    if (id->len < 2 || !folder_can_walk(p.name) || strlen(p.name) > PATH_MAX - 64 ||
        (name[0] != '/' && (name[0] != '[' || strchr(name, '/'))) || p.name[0] == '.')
        return diag_set(why, PTS_E_RANGE, UINT64_MAX,
                        "no file of a build-id cache can be called so");
    p.top = cache_hold(c, true, why);
    if (p.top < 0)
        return PTS_E_IO;
    pts_status st = put_all(&p, part, count);
    if (st < 0)
        entry_drop(&p);
    close(p.top);
    return st;
}
