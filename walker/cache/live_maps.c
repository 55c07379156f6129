/* live_maps.c - where the kernel that runs and its modules lie.
 *
 * SPDX-License-Identifier: MIT
 *
 * /proc/kallsyms, "ffffffff81000000 T _text", has the kernel; /proc/modules,
 * "vfat 24576 1 - Live 0xffffffffc0a00000", what was loaded; modules.dep of its release,
 * "kernel/fs/fat/vfat.ko: ...", the files of that.
 */
#include "decoder/base/diag.h"
#include "decoder/base/refused.h"
#include "decoder/base/sys.h"
#include "decoder/base/vec.h"
#include "walker/cache/told.h"
#include "walker/code/kernel_running.h"
#include "walker/code/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LINE = 1024 };

/* A line of a file after the other; what is longer is cut. */
struct line_reader {
    int fd;
    size_t at, len;
    char buf[1 << 14], line[LINE];
};

static int next_char(struct line_reader *r)
{
    if (r->at == r->len) {
        ssize_t n;
        do
            n = read(r->fd, r->buf, sizeof(r->buf));
        while (n < 0 && errno == EINTR);
        if (n <= 0)
            return -1;
        r->at = 0;
        r->len = (size_t)n;
    }
    return (unsigned char)r->buf[r->at++];
}

static bool next_line(struct line_reader *r)
{
    size_t n = 0;
    int c;
    while ((c = next_char(r)) >= 0 && c != '\n')
        if (n < LINE - 1)
            r->line[n++] = (char)c;
    r->line[n] = '\0';
    return c >= 0 || n > 0;
}

static bool line_open(struct line_reader *r, const char *path)
{
    r->at = r->len = 0;
    r->fd = sys_open(path, O_RDONLY);
    return r->fd >= 0;
}

/* --- The kernel ------------------------------------------------------------------- */

static bool kernel_span(struct line_reader *r, struct pts_kernel_map *out)
{
    uint64_t text = 0, stext = 0;
    out->end = 0;
    if (!line_open(r, "/proc/kallsyms"))
        return false;
    while (next_line(r) && !(out->end && text)) {
        char *name;
        uint64_t addr = strtoull(r->line, &name, 16);
        if (strlen(name) < 4 || name[2] != ' ')
            continue;
        name += 3;
        if (strcmp(name, "_text") == 0)
            text = addr;
        else if (strcmp(name, "_stext") == 0)
            stext = addr;
        else if (strcmp(name, "_etext") == 0)
            out->end = addr;
    }
    close(r->fd);
    out->start = text ? text : stext;
    return out->start && out->end;
}

/* --- Modules ---------------------------------------------------------------------- */

struct module {
    struct pts_kernel_map map;
    char name[64], path[256];
};

struct modules {
    VEC(struct module) at;
};

/* As modules are called in files and in the kernel: '-' is '_' there. */
static bool same_name(const char *name, const char *file)
{
    while (*name && (*name == *file || (*name == '_' && *file == '-'))) {
        name++;
        file++;
    }
    return !*name && strncmp(file, ".ko", 3) == 0;
}

static void find_files(struct line_reader *r, struct modules *all)
{
    struct utsname u;
    char path[PATH_MAX];
    if (uname(&u) != 0)
        return;
    snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", u.release);
    if (!line_open(r, path))
        return;
    while (next_line(r)) {
        r->line[strcspn(r->line, ":")] = '\0';
        const char *slash = strrchr(r->line, '/');
        for (size_t i = 0; slash && i < all->at.len; i++) {
            struct module *m = &all->at.at[i];
            if (same_name(m->name, slash + 1))
                snprintf(m->path, sizeof(m->path), "/lib/modules/%.80s/%.150s",
                         u.release, r->line);
        }
    }
    close(r->fd);
}

static bool module_read(const char *text, struct module *m)
{
    char path[PATH_MAX];
    struct modules_iter it = {text, text + strlen(text)};
    struct module_line line;
    if (!modules_next(&it, &line) || line.len >= sizeof(m->name))
        return false;
    memcpy(m->name, line.name, line.len);
    m->name[line.len] = '\0';
    m->map.start = line.start;
    m->map.end = line.start + line.size;
    snprintf(m->path, sizeof(m->path), "[%s]", m->name);
    snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", m->name);
    const struct build_id id = kernel_notes_id(path);
    m->map.id = id_told(&id);
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct module *x = a, *y = b;
    return (x->map.start > y->map.start) - (x->map.start < y->map.start);
}

static pts_status modules_read(struct line_reader *r, struct modules *all)
{
    struct module one;
    pts_status st = PTS_OK;
    if (!line_open(r, "/proc/modules")) /* a kernel without any */
        return PTS_OK;
    while (st == PTS_OK && next_line(r)) {
        if (!module_read(r->line, &one))
            continue;
        struct module *slot = VEC_PUSH(&all->at);
        if (slot)
            *slot = one;
        else
            st = PTS_E_NOMEM;
    }
    close(r->fd);
    if (st == PTS_OK && all->at.len) {
        find_files(r, all);
        qsort(all->at.at, all->at.len, sizeof(*all->at.at), by_start);
    }
    return st;
}

pts_status pts_kernel_maps(pts_kernel_map_fn *fn, void *ctx, struct pts_diag *why)
{
    uint32_t mark = refused_mark(why);
    struct pts_kernel_map kernel = {.path = "[kernel.kallsyms]"};
    const struct build_id id = kernel_running_id();
    struct modules all = {0};
    struct line_reader *r = mem_zalloc(1, sizeof(*r));
    pts_status st = r ? modules_read(r, &all) : PTS_E_NOMEM;

    if (st == PTS_OK && !kernel_span(r, &kernel))
        st = diag_set(why, PTS_E_IO, UINT64_MAX,
                      "/proc/kallsyms does not say where the kernel is");
    kernel.id = id_told(&id);
    st = refused_since(mark, st, why);
    if (st == PTS_OK)
        fn(ctx, &kernel);
    for (size_t i = 0; st == PTS_OK && i < all.at.len; i++) {
        all.at.at[i].map.path = all.at.at[i].path;
        fn(ctx, &all.at.at[i].map);
    }
    VEC_FREE(&all.at);
    mem_free(r);
    return st;
}
