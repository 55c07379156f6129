/* unwind_check.c - whether unwind information does no harm.
 *
 * SPDX-License-Identifier: MIT
 *
 * libunwind 1.6 believes what a file says: a register saved in register 1000 makes it
 * read behind its arrays, and a division of an expression can end the program.  So it
 * is shown only what has been read here before, in the form compilers write it:
 *
 *     CIE: length | 0 | version | "zR.." | alignments | return column | augmentation |
 * rules FDE: length | distance to its CIE | start | size | augmentation | rules
 */
#include "walker/unwind_check.h"

#include <stddef.h>

enum { REGS = 17, SIZE_MAX_SANE = 1 << 16, LEB_MAX = 10 };

/* What is left of an entry. */
struct span {
    const struct unwind_bytes *from;
    uint64_t at, end;
    bool bad;
};

static uint8_t take_u8(struct span *s)
{
    uint8_t byte = 0;

    if (s->bad || s->at >= s->end || !s->from->at(s->from->ctx, s->at, &byte))
        s->bad = true;
    s->at++;
    return s->bad ? 0 : byte;
}

static uint32_t take_u32(struct span *s)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < 4; i++)
        v |= (uint32_t)take_u8(s) << 8 * i;
    return v;
}

static void skip(struct span *s, uint64_t n)
{
    if (s->bad || n > s->end - s->at)
        s->bad = true;
    else
        s->at += n;
}

/* A LEB128 of either kind; the value is that of an unsigned one. */
static uint64_t take_leb(struct span *s)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < LEB_MAX; i++) {
        uint8_t byte = take_u8(s);
        v |= i < 9 ? (uint64_t)(byte & 0x7f) << 7 * i : 0;
        if (!(byte & 0x80))
            return v;
    }
    s->bad = true;
    return 0;
}

static void take_reg(struct span *s)
{
    if (take_leb(s) >= REGS)
        s->bad = true;
}

/* A span of the next n bytes, which are left behind. */
static struct span take_span(struct span *s, uint64_t n)
{
    struct span part = {s->from, s->at, s->at, s->bad};

    skip(s, n);
    part.end = s->at;
    part.bad = s->bad;
    return part;
}

/* --- Expressions --- */

/* An operation's operand.  Not among them: division, and jumps, behind which something
 * else might be read than here. */
static void expr_op(struct span *s, uint8_t op)
{
    if (op >= 0x30 && op <= 0x4f) /* lit */
        return;
    if (op >= 0x70 && op <= 0x80) { /* breg */
        take_leb(s);
        return;
    }
    switch (op) {
    case 0x06: /* deref */
    case 0x12: /* dup, drop, over */
    case 0x13:
    case 0x14:
    case 0x16: /* swap, rot */
    case 0x17:
    case 0x19: /* abs, and */
    case 0x1a:
    case 0x1c: /* minus */
    case 0x1e: /* mul, neg, not, or, plus */
    case 0x1f:
    case 0x20:
    case 0x21:
    case 0x22:
    case 0x24: /* shl, shr, shra, xor */
    case 0x25:
    case 0x26:
    case 0x27:
    case 0x29: /* eq, ge, gt, le, lt, ne */
    case 0x2a:
    case 0x2b:
    case 0x2c:
    case 0x2d:
    case 0x2e:
    case 0x96: /* nop */
        return;
    case 0x08: /* const1u, const1s, deref_size */
    case 0x09:
    case 0x94:
        skip(s, 1);
        return;
    case 0x0a: /* const2u, const2s */
    case 0x0b:
        skip(s, 2);
        return;
    case 0x0c: /* const4u, const4s */
    case 0x0d:
        skip(s, 4);
        return;
    case 0x03: /* addr, const8u, const8s */
    case 0x0e:
    case 0x0f:
        skip(s, 8);
        return;
    case 0x10: /* constu, consts, plus_uconst */
    case 0x11:
    case 0x23:
        take_leb(s);
        return;
    default:
        s->bad = true;
    }
}

static void take_expr(struct span *s)
{
    struct span expr = take_span(s, take_leb(s));

    while (!expr.bad && expr.at < expr.end)
        expr_op(&expr, take_u8(&expr));
    s->bad |= expr.bad;
}

/* --- Rules --- */

static void rule_other(struct span *s, uint8_t op)
{
    switch (op) {
    case 0x00: /* nop, remember_state, restore_state */
    case 0x0a:
    case 0x0b:
        return;
    case 0x02: /* advance_loc by 1, 2, 4 bytes */
        skip(s, 1);
        return;
    case 0x03:
        skip(s, 2);
        return;
    case 0x04:
        skip(s, 4);
        return;
    case 0x06: /* restore_extended, undefined, same_value, def_cfa_register */
    case 0x07:
    case 0x08:
    case 0x0d:
        take_reg(s);
        return;
    case 0x09: /* register */
        take_reg(s);
        take_reg(s);
        return;
    case 0x05: /* offset_extended, def_cfa and their signed kinds, val_offset */
    case 0x0c:
    case 0x11:
    case 0x12:
    case 0x14:
    case 0x15:
    case 0x2f:
        take_reg(s);
        take_leb(s);
        return;
    case 0x0e: /* def_cfa_offset, signed; GNU_args_size */
    case 0x13:
    case 0x2e:
        take_leb(s);
        return;
    case 0x0f: /* def_cfa_expression */
        take_expr(s);
        return;
    case 0x10: /* expression, val_expression */
    case 0x16:
        take_reg(s);
        take_expr(s);
        return;
    default:
        s->bad = true;
    }
}

static bool rules_are_harmless(struct span *s)
{
    enum { KIND = 0xc0, ADVANCE = 0x40, OFFSET = 0x80 };

    while (!s->bad && s->at < s->end) {
        uint8_t op = take_u8(s);
        if ((op & KIND) == 0)
            rule_other(s, op);
        else if ((op & KIND) != ADVANCE && (op & ~KIND) >= REGS)
            s->bad = true;
        else if ((op & KIND) == OFFSET)
            take_leb(s);
    }
    return !s->bad;
}

/* --- CIE and FDE --- */

/* Behind the length of an entry. */
static struct span entry_at(const struct unwind_bytes *from, uint64_t addr)
{
    struct span s = {from, addr, addr + 4, false};
    uint32_t len = take_u32(&s);

    if (len > SIZE_MAX_SANE || s.at + len < s.at)
        s.bad = true;
    s.end = s.at + len;
    return s;
}

static void skip_encoded(struct span *s, uint8_t how)
{
    enum { OMIT = 0xff, APPLIED = 0x70, ALIGNED = 0x50 };
    static const uint8_t size[16] = {8, 0, 2, 4, 8, 0, 0, 0, 8, 0, 2, 4, 8, 0, 0, 0};

    if (how == OMIT)
        return;
    if ((how & APPLIED) == ALIGNED || !size[how & 15])
        s->bad = true;
    else
        skip(s, size[how & 15]);
}

/* Reads the letters of an augmentation and, for each, what it has in `data`. */
static void take_augmentation(struct span *letters, struct span *data,
                              uint8_t *encoding)
{
    for (uint8_t c; !letters->bad && (c = take_u8(letters)) != 0;) {
        switch (c) {
        case 'R':
            *encoding = take_u8(data);
            break;
        case 'L':
            take_u8(data);
            break;
        case 'P':
            skip_encoded(data, take_u8(data));
            break;
        case 'S':
        case 'B':
            break;
        default:
            letters->bad = true;
        }
    }
}

struct cie {
    bool sized; /* its FDEs have augmentation data */
    uint8_t encoding;
};

static bool cie_is_harmless(const struct unwind_bytes *from, uint64_t addr,
                            struct cie *out)
{
    struct span s = entry_at(from, addr);

    if (take_u32(&s) != 0)
        return false;
    uint8_t version = take_u8(&s);
    struct span letters = s;
    while (take_u8(&s) != 0) {
    }
    take_leb(&s);
    take_leb(&s);
    uint64_t column = version == 1 ? take_u8(&s) : take_leb(&s);
    if (s.bad || (version != 1 && version != 3) || column >= REGS)
        return false;
    *out = (struct cie){0};
    uint8_t first = take_u8(&letters);
    if (first == 'z') {
        struct span data = take_span(&s, take_leb(&s));
        out->sized = true;
        take_augmentation(&letters, &data, &out->encoding);
        s.bad |= data.bad || letters.bad;
    } else if (first != 0) {
        return false;
    }
    return rules_are_harmless(&s);
}

bool unwind_is_harmless(const struct unwind_bytes *from, uint64_t fde)
{
    struct span s = entry_at(from, fde);
    uint64_t here = s.at;
    uint32_t distance = take_u32(&s);
    struct cie cie;

    if (s.bad || !distance || !cie_is_harmless(from, here - distance, &cie))
        return false;
    skip_encoded(&s, cie.encoding);
    skip_encoded(&s, cie.encoding & 15);
    if (cie.sized)
        skip(&s, take_leb(&s));
    return rules_are_harmless(&s);
}
