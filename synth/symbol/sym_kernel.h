/* sym_kernel.h - the symbols of the kernel.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_KERNEL_H
#define PTS_SYNTH_SYMBOL_SYM_KERNEL_H

#include "synth/symbol/sym.h"
#include "walker/sideband/sideband.h"

/* Those of the kernel and all its modules, from one list. */
struct kernel_syms;

/* None when its files were not found.  view: any.  On failure, too, *out is to be freed. */
pts_status kernel_syms_load(const struct sideband *sb, struct as_view *view,
                            struct kernel_syms **out);
void kernel_syms_free(struct kernel_syms *k); /* NULL is fine */

/* perf's letter of where the symbols of a module come from, by its file's name alone. */
char kernel_module_letter(const struct sb_dso *module);
/* Those of one dso: the kernel, a module.  They may be gone then: each is asked for once. */
pts_status kernel_syms_of(struct kernel_syms *k, const struct sb_dso *dso,
                          struct symtab **out);

#endif
