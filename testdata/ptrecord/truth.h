/* truth.h - the list of every executed instruction.
 *
 * SPDX-License-Identifier: MIT
 *
 * Packed, little endian: u32 tid, u64 ip.  In order for each thread.
 */
#ifndef PTRECORD_TRUTH_H
#define PTRECORD_TRUTH_H

#include <stdint.h>

struct truth;

/* Ends the program when the file cannot be made, or (truth_close) not written. */
struct truth *truth_open(const char *path);
void truth_add(struct truth *t, uint32_t tid, uint64_t ip);
void truth_close(struct truth *t); /* NULL is fine */

#endif
