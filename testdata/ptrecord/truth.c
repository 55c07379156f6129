/* truth.c - the list of every executed instruction.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/truth.h"

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/keep.h"
#include "testdata/ptrecord/msg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY = 12, ENTRIES = 1 << 16 };

struct truth {
    FILE *file;
    const char *path;
    size_t n;
    uint8_t bytes[ENTRIES][ENTRY];
};

struct truth *truth_open(const char *path)
{
    struct truth *t = mem_get(NULL, sizeof(*t));
    t->path = path;
    t->n = 0;
    t->file = keep_and_open(path);
    if (!t->file)
        msg_die("%s: %s", path, strerror(errno));
    return t;
}

static void entries_write(struct truth *t)
{
    if (fwrite(t->bytes, ENTRY, t->n, t->file) != t->n)
        msg_die("%s: %s", t->path, strerror(errno));
    t->n = 0;
}

void truth_add(struct truth *t, uint32_t tid, uint64_t ip)
{
    if (t->n == ENTRIES)
        entries_write(t);
    memcpy(t->bytes[t->n], &tid, 4);
    memcpy(t->bytes[t->n] + 4, &ip, 8);
    t->n++;
}

void truth_close(struct truth *t)
{
    if (!t)
        return;
    entries_write(t);
    if (fclose(t->file))
        msg_die("%s: %s", t->path, strerror(errno));
    free(t);
}
