/* sym_vmlinux.h - the symbols of the kernel in the file that it was linked as.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_VMLINUX_H
#define PTS_SYNTH_SYMBOL_SYM_VMLINUX_H

#include "synth/symbol/sym_want.h"
#include "synth/symbol/symtree.h"
#include "walker/code/vmlinux.h"

/* Adds those of the sections that belong to a dso, by their offset in the file. */
pts_status sym_vmlinux_read(const struct image *file, const struct vmlinux *from,
                            uint32_t dso, const struct sym_opts *opts,
                            struct symtree *tree);
/* Those of a module: of its .text, by their place in it. */
pts_status sym_module_read(const struct image *file, const struct sym_opts *opts,
                           struct symtree *tree);

#endif
