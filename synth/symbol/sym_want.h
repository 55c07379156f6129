/* sym_want.h - whose symbols are wanted, and where they may be.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_SYNTH_SYMBOL_SYM_WANT_H
#define PTS_SYNTH_SYMBOL_SYM_WANT_H

#include "walker/code/image_find.h"
#include "walker/code/jitdump.h"

#include <stdbool.h>

struct sym_opts {
    struct image_opts files;
    bool demangle;
    bool demangle_kernel;
    bool params; /* C++ names with their parameters (perf script -v) */
    bool force;  /* take JIT map files of other users */
};

/* A dso as recorded; the kernel is not looked up here. */
struct sym_want {
    const char *name;           /* long name; /tmp/perf-PID.map is a JIT map file */
    struct build_id id;         /* len 0: unknown */
    const struct jit_code *jit; /* it is in a jitdump; NULL: in a file */
};

#endif
