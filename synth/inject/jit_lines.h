/* jit_lines.h - the lines of a function of a jitdump, as DWARF.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_INJECT_JIT_LINES_H
#define PTS_SYNTH_INJECT_JIT_LINES_H

#include "synth/print/text.h"
#include "walker/code/jitdump.h"

/* The contents of .debug_line for code that begins at `text` in its file; false: the function
 * has no lines, and nothing is written. */
bool jit_lines_put(struct text *t, const struct jit_code *code, uint64_t text);
/* Those of .debug_info and .debug_abbrev: a unit that has lines, and nothing else. */
void jit_lines_unit(struct text *t);
void jit_lines_abbrev(struct text *t);

#endif
