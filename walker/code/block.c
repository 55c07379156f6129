/* block.c - code cut into blocks that end at a branch, decoded once.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program jumps into a small part of its code.  Blocks come from an arena in the order in
 * which they run, which is the order in which they are needed again; a table says where they are.
 */
#include "walker/code/block.h"

#include "decoder/base/arena.h"

#include <string.h>

enum {
    BLOCK_MAX_INSN = 4000, /* keeps bytes and ninsn within 16 bits: 4000 * 15 < 65536 */
    PTWRITE_JUMP = 16,     /* the jump over an emulated ptwrite's signature */
    FIRST_SHIFT = 58,      /* 64 slots */
    LAST_SHIFT = 33,
    WINDOW = 64 /* bytes of code that changes, put together at once */
};

/* Code compiled for emulated ptwrite jumps over these bytes and then encodes the
 * payload in conditional branches (perf-intel-pt(1), "Emulated PTWRITE"). */
static const uint8_t ptwrite_signature[16] = {0x0f, 0x0b, 'p', 'e', 'r', 'f', ',', 'p',
                                              't',  'w',  'r', 'i', 't', 'e', ' ', ' '};

void code_init(struct code *c, const uint8_t *bytes, uint64_t size, bool is_64bit)
{
    *c = (struct code){.bytes = bytes, .size = bytes ? size : 0, .is_64bit = is_64bit};
}

void code_free(struct code *c)
{
    for (int m = 0; m < 2; m++) {
        mem_free(c->table[m].slot);
        c->table[m] = (struct block_table){0};
    }
    c->legs = NULL;
    arena_free(&c->blocks);
}

/* It is held for less time than it takes to fall asleep. */
static void lock_init(pthread_mutex_t *lock)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(lock, &how);
    pthread_mutexattr_destroy(&how);
}

struct code_pool *code_pool_new(const struct code *of)
{
    struct code_pool *p = mem_zalloc(1, sizeof(*p));

    if (!p)
        return NULL;
    code_init(&p->code, of->bytes, of->size, of->is_64bit);
    p->code.manual = of->manual;
    lock_init(&p->lock);
    return p;
}

void code_pool_free(struct code_pool *p)
{
    if (!p)
        return;
    pthread_mutex_destroy(&p->lock);
    code_free(&p->code);
    mem_free(p);
}

/* --- Code that changes --- */

/* A block that holds for a while. */
struct timed_block {
    struct block block; /* first */
    uint32_t from, until;
};

bool block_holds(const struct block *b, uint32_t epoch)
{
    const struct timed_block *t = (const struct timed_block *)(const void *)b;
    return epoch >= t->from && epoch < t->until;
}

uint64_t code_same_to(struct code *c, uint64_t off)
{
    if (!c->patches)
        return UINT64_MAX;
    if (off < c->same_from || off >= c->same_to) {
        c->same_from = off;
        c->same_to = patches_next(c->patches, off);
    }
    return c->same_to;
}

const uint8_t *code_read(const struct code *c, uint32_t epoch, uint64_t off,
                         uint8_t *buf, size_t n)
{
    const uint8_t *image = c->bytes + off;

    if (!c->patches || !n || patches_next(c->patches, off) - off >= n)
        return image;
    memcpy(buf, image, n);
    patches_put(c->patches, epoch, off, buf, n);
    return buf;
}

/* What a block is decoded from: the image up to where it may change, from there on copies of
 * a few bytes. */
struct window {
    const struct code *c;
    uint32_t epoch;
    uint64_t next;     /* nothing changes in front of it */
    uint64_t off, end; /* of what is copied */
    uint64_t looked;   /* the end of all that somebody looked at */
    uint8_t bytes[WINDOW];
};

/* n bytes at `at`, which are in the code; n <= WINDOW. */
static const uint8_t *window_at(struct window *w, uint64_t at, size_t n)
{
    if (at + n <= w->next)
        return w->c->bytes + at;
    if (at < w->off || at + n > w->end) {
        uint64_t left = w->c->size - at;
        size_t take = left < WINDOW ? (size_t)left : WINDOW;
        memcpy(w->bytes, w->c->bytes + at, take);
        patches_put(w->c->patches, w->epoch, at, w->bytes, take);
        w->off = at;
        w->end = at + take;
    }
    return w->bytes + (at - w->off);
}

/* The instruction there.  Bytes behind it have no say in what it is, so all that the image has
 * is lent for it: a few bytes would be copied first. */
static struct ild window_insn(struct window *w, uint64_t at, enum ild_mode mode)
{
    uint64_t left = w->c->size - at;
    size_t n = left < ILD_MAX ? (size_t)left : ILD_MAX;
    struct ild insn = at + ILD_MAX <= w->next
                          ? ild_decode(w->c->bytes + at, (size_t)left, mode)
                          : ild_decode(window_at(w, at, n), n, mode);

    w->looked = at + (insn.len ? insn.len : n);
    return insn;
}

/* Instructions from *at on that are no branches, and of which nothing changes: how many they are of
 * at most n.  *at becomes where they end, and *insn the instruction there. */
static uint32_t window_run(struct window *w, uint64_t *at, enum ild_mode mode,
                           uint32_t n, struct ild *insn)
{
    uint64_t end = w->next < w->c->size ? w->next : w->c->size;

    insn->len = 0;
    if (ild_is_64(mode) && *at < end)
        *at += ild_run(w->c->bytes + *at, (size_t)(end - *at), mode, &n, insn);
    else
        n = 0;
    if (insn->len)
        w->looked = *at + insn->len;
    else
        *insn = window_insn(w, *at, mode);
    return n;
}

/* --- Blocks --- */

static bool jumps_over_signature(struct window *w, const struct ild *insn,
                                 uint64_t next)
{
    const size_t n = sizeof(ptwrite_signature);

    if (insn->branch != BRANCH_DIRECT || insn->rel != PTWRITE_JUMP ||
        w->c->size - next < n)
        return false;
    w->looked = next + n;
    return memcmp(window_at(w, next, n), ptwrite_signature, n) == 0;
}

/* Up to the first branch.  A block that is cut for its length is no special case to
 * who walks: it goes on at the byte behind. */
struct block block_decode(struct code *c, enum ild_mode mode, uint64_t off,
                          struct when *when)
{
    struct block b = {.state = BLOCK_LONG};
    struct window w;
    uint64_t at = off;

    w.c = c;
    w.epoch = when->epoch;
    w.next = code_same_to(c, off);
    w.off = w.end = w.looked = off;
    while (b.ninsn < BLOCK_MAX_INSN) {
        struct ild insn;
        b.ninsn +=
            (uint16_t)window_run(&w, &at, mode, BLOCK_MAX_INSN - 1u - b.ninsn, &insn);
        if (!insn.len) {
            b.state = BLOCK_BAD;
            break;
        }
        b.ninsn++;
        b.special |= insn.special;
        if (insn.branch != BRANCH_NONE) {
            b.state = BLOCK_BRANCH;
            b.cls = insn.cls;
            b.branch = insn.branch;
            b.len = insn.len;
            b.rel = insn.rel;
            b.ptwrite = jumps_over_signature(&w, &insn, at + insn.len);
            break;
        }
        at += insn.len;
    }
    b.bytes = (uint16_t)(at - off);
    if (w.looked > w.next)
        patches_narrow(c->patches, w.next, (size_t)(w.looked - w.next), when);
    return b;
}

/* A quarter of the slots is free afterwards, so that every search ends. */
static bool room_for_one(struct block_table *t)
{
    uint64_t slots = t->slot ? UINT64_C(1) << (64 - t->shift) : 0;
    struct block_table wider = {.shift = slots ? t->shift - 1 : FIRST_SHIFT,
                                .count = t->count};

    if (slots && t->count + 1 <= slots / 4 * 3)
        return true;
    if (wider.shift < LAST_SHIFT)
        return false;
    wider.slot = mem_zalloc((size_t)1 << (64 - wider.shift), sizeof(*wider.slot));
    if (!wider.slot)
        return false;
    for (uint64_t i = 0; i < slots; i++)
        if (t->slot[i].block)
            *block_slot_of(&wider, t->slot[i].off) = t->slot[i];
    mem_free(t->slot);
    *t = wider;
    return true;
}

/* Files it; NULL without memory. */
static struct block *keep(struct code *c, struct block_table *t, uint64_t off,
                          const struct block *b)
{
    size_t size = b->timed ? sizeof(struct timed_block) : sizeof(struct block);
    struct block *kept = room_for_one(t) ? arena_alloc(&c->blocks, size) : NULL;

    if (!kept)
        return NULL;
    *kept = *b;
    *block_slot_of(t, off) = (struct block_slot){off, kept};
    t->count++;
    return kept;
}

/* Whether a block reads code that changes is the same at all epochs: what it reads before
 * that is. */
struct block *block_make(struct code *c, enum ild_mode mode, uint64_t off,
                         uint32_t epoch)
{
    struct block_table *t = &c->table[!ild_is_64(mode)];

    if (off >= c->size)
        return NULL;
    struct block *b = t->slot ? block_slot_of(t, off)->block : NULL;
    if (b && (!b->timed || block_holds(b, epoch)))
        return b;
    struct when w = when_at(epoch);
    struct block made = block_decode(c, mode, off, &w);
    made.timed = w.timed;
    if (!b)
        b = keep(c, t, off, &made);
    if (b && w.timed)
        *(struct timed_block *)(void *)b = (struct timed_block){made, w.from, w.until};
    return b;
}
