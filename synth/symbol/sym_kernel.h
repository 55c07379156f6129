/* sym_kernel.h - the symbols of the kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_KERNEL_H
#define PTS_SYNTH_SYMBOL_SYM_KERNEL_H

#include "synth/symbol/sym.h"
#include "walker/sideband/sideband.h"

/* The symbols of dso, the kernel; an empty table when its files were not found.  view: any. */
pts_status symtab_kernel(const struct sideband *sb, struct as_view *view,
                         const struct sb_dso *dso, struct symtab **out);

#endif
