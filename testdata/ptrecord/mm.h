/* mm.h - an address space: its code, cut into chains, and the traps planted in it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Shared by the threads of a process (and by a vfork child until it executes): only
 * one thread of all runs at a time, so a trap is never hit by somebody it is not for.
 */
#ifndef PTRECORD_MM_H
#define PTRECORD_MM_H

#include "testdata/ptrecord/hmap.h"
#include "testdata/ptrecord/maps.h"

#include <stddef.h>
#include <sys/types.h>

struct mm {
    unsigned refs;
    int fd; /* /proc/PID/mem: writes code whatever its protection */
    struct maps maps;
    struct hmap chains; /* start -> struct chain (chain.h) */
    struct hmap traps;  /* address -> the byte that belongs there */
    struct hmap pages;  /* page of code -> what its bytes are (chain.c) */
};

/* The address space of TID, which has just begun (exec).  NULL: it is gone. */
struct mm *mm_open(pid_t tid);
/* The copy of OLD that a fork has made for TID: traps and all. */
struct mm *mm_fork(const struct mm *old, pid_t tid);
struct mm *mm_ref(struct mm *mm);
void mm_drop(struct mm *mm); /* NULL is fine */

/* The bytes at ADDR as the program knows them, without traps.  How many of N could be
 * read. */
size_t mm_read(const struct mm *mm, uint64_t addr, void *bytes, size_t n);

/* Plants a trap where ORIGINAL is; false when the memory cannot be written. */
bool mm_trap(struct mm *mm, uint64_t addr, uint8_t original);
/* Takes all traps in these bytes away for a moment, or plants them again. */
void mm_lift(const struct mm *mm, uint64_t addr, size_t n);
void mm_replant(const struct mm *mm, uint64_t addr, size_t n);
/* The code in these bytes may change: no chain, no trap of it stays. */
void mm_forget(struct mm *mm, uint64_t addr, uint64_t len);

#endif
