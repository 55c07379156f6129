/* sys.h - system calls: what they do to code and threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_SYS_H
#define PTRECORD_SYS_H

#include "testdata/ptrecord/engine.h"
#include "testdata/ptrecord/op.h"

/* T stopped at the entry of a call made by OP; NULL: the kernel makes it again. */
void sys_enter(struct engine *e, struct task *t, const struct op *op);
/* T stopped at the exit. */
void sys_exit(struct engine *e, struct task *t);

/* Does the call make a thread that shares the address space? */
bool sys_shares_memory(const struct task *t);
/* Everything executable that a program has right after exec. */
void sys_maps_tell(struct engine *e, struct task *t);

#endif
