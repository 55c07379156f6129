/* ild.c - x86 instruction lengths by table.
 *
 * SPDX-License-Identifier: MIT
 *
 *     [prefixes] [rex] [0f|0f38|0f3a] opcode [modrm [sib] [disp]] [immediate]
 *     [rex2]           opcode ...                d5 payload, map 0 or 1
 *     [vex|xop|evex]   opcode ...                c5 c4 8f 62, map 1..10
 *
 * Each opcode byte is looked up once.  Its cell says what follows it and, for branches,
 * the class: the common instruction costs one load from the map, one for ModRM and one
 * for the immediate.
 *
 * Every byte looked at belongs to the instruction, hence the way short input is dealt
 * with: decode it padded with zeros, and when the result is longer than what was there,
 * bytes were missing. */
#include "walker/code/ild.h"

#include "decoder/base/bytes.h"
#include "walker/code/ild_known.h"

#include <stdbool.h>

/* The operand after opcode and ModRM. */
enum imm {
    IMM_NONE,
    IMM_1,
    IMM_2,
    IMM_3, /* enter: frame size and level */
    IMM_4,
    IMM_8,
    IMM_Z,   /* operand size, at most 4 */
    IMM_V,   /* operand size */
    IMM_FAR, /* offset of operand size, selector */
    IMM_J,   /* displacement: Intel ignores 66 in 64-bit mode, AMD does not */
    IMM_OFF, /* address size */
    IMM_KINDS
};

/* What a cell needs besides: prefixes, ways to other maps, and what ModRM decides. */
enum special {
    SP_NONE,
    SP_SEG, /* lock, too */
    SP_OPSIZE,
    SP_ADSIZE,
    SP_REP,
    SP_REX, /* inc and dec outside of 64-bit mode */
    SP_REX2,
    SP_ESC,
    SP_ESC38,
    SP_ESC3A,
    SP_VEX2,
    SP_VEX3,
    SP_EVEX,
    SP_XOP,
    SP_FAR, /* call and jmp with an address, not in 64-bit mode */
    SP_MOVCR,
    SP_SHIFT,
    SP_TEST,
    SP_GROUP5,
    SP_0F01,
    SP_0F78,
    SP_0FAE,
    SP_BAD
};

/* A cell: imm in bits 0-3, ModRM in 4, class in 5-8, branch in 9-10, special above. */
#define HAS_MODRM          0x10u
#define CELL(imm, cls, br) ((uint16_t)((imm) | (cls) << 5 | (br) << 9))
#define SPEC(sp, cell)     ((uint16_t)((sp) << 11 | (cell)))
#define CELL_IMM(c)        ((c)&0xfu)
#define CELL_CLS(c)        ((uint8_t)((c) >> 5 & 0xf))
#define CELL_BRANCH(c)     ((uint8_t)((c) >> 9 & 3))
#define CELL_SPECIAL(c)    ((unsigned)(c) >> 11)
#define CELL_IS_PREFIX(c)  (CELL_SPECIAL(c) - 1 < SP_REX)

#define _   0
#define M   HAS_MODRM
#define B   IMM_1
#define E   IMM_3
#define Z   IMM_Z
#define V   IMM_V
#define O   IMM_OFF
#define MB  (M | IMM_1)
#define MZ  (M | IMM_Z)
#define JB  CELL(IMM_1, INSN_JCC, BRANCH_COND)
#define JZ  CELL(IMM_J, INSN_JCC, BRANCH_COND)
#define LB  CELL(IMM_1, INSN_LOOP, BRANCH_COND)
#define JMB CELL(IMM_1, INSN_JMP, BRANCH_DIRECT)
#define JMZ CELL(IMM_J, INSN_JMP, BRANCH_DIRECT)
#define JMF SPEC(SP_FAR, CELL(IMM_FAR, INSN_JMP, BRANCH_INDIRECT))
#define CLZ CELL(IMM_J, INSN_CALL, BRANCH_DIRECT)
#define CLF SPEC(SP_FAR, CELL(IMM_FAR, INSN_CALL, BRANCH_INDIRECT))
#define RT  CELL(IMM_NONE, INSN_RET, BRANCH_INDIRECT)
#define RTW CELL(IMM_2, INSN_RET, BRANCH_INDIRECT)
#define IRT CELL(IMM_NONE, INSN_IRET, BRANCH_INDIRECT)
#define INT CELL(IMM_NONE, INSN_INT, BRANCH_INDIRECT)
#define INB CELL(IMM_1, INSN_INT, BRANCH_INDIRECT)
#define SYC CELL(IMM_NONE, INSN_SYSCALL, BRANCH_INDIRECT)
#define SYR CELL(IMM_NONE, INSN_SYSRET, BRANCH_INDIRECT)
#define PS  SPEC(SP_SEG, 0)
#define PO  SPEC(SP_OPSIZE, 0)
#define PA  SPEC(SP_ADSIZE, 0)
#define PR  SPEC(SP_REP, 0)
#define RX  SPEC(SP_REX, 0)
#define R2  SPEC(SP_REX2, B)
#define ESC SPEC(SP_ESC, 0)
#define E38 SPEC(SP_ESC38, M)
#define E3A SPEC(SP_ESC3A, MB)
#define V2  SPEC(SP_VEX2, M)
#define V3  SPEC(SP_VEX3, M)
#define EV  SPEC(SP_EVEX, M)
#define XP  SPEC(SP_XOP, M)
#define MR  SPEC(SP_MOVCR, M)
#define MSB SPEC(SP_SHIFT, MB)
#define M3B SPEC(SP_TEST, MB)
#define M3Z SPEC(SP_TEST, MZ)
#define M5  SPEC(SP_GROUP5, M)
#define M01 SPEC(SP_0F01, M)
#define M78 SPEC(SP_0F78, M)
#define MAE SPEC(SP_0FAE, M)
#define BAD SPEC(SP_BAD, 0)

#include "walker/code/ild_map.inc"

/* Operand size 2, 4, 8. */
static const uint8_t imm_len[3][IMM_KINDS] = {
    {0, 1, 2, 3, 4, 8, 2, 2, 4, 2, 0},
    {0, 1, 2, 3, 4, 8, 4, 4, 6, 4, 0},
    {0, 1, 2, 3, 4, 8, 4, 8, 6, 4, 0},
};

/* The bytes of ModRM, SIB and displacement, by ModRM; a SIB without base has 4 more. */
#define SIB       0x80u
#define REGS(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define MOD(...)  REGS(__VA_ARGS__), REGS(__VA_ARGS__)
static const uint8_t modrm_len[256] = {
    MOD(1, 1, 1, 1, SIB | 2, 5, 1, 1), /* (reg) ... sib disp32 */
    MOD(2, 2, 2, 2, 3, 2, 2, 2),       /* disp8(reg) */
    MOD(5, 5, 5, 5, 6, 5, 5, 5),       /* disp32(reg) */
    MOD(1, 1, 1, 1, 1, 1, 1, 1),       /* reg */
};
static const uint8_t modrm16_len[32] = {
    0, 0, 0, 0, 0, 0, 2, 0, /* (bx,si) ... disp16 */
    1, 1, 1, 1, 1, 1, 1, 1, /* disp8 */
    2, 2, 2, 2, 2, 2, 2, 2, /* disp16 */
    0, 0, 0, 0, 0, 0, 0, 0, /* reg */
};

/* Where decoding has got to, and the prefixes that count for lengths. */
struct state {
    const uint8_t *p;
    enum ild_mode mode; /* without ILD_SDM */
    bool sdm;
    uint8_t rex;  /* or the bits of a newer prefix that mean the same */
    uint8_t rep;  /* the last of f2 and f3 */
    uint8_t last; /* the last legacy prefix, enum opcode_prefix */
    bool opsize;
    bool adsize;
};

#define REX_W 8
#define REX_R 4

static unsigned prefix_of(unsigned special, uint8_t b)
{
    if (special == SP_REP)
        return b == 0xf3 ? PREFIX_F3 : PREFIX_F2;
    return special == SP_OPSIZE ? PREFIX_66 : PREFIX_NONE;
}

/* Eats prefixes and the opcode byte; gives the opcode's cell.  At `last` no prefix fits
 * any more.  A REX that is not the last prefix is ignored; perf takes it and the next byte for an
 * instruction. */
static uint16_t eat_prefixes(struct state *s, const uint8_t *last)
{
    for (;;) {
        uint8_t b = *s->p++;
        uint16_t cell = map0[b];
        if (!CELL_IS_PREFIX(cell))
            return cell;
        unsigned special = CELL_SPECIAL(cell);
        if (special == SP_REX && s->mode != ILD_64)
            return _;
        if (s->rex && !s->sdm)
            return _;
        if (s->p > last)
            return BAD;
        if (special != SP_REX)
            s->last = (uint8_t)prefix_of(special, b);
        s->rex = special == SP_REX ? b : 0; /* counts right before the opcode only */
        s->opsize |= special == SP_OPSIZE;
        s->adsize |= special == SP_ADSIZE;
        if (special == SP_REP)
            s->rep = b;
    }
}

/* What perf sees where it knows no such opcode: none if there is one behind VEX or EVEX (as of andn, whatever the
 * prefix), else one without operands. */
static uint16_t unknown(const struct state *s, unsigned map, uint8_t op)
{
    bool is_andn = map == 2 && op == 0xf2;

    return is_andn || opcode_bit(evex_opcodes[map - 1][s->last], op) ? BAD : _;
}

/* 0f escapes: the second and third opcode byte. */
static uint16_t eat_map1(struct state *s)
{
    uint8_t op = *s->p++;
    uint16_t cell = map1[op];
    unsigned special = CELL_SPECIAL(cell), map = 1;
    if (special == SP_ESC38 || special == SP_ESC3A) {
        map = special == SP_ESC38 ? 2 : 3;
        op = *s->p++;
    }
    if (s->sdm || opcode_bit(plain_opcodes[map - 1][s->last], op))
        return cell;
    return unknown(s, map, op);
}

/* REX2: W is where REX has it, bit 7 selects the map.  Opcodes that are prefixes or
 * escapes are refused, as are the rows APX reserves, save for jmpabs. */
static uint16_t eat_rex2(struct state *s)
{
    uint8_t payload = *s->p++, op = *s->p++, row = op >> 4;
    s->rex = payload & 0xf;
    if (payload & 0x80)
        return row == 3 || row == 8 ? BAD : map1[op];
    if (op == 0xa1)
        return CELL(IMM_8, INSN_JMP, BRANCH_INDIRECT);
    if (row == 4 || row == 7 || row == 0xa || row == 0xe)
        return BAD;
    unsigned special = CELL_SPECIAL(map0[op]);
    return special >= SP_SEG && special <= SP_EVEX ? BAD : map0[op];
}

/* EVEX map 4: the legacy instructions to which APX gave a third operand or a condition.
 */
static uint16_t evex_map4(uint8_t op)
{
    switch (op) {
    case 0x24: /* shld, shrd */
    case 0x2c:
    case 0x6b: /* imul */
    case 0x80: /* add and kin, ccmp */
    case 0x83:
    case 0xc0: /* shifts */
    case 0xc1:
        return MB;
    case 0x69:
    case 0x81:
        return MZ;
    case 0xf6: /* test, ctest */
        return M3B;
    case 0xf7:
        return M3Z;
    default:
        return M;
    }
}

/* An opcode in a map selected by number. */
static uint16_t eat_numbered(struct state *s, unsigned map, bool evex)
{
    uint8_t op = *s->p++;
    switch (map) {
    case 1:
        if (op == 0x77) /* vzeroupper */
            return evex && s->sdm ? M : _;
        return (op & 0xfc) == 0x70 || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ? MB : M;
    case 2:
    case 5:
    case 6:
    case 9: /* xop */
        return M;
    case 3:
    case 8: /* xop */
        return MB;
    case 4:
        return evex ? evex_map4(op) : BAD;
    case 7:  /* wrmsrns and kin */
    case 10: /* xop */
        return M | IMM_4;
    default:
        return BAD;
    }
}

/* Of so many bytes behind its first. */
static uint16_t eat_vex(struct state *s, unsigned map, unsigned size)
{
    s->p += size;
    return vex_exists(map, s->p[-1] & 3, s->p) ? eat_numbered(s, map, false) : BAD;
}

static uint16_t eat_evex(struct state *s)
{
    unsigned map = s->p[0] & 7, prefix = s->p[1] & 3;
    s->opsize = prefix == PREFIX_66;
    s->rex = s->p[1] & 0x80 ? REX_W : 0;
    s->p += 3;
    if (!s->sdm && !evex_exists(map, prefix, s->p))
        return BAD;
    return eat_numbered(s, map, true);
}

/* Follows a cell that leads to another map. */
static uint16_t eat_special(struct state *s, uint16_t cell)
{
    /* Their ModRM would be a register, which lds, les and bound do not take. */
    bool is_new = s->mode == ILD_64 || s->p[0] >= 0xc0;
    unsigned map = s->p[0] & 0x1f;

    switch (CELL_SPECIAL(cell)) {
    case SP_ESC:
        return eat_map1(s);
    case SP_REX2:
        return s->mode == ILD_64 && s->sdm ? eat_rex2(s) : cell;
    case SP_VEX2:
        return is_new ? eat_vex(s, 1, 1) : M;
    case SP_VEX3:
        return is_new ? eat_vex(s, map, 2) : M;
    case SP_EVEX:
        return is_new ? eat_evex(s) : M;
    case SP_XOP: /* pop has 0 where the map is */
        if (map < 8 || !s->sdm)
            return M;
        s->p += 2;
        return eat_numbered(s, map, false);
    case SP_FAR:
        return s->mode == ILD_64 && s->rex & REX_W && !s->sdm ? BAD : cell;
    default:
        return cell;
    }
}

/* Those of psrlw and kin that have an imm8, a bit for each ModRM.reg; perf sees none in the others. */
static uint8_t shift_regs(const struct state *s, uint8_t op)
{
    if (s->sdm)
        return 0xff;
    if (s->last == PREFIX_F2 || s->last == PREFIX_F3)
        return 0;
    return vex_regs(1, op) & (s->last == PREFIX_66 ? 0xff : 0x54);
}

/* Cells that depend on ModRM. */
static uint16_t regroup(const struct state *s, uint16_t cell, const uint8_t *at)
{
    unsigned m = *at, reg = m >> 3 & 7;

    switch (CELL_SPECIAL(cell)) {
    case SP_TEST:
        return reg < 2 ? cell : M;
    case SP_GROUP5:
        if (reg == 2 || reg == 3)
            return M | CELL(IMM_NONE, INSN_CALL, BRANCH_INDIRECT);
        return reg == 4 || reg == 5 ? M | CELL(IMM_NONE, INSN_JMP, BRANCH_INDIRECT) : M;
    case SP_0F01:
        if (m == 0xc2 || m == 0xc3) /* vmlaunch, vmresume */
            return M | CELL(IMM_NONE, INSN_VMENTRY, BRANCH_INDIRECT);
        if ((m == 0xca && s->rep != 0) || (m == 0xec && s->rep == 0xf3))
            return M | IRT; /* eretu, erets, uiret; without prefix clac */
        return M;
    case SP_SHIFT:
        return shift_regs(s, at[-1]) >> reg & 1 ? cell : M;
    case SP_0F78: /* extrq, insertq; without prefix vmread */
        return s->opsize || s->rep == 0xf2 ? M | IMM_2 : M;
    default:
        return cell;
    }
}

/* The bytes of ModRM, SIB and displacement at m: with addresses of 32 and 64 bits. */
static inline unsigned modrm_wide(const uint8_t *m)
{
    unsigned len = modrm_len[m[0]];

    if (len & SIB)
        len = (len & ~SIB) + ((m[1] & 7) == 5 ? 4 : 0);
    return len;
}

/* With those of the mode and the prefixes. */
static unsigned modrm_size(const struct state *s, uint16_t cell, const uint8_t *m)
{
    if (CELL_SPECIAL(cell) == SP_MOVCR && s->sdm)
        return 1;
    if (s->mode != ILD_64 && (s->mode == ILD_16) != s->adsize)
        return 1u + modrm16_len[(m[0] >> 3 & 0x18) | (m[0] & 7)];
    return modrm_wide(m);
}

static unsigned imm_size(const struct state *s, unsigned imm)
{
    bool is16 = (s->mode == ILD_16) != s->opsize;
    if (imm == IMM_OFF) {
        unsigned full = s->mode == ILD_64 ? 8 : s->mode == ILD_32 ? 4 : 2;
        if (!s->adsize)
            return full;
        return full == 4 ? 2 : 4;
    }
    if (imm == IMM_J && s->mode == ILD_64)
        return 4;
    return imm_len[s->rex & REX_W ? 2 : !is16][imm];
}

static int32_t read_rel(const uint8_t *p, unsigned size)
{
    switch (size) {
    case 1:
        return (int8_t)p[0];
    case 2:
        return (int16_t)rd_u16(p);
    default:
        return (int32_t)rd_u32(p);
    }
}

/* The most bytes looked at: 14 prefixes, EVEX, opcode, ModRM, SIB, displacement. */
#define LOOK 32

/* m is its ModRM. */
static uint8_t special_of(const struct state *s, uint16_t cell, const uint8_t *m)
{
    unsigned reg = *m >> 3 & 7;

    if (CELL_SPECIAL(cell) == SP_0FAE && s->rep == 0xf3 && !s->opsize && reg == 4)
        return INSN_PTWRITE;
    if (CELL_SPECIAL(cell) == SP_MOVCR && m[-1] == 0x22 && reg == 3 &&
        !(s->rex & REX_R))
        return INSN_MOV_CR3;
    return 0;
}

/* --- The common instruction ------------------------------------------------------- */

/* imm_len in 64-bit mode with addresses of that size. */
static const uint8_t plain_len[3][16] = {
    {0, 1, 2, 3, 4, 8, 2, 2, 4, 4, 8},
    {0, 1, 2, 3, 4, 8, 4, 4, 6, 4, 8},
    {0, 1, 2, 3, 4, 8, 4, 8, 6, 4, 8},
};

/* One of 64-bit mode with a legacy prefix, a REX and an 0f at most, in this order, and no cell
 * that needs more: nearly all are. */
struct plain {
    const uint8_t *imm; /* where its immediate is */
    uint16_t cell;
    uint8_t size; /* of that immediate */
};

/* False: it is not one, and nothing is said of it. */
static inline __attribute__((always_inline)) bool
decode_plain(const uint8_t *p, bool sdm, struct plain *out)
{
    unsigned op = *p++, size = 1, prefix = PREFIX_NONE;
    uint16_t cell = map0[op];

    if (CELL_SPECIAL(cell) != SP_NONE) {
        unsigned special = CELL_SPECIAL(cell);
        if (special == SP_SEG || special == SP_OPSIZE || special == SP_REP) {
            size = special != SP_OPSIZE;
            prefix = prefix_of(special, (uint8_t)op);
            cell = map0[op = *p++];
        }
        if (CELL_SPECIAL(cell) == SP_REX) {
            size = op & REX_W ? 2 : size;
            cell = map0[*p++];
        }
        if (CELL_SPECIAL(cell) == SP_ESC) {
            if (!sdm && !opcode_bit(plain_opcodes[0][prefix], *p))
                return false;
            cell = map1[*p++];
        }
        if (CELL_SPECIAL(cell) != SP_NONE)
            return false;
    }
    if (cell & HAS_MODRM)
        p += modrm_wide(p);
    *out = (struct plain){p, cell, plain_len[size][CELL_IMM(cell)]};
    return true;
}

static inline struct ild plain_insn(const uint8_t *code, const struct plain *p)
{
    unsigned branch = CELL_BRANCH(p->cell);
    bool leads = branch == BRANCH_COND || branch == BRANCH_DIRECT;

    return (struct ild){.len = (uint8_t)(p->imm + p->size - code),
                        .cls = CELL_CLS(p->cell),
                        .branch = (uint8_t)branch,
                        .rel = leads ? read_rel(p->imm, p->size) : 0};
}

size_t ild_run(const uint8_t *code, size_t n, enum ild_mode mode, uint32_t *count,
               struct ild *branch)
{
    const bool sdm = mode & ILD_SDM;
    const uint8_t *at = code, *end = code + n;
    uint32_t left = *count;
    struct plain p;

    branch->len = 0;
    while (left && (size_t)(end - at) >= LOOK && decode_plain(at, sdm, &p)) {
        if (CELL_BRANCH(p.cell) != BRANCH_NONE) {
            *branch = plain_insn(at, &p);
            break;
        }
        at = p.imm + p.size;
        left--;
    }
    *count -= left;
    return (size_t)(at - code);
}

static struct ild decode_any(const uint8_t *code, enum ild_mode mode)
{
    struct ild insn = {0};
    struct state s = {.p = code, .mode = mode & ILD_SIZE, .sdm = mode & ILD_SDM};
    uint16_t cell = eat_prefixes(&s, code + ILD_MAX - 1);
    if (CELL_SPECIAL(cell) != SP_NONE)
        cell = eat_special(&s, cell);
    if (cell & HAS_MODRM) {
        const uint8_t *m = s.p;
        s.p += modrm_size(&s, cell, m);
        if (CELL_SPECIAL(cell) != SP_NONE) {
            insn.special = special_of(&s, cell, m);
            cell = regroup(&s, cell, m);
        }
    }
    unsigned size = CELL_IMM(cell) ? imm_size(&s, CELL_IMM(cell)) : 0;
    size_t len = (size_t)(s.p - code) + size;
    if (CELL_SPECIAL(cell) == SP_BAD || len > ILD_MAX)
        return (struct ild){0};
    insn.len = (uint8_t)len;
    insn.cls = CELL_CLS(cell);
    insn.branch = CELL_BRANCH(cell);
    if (insn.branch == BRANCH_COND || insn.branch == BRANCH_DIRECT)
        insn.rel = read_rel(s.p, size);
    return insn;
}

static struct ild decode(const uint8_t *code, enum ild_mode mode)
{
    struct plain p;

    return ild_is_64(mode) && decode_plain(code, mode & ILD_SDM, &p)
               ? plain_insn(code, &p)
               : decode_any(code, mode);
}

struct ild ild_decode(const uint8_t *code, size_t n, enum ild_mode mode)
{
    if (n >= LOOK)
        return decode(code, mode);
    uint8_t padded[LOOK] = {0};
    memcpy(padded, code, n);
    struct ild insn = decode(padded, mode);
    return insn.len <= n ? insn : (struct ild){0};
}
