/* sym_map.h - symbol files that JIT compilers write: /tmp/perf-PID.map.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_MAP_H
#define PTS_SYNTH_SYMBOL_SYM_MAP_H

#include "synth/symbol/sym_want.h"
#include "synth/symbol/symtree.h"

/* Whether a dso is a JIT map file.  perf goes by the name. */
bool sym_is_map(const char *name);
/* The process in its name, 0 when there is none. */
int sym_map_pid(const char *name);
/* Where the one that is used is; false: there is none. */
bool sym_map_path(const struct sym_opts *opts, const char *name, char path[PATH_MAX]);
/* Whether there is one, which is not used because it belongs to another user. */
bool sym_map_refused(const struct sym_opts *opts, const char *name);
/* Adds the symbols of a JIT map file, to be found below symfs or in the real /tmp. */
pts_status sym_map_read(const struct sym_opts *opts, const char *name,
                        struct symtree *tree);
pts_status sym_map_parse(const char *text, size_t n, struct symtree *tree);

#endif
