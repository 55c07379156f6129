/* emul.h - near branches, carried out for the program.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_EMUL_H
#define PTRECORD_EMUL_H

#include "testdata/ptrecord/op.h"
#include "testdata/ptrecord/rec.h"
#include "testdata/ptrecord/task.h"

/* Changes registers and stack of T as OP does, and fills B.  False, and nothing is
 * changed: the processor itself must do it (a fault, or something rare). */
bool emul_branch(struct task *t, const struct op *op, struct rec_insn_branch *b);

/* B for OP, which the processor has carried out: REGS are those before, TO is where it
 * went.  False: OP is no branch. */
bool emul_seen(const struct op *op, const struct user_regs_struct *regs, uint64_t to,
               struct rec_insn_branch *b);

#endif
