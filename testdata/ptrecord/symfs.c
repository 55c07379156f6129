/* symfs.c - copies of every mapped file, and of what has its symbols.
 *
 * SPDX-License-Identifier: MIT
 *
 * A debug file is copied to where perf looks for it with --symfs: that is its own place
 * below DIR, but for those that a .gnu_debuglink leads to in /usr/lib/debug, which it
 * does not look for below DIR.
 */
#include "testdata/ptrecord/symfs.h"

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/buildid.h"
#include "testdata/ptrecord/keep.h"
#include "testdata/ptrecord/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct symfs {
    const char *dir;
    bool made;           /* the folder was not there before */
    bool failed;         /* something could not be copied */
    VEC(char *) growing; /* files that are still being written: copied at the end */
};

struct symfs *symfs_open(const char *dir)
{
    struct symfs *s = mem_get(NULL, sizeof(*s));
    *s = (struct symfs){.dir = dir, .made = mkdir(dir, 0777) == 0};
    if (!s->made && errno != EEXIST)
        msg_die("%s: %s", dir, strerror(errno));
    return s;
}

/* All folders above PATH. */
static void parents_make(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = path; (slash = strchr(slash + 1, '/'));) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0777); /* what cannot be made fails below */
    }
}

/* The recording is worth having without all files. */
static void copy_failed(struct symfs *s, const char *path)
{
    s->failed = true;
    msg_warn("%s: %s; it is not copied", path, strerror(errno));
}

static bool copy_begin(struct symfs *s, struct keep *to, const char *path)
{
    parents_make(path);
    bool ok = keep_begin(to, path);
    if (!ok)
        copy_failed(s, path);
    return ok;
}

static bool copy_end(struct symfs *s, struct keep *to)
{
    bool ok = keep_end(to);
    if (!ok) {
        copy_failed(s, to->path);
        keep_drop(to); /* what could not take its name */
    }
    return ok;
}

/* Copied before, or the file itself (DIR is "/"). */
static bool is_there(const struct stat *from, const char *to)
{
    struct stat s;
    return stat(to, &s) == 0 && s.st_size == from->st_size &&
           s.st_mtim.tv_sec == from->st_mtim.tv_sec &&
           s.st_mtim.tv_nsec == from->st_mtim.tv_nsec;
}

static bool bytes_copy(FILE *in, FILE *out)
{
    char bytes[65536];
    size_t n;
    while ((n = fread(bytes, 1, sizeof bytes, in)) > 0)
        if (fwrite(bytes, 1, n, out) != n)
            return false;
    return !ferror(in);
}

static void file_copy(struct symfs *s, const char *from, const char *to)
{
    struct stat st;
    struct keep out;
    FILE *in = fopen(from, "rbe");
    if (!in && (errno == ENOENT || errno == EACCES || errno == ENOTDIR))
        return; /* deleted meanwhile, or not ours to read: nothing to be had */
    if (!in || fstat(fileno(in), &st) < 0) {
        copy_failed(s, from);
    } else if (S_ISREG(st.st_mode) && !is_there(&st, to) && copy_begin(s, &out, to)) {
        if (!bytes_copy(in, out.file)) {
            copy_failed(s, to);
            keep_drop(&out);
        } else if (copy_end(s, &out)) {
            utimensat(AT_FDCWD, to, (struct timespec[]){st.st_atim, st.st_mtim}, 0);
        }
    }
    if (in)
        fclose(in);
}

static void memory_copy(struct symfs *s, const struct task *t, const struct map *m,
                        const char *to)
{
    struct keep out;
    size_t len = m->end - m->start;
    if (!copy_begin(s, &out, to))
        return;
    uint8_t *bytes = mem_get(NULL, len);
    if (mm_read(t->mm, m->start, bytes, len) == len)
        fwrite(bytes, 1, len, out.file);
    free(bytes);
    copy_end(s, &out);
}

static const char *id_hex(const uint8_t *id, unsigned size, char hex[41])
{
    hex[0] = '\0';
    for (unsigned i = 0; i < size; i++)
        snprintf(hex + 2 * i, 3, "%02x", id[i]);
    return hex;
}

/* DIR/.debug/[vdso]/ID/vdso, and the link to it that is named after the id. */
static void vdso_copy(struct symfs *s, const struct task *t, const struct map *m,
                      const uint8_t *id, unsigned id_size)
{
    char hex[41], path[PATH_MAX], link[PATH_MAX], target[100];
    id_hex(id, id_size, hex);
    snprintf(path, sizeof path, "%s/.debug/[vdso]/%s/vdso", s->dir, hex);
    if (access(path, F_OK) < 0) /* else the same, as it has the id for a name */
        memory_copy(s, t, m, path);
    snprintf(link, sizeof link, "%s/.debug/.build-id/%.2s/%s", s->dir, hex, hex + 2);
    snprintf(target, sizeof target, "../../[vdso]/%s", hex);
    parents_make(link);
    if (symlink(target, link) < 0 && errno != EEXIST)
        copy_failed(s, link);
}

/* A file of the machine the task sees, to that place below DIR. */
static void place_copy(struct symfs *s, const struct task *t, const char *place,
                       const char *to_place)
{
    char from[PATH_MAX + 32], to[2 * PATH_MAX];
    snprintf(from, sizeof from, "/proc/%d/root%s", t->tid, place);
    snprintf(to, sizeof to, "%s%s", s->dir, to_place);
    file_copy(s, from, to);
}

/* FMT: of a path. */
__attribute__((format(printf, 3, 4))) static void
debug_copy(struct symfs *s, const struct task *t, const char *fmt, ...)
{
    char place[PATH_MAX];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(place, sizeof place, fmt, ap);
    va_end(ap);
    if (n > 0 && (size_t)n < sizeof place)
        place_copy(s, t, place, place);
}

static bool is_below(const struct symfs *s, const char *place)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s%s", s->dir, place);
    return access(path, F_OK) == 0;
}

static void linked_copy(struct symfs *s, const struct task *t, const struct map *m)
{
    char name[DEBUGLINK_MAX], place[PATH_MAX], to[PATH_MAX];
    int dir = (int)(strrchr(m->name, '/') - m->name);
    if (!debuglink_of_map(t, m, name))
        return;
    debug_copy(s, t, "%.*s/%s", dir, m->name, name);
    debug_copy(s, t, "%.*s/.debug/%s", dir, m->name, name);
    int n = snprintf(place, sizeof place, "/usr/lib/debug%.*s/%s", dir, m->name, name);
    int k = snprintf(to, sizeof to, "%.*s/.debug/%s", dir, m->name, name);
    if (n < (int)sizeof place && k < (int)sizeof to && !is_below(s, to))
        place_copy(s, t, place, to);
}

static void debug_files_copy(struct symfs *s, const struct task *t, const struct map *m,
                             const uint8_t *id, unsigned id_size)
{
    const char *slash = strrchr(m->name, '/');
    char hex[41];
    id_hex(id, id_size, hex);
    if (id_size)
        debug_copy(s, t, "/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
    debug_copy(s, t, "/usr/lib/debug%s.debug", m->name);
    debug_copy(s, t, "/usr/lib/debug%s", m->name);
    debug_copy(s, t, "%.*s/.debug%s", (int)(slash - m->name), m->name, slash);
    linked_copy(s, t, m);
}

/* jit-PID.dump is mapped before anything is in it. */
static bool is_growing(const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t n = strlen(name);
    return slash && !strncmp(slash, "/jit-", 5) && n > 5 &&
           !strcmp(name + n - 5, ".dump");
}

static void keep_growing(struct symfs *s, const char *name)
{
    char **slot;
    for (size_t i = 0; i < s->growing.len; i++)
        if (!strcmp(s->growing.at[i], name))
            return;
    slot = VEC_PUSH(&s->growing);
    if (!slot)
        msg_die("out of memory");
    size_t n = strlen(name) + 1;
    *slot = memcpy(mem_get(NULL, n), name, n);
}

static void copy_grown(struct symfs *s)
{
    char to[2 * PATH_MAX];
    for (size_t i = 0; i < s->growing.len; i++) {
        snprintf(to, sizeof to, "%s%s", s->dir, s->growing.at[i]);
        file_copy(s, s->growing.at[i], to);
        free(s->growing.at[i]);
    }
    VEC_FREE(&s->growing);
}

void symfs_add(struct symfs *s, const struct task *t, const struct map *m,
               const uint8_t *build_id, unsigned build_id_size)
{
    if (!strcmp(m->name, "[vdso]") && build_id_size) {
        vdso_copy(s, t, m, build_id, build_id_size);
        return;
    }
    if (m->name[0] != '/' || m->name[1] == '/')
        return;
    if (is_growing(m->name)) {
        keep_growing(s, m->name);
        return;
    }
    place_copy(s, t, m->name, m->name);
    debug_files_copy(s, t, m, build_id, build_id_size);
}

bool symfs_close(struct symfs *s, bool ran)
{
    if (!s)
        return true;
    copy_grown(s);
    bool ok = !s->failed;
    if (s->made && !ran)
        rmdir(s->dir);
    free(s);
    return ok;
}
