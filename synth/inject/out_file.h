/* out_file.h - a file that is written whole, or not at all.
 *
 * SPDX-License-Identifier: MIT
 *
 * It has no name until it is complete: who is killed, or finds the disk full, leaves
 * nothing behind.  A file that has the name by then gets ".old" behind its own, as
 * perf has it.
 *
 * "-" is standard output, of which nothing can be taken back.  With `kernel_from`, which is a
 * recording's folder, path becomes such a folder, too: the file in it is called "data", and
 * beside it is what the other one has of the kernel (kcore_dir*).
 *
 *     struct out_file f = {.kernel_from = NULL};
 *     st = out_open(&f, path, why);
 *     text_put(&f.buf, ...); st = out_flush_full(&f, why);     again and again
 *     st = out_name(&f, why);
 *     out_close(&f);
 */
#ifndef PTS_SYNTH_INJECT_OUT_FILE_H
#define PTS_SYNTH_INJECT_OUT_FILE_H

#include "decoder/base/nameless.h"
#include "synth/print/text.h"

#include <ptscript/status.h>

#include <limits.h>

/* Zero-initialise. */
struct out_file {
    struct text buf;  /* what comes next, to be appended to */
    uint64_t at;      /* where its first byte will be */
    const char *path; /* NULL: it is not open */
    const char *kernel_from;
    const char *guest_from; /* of a guest's folder, kcore_dir becomes kcore_dir__PID */
    uint32_t guest_pid;
    const char
        *like; /* a file whose owner and mode it gets; NULL: nobody else may read it */
    struct nameless file;
    bool in_place; /* what has the name is no file: it is written as it is */
};

/* Whether it is standard output. */
bool out_is_pipe(const char *path);
/* path: lent. */
pts_status out_open(struct out_file *f, const char *path, struct pts_diag *why);
/* Writes what is there, when it has become much. */
pts_status out_flush_full(struct out_file *f, struct pts_diag *why);
/* What comes next goes there; bytes in between that nobody writes are zero. */
pts_status out_seek(struct out_file *f, uint64_t to, struct pts_diag *why);
/* All is written: it gets its name. */
pts_status out_name(struct out_file *f, struct pts_diag *why);
void out_close(struct out_file *f); /* zeroed is fine; without a name it is gone */

/* Where the next byte will be. */
static inline uint64_t out_at(const struct out_file *f)
{
    return f->at + f->buf.len;
}

#endif
