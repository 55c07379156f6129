/* soft_decode.c - which instructions are carried out here, and their operands.
 *
 * SPDX-License-Identifier: MIT
 *
 * 64-bit code only.  Left out are instructions that use more than general registers and
 * flags, that fault by themselves (division), and whatever is rare.
 */
#include "testdata/ptrecord/soft.h"

#include <string.h>

struct taker {
    struct op op;        /* takes the ModRM operand */
    const uint8_t *code; /* the opcode */
    struct op_prefix prefix;
    struct soft *s;
};

static void place_reg(const struct taker *t, unsigned reg, unsigned size,
                      uint8_t *place, uint8_t *number)
{
    bool high = size == 1 && !t->prefix.rex && reg >= 4 && reg < 8;
    *place = high ? PLACE_HIGH : PLACE_REG;
    *number = (uint8_t)(high ? reg - 4 : reg);
}

/* The operand in the r/m field of the ModRM byte at code[at]. */
static void place_rm(struct taker *t, unsigned at, unsigned size, uint8_t *place,
                     uint8_t *number)
{
    op_modrm(&t->op, &t->prefix, (unsigned)(t->code - t->op.code) + at);
    if (t->op.reg != OP_NO_REG) {
        place_reg(t, t->op.reg, size, place, number);
        return;
    }
    *place = PLACE_MEM;
    t->s->mem = t->op.mem;
}

static unsigned field_reg(const struct taker *t, unsigned at)
{
    return (t->code[at] >> 3 & 7u) | (t->prefix.rex & 4 ? 8u : 0);
}

static unsigned field_sub(const struct taker *t, unsigned at)
{
    return t->code[at] >> 3 & 7u;
}

static void take_rm_dst(struct taker *t, unsigned at)
{
    place_rm(t, at, t->s->size, &t->s->dst, &t->s->dst_reg);
}

static void take_rm_src(struct taker *t, unsigned at)
{
    place_rm(t, at, t->s->size, &t->s->src, &t->s->src_reg);
}

static void take_reg_dst(struct taker *t, unsigned reg)
{
    place_reg(t, reg, t->s->size, &t->s->dst, &t->s->dst_reg);
}

static void take_reg_src(struct taker *t, unsigned reg)
{
    place_reg(t, reg, t->s->size, &t->s->src, &t->s->src_reg);
}

/* The SIZE bytes that end the instruction, sign extended. */
static void take_imm(struct taker *t, unsigned size)
{
    const uint8_t *at = t->op.code + t->op.len - size;
    uint64_t v = 0;
    memcpy(&v, at, size);
    t->s->imm = (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
    t->s->src = PLACE_IMM;
}

/* Immediates are as wide as the operation, but never wider than 4. */
static void take_imm_full(struct taker *t)
{
    take_imm(t, t->s->size > 4 ? 4 : t->s->size);
}

/* Opcodes in pairs: the even one works on bytes. */
static void size_byte_if_even(struct taker *t)
{
    if (!(t->code[0] & 1))
        t->s->size = 1;
}

static bool is_reg(const struct taker *t, unsigned at)
{
    return t->code[at] >> 6 == 3;
}

/* 00..3D: the eight ALU operations in six forms. */
static enum soft_code take_alu(struct taker *t)
{
    t->s->sub = t->code[0] >> 3;
    size_byte_if_even(t);
    switch (t->code[0] & 7) {
    case 0:
    case 1:
        take_rm_dst(t, 1);
        take_reg_src(t, field_reg(t, 1));
        return SOFT_ALU;
    case 2:
    case 3:
        take_reg_dst(t, field_reg(t, 1));
        take_rm_src(t, 1);
        return SOFT_ALU;
    case 4:
    case 5:
        take_reg_dst(t, 0);
        take_imm_full(t);
        return SOFT_ALU;
    default:
        return SOFT_NONE;
    }
}

/* F6, F7: TEST, NOT, NEG, MUL, IMUL. */
static enum soft_code take_group3(struct taker *t)
{
    static const uint8_t codes[8] = {SOFT_ALU, SOFT_NONE, SOFT_NOT,  SOFT_NEG,
                                     SOFT_MUL, SOFT_MUL,  SOFT_NONE, SOFT_NONE};
    unsigned sub = field_sub(t, 1);
    size_byte_if_even(t);
    if (sub >= 4 && t->s->size < 4)
        return SOFT_NONE;
    t->s->sub = (uint8_t)(sub == 0 ? 8 : sub);
    take_rm_dst(t, 1);
    if (sub == 0)
        take_imm_full(t);
    return (enum soft_code)codes[sub];
}

/* FE, FF: INC, DEC, PUSH; the branches among them are not for us. */
static enum soft_code take_group5(struct taker *t)
{
    unsigned sub = field_sub(t, 1);
    size_byte_if_even(t);
    if (sub == 6 && !t->prefix.op16) {
        t->s->size = 8;
        take_rm_src(t, 1);
        return SOFT_PUSH;
    }
    take_rm_dst(t, 1);
    return sub == 0 ? SOFT_INC : sub == 1 ? SOFT_DEC : SOFT_NONE;
}

static enum soft_code take_shift(struct taker *t)
{
    t->s->sub = (uint8_t)field_sub(t, 1);
    if (t->s->sub == 2 || t->s->sub == 3)
        return SOFT_NONE; /* through the carry flag */
    size_byte_if_even(t);
    take_rm_dst(t, 1);
    switch (t->code[0]) {
    case 0xc0:
    case 0xc1:
        take_imm(t, 1);
        break;
    case 0xd0:
    case 0xd1:
        t->s->imm = 1;
        t->s->src = PLACE_IMM;
        break;
    default:
        t->s->src = PLACE_CL;
    }
    return SOFT_SHIFT;
}

static enum soft_code take_mov_imm(struct taker *t)
{
    if (t->code[0] < 0xb8)
        t->s->size = 1;
    take_reg_dst(t, (t->code[0] & 7u) | (t->prefix.rex & 1 ? 8u : 0));
    take_imm(t, t->s->size);
    return SOFT_MOV;
}

static enum soft_code take_push_pop(struct taker *t)
{
    unsigned reg = (t->code[0] & 7u) | (t->prefix.rex & 1 ? 8u : 0);
    if (t->prefix.op16)
        return SOFT_NONE;
    t->s->size = 8;
    if (t->code[0] < 0x58) {
        take_reg_src(t, reg);
        return SOFT_PUSH;
    }
    take_reg_dst(t, reg);
    return SOFT_POP;
}

static enum soft_code take_two_byte(struct taker *t)
{
    uint8_t code = t->code[1];
    unsigned from = code & 1 ? 2 : 1;
    if (code >= 0x40 && code <= 0x4f) {
        t->s->sub = code & 15;
        take_reg_dst(t, field_reg(t, 2));
        take_rm_src(t, 2);
        return SOFT_CMOV;
    }
    if (code >= 0x90 && code <= 0x9f) {
        t->s->sub = code & 15;
        t->s->size = 1;
        take_rm_dst(t, 2);
        return SOFT_SETCC;
    }
    if (code >= 0xc8 && code <= 0xcf && t->s->size >= 4) {
        take_reg_dst(t, (code & 7u) | (t->prefix.rex & 1 ? 8u : 0));
        return SOFT_BSWAP;
    }
    switch (code) {
    case 0x1f:
        return SOFT_NOP;
    case 0x1e: /* ENDBR64; RDSSP is the same with other operands */
        return t->prefix.rep && t->code[2] == 0xfa ? SOFT_NOP : SOFT_NONE;
    case 0xa3:
        take_rm_dst(t, 2);
        take_reg_src(t, field_reg(t, 2));
        return is_reg(t, 2) ? SOFT_BT : SOFT_NONE;
    case 0xba:
        take_rm_dst(t, 2);
        take_imm(t, 1);
        return field_sub(t, 2) == 4 ? SOFT_BT : SOFT_NONE;
    case 0xaf:
        take_reg_dst(t, field_reg(t, 2));
        take_rm_src(t, 2);
        return t->s->size > 2 ? SOFT_IMUL : SOFT_NONE;
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf:
        take_reg_dst(t, field_reg(t, 2));
        place_rm(t, 2, from, &t->s->src, &t->s->src_reg);
        t->s->from_size = (uint8_t)from;
        return code < 0xb8 ? SOFT_MOVZX : SOFT_MOVSX;
    default:
        return SOFT_NONE;
    }
}

static enum soft_code take_one_byte(struct taker *t)
{
    uint8_t code = t->code[0];
    struct soft *s = t->s;
    if (code < 0x40)
        return take_alu(t);
    if (code >= 0x50 && code <= 0x5f)
        return take_push_pop(t);
    if (code >= 0xb0 && code <= 0xbf)
        return take_mov_imm(t);
    switch (code) {
    case 0x63:
        take_reg_dst(t, field_reg(t, 1));
        place_rm(t, 1, 4, &s->src, &s->src_reg);
        s->from_size = 4;
        return s->size == 8 ? SOFT_MOVSX : SOFT_NONE;
    case 0x69:
    case 0x6b:
        s->sub = 1;
        take_reg_dst(t, field_reg(t, 1));
        if (code == 0x6b)
            take_imm(t, 1);
        else
            take_imm_full(t);
        take_rm_src(t, 1);
        return s->size > 2 ? SOFT_IMUL : SOFT_NONE;
    case 0x68:
    case 0x6a:
        s->size = 8;
        take_imm(t, code == 0x68 ? 4 : 1);
        return t->prefix.op16 ? SOFT_NONE : SOFT_PUSH;
    case 0x80:
    case 0x81:
    case 0x83:
        s->sub = (uint8_t)field_sub(t, 1);
        size_byte_if_even(t);
        take_rm_dst(t, 1);
        if (code == 0x83)
            take_imm(t, 1);
        else
            take_imm_full(t);
        return SOFT_ALU;
    case 0x84:
    case 0x85:
        s->sub = 8;
        size_byte_if_even(t);
        take_rm_dst(t, 1);
        take_reg_src(t, field_reg(t, 1));
        return SOFT_ALU;
    case 0x86:
    case 0x87:
        size_byte_if_even(t);
        take_rm_dst(t, 1);
        take_reg_src(t, field_reg(t, 1));
        return is_reg(t, 1) ? SOFT_XCHG : SOFT_NONE;
    case 0x88:
    case 0x89:
        size_byte_if_even(t);
        take_rm_dst(t, 1);
        take_reg_src(t, field_reg(t, 1));
        return SOFT_MOV;
    case 0x8a:
    case 0x8b:
        size_byte_if_even(t);
        take_reg_dst(t, field_reg(t, 1));
        take_rm_src(t, 1);
        return SOFT_MOV;
    case 0x8d:
        take_reg_dst(t, field_reg(t, 1));
        take_rm_src(t, 1);
        return s->src == PLACE_MEM ? SOFT_LEA : SOFT_NONE;
    case 0x90:
        return t->prefix.rex & 1 ? SOFT_NONE : SOFT_NOP; /* PAUSE, too */
    case 0x98:
        return SOFT_EXTEND_A;
    case 0x99:
        return SOFT_EXTEND_AD;
    case 0xa8:
    case 0xa9:
        s->sub = 8;
        size_byte_if_even(t);
        take_reg_dst(t, 0);
        take_imm_full(t);
        return SOFT_ALU;
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return take_shift(t);
    case 0xc6:
    case 0xc7:
        size_byte_if_even(t);
        take_rm_dst(t, 1);
        take_imm_full(t);
        return field_sub(t, 1) == 0 ? SOFT_MOV : SOFT_NONE;
    case 0xc9:
        return t->prefix.op16 ? SOFT_NONE : SOFT_LEAVE;
    case 0xf6:
    case 0xf7:
        return take_group3(t);
    case 0xfe:
    case 0xff:
        return take_group5(t);
    default:
        return SOFT_NONE;
    }
}

bool soft_decode(const struct op *op, struct soft *s)
{
    *s = (struct soft){0};
    struct taker t = {.op = *op, .s = s, .prefix = op_prefixes(op)};
    if (!op->is64 || op->kind != OP_PLAIN || !op->len || t.prefix.n >= op->len)
        return false;
    t.code = t.op.code + t.prefix.n;
    s->size = t.prefix.rex & 8 ? 8 : t.prefix.op16 ? 2 : 4;
    bool two = t.code[0] == 0x0f;
    /* Other prefixes mean other instructions, but for NOP, ENDBR64, PAUSE. */
    if (t.prefix.lock || ((t.prefix.rep || t.prefix.repne) && t.code[0] != 0x90 &&
                          !(two && t.code[1] == 0x1e)))
        return false;
    s->code = (uint8_t)(two ? take_two_byte(&t) : take_one_byte(&t));
    return s->code != SOFT_NONE;
}
