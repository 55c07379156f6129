/* jobs.c - how many threads a command takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jobs.h"

#include <string.h>

void options_default(struct options_list *to, struct pts_option option)
{
    memmove(&to->at[1], &to->at[0], to->count * sizeof(to->at[0]));
    to->at[0] = option;
    to->count++;
}

void jobs_all(struct options_list *to, const struct pts_option *given, size_t count)
{
    memcpy(to->at, given, count * sizeof(*given));
    to->count = count;
    options_default(to, (struct pts_option){"jobs", "0"});
}
