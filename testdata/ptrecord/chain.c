/* chain.c - code up to the next branch, decoded once.
 *
 * SPDX-License-Identifier: MIT
 *
 * A trap replaces the first byte of an instruction, so it must never lie inside another
 * one.  Code that is executed in two readings (a jump into the middle of an
 * instruction) would have such places: pages remember what each byte has been so far,
 * and where the readings meet no trap is planted and the code is stepped through.
 */
#include "testdata/ptrecord/chain.h"

#include "testdata/ptrecord/buf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, CHAIN_MAX = 2048, CODE_MAX = CHAIN_MAX * OP_MAX };

enum byte_role { ROLE_UNKNOWN, ROLE_START, ROLE_INSIDE };

static const struct chain step_chain = {.run = CHAIN_STEP};

static uint8_t *role_at(struct mm *mm, uint64_t addr)
{
    uint64_t page = addr & ~(uint64_t)(PAGE - 1);
    const struct hmap_entry *e = hmap_find(&mm->pages, page);
    if (!e) {
        uint8_t *roles = mem_get(NULL, PAGE);
        memset(roles, ROLE_UNKNOWN, PAGE);
        hmap_put(&mm->pages, page, (uint64_t)(uintptr_t)roles);
        e = hmap_find(&mm->pages, page);
    }
    return (uint8_t *)(uintptr_t)e->val + (addr & (PAGE - 1));
}

/* Takes note of the instruction.  False: a trap lies inside it. */
static bool roles_note(struct mm *mm, const struct op *op)
{
    bool clean = true;
    uint8_t *start = role_at(mm, op->ip);
    if (*start == ROLE_UNKNOWN)
        *start = ROLE_START;
    for (unsigned i = 1; i < op->len; i++) {
        *role_at(mm, op->ip + i) = ROLE_INSIDE;
        clean &= !hmap_find(&mm->traps, op->ip + i);
    }
    return clean;
}

/* Up to where code from IP on cannot change unseen; IP itself if it can. */
static uint64_t stable_end(const struct mm *mm, uint64_t ip)
{
    const struct map *m;
    while ((m = maps_find(&mm->maps, ip)) && !m->shared && !(m->prot & PROT_WRITE))
        ip = m->end;
    return ip;
}

struct builder {
    struct mm *mm;
    uint64_t ip, end; /* no code from END on */
    size_t have;      /* bytes of code read */
    uint32_t n;
    struct op op;
    bool clean;
    uint8_t len[CHAIN_MAX];
    uint8_t code[CODE_MAX];
};

/* A whole instruction at offset AT, if there is one. */
static void code_fetch(struct builder *b, size_t at)
{
    size_t want = 128, left = sizeof b->code - b->have;
    if (b->have >= at + OP_MAX)
        return;
    if (left > b->end - b->ip - b->have)
        left = b->end - b->ip - b->have;
    if (want > left)
        want = left;
    b->have += mm_read(b->mm, b->ip + b->have, b->code + b->have, want);
}

/* Decodes until something ends the chain; the last instruction is in b->op. */
static void chain_scan(struct builder *b, bool is64)
{
    size_t at = 0;
    while (b->n < CHAIN_MAX) {
        code_fetch(b, at);
        b->op = op_decode(b->code + at, b->have - at, b->ip + at, is64);
        b->clean &= roles_note(b->mm, &b->op);
        b->len[b->n++] = b->op.len;
        at += b->op.len;
        if (op_ends_chain(&b->op) || hmap_find(&b->mm->traps, b->op.ip))
            return;
    }
}

static enum chain_run run_choose(struct builder *b)
{
    bool readable = b->op.len || b->have >= b->op.ip - b->ip + OP_MAX;
    if (!b->clean || !readable)
        return CHAIN_STEP;
    if (b->op.kind == OP_SYSCALL || b->op.kind == OP_INT80)
        return CHAIN_SYSCALL;
    if (b->op.kind == OP_INT)
        return CHAIN_SIGNAL;
    bool inside = *role_at(b->mm, b->op.ip) == ROLE_INSIDE;
    return !inside && mm_trap(b->mm, b->op.ip, b->op.code[0]) ? CHAIN_TRAP : CHAIN_STEP;
}

/* The instructions of C but the last, taken apart; NULL when one of them cannot be. */
static struct soft *soft_build(const struct builder *b, const struct chain *c)
{
    struct soft *soft = mem_get(NULL, c->n * sizeof(*soft));
    size_t at = 0;
    for (uint32_t i = 0; i + 1 < c->n; i++) {
        struct op op = op_decode(b->code + at, b->have - at, c->ip + at, c->last.is64);
        if (!soft_decode(&op, &soft[i])) {
            free(soft);
            return NULL;
        }
        at += op.len;
    }
    return soft;
}

static struct chain *chain_build(struct mm *mm, uint64_t ip, uint64_t end, bool is64)
{
    struct builder b; /* large: only what is read is set */
    b.mm = mm;
    b.ip = ip;
    b.end = end;
    b.have = b.n = 0;
    b.clean = true;
    chain_scan(&b, is64);
    struct chain *c = mem_get(NULL, sizeof(*c) + b.n);
    *c = (struct chain){.ip = ip, .n = b.n, .last = b.op};
    c->size = (uint32_t)(b.op.ip - ip) + b.op.len;
    c->run = (uint8_t)run_choose(&b);
    memcpy(c->len, b.len, b.n);
    if (c->run == CHAIN_TRAP)
        c->soft = soft_build(&b, c);
    return c;
}

const struct chain *chain_get(struct mm *mm, uint64_t ip, bool is64)
{
    const struct hmap_entry *e = hmap_find(&mm->chains, ip);
    if (e)
        return (const struct chain *)(uintptr_t)e->val;
    uint64_t end = stable_end(mm, ip);
    if (end == ip)
        return &step_chain;
    struct chain *c = chain_build(mm, ip, end, is64);
    hmap_put(&mm->chains, ip, (uint64_t)(uintptr_t)c);
    return c;
}

int chain_index(const struct chain *c, uint64_t ip)
{
    uint64_t at = c->ip;
    for (uint32_t i = 0; i < c->n; i++) {
        if (at == ip)
            return (int)i;
        at += c->len[i];
    }
    return -1;
}

void chain_free(struct chain *c)
{
    free(c->soft);
    free(c);
}
