/* bpf_program.h - the machine code of BPF programs, in BPF_PROG_INFO.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PTS_DECODER_FILE_BPF_PROGRAM_H
#define PTS_DECODER_FILE_BPF_PROGRAM_H

#include "decoder/base/vec.h"
#include "decoder/file/perf_file.h"

/* Where members are in the kernel's struct bpf_prog_info; older kernels have less of it. */
enum {
    INFO_ID = 4,
    INFO_CODE_LEN = 16,
    INFO_CODE_AT = 24,
    INFO_NAME = 64,
    INFO_NAME_LEN = 16,
    INFO_FUNCTIONS = 104,
    INFO_LENGTHS = 108,
    INFO_ADDR_AT = 112,
    INFO_LENGTH_AT = 120,
    INFO_CODE_END = 128, /* of what is needed for code */
    INFO_BTF = 128,
    INFO_FUNC_SIZE = 132,
    INFO_FUNC_AT = 136,
    INFO_TAGS = 180,
    INFO_TAG_AT = 184,
    INFO_END = 192
};

/* Bits of `arrays`: which members are offsets to arrays that were kept. */
enum {
    ARRAY_CODE = 1 << 0,
    ARRAY_ADDR = 1 << 3,
    ARRAY_LENGTH = 1 << 4,
    ARRAY_FUNC = 1 << 5,
    ARRAY_TAG = 1 << 8
};

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
