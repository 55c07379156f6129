/* bundle.h - which files a recording needs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_RUN_BUNDLE_H
#define PTS_SYNTH_RUN_BUNDLE_H

#include "decoder/base/idmap.h"
#include "synth/run/run.h"

#include <ptscript/bundle.h>

struct bundle_file {
    const char *from, *to; /* its path, its name in the bundle */
};

/* Zero-initialise; give back with bundle_files_free. */
struct bundle_files {
    VEC(struct bundle_file) file;
    struct idmap names; /* hash of `to`: each once */
    uint64_t missing;
    struct arena arena;
};

/* All files that decoding and naming this recording needs, the recording first. */
pts_status bundle_find(struct pts_session *s, struct bundle_files *out,
                       struct pts_diag *why);
void bundle_files_free(struct bundle_files *f);

/* Adds a file under FOLDER/NAME, without needless slashes, if that is not there yet.
 * PTS_END: it is a name that leads up. */
pts_status bundle_add(struct bundle_files *f, const char *from, const char *folder,
                      const char *name);

#endif
