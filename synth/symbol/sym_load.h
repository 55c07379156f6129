/* sym_load.h - the symbols of a dso are loaded: which files, and what of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_LOAD_H
#define PTS_SYNTH_SYMBOL_SYM_LOAD_H

#include "synth/symbol/sym.h"
#include "synth/symbol/sym_want.h"

/* A dso without any symbols gets an empty table. */
pts_status symtab_load(const struct sym_opts *opts, const struct sym_want *want,
                       struct symtab **out);

#endif
