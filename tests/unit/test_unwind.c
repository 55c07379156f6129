/* test_unwind.c - stack dumps without files, and files that lie.
 *
 * SPDX-License-Identifier: MIT
 *
 * What sound ones give is compared with perf (tests/oracle/unwind.py).
 */
#include "tests/lib/t.h"
#include "walker/unwind/unwind.h"
#include "walker/unwind/unwind_table.h"

#include <elf.h>
#include <string.h>

static bool nothing(void *ctx, uint64_t addr, struct unwind_map *out)
{
    (void)ctx, (void)addr, (void)out;
    return false;
}

/* From these registers (perf's numbers in mask), with this stack, at most 8 frames. */
static pts_status unwind_in(const struct unwind_memory *memory, uint64_t mask,
                            const uint64_t *values, uint64_t count,
                            struct pts_bytes stack, uint64_t *ip, size_t *n)
{
    const struct pts_regs regs = {
        2, mask, {(const uint8_t *)values, count, 0}
    };
    struct unwinder *u;

    if (unwinder_new(&u) != PTS_OK)
        return PTS_E_NOMEM;
    pts_status st = unwind_stack(u, memory, &regs, stack, ip, 8, n);
    unwinder_free(u);
    return st;
}

static pts_status unwind(uint64_t mask, const uint64_t *values, uint64_t count,
                         struct pts_bytes stack, uint64_t *ip, size_t *n)
{
    const struct unwind_memory memory = {NULL, nothing};

    return unwind_in(&memory, mask, values, count, stack, ip, n);
}

T(registers_may_be_missing)
{
    const uint64_t values[] = {0x7000, 0x401000};
    const struct pts_bytes none = {0};
    uint64_t ip[8];
    size_t n;

    EQ(unwind(1 << 7, values, 1, none, ip, &n), PTS_END); /* no ip */
    EQ(n, 0);
    EQ(unwind(1 << 7 | 1 << 8, values, 1, none, ip, &n),
       PTS_END);                                              /* a mask that lies */
    EQ(unwind(1 << 8, values + 1, 1, none, ip, &n), PTS_END); /* no sp */
}

/* perf does not follow frame pointers then, either. */
T(without_files_there_is_one_frame)
{
    uint64_t stack[8] = {[2] = 0x7030, [3] = 0x402000, [6] = 0, [7] = 0x403000};
    uint64_t values[17] = {[6] = 0x7010, [7] = 0x7000, [8] = 0x401000};
    const struct pts_bytes bytes = {(const uint8_t *)stack, sizeof(stack)};
    uint64_t ip[8];
    size_t n;

    EQ(unwind(0xff01ff, values, 17, bytes, ip, &n), PTS_OK);
    EQ(n, 1);
    EQ(ip[0], 0x401000);
}

/* A file with nothing but its headers and .eh_frame_hdr. */
struct tiny {
    Elf64_Ehdr eh;
    Elf64_Phdr ph;
    Elf64_Shdr sh[3];
    char names[32];
    uint8_t hdr[20];
};

static struct tiny tiny(void)
{
    static const uint8_t hdr[] = {1, 0x1b, 3, 0x3b, 0xff, 0xff, 0xff, 0xff, 7};
    static const uint8_t ident[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB};
    struct tiny f = {.names = "\0.eh_frame_hdr"};

    memcpy(f.eh.e_ident, ident, sizeof(ident));
    f.eh.e_phoff = offsetof(struct tiny, ph);
    f.eh.e_phentsize = sizeof(Elf64_Phdr);
    f.eh.e_phnum = 1;
    f.eh.e_shoff = offsetof(struct tiny, sh);
    f.eh.e_shentsize = sizeof(Elf64_Shdr);
    f.eh.e_shnum = 3;
    f.eh.e_shstrndx = 1;
    f.ph.p_type = PT_LOAD;
    f.ph.p_vaddr = 0x400123;
    f.sh[1].sh_offset = offsetof(struct tiny, names);
    f.sh[2].sh_name = 1;
    f.sh[2].sh_addr = 0x402000;
    f.sh[2].sh_offset = offsetof(struct tiny, hdr);
    memcpy(f.hdr, hdr, sizeof(hdr));
    return f;
}

T(tables_are_found_in_sound_files_only)
{
    struct tiny f = tiny();
    const size_t all = offsetof(struct tiny, hdr) + sizeof(f.hdr);
    struct unwind_table t;
    struct pts_bytes b = {(const uint8_t *)&f, sizeof(f)};

    CHECK(unwind_table_find(b, &t));
    EQ(t.header, 0x402000);
    EQ(t.first, 0x400000);
    EQ(t.skip, 12);
    EQ(t.count, 7);
    for (b.len = 0; b.len < all; b.len++)
        CHECK(!unwind_table_find(b, &t));
    b.len = sizeof(f);
    f.hdr[1] = 0x30; /* relative to what? */
    CHECK(!unwind_table_find(b, &t));
    f = tiny();
    f.sh[2].sh_offset = UINT64_MAX - 3;
    CHECK(!unwind_table_find(b, &t));
    f = tiny();
    f.eh.e_shoff = UINT64_MAX - 63;
    CHECK(!unwind_table_find(b, &t));
    f = tiny();
    f.eh.e_shstrndx = 0xffff;
    CHECK(!unwind_table_find(b, &t));
}

static bool one_file(void *ctx, uint64_t addr, struct unwind_map *out)
{
    *out = (struct unwind_map){
        0x400000, 0x404000, 0, 0x400000, {ctx, sizeof(struct tiny)}
    };
    return addr >= out->start && addr < out->end;
}

/* As where a process has run a file at several places, one after another: perf looks for
 * the table at the lowest one, and finds nothing there. */
T(by_frame_pointers_where_the_table_has_nothing)
{
    uint64_t stack[8] = {[2] = 0x7030, [3] = 0x402000, [6] = 0, [7] = 0x403000};
    uint64_t values[17] = {[6] = 0x7010, [7] = 0x7000, [8] = 0x401000};
    const struct pts_bytes bytes = {(const uint8_t *)stack, sizeof(stack)};
    struct tiny f = tiny();
    const struct unwind_memory memory = {&f, one_file};
    uint64_t ip[8];
    size_t n;

    f.hdr[8] = 0;
    EQ(unwind_in(&memory, 0xff01ff, values, 17, bytes, ip, &n), PTS_OK);
    CHECK(n >= 2);
    EQ(ip[0], 0x401000);
    EQ(ip[1], 0x401fff);
}

T_RUN(T_CASE(registers_may_be_missing), T_CASE(without_files_there_is_one_frame),
      T_CASE(tables_are_found_in_sound_files_only),
      T_CASE(by_frame_pointers_where_the_table_has_nothing))
