/* tell.h - what was executed, for the recorder and the truth list.
 *
 * SPDX-License-Identifier: MIT
 *
 * That a thread entered user space is told with its first instruction there: a signal
 * or another system call may come first.
 */
#ifndef PTRECORD_TELL_H
#define PTRECORD_TELL_H

#include "testdata/ptrecord/chain.h"
#include "testdata/ptrecord/engine.h"

/* The instruction at IP is begun, if not yet done. */
void tell_enter(struct engine *e, struct task *t, uint64_t ip);
/* The first N instructions of C. */
void tell_chain(struct engine *e, struct task *t, const struct chain *c, uint32_t n);
void tell_insn(struct engine *e, struct task *t, uint64_t ip);
/* The last instruction told was this branch. */
void tell_branch(struct engine *e, struct task *t, const struct rec_insn_branch *b);
/* T is in the kernel now; IP as in rec_leave_user. */
void tell_leave(struct engine *e, struct task *t, enum rec_leave why, uint64_t ip);
/* M is new in the memory of T. */
void tell_map(struct engine *e, struct task *t, const struct map *m);

#endif
