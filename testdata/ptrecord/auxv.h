/* auxv.h - what the kernel tells a program at its start, changed on request.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_AUXV_H
#define PTRECORD_AUXV_H

#include "testdata/ptrecord/opts.h"
#include "testdata/ptrecord/rng.h"
#include "testdata/ptrecord/task.h"

/* T has just executed a program and is before its first instruction: hides the vdso and
 * seeds its random bytes, as O says. */
void auxv_change(struct task *t, const struct opts *o, struct rng *rng);

#endif
