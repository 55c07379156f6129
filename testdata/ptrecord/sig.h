/* sig.h - signals.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_SIG_H
#define PTRECORD_SIG_H

#include "testdata/ptrecord/engine.h"

/* T stopped with a signal on its way to it. */
void sig_stop(struct engine *e, struct task *t);

/* T has set what its process does about SIGTRAP. */
void sig_trap_action(struct engine *e, const struct task *t);

/* The thread's signal mask as it believes it to be, for the kernel to work with; and
 * as we need it, without SIGTRAP. */
void sig_mask_show(struct task *t);
void sig_mask_hide(struct task *t);

#endif
