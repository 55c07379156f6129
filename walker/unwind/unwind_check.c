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
#include "walker/unwind/unwind_check.h"

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

/* A span of the next n bytes, which are left behind. */
static struct span take_span(struct span *s, uint64_t n)
{
    struct span part = {s->from, s->at, s->at, s->bad};

    skip(s, n);
    part.end = s->at;
    part.bad = s->bad;
    return part;
}

/* --- Rules and expressions --- */

/* Operands: bytes (1 2 4 8), a number (n), a register (r), an expression, at the end
 * (x). NULL: no such operation, or none that may be used. */
static const char *const rule_operands[0x30] = {
    [0x00] = "",                                /* nop */
    [0x02] = "1",                               /* advance_loc1, 2, 4 */
    [0x03] = "2",  [0x04] = "4", [0x05] = "rn", /* offset_extended */
    [0x06] = "r",                               /* restore_extended */
    [0x07] = "r",                               /* undefined */
    [0x08] = "r",                               /* same_value */
    [0x09] = "rr",                              /* register */
    [0x0a] = "",                                /* remember_state */
    [0x0b] = "",                                /* restore_state */
    [0x0c] = "rn",                              /* def_cfa */
    [0x0d] = "r",                               /* def_cfa_register */
    [0x0e] = "n",                               /* def_cfa_offset */
    [0x0f] = "x",                               /* def_cfa_expression */
    [0x10] = "rx",                              /* expression */
    [0x11] = "rn",                              /* offset_extended_sf */
    [0x12] = "rn",                              /* def_cfa_sf */
    [0x13] = "n",                               /* def_cfa_offset_sf */
    [0x14] = "rn",                              /* val_offset */
    [0x15] = "rn",                              /* val_offset_sf */
    [0x16] = "rx",                              /* val_expression */
    [0x2e] = "n",                               /* GNU_args_size */
    [0x2f] = "rn",                              /* GNU_negative_offset_extended */
};

/* Not among them: division, and jumps, behind which something else might be read than
 * here.  Those from 0x30 on are in expr_operands_of. */
static const char *const expr_operands[0x30] = {
    [0x03] = "8",                                           /* addr */
    [0x06] = "",                                            /* deref */
    [0x08] = "1", [0x09] = "1", [0x0a] = "2", [0x0b] = "2", /* constants */
    [0x0c] = "4", [0x0d] = "4", [0x0e] = "8", [0x0f] = "8", [0x10] = "n",
    [0x11] = "n", [0x12] = "",  [0x13] = "",  [0x14] = "", /* dup, drop, over */
    [0x16] = "",  [0x17] = "",                             /* swap, rot */
    [0x19] = "",  [0x1a] = "",  [0x1c] = "",               /* abs, and, minus */
    [0x1e] = "",  [0x1f] = "",  [0x20] = "",               /* mul, neg, not */
    [0x21] = "",  [0x22] = "",  [0x23] = "n",              /* or, plus, plus_uconst */
    [0x24] = "",  [0x25] = "",  [0x26] = "",               /* shl, shr, shra */
    [0x27] = "",                                           /* xor */
    [0x29] = "",  [0x2a] = "",  [0x2b] = "",               /* eq, ge, gt */
    [0x2c] = "",  [0x2d] = "",  [0x2e] = "",               /* le, lt, ne */
};

static const char *expr_operands_of(uint8_t op)
{
    enum { LIT0 = 0x30, REG0 = 0x50, BREG0 = 0x70, DEREF_SIZE = 0x94, NOP = 0x96 };

    if (op < LIT0)
        return expr_operands[op];
    if (op < REG0 || op == NOP)
        return "";
    if (op == DEREF_SIZE)
        return "1";
    return op >= BREG0 && op < BREG0 + REGS ? "n" : NULL;
}

/* All but an expression: whether there is one. */
static bool take_operands(struct span *s, const char *kinds)
{
    if (!kinds)
        s->bad = true;
    for (; !s->bad && *kinds && *kinds != 'x'; kinds++) {
        uint64_t n = *kinds == 'n' || *kinds == 'r' ? take_leb(s) : 0;
        if (*kinds == 'r' && n >= REGS)
            s->bad = true;
        else if (*kinds >= '1' && *kinds <= '8')
            skip(s, (uint64_t)(*kinds - '0'));
    }
    return !s->bad && *kinds == 'x';
}

static void take_expr(struct span *s)
{
    struct span expr = take_span(s, take_leb(s));

    while (!expr.bad && expr.at < expr.end)
        take_operands(&expr, expr_operands_of(take_u8(&expr)));
    s->bad |= expr.bad;
}

/* The two upper bits are operations with a small operand in the lower ones. */
static bool rules_are_harmless(struct span *s)
{
    enum { KIND = 0xc0, ADVANCE = 0x40, OFFSET = 0x80 };

    while (!s->bad && s->at < s->end) {
        uint8_t op = take_u8(s), kind = op & KIND;
        if (kind == 0) {
            if (take_operands(s, op < 0x30 ? rule_operands[op] : NULL))
                take_expr(s);
        } else if (kind != ADVANCE && (op & ~KIND) >= REGS) {
            s->bad = true;
        } else if (kind == OFFSET) {
            take_leb(s);
        }
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
