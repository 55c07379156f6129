/* opts.h - the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTRECORD_OPTS_H
#define PTRECORD_OPTS_H

#include "testdata/ptrecord/rec_conf.h"

#include <stdbool.h>
#include <stdint.h>

struct opts {
    struct rec_conf rec;
    const char *truth, *symfs; /* NULL: not wanted */
    uint64_t max_insns;        /* 0: no limit */
    uint32_t slice;      /* about how many instructions a thread has until a switch */
    uint32_t interrupts; /* about how many between simulated interrupts; 0: none */
    bool single_step;
    bool randomize; /* leave address space randomisation on */
    bool no_vdso;   /* hide it, so that reading the clock is a system call */
    bool quiet;     /* no line about what was written */
    int argc;       /* the program and its arguments */
    char **argv;
};

/* Ends the program when the line is wrong, or after --help and --version. */
void opts_read(struct opts *o, int argc, char **argv);

#endif
