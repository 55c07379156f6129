/* proc.h - what the kernel says of a thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_PROC_H
#define PTRECORD_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* /proc/TID/NAME, or -1 (NULL) when the thread is gone.  Whatever else goes wrong is the
 * end: a recording with guesses in it would be worse than none. */
int proc_open(pid_t tid, const char *name, int flags);
FILE *proc_file(pid_t tid, const char *name);
/* Closes it; the end when it could not be read to where its reader came. */
void proc_close(FILE *f, pid_t tid, const char *name);

/* The number in line NAME of /proc/TID/status; OTHERWISE when there is none. */
uint64_t proc_status(pid_t tid, const char *name, int base, uint64_t otherwise);

/* Its name; false and "" when it is gone. */
bool proc_comm(pid_t tid, char *name, size_t size);

#endif
