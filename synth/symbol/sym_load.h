/* sym_load.h - the symbols of a dso are loaded: which files, and what of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_LOAD_H
#define PTS_SYNTH_SYMBOL_SYM_LOAD_H

#include "synth/symbol/sym.h"
#include "synth/symbol/sym_want.h"

#include <linux/limits.h>

/* A dso without any symbols gets an empty table. */
pts_status symtab_load(const struct sym_opts *opts, const struct sym_want *want,
                       struct symtab **out);

/* Which files would be read for them: the one with the names, and the one like what was
 * mapped, which may be the same; *id: the dso's, or its file's.  PTS_END: there is none. */
pts_status symtab_files(const struct sym_opts *opts, const struct sym_want *want,
                        struct build_id *id, char syms[PATH_MAX],
                        char runtime[PATH_MAX]);

#endif
