/* bundle.h - a recording with all that it takes to decode it, in one file.
 *
 * SPDX-License-Identifier: MIT
 *
 * A bundle is a tar archive packed by zstd: the recording, and the programs, libraries,
 * symbols, vdso, jitdumps, map files and files of the kernel that decoding and naming it needed
 * here, and nothing else of the machine. pts_session_open opens one like a recording, anywhere, and all is
 * found in it and nowhere else.
 */
#ifndef PTSCRIPT_BUNDLE_H
#define PTSCRIPT_BUNDLE_H

#include <ptscript/session.h>
#include <ptscript/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of it.  Start from PTS_BUNDLE_DONE_INIT. */
struct pts_bundle_done {
    size_t size;
    uint64_t files;   /* in the bundle, those of the recording included */
    uint64_t bytes;   /* of all of them, unpacked */
    uint64_t missing; /* images that were needed and not found: messages name them */
};
#define PTS_BUNDLE_DONE_INIT                                                           \
    {                                                                                  \
        sizeof(struct pts_bundle_done), 0, 0, 0                                        \
    }

/* Decodes all of the recording to see what it needs, with a thread for each processor, and writes the bundle to `path`: under
 * another name beside it, which becomes `path` when all is written. replace: a file of that
 * name is replaced; 0: it is left alone, and the call fails (PTS_E_IO). done may be NULL.
 * PTS_E_UNSUPPORTED: the session is of standard input, of a bare trace or of a bundle. */
PTS_API PTS_MUST_USE pts_status pts_bundle_write(pts_session *s, const char *path,
                                                 int replace,
                                                 struct pts_bundle_done *done,
                                                 struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
