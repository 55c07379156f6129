/* soft.h - simple instructions, carried out here instead of by the processor.
 *
 * SPDX-License-Identifier: MIT
 *
 * To run a thread up to the next branch and stop it again costs as much as carrying out
 * hundreds of instructions ourselves.  So chains that consist of common integer
 * instructions only are not run at all.  Each instruction is taken apart once, when its
 * chain is made.
 */
#ifndef PTRECORD_SOFT_H
#define PTRECORD_SOFT_H

#include "testdata/ptrecord/op.h"
#include "testdata/ptrecord/ram.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

enum soft_code {
    SOFT_NONE, /* left to the processor */
    SOFT_NOP,
    SOFT_ALU, /* sub: 0..7 ADD OR ADC SBB AND SUB XOR CMP, 8 TEST */
    SOFT_MOV,
    SOFT_MOVZX,
    SOFT_MOVSX,
    SOFT_LEA,
    SOFT_XCHG,
    SOFT_PUSH,
    SOFT_POP,
    SOFT_LEAVE,
    SOFT_INC,
    SOFT_DEC,
    SOFT_NOT,
    SOFT_NEG,
    SOFT_SHIFT, /* sub: 0..7 ROL ROR - - SHL SHR SHL SAR */
    SOFT_CMOV,  /* sub: condition */
    SOFT_SETCC,
    SOFT_IMUL,      /* sub: 0 two operands, 1 three, one an immediate */
    SOFT_MUL,       /* sub: 4 MUL, 5 IMUL into rdx:rax */
    SOFT_EXTEND_A,  /* CBW, CWDE, CDQE */
    SOFT_EXTEND_AD, /* CWD, CDQ, CQO */
    SOFT_BT,
    SOFT_BSWAP
};

/* Where an operand is. */
enum soft_place { PLACE_NONE, PLACE_REG, PLACE_HIGH, PLACE_MEM, PLACE_IMM, PLACE_CL };

struct soft {
    uint8_t code, sub;
    uint8_t size;                       /* of the operation: 1, 2, 4, 8 */
    uint8_t from_size;                  /* SOFT_MOVZX, SOFT_MOVSX: of the source */
    uint8_t dst, dst_reg, src, src_reg; /* enum soft_place, and which register */
    struct op_mem mem;
    int64_t imm;
};

/* Takes OP apart.  False: it is left to the processor. */
bool soft_decode(const struct op *op, struct soft *s);

/* Carries it out; NEXT is the address of the instruction behind it.  False, and nothing
 * is changed: memory cannot be reached. */
bool soft_run(const struct soft *s, struct user_regs_struct *regs, struct ram *ram,
              uint64_t next);

/* Is condition COND (0..15, as in opcodes) true with these flags? */
bool soft_cond(unsigned cond, uint64_t flags);

#endif
