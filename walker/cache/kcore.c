/* kcore.c - the memory of a kernel into the build-id cache.
 *
 * SPDX-License-Identifier: MIT
 *
 *     ROOT/proc/kcore                 what was named; a copy of all three will do as well
 *     ROOT/proc/kallsyms, modules     read before, and again behind: a module that comes or
 *                                     goes meanwhile would be in one and not in the other
 *     ROOT/sys/kernel/notes           its build id
 *
 *     CACHE/[kernel.kcore]/ID/2026013123595999/{kcore,kallsyms,modules}
 *
 * A kernel lies elsewhere after each boot, and so do modules: one build has many.  The folder
 * is made under another name, which no reader looks at, and renamed when it is whole.
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "walker/cache/cache.h"
#include "walker/cache/folder.h"
#include "walker/cache/kcore_copy.h"
#include "walker/code/kernel_running.h"
#include "walker/code/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MODULES_MAX = 16 << 20, DATE = 17 };

/* What is beside a kcore. */
struct lists {
    struct kallsyms names;
    struct whole modules;
};

static void lists_free(struct lists *l)
{
    kallsyms_close(&l->names);
    VEC_FREE(&l->modules);
}

/* From two open files, which it closes. */
static pts_status lists_read(int names, int modules, struct lists *out)
{
    pts_status st = names < 0 || modules < 0
                        ? PTS_END
                        : kallsyms_read(names, "kallsyms", &out->names);
    if (st == PTS_OK && out->names.cut)
        st = PTS_E_RANGE;
    if (st == PTS_OK)
        st = whole_read(modules, "modules", MODULES_MAX, &out->modules);
    if (names >= 0)
        close(names);
    if (modules >= 0)
        close(modules);
    return st;
}

struct storing {
    struct pts_cache *c;
    char dir[PATH_MAX]; /* that kcore is in */
    struct build_id id;
    struct lists lists;
    int above; /* the open folder of the build id */
    char hex[BUILD_ID_TEXT];
    struct pts_diag *why;
};

static int open_beside(const struct storing *s, const char *leaf)
{
    char path[PATH_MAX + 16];
    struct stat st;
    snprintf(path, sizeof(path), "%s/%s", s->dir, leaf);
    return sys_open_regular(path, &st);
}

static pts_status source_read(const struct storing *s, struct lists *out)
{
    pts_status st =
        lists_read(open_beside(s, "kallsyms"), open_beside(s, "modules"), out);
    if (st == PTS_OK || st == PTS_E_NOMEM)
        return st;
    return diag_set(s->why, PTS_E_FORMAT, UINT64_MAX,
                    "%s must have kallsyms and modules in it that can be read, "
                    "with their addresses",
                    s->dir);
}

/* ROOT/sys/kernel/notes, for ROOT/proc/kcore. */
static pts_status source_find(struct storing *s, const char *path)
{
    char notes[PATH_MAX + 32];
    size_t n = strlen(path);
    if (n < 7 || n >= sizeof(s->dir) || strcmp(path + n - 6, "/kcore") != 0)
        return diag_set(s->why, PTS_E_FORMAT, UINT64_MAX,
                        "a file called kcore is wanted, with the folder it is in");
    memcpy(s->dir, path, n - 6);
    s->dir[n - 6] = '\0';
    const char *slash = strrchr(s->dir, '/');
    if (slash)
        snprintf(notes, sizeof(notes), "%.*s/sys/kernel/notes", (int)(slash - s->dir),
                 s->dir);
    else
        snprintf(notes, sizeof(notes), "sys/kernel/notes");
    s->id = kernel_notes_id(notes);
    if (!s->id.len)
        return diag_set(s->why, PTS_E_FORMAT, UINT64_MAX,
                        "%s does not tell the kernel's build id", notes);
    build_id_text(&s->id, s->hex);
    return source_read(s, &s->lists);
}

/* --- Whether the same is there ---------------------------------------------------- */

/* Whether the kernel lies at the same place. */
static bool same_place(const struct kallsyms *a, const struct kallsyms *b)
{
    static const char *const name[] = {"_text", "_stext"};
    uint64_t x, y;
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
        if (kallsyms_function(a, name[i], &x) && kallsyms_function(b, name[i], &y))
            return x == y;
    return false;
}

struct module_list {
    VEC(struct module_line) at;
};

static int by_place(const void *a, const void *b)
{
    const struct module_line *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return memcmp(x->name, y->name, x->len);
}

static bool modules_list(const struct whole *text, struct module_list *out)
{
    struct modules_iter it = modules_begin(text);
    struct module_line line;
    while (modules_next(&it, &line)) {
        struct module_line *slot = VEC_PUSH(&out->at);
        if (!slot)
            return false;
        *slot = line;
    }
    if (out->at.len)
        qsort(out->at.at, out->at.len, sizeof(*out->at.at), by_place);
    return true;
}

/* Whether the same modules lie at the same places. */
static bool same_modules(const struct whole *a, const struct whole *b)
{
    struct module_list x = {0}, y = {0};
    bool same = modules_list(a, &x) && modules_list(b, &y) && x.at.len == y.at.len;
    for (size_t i = 0; same && i < x.at.len; i++)
        same = by_place(&x.at.at[i], &y.at.at[i]) == 0;
    VEC_FREE(&x.at);
    VEC_FREE(&y.at);
    return same;
}

struct looking {
    const struct storing *s;
    char found[NAME_MAX + 1]; /* "": none */
};

static pts_status look_at(void *ctx, const char *name)
{
    struct looking *l = ctx;
    struct lists lists = {0};
    int dir = folder_open(l->s->above, name, false);
    if (dir < 0)
        return PTS_OK;
    if (lists_read(folder_file(dir, "kallsyms"), folder_file(dir, "modules"), &lists) ==
            PTS_OK &&
        same_place(&l->s->lists.names, &lists.names) &&
        same_modules(&l->s->lists.modules, &lists.modules))
        snprintf(l->found, sizeof(l->found), "%s", name);
    lists_free(&lists);
    close(dir);
    return l->found[0] ? PTS_END : PTS_OK;
}

/* --- Putting it in ---------------------------------------------------------------- */

static pts_status fail(const struct storing *s, int err)
{
    char text[128];
    return diag_set(s->why, PTS_E_IO, UINT64_MAX, "%s/[kernel.kcore]/%s: %s", s->c->dir,
                    s->hex, strerror_r(err, text, sizeof(text)));
}

static pts_status put_kcore(const struct storing *s, int to)
{
    int from = open_beside(s, "kcore");
    if (from < 0)
        return diag_set(s->why, PTS_E_IO, UINT64_MAX, "%s/kcore cannot be read",
                        s->dir);
    pts_status st = kcore_copy(from, to, &s->lists.names, &s->lists.modules, s->why);
    close(from);
    return st;
}

/* bytes: NULL: kcore itself. */
static pts_status put_file(const struct storing *s, int dir, const char *leaf,
                           const struct whole *bytes)
{
    struct folder_new n;
    int err = folder_new_begin(&n, dir, 0400);
    if (err)
        return fail(s, err);
    pts_status st = PTS_OK;
    if (!bytes)
        st = put_kcore(s, n.fd);
    else if ((err = folder_put(n.fd, bytes->at, bytes->len)) != 0)
        st = fail(s, err);
    if (st == PTS_OK && fchmod(n.fd, 0400) != 0)
        st = fail(s, errno);
    if (st < 0) {
        folder_new_drop(&n);
        return st;
    }
    err = folder_new_commit(&n, leaf);
    return err ? fail(s, err) : PTS_OK;
}

static bool same_bytes(const struct whole *a, const struct whole *b)
{
    return a->len == b->len && (!a->len || memcmp(a->at, b->at, a->len) == 0);
}

static pts_status still_same(const struct storing *s)
{
    struct lists now = {0};
    pts_status st = source_read(s, &now);
    if (st == PTS_OK && (!same_bytes(&now.names.text, &s->lists.names.text) ||
                         !same_bytes(&now.modules, &s->lists.modules)))
        st = diag_set(s->why, PTS_E_FORMAT, UINT64_MAX,
                      "modules came or went meanwhile: try again");
    lists_free(&now);
    return st;
}

static pts_status put_files(const struct storing *s, int dir)
{
    pts_status st = put_file(s, dir, "kallsyms", &s->lists.names.text);
    if (st == PTS_OK)
        st = put_file(s, dir, "modules", &s->lists.modules);
    if (st == PTS_OK)
        st = put_file(s, dir, "kcore", NULL);
    return st == PTS_OK ? still_same(s) : st;
}

/* YYYYMMDDhhmmss and hundredths of a second. */
static bool date_now(char date[DATE])
{
    struct timespec now;
    struct tm tm;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && localtime_r(&now.tv_sec, &tm) &&
           strftime(date, DATE, "%Y%m%d%H%M%S", &tm) == 14 &&
           snprintf(date + 14, DATE - 14, "%02u",
                    (unsigned)(now.tv_nsec / 10000000) % 100) == 2;
}

/* Under a date that no other has; who waits a second has one. */
static int name_it(const struct storing *s, const char *temp, char date[DATE])
{
    const struct timespec hundredth = {.tv_nsec = 10000000};
    int err = EEXIST;
    for (int i = 0; i < 100 && (err == EEXIST || err == ENOTEMPTY); i++) {
        if (i)
            (void)nanosleep(&hundredth, NULL);
        if (!date_now(date))
            return EINVAL;
        err = renameat(s->above, temp, s->above, date) == 0 ? 0 : errno;
    }
    if (!err && fsync(s->above) != 0 && errno != EINVAL)
        err = errno;
    return err;
}

static pts_status put_all(const struct storing *s, char date[DATE])
{
    char temp[FOLDER_UNFINISHED];
    folder_sweep(s->above);
    folder_unfinished(temp);
    int dir = folder_open(s->above, temp, true);
    if (dir < 0)
        return fail(s, errno);
    pts_status st = put_files(s, dir);
    close(dir);
    int err = st == PTS_OK ? name_it(s, temp, date) : 0;
    if (err)
        st = fail(s, err);
    if (st < 0)
        (void)folder_remove(s->above, temp);
    return st;
}

static pts_status store(struct storing *s, int again, char *at, size_t size)
{
    char path[PATH_MAX], date[DATE];
    struct looking looking = {.s = s};
    pts_status st = PTS_END;
    int top = cache_hold(s->c, true, s->why);
    if (top < 0)
        return PTS_E_IO;
    snprintf(path, sizeof(path), "[kernel.kcore]/%s", s->hex);
    s->above = folder_open(top, path, true);
    if (s->above < 0) {
        st = fail(s, errno);
        folder_prune(top, path);
        close(top);
        return st;
    }
    if (!again)
        (void)folder_names(s->above, false, look_at, &looking);
    if (!looking.found[0])
        st = put_all(s, date);
    close(s->above);
    if (st < 0)
        folder_prune(top, path);
    close(top);
    snprintf(at, size, "%s/%s/%s", s->c->dir, path,
             st == PTS_OK ? date : looking.found);
    return st;
}

pts_status pts_cache_add_kcore(pts_cache *c, const char *path, int again, char *at,
                               size_t size, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct storing s = {.c = c, .why = why};
    pts_status st = source_find(&s, path);
    if (st == PTS_OK)
        st = store(&s, again, at, size);
    lists_free(&s.lists);
    return refused_since(mark, st, why);
}
