/* keep.h - a file of the same name is kept, as perf record keeps it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_KEEP_H
#define PTRECORD_KEEP_H

#include <stdio.h>

/* PATH to be written; a file that is there and not empty is called PATH.old from now
 * on. NULL with errno. */
FILE *keep_and_open(const char *path);

#endif
