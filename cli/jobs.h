/* jobs.h - how many threads a command takes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_JOBS_H
#define PTS_CLI_JOBS_H

#include "opts.h"

struct options_list {
    struct pts_option
        at[CLI_OPTIONS_MAX + 2]; /* large: only what is used is touched; and
                                                * one more has room */
    size_t count;
};

/* In front of all others: it holds unless one of them says otherwise. */
void options_default(struct options_list *to, struct pts_option option);

/* Those that were given, lent; and all processors, unless one of them says how many. */
void jobs_all(struct options_list *to, const struct pts_option *given, size_t count);

#endif
