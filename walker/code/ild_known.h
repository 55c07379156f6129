/* ild_known.h - which opcodes exist, alone and behind a VEX or EVEX prefix.
 *
 * SPDX-License-Identifier: MIT
 *
 * Code that is walked by mistake, from the middle of an instruction or with the bytes of another program,
 * has prefixes and opcodes in it that no compiler writes (48 89 c5, mov %rax,%rbp, has the c5 of VEX). Hardly any of what
 * follows is an instruction of any processor; what perf makes of it is what is made of it here.
 *
 * Known are those of perf 6.1, found by showing it each of them (tests/oracle/opcodes.py), and later ones
 * of the SDM, of processors of family 6: Key Locker, RAO-INT, AVX-VNNI-INT8 and -INT16, AVX-IFMA, AVX-NE-CONVERT, CMPccXADD,
 * SHA512, SM3, SM4, AMX; and FMA4, which C libraries have for processors of AMD.
 */
#ifndef PTS_WALKER_CODE_ILD_KNOWN_H
#define PTS_WALKER_CODE_ILD_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* Tables have a bit for each opcode, by map (0f, 0f38, 0f3a ...) and prefix (none, 66, f3, f2). */
enum opcode_prefix { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };

static inline bool opcode_bit(const uint64_t bits[4], uint8_t op)
{
    return bits[op >> 6] >> (op & 63) & 1;
}

/* Without VEX, by the last prefix. */
static const uint64_t plain_opcodes[3][4][4] = {
    {
     {0xffffffafddffffff, 0xcfffcfffffffffff, 0xfeffffffffffffff,
         0x7ffeffbfffbeffff},
     {0xffffffafddffffff, 0xf0fffffffff3ffff, 0xfeffffffffffffff,
         0x7ffeffffffffffff},
     {0xffff34afdd47ffff, 0xc08f8000ff0ef309, 0xfffffffffcf0ffff,
         0x000000400040ff8f},
     {0xffff34afdd07ffff, 0x308f0000f702f309, 0xfefffffffcfcffff,
         0x000100400041ff8f},
     },
    {
     {0x0000000070000fff, 0x0000000040000200, 0x0000000000000000,
         0x124b000000003fc0},
     {0xffbf0f3f70b10fff, 0x00000000400f0a03, 0x0000000000000007,
         0x136b0000f80082c0},
     {0x0000000000000000, 0x0000000050000000, 0x0000000000000000,
         0x1f480000f10002c0},
     {0x0000000000000000, 0x0000000040000a00, 0x0000000000000000,
         0x130b0000000002c0},
     },
    {
     {0x0000000000008500, 0x0000000000000000, 0x0000000000000000,
         0x0000000000001000},
     {0x0000000700f0ff00, 0x0000000f00001017, 0x0000000000000000,
         0x000000008000d000},
     {0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
         0x0001000000001000},
     {0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
         0x0000000000001000},
     },
};

static const uint64_t vex_opcodes[3][4][4] = {
    {
     {0x0000cb0000ff0000, 0x03800000ffff0cf6, 0x00004000030f0000,
         0x0000000000000044},
     {0x0000cb0000ff0000, 0xf07ffffffff30cf6, 0x00000000030f0000,
         0x7ffeffffffff0074},
     {0x0000340000470000, 0xc0018000ff0e0000, 0x0000000000000000,
         0x0000004000000004},
     {0x0000340000070000, 0x30010000f7020000, 0x00000000000c0000,
         0x0001004000010004},
     },
    {
     {0x0000000000000000, 0x0000100040030200, 0x0001000000000000,
         0x00ac0000040c0000},
     {0xffffff3f77f9ffff, 0x03001000470f0ee3, 0xfff3ffc0ffcf5000,
         0x0088fffffc0c80c0},
     {0x0000000000000000, 0x0004000050030800, 0x0003000000000000,
         0x00a80000040c0000},
     {0x0000000000000000, 0x0000000050030e00, 0x0001000000000000,
         0x00e8000004003800},
     },
    {
     {0x0000000000000500, 0x0000000000000000, 0x0000000000000000,
         0x0000000000000000},
     {0x030f000723f0ff77, 0xff00ff0ff0001f57, 0x0000000000000000,
         0x00000000c000c000},
     {0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
         0x0000000000000000},
     {0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
         0x0001000000000000},
     },
};

/* Of maps 1, 2, 3, 5 and 6. */
static const uint64_t evex_opcodes[5][4][4] = {
    {
     {0x0000cb0000ff0000, 0x03800000ffff0cf6, 0x00004000030f0000,
         0x0000000000000044},
     {0x0000cb0000ff0000, 0xff7ffffffff30cf6, 0x00000000030f0000,
         0x7ffeffffffff0074},
     {0x0000340000470000, 0xcf018000ff0e0000, 0x0000000000000000,
         0x0000004000000004},
     {0x0000340000070000, 0xbf018000f7020000, 0x00000000000c0000,
         0x0001004000010004},
     },
    {
     {0x0000000000000000, 0x0000000040000200, 0x0000000000000000,
         0x00ac000000000000},
     {0xffffffffffffffff, 0xffef007c4f3ffaff, 0xfff0ffcfffcfff08,
         0x00880000f800bdd0},
     {0x073f07ff003f0000, 0x0004000050040800, 0x0000000000000000,
         0x00a8000000000000},
     {0x0000000000000000, 0x00040100400c0a00, 0x00000c000c000000,
         0x00e8000000000000},
     },
    {
     {0x000000c000000500, 0x000000c000c00000, 0x0000000000000000,
         0x0000000000000004},
     {0xcf0f00efeff0ff7f, 0x000f00cf00f31c5f, 0x0000000000000000,
         0x000000008000c000},
     {0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
         0x0000000000000004},
     {0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
         0x0001000000000000},
     },
    {
     {0x0000c00020000000, 0x33000000ff020000, 0x0000000000000000,
         0x0000000000000000},
     {0x0000000020000000, 0x7f0040000c000000, 0x0000000000000000,
         0x0000000000000000},
     {0x0000340000030000, 0x2b000000ff020000, 0x0000000000000000,
         0x0000000000000000},
     {0x0000000000000000, 0x2400000004000000, 0x0000000000000000,
         0x0000000000000000},
     },
    {
     {0x0000000000080000, 0x0000000000000000, 0x0000000000000000,
         0x0000000000000000},
     {0x0000300000080000, 0x000000000000f00c, 0xffc0ffc0ffc00000,
         0x0000000000000000},
     {0x0000000000000000, 0x0000000000c00000, 0x0000000000000000,
         0x0000000000c00000},
     {0x0000000000000000, 0x0000000000c00000, 0x0000000000000000,
         0x0000000000c00000},
     },
};

/* Of an opcode that is several by ModRM.reg: which of these, a bit for each. */
static inline uint8_t vex_regs(unsigned map, uint8_t op)
{
    switch (map << 8 | op) {
    case 0x171:
        return 0x54;
    case 0x172:
        return 0x57;
    case 0x173:
        return 0xcc;
    case 0x1ae: /* vldmxcsr, vstmxcsr */
        return 0x0c;
    case 0x2c6:
    case 0x2c7:
        return 0x66;
    case 0x2f3: /* blsr, blsmsk, blsi */
        return 0x0e;
    default:
        return 0xff;
    }
}

/* at: the opcode and what may be its ModRM. */
static inline bool evex_exists(unsigned map, unsigned prefix, const uint8_t *at)
{
    static const uint8_t row[8] = {0, 1, 2, 3, 0, 4, 5, 0};

    return row[map] && opcode_bit(evex_opcodes[row[map] - 1][prefix], at[0]) &&
           vex_regs(map, at[0]) >> (at[1] >> 3 & 7) & 1;
}

static inline bool vex_exists(unsigned map, unsigned prefix, const uint8_t *at)
{
    const uint8_t op = at[0];

    switch (map) {
    case 1:
    case 2:
    case 3:
        return opcode_bit(vex_opcodes[map - 1][prefix], op) &&
               vex_regs(map, op) >> (at[1] >> 3 & 7) & 1;
    case 5: /* AMX */
        return op == 0xf8 || op == 0xf9 || op == 0xfd;
    case 7: /* rdmsr, wrmsrns, urdmsr, uwrmsr */
        return op == 0xf6 || op == 0xf8;
    default:
        return false;
    }
}

#endif
