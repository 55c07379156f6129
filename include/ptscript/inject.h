/* inject.h - a recording as another one, with samples in place of its trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * The new recording is that of perf inject 6.1, byte for byte, so that programs that know
 * samples but no trace can read it: perf report, perf2bolt, create_gcov, llvm-profgen.
 */
#ifndef PTSCRIPT_INJECT_H
#define PTSCRIPT_INJECT_H

#include <ptscript/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from PTS_INJECT_OPTS_INIT.  All is lent during the call. */
struct pts_inject_opts {
    size_t size;
    const struct pts_option
        *options; /* as of ptscript/inject.def: "itrace", "strip" ... */
    size_t option_count;
    /* The command line that the new recording is said to be made by (feature CMDLINE): the path
     * of the program, then its words.  word_count 0: none. */
    const char *const *words;
    size_t word_count;
};
#define PTS_INJECT_OPTS_INIT                                                           \
    {                                                                                  \
        sizeof(struct pts_inject_opts), 0, 0, 0, 0                                     \
    }

/* Reads all of the recording and writes another one to `path`, which may be the recording's
 * own: it is whole when it gets that name, and a file that had the name becomes `path`.old.
 * With "vm-time-correlation" path is not looked at: another recording takes the place of the session's, which
 * is called .old from then on.  "-": standard output, in the format of pipes, as is what came through one.  That of a directory with the kernel's code
 * (kcore_dir) is one, too, but for "strip".  Nothing is there after a failure, and no build-id
 * cache is changed.  Warnings are messages of the session.
 * PTS_E_USAGE: what perf says of the options.  PTS_E_IO: the file cannot be written.
 * PTS_E_TRUNCATED, PTS_E_FORMAT: the recording is damaged, of which no copy is made.
 * PTS_E_UNSUPPORTED: an option, or a kind of recording, that this version cannot do: one of
 * another byte order, a directory with several data files, a bare trace. */
PTS_API PTS_MUST_USE pts_status pts_inject(pts_session *s, const char *path,
                                           const struct pts_inject_opts *opts,
                                           struct pts_diag *why);

#ifdef __cplusplus
}
#endif
#endif
