/* refused.h - what the system refused: memory, or a file that is there.
 *
 * SPDX-License-Identifier: MIT
 *
 * Most of what is asked of the system is asked deep inside, where a failure looks like an
 * answer ("there is no code", "no symbol"), the more so inside libraries.  So that it is
 * never taken for one, each refusal is noted here when it happens, for the thread that met
 * it, as errno is; and a call of the public interface in which something was noted fails,
 * whatever became of it on the way up (I13):
 *
 *     uint32_t mark = refused_mark(why);
 *     st = ...
 *     return refused_since(mark, st, why);
 */
#ifndef PTS_DECODER_BASE_REFUSED_H
#define PTS_DECODER_BASE_REFUSED_H

#include <ptscript/status.h>

#include <stdbool.h>
#include <stdint.h>

/* How many refusals there were.  *why (may be NULL) is made empty. */
uint32_t refused_mark(struct pts_diag *why);

/* Whether there was one since. */
bool refused_any(uint32_t mark);

/* st when nothing was refused since.  Else a failure: what why says of one already is
 * left alone, or it is told what was refused. */
pts_status refused_since(uint32_t mark, pts_status st, struct pts_diag *why);

/* Notes that there is no memory. */
void refused_memory(void);

/* Notes that a file could not be used, if err says that the system is at a loss, and not
 * that the file is missing or somebody else's. */
void refused_file(const char *path, int err);

/* What was refused to one thread since, for another one that goes on with what it did. */
struct refusal {
    int err;        /* ENOMEM: memory, and no file; 0: nothing was */
    char path[160]; /* cut when it is longer */
};
void refused_keep(uint32_t mark, struct refusal *out);
void refused_again(const struct refusal *r);

/* Around calls of libraries that may keep a failure to themselves.  It shows in errno,
 * which nothing resets; path may be NULL: they have no file to read.  True: it did. */
void refused_watch(void);
bool refused_watched(const char *path);

#endif
