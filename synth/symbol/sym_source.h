/* sym_source.h - the source file of code without line numbers.
 *
 * SPDX-License-Identifier: MIT
 *
 * Assembler and stripped libraries have none.  addr2line then says the function and, if
 * a FILE symbol in front of it tells one, the file, but no line; so this goes by
 * symbols alone.
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_SOURCE_H
#define PTS_SYNTH_SYMBOL_SYM_SOURCE_H

#include <ptscript/status.h>
#include <stdbool.h>
#include <stdint.h>

struct sym_source;

/* Reads a file's symbols.  PTS_END when it is no ELF file. */
pts_status sym_source_open(const char *path, struct sym_source **out);
void sym_source_close(struct sym_source *n); /* NULL is fine */

/* Whether an ELF address is in any section that is loaded. */
bool sym_source_mapped(const struct sym_source *n, uint64_t addr);
struct source_func {
    const char *name;
    uint64_t addr;
    const char *file; /* source file, NULL: not known */
};

/* Whether there is a function at or before an ELF address in its section; lent.  As
 * with addr2line, the answer may depend on what was asked before. */
bool sym_source_find(struct sym_source *n, uint64_t addr, struct source_func *out);

#endif
