/* perf_dir.c - recordings that are directories.
 *
 * SPDX-License-Identifier: MIT
 *
 * The data files are taken in the order in which the directory lists them, as perf
 * does: it decides between records of the same time.
 */
#include "decoder/open/perf_dir.h"

#include "decoder/base/diag.h"
#include "decoder/base/sys.h"
#include "decoder/file/perf_feat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *perf_dir_file(struct arena *arena, const char *dir, const char *name)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
    return n > 0 && (size_t)n < sizeof(path) ? arena_strndup(arena, path, (size_t)n)
                                             : NULL;
}

static pts_status dir_add(struct perf_file *f, const char *path, struct pts_diag *why)
{
    enum { FILES_KEPT_OPEN = 64 };
    const struct input_how how = {.in_order = f->source.len < FILES_KEPT_OPEN};
    struct input in;
    pts_status st = input_open(path, &how, &in, why);
    if (st != PTS_OK)
        return st;
    if (!in.len) {
        input_close(&in);
        return PTS_OK;
    }
    struct perf_source *src =
        !f->foreign || input_own(&in) ? VEC_PUSH(&f->source) : NULL;
    if (!src) {
        input_close(&in);
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    }
    *src = (struct perf_source){.path = path, .ptr = in.ptr, .end = in.len, .in = in};
    return PTS_OK;
}

static pts_status list_bad(const char *dir, struct pts_diag *why)
{
    char text[128];
    return diag_set(why, PTS_E_IO, UINT64_MAX, "cannot list %s: %s", dir,
                    strerror_r(errno, text, sizeof(text)));
}

/* NULL: errno is 0 at the end. */
static const struct dirent *dir_next(DIR *list)
{
    errno = 0;
    /* Nobody else has this list.  NOLINTNEXTLINE(concurrency-mt-unsafe) */
    return readdir(list);
}

static pts_status dir_list(struct perf_file *f, DIR *list, const char *dir,
                           struct pts_diag *why)
{
    static const char prefix[] = "data.";
    const struct dirent *e;
    pts_status st = PTS_OK;
    bool any = false;
    while (st == PTS_OK && (e = dir_next(list)) != NULL) {
        if (strncmp(e->d_name, prefix, sizeof(prefix) - 1) != 0)
            continue;
        const char *path = perf_dir_file(&f->arena, dir, e->d_name);
        if (!path)
            return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "%s: no room for its names",
                            dir);
        if (!input_is_file(path))
            continue;
        any = true;
        st = dir_add(f, path, why);
    }
    if (st == PTS_OK && errno)
        st = list_bad(dir, why);
    if (st == PTS_OK && !any)
        st = diag_set(why, PTS_E_FORMAT, UINT64_MAX, "%s: no data files in it", dir);
    return st;
}

pts_status perf_dir_open(struct perf_file *f, const char *dir, struct pts_diag *why)
{
    struct pts_feature_iter it = perf_feature_begin(f, PTS_FEAT_DIR_FORMAT);
    struct pts_feature_item item;
    if (pts_feature_next(&it, &item) != PTS_OK || item.u.number == 0)
        return PTS_OK;
    uint64_t version = item.u.number;
    if (version != 1)
        return diag_set(why, PTS_E_FORMAT, UINT64_MAX,
                        "%s: directories of version %" PRIu64 " are not supported", dir,
                        version);
    int fd = sys_open(dir, O_RDONLY | O_DIRECTORY);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (!list) {
        pts_status bad = list_bad(dir, why);
        if (fd >= 0)
            close(fd);
        return bad;
    }
    pts_status st = dir_list(f, list, dir, why);
    closedir(list);
    return st;
}
