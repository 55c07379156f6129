/* test_soft.c - instructions carried out by ptrecord against the processor itself.
 *
 * SPDX-License-Identifier: MIT
 *
 * Random instructions with random operands are executed natively, in a frame that loads
 * and stores all registers, and by soft_run; registers, memory and the flags that the
 * manual defines must be the same.
 */
#include "testdata/ptrecord/rng.h"
#include "testdata/ptrecord/soft.h"

#include "tests/lib/t.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROUNDS = 200000, BUFFER = 256, MID = 128 };
enum { FLAG_A = 0x10, FLAG_O = 0x800, FLAG_C = 1, FLAGS_ALL = 0x8d5 };
enum { RSP = 4, BASE_A = 3, BASE_B = 11, STATE = 15 }; /* rbx, r11 point into memory */

struct state {
    uint64_t reg[16], flags;
};

struct code {
    uint8_t *at;
    unsigned n;
};

static void emit(struct code *c, const char *bytes, unsigned n)
{
    memcpy(c->at + c->n, bytes, n);
    c->n += n;
}

/* mov REG, [r15 + 8 * REG], or the other way round. */
static void emit_moves(struct code *c, uint8_t opcode)
{
    for (unsigned reg = 0; reg < STATE; reg++) {
        uint8_t move[] = {(uint8_t)(reg < 8 ? 0x49 : 0x4d), opcode,
                          (uint8_t)(0x47 | (reg & 7) << 3), (uint8_t)(8 * reg)};
        if (reg != RSP)
            emit(c, (const char *)move, sizeof move);
    }
}

/* Executes the instruction on S. */
static void native_run(uint8_t *page, const struct op *op, struct state *s)
{
    struct code c = {page, 0};
    void (*call)(struct state *);
    emit(&c, "\x53\x55\x41\x54\x41\x55\x41\x56\x41\x57\x49\x89\xff", 13); /* pushes */
    emit(&c, "\x41\xff\xb7\x80\0\0\0\x9d", 8); /* push [r15 + 128]; popf */
    emit_moves(&c, 0x8b);
    emit(&c, (const char *)op->code, op->len);
    emit_moves(&c, 0x89);
    emit(&c, "\x9c\x41\x8f\x87\x80\0\0\0", 8); /* pushf; pop [r15 + 128] */
    emit(&c, "\x41\x5f\x41\x5e\x41\x5d\x41\x5c\x5d\x5b\xc3", 11);
    memcpy(&call, &page, sizeof call);
    call(s);
}

static uint64_t random_value(struct rng *rng)
{
    static const uint64_t edges[] = {0,          1,          0x7f,       0x80,
                                     0xff,       0x7fff,     0x8000,     0x7fffffff,
                                     0x80000000, 0xffffffff, UINT64_MAX, INT64_MAX};
    uint64_t v = rng_next(rng);
    return v % 3 == 0 ? edges[v / 3 % 12] : v % 3 == 1 ? v >> (v / 3 % 64) : v;
}

/* An instruction whose only memory operand, if any, is [rbx + disp8] or [r11 + disp8].
 */
static struct op random_insn(struct rng *rng)
{
    uint8_t code[OP_MAX], n = 0;
    uint64_t r = rng_next(rng);
    if (r % 8 == 0)
        code[n++] = 0x66;
    if (r / 8 % 2)
        code[n++] = (uint8_t)(0x40 | (r >> 8 & 15));
    if (r / 16 % 4 == 0)
        code[n++] = 0x0f;
    code[n++] = (uint8_t)(r >> 16);
    bool memory = r / 64 % 2;
    code[n++] = (uint8_t)((r >> 24 & 0x38) | (memory ? 0x43 : 0xc0 | (r >> 32 & 7)));
    code[n++] = (uint8_t)((r >> 40) % 64);
    uint64_t imm = random_value(rng);
    size_t room = OP_MAX - n;
    memcpy(code + n, &imm, room < sizeof imm ? room : sizeof imm);
    return op_decode(code, OP_MAX, 0x1000, true);
}

static bool reg_is_ours(uint8_t place, uint8_t reg)
{
    return place != PLACE_REG || (reg != RSP && reg != STATE);
}

static bool is_testable(const struct soft *s)
{
    if (s->code == SOFT_PUSH || s->code == SOFT_POP || s->code == SOFT_LEAVE)
        return false;
    if (s->dst == PLACE_MEM || s->src == PLACE_MEM) {
        bool based = (s->mem.base == BASE_A || s->mem.base == BASE_B) &&
                     s->mem.index == OP_NO_REG && !s->mem.addr32 && !s->mem.seg &&
                     s->mem.disp >= 0 && s->mem.disp < 64;
        if (!based)
            return false;
    }
    return reg_is_ours(s->dst, s->dst_reg) && reg_is_ours(s->src, s->src_reg);
}

/* Flags that the manual defines after S with these registers before it. */
static uint64_t flags_defined(const struct soft *s, uint64_t rcx)
{
    uint64_t count =
        (s->src == PLACE_CL ? rcx : (uint64_t)s->imm) & (s->size == 8 ? 63u : 31u);
    switch (s->code) {
    case SOFT_MUL:
    case SOFT_IMUL:
        return FLAG_C | FLAG_O;
    case SOFT_BT:
        return FLAG_C;
    case SOFT_ALU:
        return s->sub == 1 || s->sub == 4 || s->sub == 6 || s->sub == 8
                   ? FLAGS_ALL & ~FLAG_A
                   : FLAGS_ALL;
    case SOFT_SHIFT:
        if (!count)
            return FLAGS_ALL;
        return FLAGS_ALL & ~(s->sub >= 4 ? FLAG_A : 0u) & ~(count > 1 ? FLAG_O : 0u) &
               ~(s->sub >= 4 && count > 8u * s->size ? FLAG_C : 0u);
    default:
        return FLAGS_ALL;
    }
}

static void state_fill(struct state *s, struct rng *rng, uint8_t *buffer)
{
    for (unsigned i = 0; i < 16; i++)
        s->reg[i] = random_value(rng);
    s->reg[BASE_A] = s->reg[BASE_B] = (uint64_t)(uintptr_t)(buffer + MID);
    s->flags = 0x202 | (rng_next(rng) & FLAGS_ALL);
    for (unsigned i = 0; i < BUFFER; i += 8) {
        uint64_t v = random_value(rng);
        memcpy(buffer + i, &v, 8);
    }
}

static bool states_equal(const struct state *a, const struct state *b, uint64_t flags)
{
    for (unsigned reg = 0; reg < STATE; reg++)
        if (reg != RSP && a->reg[reg] != b->reg[reg])
            return false;
    return ((a->flags ^ b->flags) & flags) == 0;
}

static void soft_apply(const struct soft *s, const struct op *op, struct state *st,
                       struct ram *ram)
{
    struct user_regs_struct regs = {.eflags = st->flags};
    for (unsigned i = 0; i < 16; i++)
        *op_reg(&regs, i) = st->reg[i];
    ram_begin(ram, getpid());
    CHECK(soft_run(s, &regs, ram, op_next(op)));
    ram_end(ram);
    for (unsigned i = 0; i < 16; i++)
        st->reg[i] = *op_reg(&regs, i);
    st->flags = regs.eflags;
}

static void insn_print(const struct op *op)
{
    printf("differs:");
    for (unsigned i = 0; i < op->len; i++)
        printf(" %02x", op->code[i]);
    printf("\n");
}

T(as_the_processor)
{
    static uint8_t buffer[BUFFER], start[BUFFER], after[BUFFER];
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct rng rng = {.state = 1};
    struct ram *ram = ram_new();
    unsigned tested = 0, seen[SOFT_BSWAP + 1] = {0};
    CHECK(page != MAP_FAILED);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct op op = random_insn(&rng);
        struct state before, native, soft;
        struct soft s;
        if (!soft_decode(&op, &s) || !is_testable(&s))
            continue;
        state_fill(&before, &rng, buffer);
        memcpy(start, buffer, BUFFER);
        native = soft = before;
        native_run(page, &op, &native);
        memcpy(after, buffer, BUFFER);
        memcpy(buffer, start, BUFFER);
        soft_apply(&s, &op, &soft, ram);
        bool same = states_equal(&native, &soft, flags_defined(&s, before.reg[1])) &&
                    !memcmp(after, buffer, BUFFER);
        if (!same)
            insn_print(&op);
        CHECK(same);
        tested++;
        seen[s.code]++;
    }
    CHECK(tested > ROUNDS / 10);
    for (unsigned code = SOFT_ALU; code <= SOFT_BSWAP; code++)
        if (code != SOFT_PUSH && code != SOFT_POP && code != SOFT_LEAVE)
            CHECK(seen[code] > 0);
    ram_free(ram);
}

T(stores_are_kept_back)
{
    static uint64_t there = 5;
    uint64_t v = 7, got = 0;
    struct ram *ram = ram_new();
    ram_begin(ram, getpid());
    ram_keep(ram, true);
    CHECK(ram_store(ram, (uint64_t)(uintptr_t)&there, &v, 8));
    CHECK(ram_load(ram, (uint64_t)(uintptr_t)&there, &got, 8));
    EQ(got, 7);
    EQ(*(volatile uint64_t *)&there, 5);
    ram_forget(ram);
    EQ(*(volatile uint64_t *)&there, 5);
    ram_keep(ram, false);
    CHECK(ram_store(ram, (uint64_t)(uintptr_t)&there, &v, 8));
    ram_end(ram);
    EQ(*(volatile uint64_t *)&there, 7);
    CHECK(!ram_load(ram, 8, &got, 8));
    CHECK(!ram_store(ram, (uint64_t)(uintptr_t) "constant", &v, 8));
    ram_free(ram);
}

T_RUN(T_CASE(as_the_processor), T_CASE(stores_are_kept_back))
