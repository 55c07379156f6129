/* prop_ild.c - our instruction lengths and branch classes against objdump's and
 * Capstone's.
 *
 * SPDX-License-Identifier: MIT
 *
 * Reads what `objdump -d -w -M intel64` says (ild.sh runs it) and decodes the bytes of
 * every line.  Where objdump or Capstone are known to be wrong a rule names the fault
 * and lines it excuses are counted; a difference without a rule fails the test.
 */
#include "walker/code/ild.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    uint64_t ip;
    uint8_t code[32]; /* objdump's bytes, then zeros */
    size_t len;
    char *op;   /* mnemonic without prefixes */
    char *args; /* what follows it */
};

enum count {
    LINES,
    BAD,          /* objdump cannot decode it either: data */
    LONE_PREFIX,  /* objdump splits a redundant prefix off, the processor does not */
    FWAIT_JOINED, /* objdump joins fwait with the x87 instruction after it */
    ZERO_PREFIX,  /* objdump does not see that vzeroupper has no prefix in its VEX */
    AGREE,
    DIFFER,
    PERF_DIFFERS,
    CS_NONE, /* Capstone does not know the instruction */
    CS_AGREE,
    CS_DIFFER,
    CS_FAULTS /* known_faults[] follow */
};

/* Capstone 4 says that bytes are another length than both objdump and we say. */
struct fault {
    const char *name;
    bool (*match)(const struct line *, enum ild_mode, size_t cs_len);
};

static size_t skip_prefixes(const struct line *l, enum ild_mode mode)
{
    size_t i = 0;
    for (; i + 1 < l->len; i++) {
        uint8_t b = l->code[i];
        bool is_rex = mode == ILD_64 && (b & 0xf0) == 0x40;
        if (!is_rex &&
            !(b && strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", b)))
            break;
    }
    return i;
}

/* 66 before a near branch or ret in 64-bit mode makes rel16 of rel32, as on AMD; with
 * REX.W 67 does so as well, or makes the imm16 of ret an imm32.  In 32-bit mode f2, f3
 * undo 66, and so they do for push. */
static bool cs_operand_size(const struct line *l, enum ild_mode mode, size_t cs_len)
{
    size_t i = skip_prefixes(l, mode);
    uint8_t op = l->code[i];
    bool is_rel =
        op == 0xe8 || op == 0xe9 || (op == 0x0f && (l->code[i + 1] & 0xf0) == 0x80);
    bool has_66 = memchr(l->code, 0x66, i), has_67 = memchr(l->code, 0x67, i);
    if (mode == ILD_64 && is_rel)
        return (has_66 || has_67) && cs_len + 2 == l->len;
    if (mode == ILD_64 && op == 0xc2)
        return (has_66 || has_67) && cs_len == l->len + 2;
    return has_66 && (op == 0x68 || is_rel) && cs_len == l->len + 2;
}

/* ud0 and ud1 without their ModRM, which objdump has and the SDM wants. */
static bool cs_ud(const struct line *l, enum ild_mode mode, size_t cs_len)
{
    size_t i = skip_prefixes(l, mode);
    return l->code[i] == 0x0f && (l->code[i + 1] == 0xff || l->code[i + 1] == 0xb9) &&
           cs_len == i + 2;
}

/* vmread, extrq and insertq share 0f78; prefixes make it choose wrongly. */
static bool cs_vmread(const struct line *l, enum ild_mode mode, size_t cs_len)
{
    size_t i = skip_prefixes(l, mode);
    return i > 0 && l->code[i] == 0x0f && l->code[i + 1] == 0x78 &&
           (cs_len == l->len + 2 || cs_len + 2 == l->len);
}

/* EVEX with rounding and registers only: a byte too many. */
static bool cs_rounding(const struct line *l, enum ild_mode mode, size_t cs_len)
{
    size_t i = skip_prefixes(l, mode);
    return l->code[i] == 0x62 && l->code[i + 3] & 0x10 && l->code[i + 5] >= 0xc0 &&
           cs_len == l->len + 1;
}

/* XOP map 10 has an imm32 whatever the operand size. */
static bool cs_xop_imm(const struct line *l, enum ild_mode mode, size_t cs_len)
{
    return mode == ILD_16 && l->code[0] == 0x8f && (l->code[1] & 0x1f) == 10 &&
           cs_len + 2 == l->len;
}

static const struct fault known_faults[] = {
    {"66 or 67 and operand size", cs_operand_size},
    {"ud0, ud1 without ModRM",    cs_ud          },
    {"vmread or extrq",           cs_vmread      },
    {"EVEX rounding",             cs_rounding    },
    {"XOP imm32 in 16-bit mode",  cs_xop_imm     },
};

#define N_FAULTS (sizeof(known_faults) / sizeof(known_faults[0]))

struct tally {
    uint64_t n[CS_FAULTS + N_FAULTS];
    unsigned shown;
    bool made_up; /* and not of a compiler */
    char file[4096];
};

static void show(struct tally *t, const struct line *l, const char *who, size_t len,
                 const char *text)
{
    if (t->shown++ >= 200)
        return;
    printf("%s %" PRIx64 ":", t->file, l->ip);
    for (size_t i = 0; i < l->len; i++)
        printf(" %02x", l->code[i]);
    printf(" | %s %s | %s %zu %s\n", l->op, l->args, who, len, text);
}

/* Splits "  401000:\t48 89 e5  \tmov %rsp,%rbp" in place; false for other lines. */
static bool parse_line(char *text, struct line *l)
{
    char *end;
    memset(l, 0, sizeof(*l));
    l->ip = strtoull(text, &end, 16);
    if (end == text || *end++ != ':' || *end++ != '\t')
        return false;
    while (*end && *end != '\t' && *end != '\n') {
        char *at = end;
        unsigned long byte = strtoul(at, &end, 16);
        if (end == at)
            break;
        if (l->len == sizeof(l->code))
            return false;
        l->code[l->len++] = (uint8_t)byte;
        end += strspn(end, " ");
    }
    if (*end != '\t')
        return false;
    l->op = end + 1;
    l->op[strcspn(l->op, "\n")] = 0;
    l->args = l->op + strlen(l->op);
    return true;
}

static bool is_one_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)) != NULL; p += n)
        if (n > 0 && (p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0))
            return true;
    return false;
}

/* Moves op behind prefixes and cuts it off its operands; false: prefixes is all. */
static bool split_mnemonic(struct line *l)
{
    static const char prefixes[] =
        "bnd notrack rep repz repnz lock addr32 addr16 data16 data32 "
        "xacquire xrelease cs ds es fs gs ss {vex} {evex} {load}";
    for (;;) {
        size_t n = strcspn(l->op, " ");
        bool more = l->op[n] == ' ';
        char *next = l->op + n + (more ? 1 : 0);
        l->op[n] = 0;
        next += strspn(next, " ");
        if (!is_one_of(l->op, prefixes) && strncmp(l->op, "rex", 3) != 0) {
            l->op[strcspn(l->op, ",")] = 0; /* ,pt and ,pn */
            l->args = next;
            return true;
        }
        if (*next == 0)
            return false;
        l->op = next;
    }
}

/* Mnemonic to class. */
static enum insn_class class_of(const char *op)
{
    static const struct {
        enum insn_class cls;
        const char *names;
    } table[] = {
        {INSN_CALL,    "call callw calll callq lcall lcallw lcalll lcallq"          },
        {INSN_RET,     "ret retw retl retq lret lretq lretw lretl"                  },
        {INSN_LOOP,    "loop loope loopne loopw loopew loopnew loopl loopel loopnel"},
        {INSN_JMP,     "jmp jmpw jmpl jmpq ljmp ljmpw ljmpl ljmpq"                  },
        {INSN_IRET,    "iret iretw iretl iretq uiret eretu erets"                   },
        {INSN_INT,     "int int3 into"                                              },
        {INSN_SYSCALL, "syscall sysenter"                                           },
        {INSN_SYSRET,  "sysret sysretl sysretq sysexit sysexitl sysexitq"           },
        {INSN_VMENTRY, "vmlaunch vmresume"                                          },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (is_one_of(op, table[i].names))
            return table[i].cls;
    return op[0] == 'j' ? INSN_JCC : INSN_OTHER;
}

static bool has_rep(const struct line *l)
{
    return memchr(l->code, 0xf2, l->len) || memchr(l->code, 0xf3, l->len);
}

static bool same_flow(const struct line *l, const struct ild *insn, enum ild_mode mode)
{
    enum insn_class cls = class_of(l->op);
    if (cls == INSN_OTHER && strcmp(l->op, "clac") == 0 && has_rep(l))
        cls = INSN_IRET; /* eretu and erets are newer than objdump 2.40 */
    if (insn->cls != cls)
        return false;
    bool has_target =
        cls == INSN_JCC || cls == INSN_LOOP ||
        ((cls == INSN_JMP || cls == INSN_CALL) && l->op[0] != 'l' && l->args[0] != '*');
    bool is_cond = cls == INSN_JCC || cls == INSN_LOOP;
    enum insn_branch branch = cls == INSN_OTHER ? BRANCH_NONE
                              : is_cond         ? BRANCH_COND
                              : has_target      ? BRANCH_DIRECT
                                                : BRANCH_INDIRECT;
    if (insn->branch != branch)
        return false;
    if (!has_target)
        return insn->rel == 0;
    uint64_t to = l->ip + insn->len + (uint64_t)(int64_t)insn->rel;
    uint64_t said = strtoull(l->args, NULL, 16);
    uint64_t mask = mode == ILD_64 ? UINT64_MAX : UINT32_MAX;
    bool has_66 = memchr(l->code, 0x66, skip_prefixes(l, mode));
    if (mode != ILD_64 && has_66 == (mode == ILD_32))
        mask = UINT16_MAX; /* eip is cut, as well */
    return (to & mask) == (said & mask);
}

static void compare_capstone(struct tally *t, csh cs, cs_insn *out,
                             const struct line *l, enum ild_mode mode)
{
    const uint8_t *code = l->code;
    size_t left = sizeof(l->code);
    uint64_t ip = l->ip;
    if (!cs_disasm_iter(cs, &code, &left, &ip, out)) {
        t->n[CS_NONE]++;
        return;
    }
    if (out->size == l->len) {
        t->n[CS_AGREE]++;
        return;
    }
    for (size_t i = 0; i < N_FAULTS; i++) {
        if (known_faults[i].match(l, mode, out->size)) {
            t->n[CS_FAULTS + i]++;
            return;
        }
    }
    t->n[CS_DIFFER]++;
    show(t, l, "Capstone", out->size, out->mnemonic);
}

/* XOP, of AMD, and others that are data among the code of a library. */
static bool is_no_compilers(const struct line *l)
{
    uint8_t op = l->code[0] == 0x0f ? l->code[1] : 0;

    return l->code[0] == 0x8f || op == 0x19 || op == 0x1d ||
           (op >= 0x20 && op <= 0x26) || op == 0xff;
}

/* Of what compilers write, instructions are the same as perf sees them. */
static void compare_perf(struct tally *t, const struct line *l, enum ild_mode mode)
{
    size_t len = ild_decode(l->code, sizeof(l->code), mode).len;

    if (len == l->len || is_no_compilers(l))
        return;
    t->n[PERF_DIFFERS]++;
    show(t, l, "as perf sees it", len, "");
}

/* Counts the line; true if it holds an instruction that may be compared further. */
static bool compare_objdump(struct tally *t, struct line *l, enum ild_mode mode)
{
    t->n[LINES]++;
    if (strstr(l->op, "(bad)") || strstr(l->op, "{bad}") ||
        strncmp(l->op, ".byte", 5) == 0) {
        t->n[BAD]++;
        return false;
    }
    if (!split_mnemonic(l)) {
        t->n[LONE_PREFIX]++;
        return false;
    }
    size_t first = skip_prefixes(l, mode);
    if (l->code[first] == 0x9b && l->len > first + 1) {
        t->n[FWAIT_JOINED]++;
        return false;
    }
    struct ild insn =
        ild_decode(l->code, sizeof(l->code), (enum ild_mode)(mode | ILD_SDM));
    if (!insn.len && strncmp(l->op, "vzero", 5) == 0) {
        t->n[ZERO_PREFIX]++;
        return false;
    }
    if (insn.len == l->len && same_flow(l, &insn, mode)) {
        t->n[AGREE]++;
        if (!t->made_up)
            compare_perf(t, l, mode);
        return true;
    }
    t->n[DIFFER]++;
    char what[64];
    snprintf(what, sizeof(what), "class %d branch %d rel %d", insn.cls, insn.branch,
             insn.rel);
    show(t, l, "ild", insn.len, what);
    return false;
}

static int report(const struct tally *t)
{
    static const char *const names[CS_FAULTS] = {
        "lines",
        "objdump: (bad)",
        "objdump: prefix alone",
        "objdump: fwait joined",
        "objdump: vzeroupper, vzeroall with a prefix",
        "objdump: agree",
        "objdump: DIFFER",
        "as perf sees it: DIFFER",
        "Capstone: does not decode",
        "Capstone: agree",
        "Capstone: DIFFER",
    };
    for (size_t i = 0; i < CS_FAULTS + N_FAULTS; i++) {
        const char *name = i < CS_FAULTS ? names[i] : known_faults[i - CS_FAULTS].name;
        printf("%12" PRIu64 "  %s%s\n", t->n[i],
               i < CS_FAULTS ? "" : "Capstone: ", name);
    }
    return t->n[DIFFER] || t->n[PERF_DIFFERS] || t->n[CS_DIFFER] || t->n[LINES] == 0;
}

static enum ild_mode mode_of(const char *bits)
{
    return strcmp(bits, "16") == 0 ? ILD_16 : strcmp(bits, "32") == 0 ? ILD_32 : ILD_64;
}

/* The argument, 64, 32 or 16, is the mode of input that is not ELF. */
int main(int argc, char **argv)
{
    static struct tally t;
    csh cs[3];
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &cs[ILD_64]) != CS_ERR_OK ||
        cs_open(CS_ARCH_X86, CS_MODE_32, &cs[ILD_32]) != CS_ERR_OK ||
        cs_open(CS_ARCH_X86, CS_MODE_16, &cs[ILD_16]) != CS_ERR_OK)
        return 2;
    cs_insn *out = cs_malloc(cs[0]);
    enum ild_mode raw = argc > 1 ? mode_of(argv[1]) : ILD_64;
    enum ild_mode mode = raw;
    t.made_up = argc > 1;
    char *text = NULL;
    size_t cap = 0;
    while (getline(&text, &cap, stdin) > 0) {
        struct line l;
        char *format = strstr(text, ":     file format ");
        if (format) {
            mode = strstr(format, "elf32-i386") ? ILD_32
                   : strstr(format, "elf")      ? ILD_64
                                                : raw;
            snprintf(t.file, sizeof(t.file), "%.*s", (int)(format - text), text);
        } else if (parse_line(text, &l) && compare_objdump(&t, &l, mode)) {
            compare_capstone(&t, cs[mode], out, &l, mode);
        }
    }
    free(text);
    cs_free(out, 1);
    cs_close(&cs[ILD_64]);
    cs_close(&cs[ILD_32]);
    cs_close(&cs[ILD_16]);
    return report(&t);
}
