/* op.h - one instruction, as far as following it from outside needs.
 *
 * SPDX-License-Identifier: MIT
 *
 * Length and class come from the walker's decoder; here are the operands of the few
 * instructions that are carried out for the program: near branches, and those that the
 * processor at hand may lack (PTWRITE, TSX).
 */
#ifndef PTRECORD_OP_H
#define PTRECORD_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

enum op_kind {
    OP_PLAIN, /* execution goes on behind it */
    OP_JCC,
    OP_LOOP, /* LOOPNE, LOOPE, LOOP, JRCXZ: cond 0..3 */
    OP_JMP,
    OP_CALL,
    OP_JMP_IND,
    OP_CALL_IND,
    OP_RET,
    OP_FAR,     /* far call, jump, return; IRET */
    OP_SYSCALL, /* SYSCALL, SYSENTER */
    OP_INT80,   /* INT 80h */
    OP_INT,     /* INT3, other INT n, INTO */
    OP_CPUID,
    OP_PTWRITE,
    OP_XBEGIN,
    OP_XEND,
    OP_XABORT,
    OP_XTEST
};

enum { OP_MAX = 15, OP_NO_REG = 0xff, OP_IP = 0xfe };

/* A memory operand: base + index * 2^shift + disp, all in 32 bits if addr32. */
struct op_mem {
    int32_t disp;
    uint8_t base, index; /* numbers of registers, OP_NO_REG; base also OP_IP */
    uint8_t shift, seg;  /* seg: the prefix byte 64 or 65, or 0 */
    bool addr32;
};

struct op {
    uint64_t ip;
    uint8_t code[OP_MAX];
    uint8_t len; /* 0: cannot be decoded (or not read) */
    uint8_t kind;
    uint8_t cond;   /* OP_JCC: 0..15; OP_LOOP; OP_XABORT: the immediate byte */
    uint8_t reg;    /* register operand, or OP_NO_REG: in memory */
    bool is64;      /* 64-bit mode */
    bool wide;      /* REX.W */
    bool is_rep;    /* repeated string instruction */
    bool is_pushf;  /* pushes the flags, with our trap flag in them when stepped */
    bool is_popf;   /* sets them */
    bool is_exotic; /* sizes nobody uses: leave it to the processor */
    uint16_t pop;   /* OP_RET: bytes to drop besides */
    int32_t rel;    /* relative to the next instruction */
    struct op_mem mem;
};

/* What stands before the opcode. */
struct op_prefix {
    uint8_t n; /* bytes, with REX */
    uint8_t rex, seg;
    bool op16, addr, rep, repne, lock;
};

/* The instruction at IP, of which CODE has N bytes. */
struct op op_decode(const uint8_t *code, size_t n, uint64_t ip, bool is64);

/* Instructions after which a chain cannot simply go on. */
static inline bool op_ends_chain(const struct op *op)
{
    return op->kind != OP_PLAIN || !op->len;
}

static inline uint64_t op_next(const struct op *op)
{
    uint64_t next = op->ip + op->len;
    return op->is64 ? next : (uint32_t)next;
}

static inline uint64_t op_target(const struct op *op)
{
    uint64_t to = op->ip + op->len + (uint64_t)(int64_t)op->rel;
    return op->is64 ? to : (uint32_t)to;
}

struct op_prefix op_prefixes(const struct op *op);
/* Sets reg or mem of OP from the ModRM byte at code[at]. */
void op_modrm(struct op *op, const struct op_prefix *p, unsigned at);

/* General register NUMBER as the processor counts them (0: rax, 4: rsp, 8: r8 ...). */
unsigned long long *op_reg(struct user_regs_struct *regs, unsigned number);
/* The linear address of the memory operand. */
uint64_t op_addr(const struct op *op, struct user_regs_struct *regs);

#endif
