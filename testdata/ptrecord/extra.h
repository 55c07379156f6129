/* extra.h - instructions that the processor at hand may lack: PTWRITE, TSX.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_EXTRA_H
#define PTRECORD_EXTRA_H

#include "testdata/ptrecord/engine.h"
#include "testdata/ptrecord/op.h"

/* Carries out OP, which is at the thread's ip, and tells it.  False, and nothing is
 * done: it is none of ours, or must fault. */
bool extra_run(struct engine *e, struct task *t, const struct op *op);

/* One instruction inside a transaction. */
void tx_step(struct engine *e, struct task *t);
/* The transaction ends without having been: the turn of T is over. */
void tx_interrupt(struct engine *e, struct task *t);

#endif
