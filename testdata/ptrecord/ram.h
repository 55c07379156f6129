/* ram.h - memory of a stopped program, held here while it is worked on.
 *
 * SPDX-License-Identifier: MIT
 *
 * Touching the memory of another process costs a system call, so pages are read once
 * and stores are collected until the program itself is to run again.  Until then nobody
 * else changes them: all threads are stopped, or sleep in the kernel.
 */
#ifndef PTRECORD_RAM_H
#define PTRECORD_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ram;

struct ram *ram_new(void);
void ram_free(struct ram *m);

/* Loads and stores go to the memory of TID from now on. */
void ram_begin(struct ram *m, pid_t tid);
/* The program gets its stores; nothing is held any more. */
void ram_end(struct ram *m);
/* The same, but the stores since ram_begin never happened. */
void ram_forget(struct ram *m);
/* While a transaction is open, stores can be forgotten: none may leave early. */
void ram_keep(struct ram *m, bool all);

/* With the protection that the program has.  False, and nothing is done: it would
 * fault, or no more can be kept. */
bool ram_load(struct ram *m, uint64_t addr, void *bytes, size_t n);
bool ram_store(struct ram *m, uint64_t addr, const void *bytes, size_t n);

#endif
