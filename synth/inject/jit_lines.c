/* jit_lines.c - the lines of a function of a jitdump, as DWARF.
 *
 * SPDX-License-Identifier: MIT
 *
 * DWARF 2, chapter 6.2: a program that counts address and line on.  Numbers of the header are
 * those of perf 6.1, with which only steps of -5 to 236 lines at one address are one byte.
 *
 *     length | version | length | header | args of 12 opcodes | no dirs | no files | program
 */
#include "synth/inject/jit_lines.h"

#include <string.h>

/* Numbers of DWARF 2: opcodes (7.21), tags and forms (7.5). */
enum {
    DW_LNS_copy = 1,
    DW_LNS_advance_pc = 2,
    DW_LNS_advance_line = 3,
    DW_LNS_set_file = 4,
    DW_LNS_set_isa = 12, /* of version 3, and the last */
    DW_LNE_end_sequence = 1,
    DW_LNE_set_address = 2,
    DW_LNE_define_file = 3,
    DW_TAG_compile_unit = 0x11,
    DW_CHILDREN_yes = 1,
    DW_AT_stmt_list = 0x10,
    DW_FORM_data4 = 6
};

enum {
    LINE_VERSION = 2,
    LINE_BASE = -5,
    LINE_RANGE = 242,
    OPCODE_BASE = DW_LNS_set_isa + 1,
    OPCODE_MAX = 255
};

/* The state of the program, as a reader of it will have it. */
struct program {
    struct text *t;
    const struct jit_code *code;
    uint64_t text, addr;
    uint32_t line, file;
    const char *name;
};

static void put_le(struct text *t, uint64_t v, size_t n)
{
    text_put(t, (const char *)&v, n);
}

static void put_uleb(struct text *t, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        text_char(t, (char)(v | 0x80));
    text_char(t, (char)v);
}

static void put_sleb(struct text *t, int64_t v)
{
    for (; v < -0x40 || v >= 0x40; v >>= 7)
        text_char(t, (char)(v | 0x80));
    text_char(t, (char)(v & 0x7f));
}

/* n: of bytes behind the opcode. */
static void put_extended(struct text *t, uint8_t opcode, size_t n)
{
    text_char(t, 0);
    put_uleb(t, n + 1);
    text_char(t, (char)opcode);
}

/* --- The program ------------------------------------------------------------------ */

/* A file without a directory, a time or a size; then it is the one. */
static void put_file(struct program *p, const char *name)
{
    put_extended(p->t, DW_LNE_define_file, strlen(name) + 4);
    text_put(p->t, name, strlen(name) + 1);
    text_put(p->t, "\0\0", 3);
    text_char(p->t, DW_LNS_set_file);
    put_uleb(p->t, ++p->file);
    p->name = name;
}

/* One byte for both; false: they are too far off. */
static bool put_special(struct text *t, uint64_t addr, int64_t lines)
{
    uint64_t step = (uint64_t)(lines - LINE_BASE);

    if (step >= LINE_RANGE || addr > OPCODE_MAX / LINE_RANGE)
        return false;
    uint64_t opcode = step + addr * LINE_RANGE + OPCODE_BASE;
    if (opcode > OPCODE_MAX)
        return false;
    text_char(t, (char)opcode);
    return true;
}

static void put_steps(struct program *p, uint64_t addr, int64_t lines, bool always)
{
    if (lines) {
        text_char(p->t, DW_LNS_advance_line);
        put_sleb(p->t, lines);
    }
    if (addr) {
        text_char(p->t, DW_LNS_advance_pc);
        put_uleb(p->t, addr);
    }
    if (lines || addr || always)
        text_char(p->t, DW_LNS_copy);
}

/* A name of "\xff" means the one before; perf takes it for one, and so does this. */
static void put_line(void *ctx, const struct jit_entry *l)
{
    struct program *p = ctx;
    uint64_t addr = l->addr - p->code->addr + p->text;
    int64_t lines = (int32_t)(l->line - p->line);
    bool other = !p->name || strcmp(p->name, l->file) != 0;

    if (other)
        put_file(p, l->file);
    if (!put_special(p->t, addr - p->addr, lines))
        put_steps(p, addr - p->addr, lines, other);
    p->addr = addr;
    p->line = l->line;
}

/* --- Sections --------------------------------------------------------------------- */

/* A length that is known now: of all that is behind its own 4 bytes. */
static void set_length(struct text *t, size_t at)
{
    uint32_t n = (uint32_t)(t->len - at - sizeof(n));

    if (!t->failed)
        memcpy(t->at + at, &n, sizeof(n));
}

static void put_header(struct text *t)
{
    static const uint8_t arguments[OPCODE_BASE - 1] = {0, 1, 1, 1, 1, 0,
                                                       0, 0, 1, 0, 0, 1};

    put_le(t, 0, 4);
    put_le(t, LINE_VERSION, 2);
    size_t at = t->len;
    put_le(t, 0, 4);
    text_char(t, 1); /* bytes of an instruction, at least */
    text_char(t, 1); /* each line is a statement */
    text_char(t, LINE_BASE);
    text_char(t, (char)LINE_RANGE);
    text_char(t, OPCODE_BASE);
    text_put(t, (const char *)arguments, sizeof(arguments));
    text_char(t, 0);
    text_char(t, 0);
    set_length(t, at);
}

static void count_line(void *ctx, const struct jit_entry *l)
{
    size_t *n = ctx;

    (void)l;
    ++*n;
}

bool jit_lines_put(struct text *t, const struct jit_code *code, uint64_t text)
{
    struct program p = {.t = t, .code = code, .text = text, .addr = text, .line = 1};
    size_t at = t->len, n = 0;

    jit_lines(code, count_line, &n);
    if (!n)
        return false;
    put_header(t);
    put_extended(t, DW_LNE_set_address, sizeof(text));
    put_le(t, text, sizeof(text));
    jit_lines(code, put_line, &p);
    put_extended(t, DW_LNE_end_sequence, 0);
    set_length(t, at);
    return true;
}

void jit_lines_unit(struct text *t)
{
    size_t at = t->len;

    put_le(t, 0, 4);
    put_le(t, LINE_VERSION, 2);
    put_le(t, 0, 4);                /* where its abbreviations are */
    text_char(t, sizeof(uint64_t)); /* bytes of an address */
    put_uleb(t, 1);                 /* which of them */
    put_le(t, 0, 4);                /* where its lines are */
    set_length(t, at);
}

void jit_lines_abbrev(struct text *t)
{
    static const uint8_t unit[] = {
        1, DW_TAG_compile_unit, DW_CHILDREN_yes, DW_AT_stmt_list, DW_FORM_data4, 0, 0,
        0};

    text_put(t, (const char *)unit, sizeof(unit));
}
