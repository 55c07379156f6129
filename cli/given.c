/* given.c - options of a command that works with them itself.
 *
 * SPDX-License-Identifier: MIT
 */
#include "given.h"

#include <string.h>

const struct pts_option *given(const struct cli_opts *opts, const char *name)
{
    const struct pts_option *found = NULL;
    for (size_t i = 0; i < opts->count; i++) {
        const struct pts_option *o = &opts->list[i];
        if (strcmp(o->name, name) == 0)
            found = o;
        else if (strncmp(o->name, "no-", 3) == 0 && strcmp(o->name + 3, name) == 0)
            found = NULL;
    }
    return found;
}
