/* demangle.h - symbol names as their programmers wrote them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_DEMANGLE_H
#define PTS_SYNTH_SYMBOL_DEMANGLE_H

#include <stdbool.h>

/* The readable form of a C++, Rust, OCaml or Java name, for the caller to mem_free, or
 * NULL when it is none of these.  C++ comes without parameters unless they are asked
 * for. */
char *demangle(const char *name, bool params);

#endif
