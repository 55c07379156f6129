/* branch_types.h - the table of kinds of branches.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_EXPORT_BRANCH_TYPES_H
#define PTS_SYNTH_EXPORT_BRANCH_TYPES_H

#include "synth/export/rows.h"

#include <ptscript/sample.h>

/* The flags that make up the kind. */
enum {
    BRANCH_TYPE_FLAGS = PTS_FLAG_BRANCH | PTS_FLAG_CALL | PTS_FLAG_RETURN |
                        PTS_FLAG_COND | PTS_FLAG_SYSCALL | PTS_FLAG_ASYNC |
                        PTS_FLAG_INTERRUPT | PTS_FLAG_TX_ABORT | PTS_FLAG_TRACE_BEGIN |
                        PTS_FLAG_TRACE_END | PTS_FLAG_VM_ENTRY | PTS_FLAG_VM_EXIT
};

/* A row for each: they are all there, whether they occur or not. */
pts_status branch_types_put(const struct export_to *to);

#endif
