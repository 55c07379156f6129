/* jobs.c - how many threads a command takes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "jobs.h"

#include <string.h>

void jobs_all(struct options_list *to, const struct pts_option *given, size_t count)
{
    to->at[0] = (struct pts_option){"jobs", "0"};
    memcpy(&to->at[1], given, count * sizeof(*given));
    to->count = count + 1;
}
