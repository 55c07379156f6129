/* bpf_program.h - the machine code of BPF programs, in BPF_PROG_INFO.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_FILE_BPF_PROGRAM_H
#define PTS_DECODER_FILE_BPF_PROGRAM_H

#include "decoder/file/perf_file.h"

/* A function of a program as the kernel compiled it. */
struct bpf_function {
    uint64_t addr; /* where it was in memory */
    struct pts_bytes code;
};

/* The functions of the program with that id, one after the other: begin with *at 0.  False:
 * there are no more, or nothing is known of it. */
bool bpf_function_next(const struct perf_file *f, uint32_t id, uint32_t *at,
                       struct bpf_function *out);

#endif
