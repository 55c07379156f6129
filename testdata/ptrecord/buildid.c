/* buildid.c - build ids of mapped files, and the names of their debug files.
 *
 * SPDX-License-Identifier: MIT
 *
 * Looks for the GNU note in the program headers of the ELF file, of either class, and
 * for .gnu_debuglink in its sections; the few fields needed are read by offset.
 */
#include "testdata/ptrecord/buildid.h"

#include "testdata/ptrecord/msg.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAP_PATH = 4200 };

/* Where the bytes of an image come from. */
struct source {
    int fd;               /* a file, or */
    const char *path;     /* its name */
    const struct task *t; /* memory from ... on */
    uint64_t addr;
};

static bool source_read(const struct source *s, uint64_t off, void *bytes, size_t n)
{
    if (s->t)
        return task_read(s->t, s->addr + off, bytes, n);
    uint8_t *to = bytes;
    for (size_t done = 0; done < n;) {
        ssize_t got = pread(s->fd, to + done, n - done, (off_t)(off + done));
        if (got < 0 && errno != EINTR)
            msg_die("%s: %s", s->path, strerror(errno));
        if (got == 0)
            return false;
        done += got < 0 ? 0 : (size_t)got;
    }
    return true;
}

static uint64_t field(const uint8_t *at, size_t size)
{
    uint64_t v = 0;
    memcpy(&v, at, size);
    return v;
}

/* The id in a segment of notes. */
static uint8_t notes_search(const uint8_t *notes, size_t len, uint8_t id[20])
{
    size_t at = 0;
    while (at + 12 <= len) {
        size_t name = field(notes + at, 4), desc = field(notes + at + 4, 4);
        uint64_t type = field(notes + at + 8, 4);
        size_t body = at + 12 + ((name + 3) & ~(size_t)3);
        if (name > len || desc > len || body + desc > len)
            return 0;
        if (type == NT_GNU_BUILD_ID && name == 4 && desc && desc <= 20 &&
            !memcmp(notes + at + 12, "GNU", 4)) {
            memcpy(id, notes + body, desc);
            return (uint8_t)desc;
        }
        at = body + ((desc + 3) & ~(size_t)3);
    }
    return 0;
}

static uint8_t image_search(const struct source *s, uint8_t id[20])
{
    uint8_t head[64], ph[56], notes[4096];
    if (!source_read(s, 0, head, sizeof head) || memcmp(head, ELFMAG, SELFMAG) != 0)
        return 0;
    bool is64 = head[EI_CLASS] == ELFCLASS64;
    uint64_t phoff = is64 ? field(head + 32, 8) : field(head + 28, 4);
    size_t phsize = is64 ? 56 : 32, phnum = field(head + (is64 ? 56 : 44), 2);
    for (size_t i = 0; i < phnum; i++) {
        if (!source_read(s, phoff + i * phsize, ph, phsize))
            return 0;
        uint64_t off = is64 ? field(ph + 8, 8) : field(ph + 4, 4);
        uint64_t size = is64 ? field(ph + 32, 8) : field(ph + 16, 4);
        if (field(ph, 4) != PT_NOTE || size > sizeof notes ||
            !source_read(s, off, notes, size))
            continue;
        uint8_t n = notes_search(notes, size, id);
        if (n)
            return n;
    }
    return 0;
}

/* A file that was deleted meanwhile, or that only its owner may read, has no id. */
static int file_open(const char *path)
{
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno != ENOENT && errno != EACCES && errno != ENOTDIR)
        msg_die("%s: %s", path, strerror(errno));
    return fd;
}

/* A mapped file, or -1. */
static int map_open(const struct task *t, const struct map *m, char path[MAP_PATH])
{
    if (m->name[0] != '/' || m->name[1] == '/')
        return -1;
    snprintf(path, MAP_PATH, "/proc/%d/root%s", t->tid, m->name);
    return file_open(path);
}

uint8_t buildid_of_map(const struct task *t, const struct map *m, uint8_t id[20])
{
    struct source s = {.t = t, .addr = m->start};
    char path[MAP_PATH];
    if (!strcmp(m->name, "[vdso]"))
        return image_search(&s, id);
    s = (struct source){.fd = map_open(t, m, path), .path = path};
    if (s.fd < 0)
        return 0;
    uint8_t n = image_search(&s, id);
    close(s.fd);
    return n;
}

/* The sections of a 64-bit file; what is wrong has none. */
struct sections {
    uint64_t off, names; /* of the headers; of their names */
    size_t size, count;
};

static bool section_at(const struct source *s, const struct sections *all, size_t i,
                       uint8_t head[64])
{
    return i < all->count && source_read(s, all->off + i * all->size, head, 64);
}

static bool sections_find(const struct source *s, struct sections *all)
{
    uint8_t head[64];
    if (!source_read(s, 0, head, sizeof head) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
        head[EI_CLASS] != ELFCLASS64)
        return false;
    *all = (struct sections){.off = field(head + 40, 8),
                             .size = field(head + 58, 2),
                             .count = field(head + 60, 2)};
    size_t names = field(head + 62, 2);
    if (all->size < 64 || !section_at(s, all, names, head))
        return false;
    all->names = field(head + 24, 8);
    return true;
}

/* The name at the beginning of .gnu_debuglink: of a file, without folders. */
static bool debuglink_search(const struct source *s, char name[DEBUGLINK_MAX])
{
    static const char wanted[] = ".gnu_debuglink";
    char is[sizeof wanted];
    uint8_t head[64];
    struct sections all;
    if (!sections_find(s, &all))
        return false;
    for (size_t i = 1; section_at(s, &all, i, head); i++) {
        if (!source_read(s, all.names + field(head, 4), is, sizeof is) ||
            memcmp(is, wanted, sizeof is) != 0)
            continue;
        uint64_t off = field(head + 24, 8), size = field(head + 32, 8);
        size_t n = size < DEBUGLINK_MAX ? size : DEBUGLINK_MAX;
        return source_read(s, off, name, n) && n && memchr(name, '\0', n) && name[0] &&
               !strchr(name, '/');
    }
    return false;
}

bool debuglink_of_map(const struct task *t, const struct map *m,
                      char name[DEBUGLINK_MAX])
{
    char path[MAP_PATH];
    struct source s = {.fd = map_open(t, m, path), .path = path};
    if (s.fd < 0)
        return false;
    bool found = debuglink_search(&s, name);
    close(s.fd);
    return found;
}
