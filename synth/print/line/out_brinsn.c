/* out_brinsn.c - brstackinsn: the code that ran between the branches of a branch stack.
 *
 * SPDX-License-Identifier: MIT
 *
 *     oldest branch     its instruction alone, as nobody knows where its block began
 *     each next one     from the target of the one before to its own instruction
 *     the sample        from the target of the newest to the sample's ip
 *
 * A label stands where another symbol begins; "#" behind the instructions that branch.
 */
#include "synth/print/line/out_stack.h"

#include "synth/print/line/out_cols.h"
#include "synth/sample/branch_flags.h"
#include "walker/code/ild.h"

enum {
    INSN_MAX = 15,
    BLOCK_MAX = 16384 - INSN_MAX, /* longer blocks are left out */
    GUESS = 128,                  /* how far a branch that was missed may be */
    JUMP_WIDTH = 30               /* of the instruction before "#" */
};

struct listing {
    const struct out_stack *o;
    struct text *t;
    uint8_t mode;                /* cpumode of the last block */
    uint64_t sym_start, sym_end; /* of the last label, end 0: none */
    uint64_t from, to;           /* addresses that are in that symbol */
    unsigned cycles;             /* of the branches so far */
};

/* Code of a block, and somewhat more. */
struct bytes {
    const uint8_t *at;
    uint64_t len;
    enum ild_mode mode;
};

enum block_code { FOUND, MISSING, CROSSES /* from user to kernel, or back */ };

/* --- Blocks --- */

/* Sets the mode also where there is no code: the label in front of it asks with that
 * mode. */
static enum block_code block_find(struct listing *l, uint64_t start, uint64_t end,
                                  struct bytes *out)
{
    const struct lookup *look = l->o->look;
    const struct sample *s = l->o->sample;
    bool kernel = in_kernel(start);
    /* The last instruction begins at `end` and may be as long as any. */
    struct place_code code = {.want = (size_t)(end - start) + INSN_MAX};

    if (!start || !end)
        return MISSING;
    l->mode = kernel ? PTS_MODE_KERNEL : PTS_MODE_USER;
    if (kernel != in_kernel(end))
        return CROSSES;
    if (end - start > BLOCK_MAX || !look->code ||
        !look->code(look->ctx, &s->who, start, &code))
        return MISSING;
    *out = (struct bytes){code.at, code.len, code.mode};
    return FOUND;
}

/* The instruction `off` bytes into the block; len 0: none that perf knows. */
static struct ild insn_at(const struct bytes *b, uint64_t off)
{
    if (off >= b->len)
        return (struct ild){0};
    return ild_decode(b->at + off, (size_t)(b->len - off), b->mode);
}

/* --- Lines --- */

static struct place_query query_of(const struct listing *l, uint64_t ip)
{
    return (struct place_query){&l->o->sample->who, ip, l->mode};
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_labelled(const struct listing *l, const struct place *p)
{
    return p->addr >= l->sym_start && p->addr < l->sym_end;
}

/* From p on the addresses of the last label's symbol, as far as its map goes: in there no place has to be looked
 * for. */
static void know(struct listing *l, const struct place *p)
{
    l->from = p->ip;
    l->to = is_labelled(l, p) ? less(p->ip + (l->sym_end - p->addr), p->map_end) : 0;
}

static void put_label(struct listing *l, uint64_t ip)
{
    const struct out_stack *o = l->o;

    if (ip >= l->from && ip < l->to)
        return;
    const struct place *p = place_at(o->spots->places, &o->sample->who, l->mode, ip);

    /* Still in the symbol whose label was printed last; code without a symbol has no
     * label. */
    know(l, p);
    if (is_labelled(l, p) || !p->sym)
        return;
    text_char(l->t, '\t');
    text_str(l->t, p->sym);
    if ((int)p->sym_off) {
        text_str(l->t, (int)p->sym_off > 0 ? "+" : "");
        text_int(l->t, (int)p->sym_off, 0);
    }
    text_char(l->t, ':');
    l->sym_start = p->sym_start;
    l->sym_end = p->sym_end;
    know(l, p);
    if (o->on & F_(SRCLINE)) {
        struct place_query q = query_of(l, ip);
        out_srcline(l->t, o->look, &q, "\t");
    }
    text_char(l->t, '\n');
}

/* "insn: 55 ", or the instruction as text. */
static void put_bytes(const struct listing *l, uint64_t ip, const uint8_t *at,
                      size_t len)
{
    struct place_query q = query_of(l, ip);

    if (!len) {
        text_put(l->t, "<bad>", 5);
    } else if (l->o->opts->xed) {
        out_disasm(l->t, l->o->look, &q, &(struct place_insn){at, len, false});
    } else {
        text_put(l->t, "insn:", 5);
        text_bytes(l->t, at, len);
        text_char(l->t, ' ');
    }
}

static void put_address(const struct listing *l, uint64_t ip)
{
    text_char(l->t, '\t');
    text_hex16(l->t, ip);
    text_char(l->t, '\t');
}

static void put_srccode(const struct listing *l, uint64_t ip)
{
    struct place_query q = query_of(l, ip);

    if (l->o->on & F_(SRCCODE))
        out_srccode(l->t, l->o->look, &q);
}

static void put_insn(const struct listing *l, uint64_t ip, const struct bytes *b,
                     uint64_t off, size_t len)
{
    put_address(l, ip);
    put_bytes(l, ip, b->at + off, len);
    if (l->o->on & F_(BRSTACKINSNLEN)) {
        text_put(l->t, "\tilen: ", 7);
        text_dec(l->t, len, 0);
    }
    text_char(l->t, '\n');
}

/* f.cycles is not 0 here: who calls has looked, so the division is safe. */
static void put_cycles(struct listing *l, unsigned cycles, unsigned insns)
{
    l->cycles += cycles;
    text_fmt(l->t, " %u cycles [%u]", cycles, l->cycles);
    if (insns)
        text_fmt(l->t, " %.2f IPC", (double)((float)insns / (float)cycles));
}

/* The instruction of a branch; insns: of its block, 0 not known. */
static void put_jump(struct listing *l, const struct pts_branch *b,
                     const struct bytes *code, uint64_t off, unsigned insns)
{
    uint64_t ip = b->from;
    const struct branch_flags f = branch_flags(b->flags);
    size_t len = insn_at(code, off).len, before;

    put_address(l, ip);
    before = l->t->len;
    put_bytes(l, ip, code->at + off, len);
    size_t n = l->t->len - before;
    text_spaces(l->t, n < JUMP_WIDTH ? JUMP_WIDTH - n : 0);
    text_char(l->t, '\t');
    if (l->o->on & F_(BRSTACKINSNLEN))
        text_fmt(l->t, "ilen: %u\t", (unsigned)len);
    text_char(l->t, '#');
    text_str(l->t, f.predicted ? " PRED" : "");
    text_str(l->t, f.mispred ? " MISPRED" : "");
    text_str(l->t, f.in_tx ? " INTX" : "");
    text_str(l->t, f.abort ? " ABORT" : "");
    if (f.cycles)
        put_cycles(l, f.cycles, insns);
    text_char(l->t, '\n');
    put_srccode(l, ip);
}

/* --- The listing --- */

static void list_first(struct listing *l, const struct pts_branch *b)
{
    struct bytes code;

    if (block_find(l, b->from, b->from, &code) != FOUND)
        return;
    put_label(l, b->from);
    put_jump(l, b, &code, 0, 0);
}

/* From start to the branch b; false: that is not what the code looks like. */
static bool list_block(struct listing *l, uint64_t start, const struct pts_branch *b,
                       const struct bytes *code)
{
    uint64_t off = 0;
    unsigned insns = 0;

    while (off < code->len) {
        uint64_t ip = start + off;
        put_label(l, ip);
        if (ip == b->from) {
            put_jump(l, b, code, off, insns + 1);
            return true;
        }
        size_t len = insn_at(code, off).len;
        put_insn(l, ip, code, off, len);
        if (!len)
            return false;
        put_srccode(l, ip);
        insns++;
        off += len;
    }
    return false;
}

static void list_blocks(struct listing *l, const struct pts_branch *b, uint32_t n)
{
    /* Branches stand newest first, so this goes from the oldest block to the newest. */
    for (uint32_t i = n - 1; i-- > 0;) {
        uint64_t start = b[i + 1].to;
        struct bytes code;
        enum block_code f = block_find(l, start, b[i].from, &code);
        if (f == CROSSES && i > 0) { /* the way into the kernel was not recorded */
            i--;
            f = block_find(l, start, b[i].from, &code);
        }
        if (f == FOUND && !list_block(l, start, &b[i], &code))
            text_str(l->t, "\tmismatch of LBR data and executable\n");
    }
}

/* Only the instruction of the sample. */
static void list_ip(struct listing *l, uint64_t ip)
{
    struct bytes code;

    if (block_find(l, ip, ip, &code) != FOUND)
        return;
    put_insn(l, ip, &code, 0, insn_at(&code, 0).len);
    put_srccode(l, ip);
}

/* From the newest branch to the sample. */
static void list_last(struct listing *l, const struct pts_branch *b)
{
    uint64_t start = b->to, ip = l->o->sample->ip;
    uint64_t end = ip < start ? start + GUESS : ip;
    struct bytes code;

    enum block_code f = block_find(l, start, end, &code);
    put_label(l, start);
    if (f != FOUND) {
        list_ip(l, ip);
        return;
    }
    for (uint64_t off = 0; off <= end - start;) {
        struct ild insn = insn_at(&code, off);
        put_insn(l, start + off, &code, off, insn.len);
        if (!insn.len)
            return;
        if (insn.branch != BRANCH_NONE && start + off != ip) {
            text_str(l->t, "\t... not reaching sample ...\n");
            return;
        }
        put_srccode(l, start + off);
        off += insn.len;
    }
}

void out_brinsn(const struct out_stack *o, struct text *t)
{
    const struct sample_stacks *st = o->sample->stacks;
    struct listing l = {.o = o, .t = t};
    uint32_t n = st->branch_count;

    if (!n)
        return;
    if (o->opts->max_blocks && n > o->opts->max_blocks + 1)
        n = (uint32_t)o->opts->max_blocks + 1;
    text_char(t, '\n');
    list_first(&l, &st->branches[n - 1]);
    list_blocks(&l, st->branches, n);
    if (st->branches[0].from == o->sample->ip ||
        branch_flags(st->branches[0].flags).abort)
        return; /* the target of the newest has not run yet */
    list_last(&l, &st->branches[0]);
}
