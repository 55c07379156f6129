/* keep.h - files that are there when they are whole, and not before.
 *
 * SPDX-License-Identifier: MIT
 *
 * What has the name already stays as it is until then; if it is not empty, it is called
 * NAME.old from then on, as perf record does.  So whatever goes wrong, there is either the
 * new file or the old one.
 */
#ifndef PTRECORD_KEEP_H
#define PTRECORD_KEEP_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct keep {
    const char *path; /* lent */
    FILE *file;
    bool
        direct; /* a device, a FIFO, a link to nothing: what is written is there at once */
    bool named; /* the new file has the name `temp` */
    char temp[PATH_MAX];
};

/* False with errno: PATH cannot be written. */
bool keep_begin(struct keep *k, const char *path);
/* All is written.  False with errno: PATH is as it was before.  If only the name could
 * not be given, temp is where the file is, else it is empty. */
bool keep_end(struct keep *k);
/* As if it had never begun. */
void keep_drop(struct keep *k);

#endif
