/* proc.h - what the kernel says of a thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_PROC_H
#define PTRECORD_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The number in line NAME of /proc/TID/status; OTHERWISE when there is none. */
uint64_t proc_status(pid_t tid, const char *name, int base, uint64_t otherwise);

/* Its name; false and "" when it is gone. */
bool proc_comm(pid_t tid, char *name, size_t size);

#endif
