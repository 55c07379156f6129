/* test_bpf_program.c - the code of BPF programs in a header, also in one that lies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/file/bpf_program.h"
#include "decoder/base/bytes.h"
#include "tests/lib/t.h"

#include <stdlib.h>

/* A section BPF_PROG_INFO: {u32 count, {u32 info, u32 data, u64 arrays, info, data} ...} */
static uint8_t section[4096];
static size_t size;
static struct perf_file file;
static struct bpf_programs programs;

enum { INFO = 128, NEEDED = 1 << 0 | 1 << 3 | 1 << 4 };

static void add(const void *p, size_t n)
{
    memcpy(section + size, p, n);
    size += n;
}

static void add32(uint32_t v)
{
    add(&v, sizeof(v));
}

/* What a program says of itself. */
struct made {
    uint32_t id;
    uint64_t arrays;
    uint32_t code_len, functions, lengths;
    uint64_t code_at, addr_at, length_at;
};

/* Its arrays: 8 bytes of code, two addresses, two lengths. */
static void add_program(const struct made *m, uint32_t first, uint32_t second)
{
    uint8_t info[INFO] = {0};
    const uint64_t addr[] = {0x1000, 0x2000};
    const uint32_t length[] = {first, second};

    memcpy(info + 4, &m->id, 4);
    memcpy(info + 16, &m->code_len, 4);
    memcpy(info + 24, &m->code_at, 8);
    memcpy(info + 104, &m->functions, 4);
    memcpy(info + 108, &m->lengths, 4);
    memcpy(info + 112, &m->addr_at, 8);
    memcpy(info + 120, &m->length_at, 8);
    add32(INFO);
    add32(8 + sizeof(addr) + sizeof(length));
    add(&m->arrays, 8);
    add(info, sizeof(info));
    add("12345678", 8);
    add(addr, sizeof(addr));
    add(length, sizeof(length));
}

static void begin(uint32_t count)
{
    size = 0;
    memset(&file, 0, sizeof(file));
    add32(count);
}

/* "addr:code ..." of the functions of a program. */
static const char *read_program(uint32_t id)
{
    static char out[128];
    struct bpf_function fn;
    size_t n = 0;

    uint8_t *exact = malloc(size); /* reads behind it are seen */
    memcpy(exact, section, size);
    file.feature[PTS_FEAT_BPF_PROG_INFO] = (struct pts_bytes){exact, size};
    programs = (struct bpf_programs){0};
    EQ(bpf_programs_read(&file, &programs), PTS_OK);
    struct bpf_functions *all = bpf_program_find(&programs, id);
    snprintf(out, sizeof(out), all ? "" : "none");
    while (all && bpf_function_next(all, &fn))
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%" PRIx64 ":%.*s",
                              n ? " " : "", fn.addr, (int)fn.code.len,
                              (const char *)fn.code.ptr);
    if (all)
        CHECK(!bpf_function_next(all, &fn)); /* each once */
    bpf_programs_free(&programs);
    free(exact);
    return out;
}

static const struct made usual = {7, NEEDED, 8, 2, 2, 0, 8, 24};

static const char *read_one(struct made m, uint32_t first, uint32_t second)
{
    begin(1);
    add_program(&m, first, second);
    return read_program(m.id);
}

T(functions_follow_each_other)
{
    STREQ(read_one(usual, 3, 5), "1000:123 2000:45678");
    STREQ(read_one(usual, 0, 8), "1000: 2000:12345678");
}

T(programs_are_found_by_id)
{
    struct made m = usual;
    begin(4);
    add_program(&m, 1, 1);
    m.id = 2;
    add_program(&m, 2, 2);
    m.id = UINT32_MAX;
    add_program(&m, 3, 3);
    m.id = 7; /* the first one counts */
    add_program(&m, 4, 4);
    STREQ(read_program(7), "1000:1 2000:2");
    STREQ(read_program(2), "1000:12 2000:34");
    STREQ(read_program(UINT32_MAX), "1000:123 2000:456");
    STREQ(read_program(3), "none");
    begin(0);
    STREQ(read_program(0), "none");
}

T(lengths_that_lie_end_it)
{
    struct made m = usual;
    STREQ(read_one(usual, 9, 1), "");
    STREQ(read_one(usual, 4, 5), "1000:1234");
    STREQ(read_one(usual, 4, UINT32_MAX), "1000:1234");
    STREQ(read_one(usual, UINT32_MAX, 1), "");
    m.code_len = 4;
    STREQ(read_one(m, 3, 3), "1000:123");
    m.code_len = UINT32_MAX;
    STREQ(read_one(m, 1, 1), "");
}

T(places_that_lie_are_no_arrays)
{
    struct made m = usual;
    m.code_at = UINT64_MAX;
    STREQ(read_one(m, 1, 1), "");
    m = usual;
    m.addr_at = 24;
    STREQ(read_one(m, 1, 1), "");
    m = usual;
    m.length_at = UINT64_MAX - 3;
    STREQ(read_one(m, 1, 1), "");
    m = usual;
    m.functions = m.lengths = UINT32_MAX;
    STREQ(read_one(m, 1, 1), "");
    m = usual;
    m.lengths = 1;
    STREQ(read_one(m, 1, 1), "");
    m = usual;
    m.arrays = NEEDED & ~8u;
    STREQ(read_one(m, 1, 1), "");
}

T(sections_that_are_cut)
{
    begin(1);
    add_program(&usual, 1, 1);
    for (size_t whole = size; size > 0; size--)
        CHECK(size == whole || strcmp(read_program(7), "none") == 0 ||
              strcmp(read_program(7), "") == 0);
}

T_RUN(T_CASE(functions_follow_each_other), T_CASE(programs_are_found_by_id),
      T_CASE(lengths_that_lie_end_it), T_CASE(places_that_lie_are_no_arrays),
      T_CASE(sections_that_are_cut))
