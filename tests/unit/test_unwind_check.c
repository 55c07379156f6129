/* test_unwind_check.c - unwind information that libunwind may be given, and what not.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/t.h"
#include "walker/unwind/unwind_check.h"

enum { CIE = 0x1000, FDE = 0x1040, SIZE = 0x80 };

static uint8_t memory[SIZE];

static bool byte_at(void *ctx, uint64_t addr, uint8_t *out)
{
    (void)ctx;
    if (addr < CIE || addr - CIE >= SIZE)
        return false;
    *out = memory[addr - CIE];
    return true;
}

static void put(uint64_t at, const uint8_t *bytes, size_t n)
{
    memcpy(memory + (at - CIE), bytes, n);
}

/* A CIE as compilers write it, and an FDE with these rules. */
static bool harmless(const uint8_t *rules, uint8_t n)
{
    static const uint8_t cie[] = {0x14, 0,  0, 0,    0,   0, 0, 0,    1, 'z', 'R', 0, 1,
                                  0x78, 16, 1, 0x1b, 0xc, 7, 8, 0x90, 1, 0,   0};
    const uint8_t fde[] = {(uint8_t)(4 + 8 + 1 + n),
                           0,
                           0,
                           0,
                           FDE + 4 - CIE,
                           0,
                           0,
                           0,
                           1,
                           0,
                           0,
                           0,
                           16,
                           0,
                           0,
                           0,
                           0};
    const struct unwind_bytes from = {NULL, byte_at};

    memset(memory, 0, sizeof(memory));
    put(CIE, cie, sizeof(cie));
    put(FDE, fde, sizeof(fde));
    put(FDE + sizeof(fde), rules, n);
    return unwind_is_harmless(&from, FDE);
}

#define RULES(...)                                                                     \
    harmless((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

T(rules_of_compilers)
{
    CHECK(
        RULES(0x41, 0x0e, 0x10, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x20, 0xc6, 0x0c, 7, 8));
    CHECK(RULES(0x0a, 0x0b, 0x2e, 0x10, 0x05, 16, 3, 0));
    /* def_cfa_expression: breg7 8, breg16 0, lit15, and, lit11, ge, lit3, shl, plus */
    CHECK(RULES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22));
}

T(registers_that_are_none)
{
    CHECK(RULES(0x09, 3, 16));
    CHECK(!RULES(0x09, 3, 17));
    CHECK(!RULES(0x09, 3, 0xe8, 7));
    CHECK(!RULES(0x86 + 11, 2));
    CHECK(!RULES(0x0c, 17, 8));
    CHECK(!RULES(0x10, 17, 1, 0x06));
}

T(expressions_that_do_harm)
{
    CHECK(RULES(0x16, 3, 2, 0x77, 0));
    CHECK(!RULES(0x0f, 3, 0x31, 0x30, 0x1b)); /* division */
    CHECK(!RULES(0x0f, 3, 0x2f, 0xfd, 0xff)); /* jump */
    CHECK(!RULES(0x0f, 2, 0x77, 8 | 0x80));   /* number longer than the expression */
    CHECK(!RULES(0x0f, 200, 0x77, 8));
}

T(what_is_no_entry)
{
    const struct unwind_bytes from = {NULL, byte_at};

    CHECK(RULES(0));
    memory[9] = 'y'; /* augmentation */
    CHECK(!unwind_is_harmless(&from, FDE));
    CHECK(RULES(0));
    memory[14] = 17; /* column of the return address */
    CHECK(!unwind_is_harmless(&from, FDE));
    CHECK(RULES(0));
    memory[2] = 0xff; /* length of the CIE */
    CHECK(!unwind_is_harmless(&from, FDE));
    CHECK(!unwind_is_harmless(&from, CIE));
    CHECK(!unwind_is_harmless(&from, 0));
    CHECK(!unwind_is_harmless(&from, UINT64_MAX - 3));
}

T_RUN(T_CASE(rules_of_compilers), T_CASE(registers_that_are_none),
      T_CASE(expressions_that_do_harm), T_CASE(what_is_no_entry))
