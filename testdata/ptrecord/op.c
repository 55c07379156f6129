/* op.c - one instruction, as far as following it from outside needs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/op.h"

#include "walker/code/ild.h"

#include <string.h>

struct op_prefix op_prefixes(const struct op *op)
{
    struct op_prefix p = {0};
    for (; p.n < op->len; p.n++) {
        switch (op->code[p.n]) {
        case 0x66:
            p.op16 = true;
            continue;
        case 0x67:
            p.addr = true;
            continue;
        case 0xf2:
            p.repne = true;
            continue;
        case 0xf3:
            p.rep = true;
            continue;
        case 0x64:
        case 0x65:
            p.seg = op->code[p.n];
            continue;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
            continue;
        case 0xf0:
            p.lock = true;
            continue;
        default:
            break;
        }
        break;
    }
    if (op->is64 && p.n < op->len && (op->code[p.n] & 0xf0) == 0x40)
        p.rex = op->code[p.n++];
    return p;
}

/* disp of SIZE bytes at AT, sign extended. */
static int32_t disp_read(const uint8_t *at, unsigned size)
{
    int32_t disp = 0;
    if (size == 1)
        disp = *at < 0x80 ? *at : *at - 0x100;
    else if (size == 4)
        memcpy(&disp, at, 4);
    return disp;
}

void op_modrm(struct op *op, const struct op_prefix *p, unsigned at)
{
    const uint8_t *code = op->code + at;
    unsigned mod = code[0] >> 6, rm = code[0] & 7u;
    unsigned b = p->rex & 1u ? 8 : 0, x = p->rex & 2u ? 8 : 0;
    if (mod == 3) {
        op->reg = (uint8_t)(rm | b);
        return;
    }
    struct op_mem *m = &op->mem;
    *m = (struct op_mem){.base = (uint8_t)(rm | b), .index = OP_NO_REG, .seg = p->seg};
    m->addr32 = !op->is64 || p->addr;
    op->is_exotic |= !op->is64 && p->addr; /* 16-bit addresses */
    code++;
    unsigned size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    if (rm == 4) {
        uint8_t sib = *code++;
        m->base = (uint8_t)((sib & 7u) | b);
        m->index = (uint8_t)((sib >> 3 & 7u) | x);
        m->shift = sib >> 6;
        if (m->index == 4)
            m->index = OP_NO_REG;
        if (mod == 0 && (sib & 7u) == 5) {
            m->base = OP_NO_REG;
            size = 4;
        }
    } else if (mod == 0 && rm == 5) {
        m->base = op->is64 ? OP_IP : OP_NO_REG;
        size = 4;
    }
    m->disp = disp_read(code, size);
}

static bool bytes_are(const struct op *op, unsigned at, unsigned n, const char *bytes)
{
    return op->len >= at + n && !memcmp(op->code + at, bytes, n);
}

/* Instructions that are carried out for processors that lack them. */
static enum op_kind kind_extra(struct op *op, const struct op_prefix *p)
{
    if (bytes_are(op, p->n, 2, "\xc7\xf8")) {
        op->rel = disp_read(op->code + p->n + 2, op->len - p->n == 6 ? 4 : 0);
        op->is_exotic = p->op16;
        return OP_XBEGIN;
    }
    if (bytes_are(op, p->n, 2, "\xc6\xf8")) {
        op->cond = op->code[p->n + 2];
        return OP_XABORT;
    }
    if (bytes_are(op, p->n, 3, "\x0f\x01\xd5"))
        return OP_XEND;
    if (bytes_are(op, p->n, 3, "\x0f\x01\xd6"))
        return OP_XTEST;
    if (bytes_are(op, p->n, 2, "\x0f\xa2"))
        return OP_CPUID;
    return OP_PLAIN;
}

static enum op_kind kind_call_jmp(struct op *op, const struct op_prefix *p,
                                  const struct ild *ild)
{
    bool is_call = ild->cls == INSN_CALL;
    if (ild->branch == BRANCH_DIRECT)
        return is_call ? OP_CALL : OP_JMP;
    uint8_t ext = op->code[p->n + 1] >> 3 & 7;
    if (op->code[p->n] != 0xff || ext == 3 || ext == 5)
        return OP_FAR;
    op_modrm(op, p, p->n + 1u);
    return is_call ? OP_CALL_IND : OP_JMP_IND;
}

static enum op_kind kind_ret(struct op *op, const struct op_prefix *p)
{
    uint8_t opcode = op->code[p->n];
    if (opcode != 0xc2 && opcode != 0xc3)
        return OP_FAR;
    if (opcode == 0xc2)
        memcpy(&op->pop, op->code + p->n + 1, 2);
    return OP_RET;
}

static enum op_kind kind_of(struct op *op, const struct op_prefix *p,
                            const struct ild *ild)
{
    uint8_t opcode = op->code[p->n];
    switch ((enum insn_class)ild->cls) {
    case INSN_OTHER:
        if (ild->special != INSN_PTWRITE)
            return kind_extra(op, p);
        op_modrm(op, p, p->n + 2u);
        return OP_PTWRITE;
    case INSN_CALL:
    case INSN_JMP:
        return kind_call_jmp(op, p, ild);
    case INSN_RET:
        return kind_ret(op, p);
    case INSN_JCC:
        if (opcode == 0xe3) { /* JRCXZ */
            op->cond = 3;
            return OP_LOOP;
        }
        op->cond = (opcode == 0x0f ? op->code[p->n + 1] : opcode) & 0xf;
        return OP_JCC;
    case INSN_LOOP:
        op->cond = opcode & 3;
        return OP_LOOP;
    case INSN_SYSCALL:
        return OP_SYSCALL;
    case INSN_INT:
        return opcode == 0xcd && op->code[p->n + 1] == 0x80 ? OP_INT80 : OP_INT;
    case INSN_IRET:
    case INSN_SYSRET:
    case INSN_VMENTRY:
        return OP_FAR;
    }
    return OP_PLAIN;
}

static bool is_string(uint8_t opcode)
{
    return (opcode & 0xfc) == 0xa4 || (opcode >= 0xaa && opcode <= 0xaf) ||
           (opcode & 0xfc) == 0x6c;
}

struct op op_decode(const uint8_t *code, size_t n, uint64_t ip, bool is64)
{
    struct op op = {.ip = ip, .is64 = is64, .reg = OP_NO_REG};
    if (n > OP_MAX)
        n = OP_MAX;
    memcpy(op.code, code, n);
    struct ild ild = ild_decode(code, n, is64 ? ILD_64 : ILD_32);
    op.len = ild.len;
    if (!op.len)
        return op;
    struct op_prefix p = op_prefixes(&op);
    if (p.n == op.len)
        return op;
    op.rel = ild.rel;
    op.wide = p.rex & 8;
    op.mem.addr32 = p.addr || !is64;
    op.kind = (uint8_t)kind_of(&op, &p, &ild);
    op.is_rep = (p.rep || p.repne) && is_string(op.code[p.n]);
    op.is_pushf = op.code[p.n] == 0x9c;
    op.is_popf = op.code[p.n] == 0x9d;
    if (op.kind != OP_PLAIN && op.kind != OP_PTWRITE)
        op.is_exotic |= p.op16 && !is64; /* 16-bit instruction pointers */
    return op;
}

unsigned long long *op_reg(struct user_regs_struct *regs, unsigned number)
{
#define AT(name) (uint8_t)(offsetof(struct user_regs_struct, name) / 8)
    static const uint8_t at[16] = {AT(rax), AT(rcx), AT(rdx), AT(rbx), AT(rsp), AT(rbp),
                                   AT(rsi), AT(rdi), AT(r8),  AT(r9),  AT(r10), AT(r11),
                                   AT(r12), AT(r13), AT(r14), AT(r15)};
#undef AT
    return (unsigned long long *)regs + at[number & 15];
}

uint64_t op_addr(const struct op *op, struct user_regs_struct *regs)
{
    const struct op_mem *m = &op->mem;
    uint64_t addr = (uint64_t)(int64_t)m->disp;
    if (m->base == OP_IP)
        addr += op->ip + op->len;
    else if (m->base != OP_NO_REG)
        addr += *op_reg(regs, m->base);
    if (m->index != OP_NO_REG)
        addr += *op_reg(regs, m->index) << m->shift;
    if (m->addr32)
        addr = (uint32_t)addr;
    if (m->seg)
        addr += m->seg == 0x64 ? regs->fs_base : regs->gs_base;
    return op->is64 ? addr : (uint32_t)addr;
}
