/* sym_near.h - the source file of code without line numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYM_NEAR_H
#define PTS_SYNTH_SYM_NEAR_H

#include "synth/sym.h"

struct sym_near;

/* Reads a file's symbols.  PTS_END when it is no ELF file. */
pts_status sym_near_open(const char *path, struct sym_near **out);
void sym_near_close(struct sym_near *n); /* NULL is fine */

/* Whether an ELF address is in any section that is loaded. */
bool sym_near_mapped(const struct sym_near *n, uint64_t addr);
struct near_func {
    const char *name;
    uint64_t addr;
    const char *file; /* source file, NULL: not known */
};

/* Whether there is a function at or before an ELF address in its section; lent.  As
 * with addr2line, the answer may depend on what was asked before. */
bool sym_near_find(struct sym_near *n, uint64_t addr, struct near_func *out);

#endif
