/* maps.c - the executable mappings of a process.
 *
 * SPDX-License-Identifier: MIT
 *
 * /proc/PID/maps is the only place that knows where the kernel put things and what
 * became of neighbours; it is read again after each call that may have changed code.
 */
#include "testdata/ptrecord/maps.h"

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/msg.h"
#include "testdata/ptrecord/proc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char *text_copy(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(mem_get(NULL, n), s, n);
}

static struct map *list_end(struct maps *maps)
{
    struct map *m = VEC_PUSH(&maps->list);
    if (!m)
        msg_die("out of memory");
    return m;
}

static bool line_parse(const char *line, struct map *m)
{
    char perm[5];
    int at = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
               &m->start, &m->end, perm, &m->pgoff, &m->maj, &m->min, &m->ino,
               &at) < 7 ||
        perm[2] != 'x')
        return false;
    m->prot = PROT_EXEC | (perm[0] == 'r' ? (unsigned)PROT_READ : 0) |
              (perm[1] == 'w' ? (unsigned)PROT_WRITE : 0);
    m->shared = perm[3] == 's';
    m->name = text_copy(line[at] ? line + at : "//anon");
    return true;
}

bool maps_read(struct maps *maps, pid_t tid)
{
    char *line = NULL;
    size_t room = 0;
    FILE *f = proc_file(tid, "maps");
    if (!f)
        return false;
    maps_free(maps);
    errno = 0;
    while (getline(&line, &room, f) > 0) {
        struct map m;
        line[strcspn(line, "\n")] = 0;
        if (!line_parse(line, &m))
            continue;
        *list_end(maps) = m;
    }
    if (errno == ENOMEM) /* it is not an error of the file */
        msg_die("out of memory");
    free(line);
    proc_close(f, tid, "maps");
    return true;
}

const struct map *maps_find(const struct maps *maps, uint64_t addr)
{
    for (size_t i = 0; i < maps->list.len; i++)
        if (maps->list.at[i].start <= addr && addr < maps->list.at[i].end)
            return &maps->list.at[i];
    return NULL;
}

bool maps_overlap(const struct maps *maps, uint64_t addr, uint64_t len)
{
    for (size_t i = 0; i < maps->list.len; i++)
        if (maps->list.at[i].start < addr + len && addr < maps->list.at[i].end)
            return true;
    return false;
}

bool maps_hold(const struct maps *maps, const struct map *m)
{
    const struct map *old = maps_find(maps, m->start);
    return old && old->end >= m->end && old->prot == m->prot && old->ino == m->ino &&
           m->start - old->start == m->pgoff - old->pgoff &&
           !strcmp(old->name, m->name);
}

void maps_copy(struct maps *to, const struct maps *from)
{
    *to = (struct maps){0};
    for (size_t i = 0; i < from->list.len; i++) {
        struct map *m = list_end(to);
        *m = from->list.at[i];
        m->name = text_copy(m->name);
    }
}

void maps_free(struct maps *maps)
{
    for (size_t i = 0; i < maps->list.len; i++)
        free(maps->list.at[i].name);
    VEC_FREE(&maps->list);
}
