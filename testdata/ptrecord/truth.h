/* truth.h - the list of every executed instruction.
 *
 * SPDX-License-Identifier: MIT
 *
 * Packed, little endian: u32 tid, u64 ip.  In order for each thread.
 */
#ifndef PTRECORD_TRUTH_H
#define PTRECORD_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

struct truth;

/* Ends the program when the file cannot be made. */
struct truth *truth_open(const char *path);
void truth_add(struct truth *t, uint32_t tid, uint64_t ip);
/* False with a line on stderr: there is no list, and the old one is kept.  ran: else there
 * is nothing to be listed, and the old one is kept, too.  NULL is fine. */
bool truth_close(struct truth *t, bool ran);

#endif
