/* archive.c - what a recording needs of the cache, as one file for another machine.
 *
 * SPDX-License-Identifier: MIT
 *
 * The link of each build id and the folder that it leads to, by the names that they have in
 * the cache, so that it can be unpacked over another one.  As perf archive makes it.
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/base/vec.h"
#include "walker/cache/cache.h"
#include "walker/cache/folder.h"
#include "walker/cache/tar_bz2.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct archive {
    struct tar_bz2 *tar;
    int top, dir;
    char name[PATH_MAX]; /* of the entry's folder */
    int err;
};

static pts_status add_file(void *ctx, const char *leaf)
{
    struct archive *a = ctx;
    char name[PATH_MAX + NAME_MAX + 2];
    struct stat st;
    int fd = folder_file(a->dir, leaf);
    if (fd < 0) /* what is in there besides files, is nobody's */
        return PTS_OK;
    snprintf(name, sizeof(name), "%s/%s", a->name, leaf);
    a->err = fstat(fd, &st) != 0 ? errno : tar_bz2_add(a->tar, name, &st, NULL, fd);
    close(fd);
    return a->err ? PTS_E_IO : PTS_OK;
}

static void add_folder(struct archive *a)
{
    char name[PATH_MAX + 2];
    struct stat st;
    snprintf(name, sizeof(name), "%s/", a->name);
    a->err = fstat(a->dir, &st) != 0 ? errno : tar_bz2_add(a->tar, name, &st, NULL, -1);
    if (!a->err && folder_names(a->dir, false, add_file, a) < 0 && !a->err)
        a->err = EIO;
}

static void add_link(struct archive *a, const char *hex, const char *target)
{
    char name[64];
    struct stat st = {.st_mode = S_IFLNK | 0777};
    snprintf(name, sizeof(name), ".build-id/%.2s/%s", hex, hex + 2);
    (void)fstatat(a->top, name, &st, AT_SYMLINK_NOFOLLOW);
    st.st_mode = S_IFLNK | 0777;
    a->err = tar_bz2_add(a->tar, name, &st, target, -1);
}

/* False: it is not in the cache. */
static bool add_entry(struct archive *a, const struct build_id *id)
{
    char hex[BUILD_ID_TEXT], name[PATH_MAX], target[PATH_MAX + 8];
    build_id_text(id, hex);
    if (!cache_name(a->top, id, name) ||
        snprintf(a->name, sizeof(a->name), "%s/%s", name, hex) >= (int)sizeof(a->name))
        return false;
    a->dir = folder_open(a->top, a->name, false);
    if (a->dir < 0)
        return false;
    snprintf(target, sizeof(target), "../../%s", a->name);
    add_link(a, hex, target);
    if (!a->err)
        add_folder(a);
    close(a->dir);
    return true;
}

/* Whether a dso in front has the same id. */
static bool was_added(const pts_dsos *list, size_t i)
{
    const struct pts_dso *dso = pts_dsos_at(list, i);
    for (size_t k = 0; k < i; k++)
        if (memcmp(&pts_dsos_at(list, k)->id, &dso->id, sizeof(dso->id)) == 0)
            return true;
    return false;
}

static void add_all(struct archive *a, const pts_dsos *list, pts_left_out_fn *left_out,
                    void *ctx)
{
    const struct pts_dso *dso;
    for (size_t i = 0; !a->err && (dso = pts_dsos_at(list, i)) != NULL; i++) {
        const struct build_id id = id_own(&dso->id);
        if (!id.len || was_added(list, i))
            continue;
        if (a->top < 0 || !add_entry(a, &id))
            left_out(ctx, dso);
    }
}

static int write_all(struct archive *a, int at, const char *name, const pts_dsos *list,
                     pts_left_out_fn *left_out, void *ctx)
{
    struct folder_new n;
    int err = folder_new_begin(&n, at, 0644);
    if (err)
        return err;
    a->err = tar_bz2_begin(n.fd, &a->tar);
    if (!a->err) {
        add_all(a, list, left_out, ctx);
        err = tar_bz2_end(a->tar);
    }
    err = a->err ? a->err : err;
    if (!err)
        return folder_new_commit(&n, name);
    folder_new_drop(&n);
    return err;
}

pts_status pts_cache_archive(pts_cache *c, const pts_dsos *list, const char *path,
                             pts_left_out_fn *left_out, void *ctx, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct archive a = {.top = folder_open_top(c->dir, false)};
    const char *name;
    char text[128];
    int at = folder_above(path, &name);
    int err = at < 0 ? errno : write_all(&a, at, name, list, left_out, ctx);
    if (at >= 0)
        close(at);
    if (a.top >= 0)
        close(a.top);
    if (err)
        return diag_set(why, err == ENOMEM ? PTS_E_NOMEM : PTS_E_IO, UINT64_MAX,
                        "%s: %s", path, strerror_r(err, text, sizeof(text)));
    return refused_since(mark, PTS_OK, why);
}
