/* bundle_open.h - a bundle is unpacked: a recording and the files that it needs.
 *
 * SPDX-License-Identifier: MIT
 *
 * What `ptscript bundle` writes: a tar archive, packed by zstd. Its members are
 *
 *     ptscript-bundle     a line with its version
 *     perf.data           the recording, or perf.data/... when that is a directory
 *     symfs/...           programs, libraries, their symbols, jitdumps, as below --symfs
 *     kernel/vmlinux      the file that the kernel was linked as, or
 *     kernel/kallsyms     the list of its symbols; kcore and modules beside it
 */
#ifndef PTS_DECODER_OPEN_BUNDLE_OPEN_H
#define PTS_DECODER_OPEN_BUNDLE_OPEN_H

#include "decoder/base/arena.h"
#include "decoder/base/vec.h"

#include <ptscript/status.h>
#include <stdbool.h>

#define BUNDLE_MARK    "ptscript-bundle"
#define BUNDLE_VERSION "ptscript bundle 1\n"

/* A folder with what was in a bundle. */
struct bundle {
    const char *dir;                /* all of it */
    const char *recording;          /* DIR/perf.data */
    const char *symfs;              /* DIR/symfs */
    const char *kallsyms, *vmlinux; /* NULL: it has none */
    VEC(const char *)
    made; /* files and folders, in the order in which they were made */
    struct arena arena;
};

/* Whether a file begins as a bundle does; anything that cannot be read does not. */
bool bundle_is(const char *path);

/* Unpacks it into a new folder in temp_dir, which nobody else can read.  On failure, too,
 * bundle_remove is to be called.  PTS_E_FORMAT: it is no bundle, or one that would write
 * elsewhere; PTS_E_RANGE: it is larger unpacked than any bundle. */
PTS_MUST_USE pts_status bundle_unpack(const char *path, const char *temp_dir,
                                      struct bundle *out, struct pts_diag *why);
/* Removes what was unpacked: only calls that a handler of signals may make. */
void bundle_remove(const struct bundle *b);
void bundle_free(struct bundle *b); /* removes nothing; zeroed is fine */

#endif
