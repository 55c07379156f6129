/* fail.h - how a run ends that cannot go on: words to standard error, an exit status.
 *
 * SPDX-License-Identifier: MIT
 *
 * The statuses are perf script's, since scripts look at them.  0 is also that of a
 * trace with errors; 1 says that standard output cannot be written.
 */
#ifndef PTS_CLI_FAIL_H
#define PTS_CLI_FAIL_H

#include <ptscript/status.h>

enum {
    EXIT_USAGE = 129,     /* a wrong command line */
    EXIT_LISTED = 130,    /* a command's options were listed, for which perf has this */
    EXIT_INVALID = 234,   /* the input ends early, or a part of it cannot be used */
    EXIT_NOT_FOUND = 254, /* what an option names is not there */
    EXIT_FATAL = 255      /* the input cannot be used */
};

/* The command that was named, for what is said of its usage; lent. */
void fail_in(const char *name);

/* Each returns the exit status.  path: what the message is about. */
int fail_usage(const char *lead, const char *problem);
/* The same where perf leaves no line free. */
int fail_value(const char *problem);
int fail_call(const char *path, const struct pts_diag *why);
/* The call was about options, too: these may be to blame. */
int fail_options(pts_status st, const char *path, const struct pts_diag *why);
/* err: of write(2). */
int fail_write(int err);

#endif
