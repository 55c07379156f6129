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
    struct keep out;
    int error; /* errno of the first write that failed, or 0 */
    size_t n;
    uint8_t bytes[ENTRIES][ENTRY];
};

struct truth *truth_open(const char *path)
{
    struct truth *t = mem_get(NULL, sizeof(*t));
    t->error = 0;
    t->n = 0;
    if (!keep_begin(&t->out, path))
        msg_die("%s: %s", path, strerror(errno));
    return t;
}

/* The recording is worth having without the list, so a failure waits until the end. */
static void entries_write(struct truth *t)
{
    if (!t->error && fwrite(t->bytes, ENTRY, t->n, t->out.file) != t->n)
        t->error = errno;
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

bool truth_close(struct truth *t, bool ran)
{
    if (!t)
        return true;
    entries_write(t);
    if (!t->error && ran && !keep_end(&t->out))
        t->error = errno;
    keep_drop(&t->out); /* what could not take its name */
    bool ok = !ran || !t->error;
    if (!ok)
        msg_warn("%s: %s; there is no list of instructions", t->out.path,
                 strerror(t->error));
    free(t);
    return ok;
}
