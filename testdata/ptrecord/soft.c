/* soft.c - simple instructions, carried out here instead of by the processor.
 *
 * SPDX-License-Identifier: MIT
 *
 * Operations compute on 64 bits and cut the result to their size.  Flags that the
 * manual leaves undefined stay as they were.
 */
#include "testdata/ptrecord/soft.h"

#include <string.h>

enum {
    FLAG_C = 1,
    FLAG_P = 4,
    FLAG_A = 0x10,
    FLAG_Z = 0x40,
    FLAG_S = 0x80,
    FLAG_O = 0x800,
    FLAGS = FLAG_C | FLAG_P | FLAG_A | FLAG_Z | FLAG_S | FLAG_O
};

bool soft_cond(unsigned cond, uint64_t flags)
{
    bool less = !(flags & FLAG_S) != !(flags & FLAG_O), is = false;
    switch (cond >> 1) {
    case 0:
        is = flags & FLAG_O;
        break;
    case 1:
        is = flags & FLAG_C;
        break;
    case 2:
        is = flags & FLAG_Z;
        break;
    case 3:
        is = flags & (FLAG_C | FLAG_Z);
        break;
    case 4:
        is = flags & FLAG_S;
        break;
    case 5:
        is = flags & FLAG_P;
        break;
    case 6:
        is = less;
        break;
    case 7:
        is = less || (flags & FLAG_Z);
        break;
    }
    return is != (cond & 1);
}

struct work {
    const struct soft *s;
    struct user_regs_struct *regs;
    struct ram *ram;
    uint64_t addr; /* of the memory operand, if there is one */
};

static uint64_t mask_of(unsigned size)
{
    return size == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static uint64_t sign_of(unsigned size)
{
    return UINT64_C(1) << (8 * size - 1);
}

static int64_t sign_extend(uint64_t v, unsigned size)
{
    unsigned shift = 64 - 8 * size;
    return (int64_t)(v << shift) >> shift;
}

static bool operand_get(const struct work *w, uint8_t place, uint8_t reg, unsigned size,
                        uint64_t *v)
{
    *v = 0;
    switch ((enum soft_place)place) {
    case PLACE_NONE:
        return true;
    case PLACE_REG:
        *v = *op_reg(w->regs, reg) & mask_of(size);
        return true;
    case PLACE_HIGH:
        *v = *op_reg(w->regs, reg) >> 8 & 0xff;
        return true;
    case PLACE_MEM:
        return ram_load(w->ram, w->addr, v, size);
    case PLACE_IMM:
        *v = (uint64_t)w->s->imm & mask_of(size);
        return true;
    case PLACE_CL:
        *v = w->regs->rcx & 0xff;
        return true;
    }
    return false;
}

static void reg_set(struct user_regs_struct *regs, uint8_t reg, unsigned size,
                    uint64_t v)
{
    unsigned long long *r = op_reg(regs, reg);
    if (size >= 4)
        *r = v & mask_of(size); /* 4 bytes clear the upper half */
    else
        *r = (*r & ~mask_of(size)) | (v & mask_of(size));
}

static bool dst_set(const struct work *w, uint64_t v)
{
    const struct soft *s = w->s;
    unsigned long long *r;
    switch ((enum soft_place)s->dst) {
    case PLACE_REG:
        reg_set(w->regs, s->dst_reg, s->size, v);
        return true;
    case PLACE_HIGH:
        r = op_reg(w->regs, s->dst_reg);
        *r = (*r & ~UINT64_C(0xff00)) | (v & 0xff) << 8;
        return true;
    case PLACE_MEM:
        return ram_store(w->ram, w->addr, &v, s->size);
    case PLACE_NONE:
    case PLACE_IMM:
    case PLACE_CL:
        break;
    }
    return false;
}

static uint64_t flags_result(uint64_t v, unsigned size)
{
    v &= mask_of(size);
    return (v ? 0 : FLAG_Z) | (v & sign_of(size) ? FLAG_S : 0) |
           (__builtin_parity((unsigned)v & 0xff) ? 0 : FLAG_P);
}

static void flags_set(const struct work *w, uint64_t which, uint64_t flags)
{
    w->regs->eflags = (w->regs->eflags & ~which) | (flags & which);
}

static uint64_t flags_add(uint64_t a, uint64_t b, uint64_t r, uint64_t carry_out,
                          unsigned size)
{
    uint64_t over = (a ^ r) & (b ^ r) & sign_of(size);
    return flags_result(r, size) | (carry_out ? FLAG_C : 0) | (over ? FLAG_O : 0) |
           ((a ^ b ^ r) & FLAG_A);
}

static uint64_t flags_sub(uint64_t a, uint64_t b, uint64_t r, uint64_t borrow,
                          unsigned size)
{
    uint64_t over = (a ^ b) & (a ^ r) & sign_of(size);
    return flags_result(r, size) | (borrow ? FLAG_C : 0) | (over ? FLAG_O : 0) |
           ((a ^ b ^ r) & FLAG_A);
}

/* The result of ALU operation SUB on operands of SIZE bytes, and its flags. */
static uint64_t alu(unsigned sub, uint64_t a, uint64_t b, uint64_t carry, unsigned size,
                    uint64_t *flags)
{
    uint64_t mask = mask_of(size), r;
    switch (sub) {
    case 0: /* ADD */
        carry = 0;
        /* fall through */
    case 2: /* ADC */
        r = (a + b + carry) & mask;
        *flags = flags_add(a, b, r, r < a || (carry && r == a), size);
        return r;
    case 5: /* SUB */
    case 7: /* CMP */
        carry = 0;
        /* fall through */
    case 3: /* SBB */
        r = (a - b - carry) & mask;
        *flags = flags_sub(a, b, r, a < b || (carry && a == b), size);
        return r;
    case 1:
        r = a | b;
        break;
    case 6:
        r = a ^ b;
        break;
    default: /* AND, TEST */
        r = a & b;
    }
    *flags = flags_result(r, size);
    return r;
}

static bool run_alu(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t a, b, flags;
    if (!operand_get(w, s->dst, s->dst_reg, s->size, &a) ||
        !operand_get(w, s->src, s->src_reg, s->size, &b))
        return false;
    uint64_t r = alu(s->sub, a, b, w->regs->eflags & FLAG_C, s->size, &flags);
    if (s->sub < 7 && !dst_set(w, r))
        return false;
    flags_set(w, FLAGS, flags);
    return true;
}

static bool run_move(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t v;
    unsigned from = s->from_size ? s->from_size : s->size;
    if (!operand_get(w, s->src, s->src_reg, from, &v))
        return false;
    if (s->code == SOFT_MOVSX)
        v = (uint64_t)sign_extend(v, from);
    return dst_set(w, v);
}

static bool run_exchange(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t a, b;
    operand_get(w, s->dst, s->dst_reg, s->size, &a);
    operand_get(w, s->src, s->src_reg, s->size, &b);
    struct soft back = *s;
    back.dst = s->src;
    back.dst_reg = s->src_reg;
    struct work other = *w;
    other.s = &back;
    return dst_set(w, b) && dst_set(&other, a);
}

static bool run_push(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t v;
    if (!operand_get(w, s->src, s->src_reg, 8, &v) ||
        !ram_store(w->ram, w->regs->rsp - 8, &v, 8))
        return false;
    w->regs->rsp -= 8;
    return true;
}

static bool run_pop(const struct work *w)
{
    uint64_t v;
    if (!ram_load(w->ram, w->regs->rsp, &v, 8))
        return false;
    w->regs->rsp += 8;
    reg_set(w->regs, w->s->dst_reg, 8, v);
    return true;
}

static bool run_leave(const struct work *w)
{
    uint64_t v;
    if (!ram_load(w->ram, w->regs->rbp, &v, 8))
        return false;
    w->regs->rsp = w->regs->rbp + 8;
    w->regs->rbp = v;
    return true;
}

/* INC, DEC, NOT, NEG. */
static bool run_unary(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t a, flags, r;
    if (!operand_get(w, s->dst, s->dst_reg, s->size, &a))
        return false;
    if (s->code == SOFT_NOT)
        return dst_set(w, ~a);
    if (s->code == SOFT_NEG)
        r = alu(5, 0, a, 0, s->size, &flags);
    else
        r = alu(s->code == SOFT_INC ? 0 : 5, a, 1, 0, s->size, &flags);
    if (!dst_set(w, r))
        return false;
    flags_set(w, s->code == SOFT_NEG ? FLAGS : FLAGS & ~FLAG_C, flags);
    return true;
}

static uint64_t bit(bool is, uint64_t flag)
{
    return is ? flag : 0;
}

static bool run_rotate(const struct work *w, uint64_t a, unsigned count)
{
    unsigned size = w->s->size, bits = 8 * size, by = count % bits;
    bool right = w->s->sub & 1;
    uint64_t r = a;
    if (by)
        r = (right ? a >> by | a << (bits - by) : a << by | a >> (bits - by));
    r &= mask_of(size);
    if (!dst_set(w, r))
        return false;
    bool top = r & sign_of(size), below = r & sign_of(size) >> 1;
    bool carry = right ? top : r & 1;
    flags_set(w, FLAG_C, bit(carry, FLAG_C));
    if (count == 1)
        flags_set(w, FLAG_O, bit(right ? top != below : top != carry, FLAG_O));
    return true;
}

static bool run_shift(const struct work *w)
{
    const struct soft *s = w->s;
    unsigned size = s->size, bits = 8 * size;
    uint64_t a, count, r;
    bool carry, over;
    if (!operand_get(w, s->dst, s->dst_reg, size, &a) ||
        !operand_get(w, s->src, s->src_reg, 1, &count))
        return false;
    count &= size == 8 ? 63 : 31;
    if (!count)
        return dst_set(w, a); /* clears the upper half of a 32-bit register */
    if (s->sub < 4)
        return run_rotate(w, a, (unsigned)count);
    if (s->sub == 5) {
        r = count < 64 ? a >> count : 0;
        carry = a >> (count - 1) & 1;
        over = a & sign_of(size);
    } else if (s->sub == 7) {
        int64_t wide = sign_extend(a, size);
        r = (uint64_t)(wide >> count);
        carry = wide >> (count - 1) & 1;
        over = false;
    } else {
        r = a << count;
        carry = count <= bits && (a >> (bits - count) & 1);
        over = carry != !!(r & sign_of(size));
    }
    if (!dst_set(w, r))
        return false;
    flags_set(w, FLAGS & ~(FLAG_O | FLAG_A),
              flags_result(r, size) | bit(carry, FLAG_C));
    if (count == 1)
        flags_set(w, FLAG_O, bit(over, FLAG_O));
    return true;
}

static bool run_cmov(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t old, new;
    if (!operand_get(w, s->src, s->src_reg, s->size, &new))
        return false;
    operand_get(w, s->dst, s->dst_reg, s->size, &old);
    return dst_set(w, soft_cond(s->sub, w->regs->eflags) ? new : old);
}

static bool run_imul(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t a, b;
    if (!operand_get(w, s->dst, s->dst_reg, s->size, &a) ||
        !operand_get(w, s->src, s->src_reg, s->size, &b))
        return false;
    if (s->sub)
        a = (uint64_t)s->imm & mask_of(s->size);
    __extension__ typedef __int128 wide;
    wide r = (wide)sign_extend(a, s->size) * sign_extend(b, s->size);
    bool lost = r != (wide)sign_extend((uint64_t)r, s->size);
    flags_set(w, FLAG_C | FLAG_O, bit(lost, FLAG_C | FLAG_O));
    return dst_set(w, (uint64_t)r);
}

/* rdx:rax = rax * operand, 4 or 8 bytes. */
static bool run_mul(const struct work *w)
{
    const struct soft *s = w->s;
    unsigned size = s->size, bits = 8 * size;
    uint64_t a = w->regs->rax & mask_of(size), b, high;
    __extension__ typedef __int128 wide;
    __extension__ typedef unsigned __int128 uwide;
    bool lost;
    if (!operand_get(w, s->dst, s->dst_reg, size, &b))
        return false;
    uwide r = (uwide)a * b;
    if (s->sub == 5)
        r = (uwide)((wide)sign_extend(a, size) * sign_extend(b, size));
    high = (uint64_t)(r >> bits) & mask_of(size);
    if (s->sub == 5)
        lost = (wide)r != (wide)sign_extend((uint64_t)r, size);
    else
        lost = high;
    reg_set(w->regs, 0, size, (uint64_t)r);
    reg_set(w->regs, 2, size, high);
    flags_set(w, FLAG_C | FLAG_O, bit(lost, FLAG_C | FLAG_O));
    return true;
}

static void run_extend(const struct work *w)
{
    unsigned size = w->s->size;
    uint64_t a = w->regs->rax;
    if (w->s->code == SOFT_EXTEND_A)
        reg_set(w->regs, 0, size, (uint64_t)sign_extend(a, size / 2));
    else
        reg_set(w->regs, 2, size, a & sign_of(size) ? UINT64_MAX : 0);
}

static bool run_bt(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t a, n;
    if (!operand_get(w, s->dst, s->dst_reg, s->size, &a) ||
        !operand_get(w, s->src, s->src_reg, s->size, &n))
        return false;
    flags_set(w, FLAG_C, bit(a >> (n % (8 * s->size)) & 1, FLAG_C));
    return true;
}

static bool run_bswap(const struct work *w)
{
    const struct soft *s = w->s;
    uint64_t a;
    operand_get(w, s->dst, s->dst_reg, s->size, &a);
    return dst_set(w, s->size == 8 ? __builtin_bswap64(a)
                                   : __builtin_bswap32((uint32_t)a));
}

static uint64_t address(const struct work *w, uint64_t next)
{
    const struct op_mem *m = &w->s->mem;
    uint64_t addr = (uint64_t)(int64_t)m->disp;
    if (m->base == OP_IP)
        addr += next;
    else if (m->base != OP_NO_REG)
        addr += *op_reg(w->regs, m->base);
    if (m->index != OP_NO_REG)
        addr += *op_reg(w->regs, m->index) << m->shift;
    if (m->addr32)
        addr = (uint32_t)addr;
    if (m->seg && w->s->code != SOFT_LEA)
        addr += m->seg == 0x64 ? w->regs->fs_base : w->regs->gs_base;
    return addr;
}

bool soft_run(const struct soft *s, struct user_regs_struct *regs, struct ram *ram,
              uint64_t next)
{
    struct work w = {.s = s, .regs = regs, .ram = ram};
    if (s->src == PLACE_MEM || s->dst == PLACE_MEM)
        w.addr = address(&w, next);
    switch ((enum soft_code)s->code) {
    case SOFT_NONE:
        return false;
    case SOFT_NOP:
        return true;
    case SOFT_ALU:
        return run_alu(&w);
    case SOFT_MOV:
    case SOFT_MOVZX:
    case SOFT_MOVSX:
        return run_move(&w);
    case SOFT_LEA:
        return dst_set(&w, w.addr);
    case SOFT_XCHG:
        return run_exchange(&w);
    case SOFT_PUSH:
        return run_push(&w);
    case SOFT_POP:
        return run_pop(&w);
    case SOFT_LEAVE:
        return run_leave(&w);
    case SOFT_INC:
    case SOFT_DEC:
    case SOFT_NOT:
    case SOFT_NEG:
        return run_unary(&w);
    case SOFT_SHIFT:
        return run_shift(&w);
    case SOFT_CMOV:
        return run_cmov(&w);
    case SOFT_SETCC:
        return dst_set(&w, soft_cond(s->sub, regs->eflags));
    case SOFT_IMUL:
        return run_imul(&w);
    case SOFT_MUL:
        return run_mul(&w);
    case SOFT_EXTEND_A:
    case SOFT_EXTEND_AD:
        run_extend(&w);
        return true;
    case SOFT_BT:
        return run_bt(&w);
    case SOFT_BSWAP:
        return run_bswap(&w);
    }
    return false;
}
