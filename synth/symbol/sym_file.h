/* sym_file.h - where the symbols of a dso may be.
 *
 * SPDX-License-Identifier: MIT
 *
 * A file and its symbols may be apart: distributions strip programs and keep the names
 * in files of their own, found by build id or by a link.  perf tries the candidates in
 * this order until it has names and a file like the one that was mapped (sym_load.c).
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_FILE_H
#define PTS_SYNTH_SYMBOL_SYM_FILE_H

#include "synth/symbol/sym_want.h"

/* Where symbols may be, in the order of trying. */
enum sym_candidate {
    CANDIDATE_DEBUGLINK,
    CANDIDATE_CACHE,
    CANDIDATE_CACHE_DEBUG,
    CANDIDATE_VDSO, /* ours: [vdso]/ID/vdso of a cache without links */
    CANDIDATE_DEBUG_SUFFIX,
    CANDIDATE_DEBUG,
    CANDIDATE_DEBUG_ID,
    CANDIDATE_FILE,
    CANDIDATE_BESIDE,
    CANDIDATE_USR_MERGED,
    CANDIDATES
};
/* The path of a candidate; false when it does not apply.  Whether there is a file, and
 * the right one, is not looked at. */
bool sym_file_path(const struct sym_opts *opts, const struct sym_want *want,
                   enum sym_candidate which, char path[PATH_MAX]);
/* perf's letter for it. */
char sym_file_letter(enum sym_candidate which);
bool sym_is_file(const char *path); /* a regular one */

#endif
