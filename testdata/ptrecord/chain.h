/* chain.h - code up to the next branch, decoded once.
 *
 * SPDX-License-Identifier: MIT
 *
 * Inside a chain execution cannot turn: the program runs it at full speed into the trap
 * on its last instruction, which is then carried out from outside.
 */
#ifndef PTRECORD_CHAIN_H
#define PTRECORD_CHAIN_H

#include "testdata/ptrecord/mm.h"
#include "testdata/ptrecord/op.h"
#include "testdata/ptrecord/soft.h"

enum chain_run {
    CHAIN_TRAP,    /* runs into the trap on its last instruction */
    CHAIN_SYSCALL, /* ends with a system call: runs into the kernel */
    CHAIN_SIGNAL,  /* ends with an instruction that raises a signal by itself */
    CHAIN_STEP     /* instruction by instruction: no trap can be planted */
};

struct chain {
    uint64_t ip;   /* the first instruction */
    uint32_t size; /* bytes, with the last instruction */
    uint32_t n;    /* instructions, with the last */
    uint8_t run;
    struct soft *soft; /* all but the last, if they can be carried out; or NULL */
    struct op last;    /* CHAIN_STEP: not valid */
    uint8_t len[];     /* of each instruction */
};

/* The chain at IP; never NULL. */
const struct chain *chain_get(struct mm *mm, uint64_t ip, bool is64);
/* How many instructions of C lie before IP; -1: IP is none of its instructions. */
int chain_index(const struct chain *c, uint64_t ip);

/* For mm.c. */
void chain_free(struct chain *c);

#endif
