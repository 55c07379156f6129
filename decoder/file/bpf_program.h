/* bpf_program.h - the machine code of BPF programs, in BPF_PROG_INFO.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_FILE_BPF_PROGRAM_H
#define PTS_DECODER_FILE_BPF_PROGRAM_H

#include "decoder/base/vec.h"
#include "decoder/file/perf_file.h"

/* A function of a program as the kernel compiled it. */
struct bpf_function {
    uint64_t addr; /* where it was in memory */
    struct pts_bytes code;
};

/* Those of a program that are still to be told. */
struct bpf_functions {
    uint32_t left;
    struct pts_bytes code, addr, length; /* of the next one on */
};

struct bpf_program {
    uint32_t id;
    size_t number;
    struct bpf_functions functions;
};

/* Zero-initialise. */
struct bpf_programs {
    VEC(struct bpf_program) at;
};

/* All that the header knows.  On failure, too, they are to be freed. */
pts_status bpf_programs_read(const struct perf_file *f, struct bpf_programs *out);
void bpf_programs_free(struct bpf_programs *p);

/* The functions of the program with that id, or NULL. */
struct bpf_functions *bpf_program_find(struct bpf_programs *p, uint32_t id);
/* The next function, each once.  False: there are no more. */
bool bpf_function_next(struct bpf_functions *all, struct bpf_function *out);

#endif
