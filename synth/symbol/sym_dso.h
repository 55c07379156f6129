/* sym_dso.h - the symbols of a dso, whatever it is: a program, the kernel, a module.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_DSO_H
#define PTS_SYNTH_SYMBOL_SYM_DSO_H

#include "synth/symbol/sym.h"
#include "synth/symbol/sym_want.h"
#include "walker/flow/code_store.h"

struct kernel_syms; /* sym_kernel.h */

/* Where they are from; all lent but kernel, which is made when it is first needed and freed
 * with kernel_syms_free. */
struct sym_sources {
    const struct sideband *sb;
    struct code_store *codes;
    struct sym_opts opts;
    struct kernel_syms *kernel;
};

/* view: any.  One without any symbols gets an empty table. */
pts_status sym_dso_load(struct sym_sources *from, struct as_view *view,
                        const struct sb_dso *dso, struct symtab **out);

#endif
