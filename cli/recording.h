/* recording.h - the recording that a command works on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_RECORDING_H
#define PTS_CLI_RECORDING_H

#include "opts.h"

#include <limits.h>
#include <ptscript/session.h>

struct recording {
    pts_session *session;
    const char *path;  /* what messages are about */
    pts_status status; /* < 0: why there is no session, where it was to be opened */
    char buildid_dir[PATH_MAX]; /* lent to the session */
};

/* Opens what the command line names: a file, a bare trace, standard input.  Returns the
 * exit status; 0 when there is a session, to be closed by the caller. */
int recording_open(struct recording *r, const struct cli_opts *opts);
void recording_close(struct recording *r);
/* --verbose: which build ids its header has, on standard error, as perf says it. */
pts_status recording_tell(pts_session *s, struct pts_diag *why);

/* The build-id cache: as the command line says, or that of the user; buf may be used. */
const char *recording_buildid_dir(const struct cli_opts *opts, char *buf, size_t size);

#endif
