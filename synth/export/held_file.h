/* held_file.h - a file with a name for the time being, that the next one clears away.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who writes it holds a lock on it, which ends with the process, whatever ends that.  So one
 * that nobody holds is what a killed process left, and goes when a file of the same name is
 * begun again.
 */
#ifndef PTS_SYNTH_EXPORT_HELD_FILE_H
#define PTS_SYNTH_EXPORT_HELD_FILE_H

#include <limits.h>
#include <stdbool.h>

struct held_file {
    int fd;              /* holds the lock */
    char temp[PATH_MAX]; /* NAME.ptscript-XXXXXX; "": it is not open */
};

/* Beside name, which it is to get; for its owner only.  False and errno. */
bool held_open(struct held_file *f, const char *name);
/* False and errno; EEXIST: there is something of this name, and it is not to be replaced. */
bool held_give(struct held_file *f, const char *name, bool replace);
void held_close(struct held_file *f); /* zeroed is fine; without the name it is gone */

#endif
