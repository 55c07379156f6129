/* ild_vex.h - which opcodes exist behind a VEX prefix.
 *
 * SPDX-License-Identifier: MIT
 *
 * Code that is walked by mistake, from the middle of an instruction, has many c4 and c5 in it (48 89 c5:
 * mov %rax,%rbp).  Hardly any of what follows is an instruction of any processor, and perf stops there.
 *
 * Known are those of perf 6.1, found by showing it each of them (tests/oracle/opcodes.py), and later ones
 * of the SDM: AVX-VNNI-INT8 and -INT16, AVX-IFMA, AVX-NE-CONVERT, CMPccXADD, SHA512, SM3, SM4, AMX; and
 * FMA4, which C libraries have for processors of AMD.
 */
#ifndef PTS_WALKER_CODE_ILD_VEX_H
#define PTS_WALKER_CODE_ILD_VEX_H

#include <stdbool.h>
#include <stdint.h>

/* A bit for each opcode, by map (0f, 0f38, 0f3a) and prefix (none, 66, f3, f2). */
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
static inline bool vex_exists(unsigned map, unsigned prefix, const uint8_t *at)
{
    const uint8_t op = at[0];

    switch (map) {
    case 1:
    case 2:
    case 3:
        return vex_opcodes[map - 1][prefix][op >> 6] >> (op & 63) & 1 &&
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
