/* given.h - options of a command that works with them itself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_CLI_GIVEN_H
#define PTS_CLI_GIVEN_H

#include "opts.h"

#include <stdbool.h>

/* The last one of this name, unless it was undone; NULL: it was not given. */
const struct pts_option *given(const struct cli_opts *opts, const char *name);
static inline bool is_given(const struct cli_opts *opts, const char *name)
{
    return given(opts, name) != NULL;
}

#endif
