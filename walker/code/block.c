/* block.c - code cut into blocks that end at a branch, decoded once.
 *
 * SPDX-License-Identifier: MIT
 *
 *     pages   [0]--> [NULL][NULL][ * ][NULL]...   a pointer for each byte of 256
 *             [1]--> NULL, no code ran here |
 *                                           v
 *                                         block: 7 instructions, 31 bytes, a jcc
 *
 * A program jumps into a small part of its code, so most pages are never made.  Blocks
 * come from an arena in the order in which they run, which is the order in which they
 * are needed again.
 */
#include "walker/code/block.h"

#include "decoder/base/arena.h"

#include <string.h>

enum {
    BLOCK_MAX_INSN = 4000, /* keeps bytes and ninsn within 16 bits: 4000 * 15 < 65536 */
    PTWRITE_JUMP = 16      /* the jump over an emulated ptwrite's signature */
};

/* Code compiled for emulated ptwrite jumps over these bytes and then encodes the
 * payload in conditional branches (perf-intel-pt(1), "Emulated PTWRITE"). */
static const uint8_t ptwrite_signature[16] = {0x0f, 0x0b, 'p', 'e', 'r', 'f', ',', 'p',
                                              't',  'w',  'r', 'i', 't', 'e', ' ', ' '};

void code_init(struct code *c, const uint8_t *bytes, uint64_t size, bool is_64bit)
{
    *c = (struct code){.bytes = bytes, .size = bytes ? size : 0, .is_64bit = is_64bit};
}

static size_t page_count(const struct code *c)
{
    return (size_t)((c->size + BLOCK_PAGE - 1) >> BLOCK_PAGE_BITS);
}

void code_free(struct code *c)
{
    for (int m = 0; m < 2; m++) {
        for (size_t i = 0; c->pages[m] && i < page_count(c); i++)
            mem_free(c->pages[m][i]);
        mem_free(c->pages[m]);
        c->pages[m] = NULL;
    }
    c->legs = NULL;
    arena_free(&c->blocks);
}

/* What lies behind a block's last instruction was looked at, too. */
enum { LOOKED_AT = ILD_MAX + sizeof(ptwrite_signature) };

/* Forgets what was decoded from [off, end), of the blocks that begin in [from, end) and lie
 * in one page. */
static void forget_page(struct block **page, uint64_t from, uint64_t off, uint64_t end)
{
    uint64_t stop = (from | (BLOCK_PAGE - 1)) + 1;

    for (uint64_t at = from; at < stop && at < end; at++) {
        struct block **b = &page[at & (BLOCK_PAGE - 1)];
        if (*b && at + (*b)->bytes + LOOKED_AT > off)
            *b = NULL;
    }
}

void code_forget(struct code *c, uint64_t off, uint64_t n)
{
    if (!n || off >= c->size)
        return;
    uint64_t reach = c->longest + (uint64_t)LOOKED_AT;
    uint64_t first = off > reach ? off - reach : 0;
    uint64_t end = n < c->size - off ? off + n : c->size;
    for (int m = 0; m < 2; m++) {
        uint64_t from = c->pages[m] ? first : end;
        for (; from < end; from = (from | (BLOCK_PAGE - 1)) + 1)
            if (c->pages[m][from >> BLOCK_PAGE_BITS])
                forget_page(c->pages[m][from >> BLOCK_PAGE_BITS], from, off, end);
    }
    /* Legs lead through many blocks: all of them are made anew. */
    c->legs = NULL;
}

static bool jumps_over_signature(const struct code *c, const struct ild *insn,
                                 uint64_t next)
{
    return insn->branch == BRANCH_DIRECT && insn->rel == PTWRITE_JUMP &&
           c->size - next >= sizeof(ptwrite_signature) &&
           memcmp(c->bytes + next, ptwrite_signature, sizeof(ptwrite_signature)) == 0;
}

/* Up to the first branch.  A block that is cut for its length is no special case to
 * who walks: it goes on at the byte behind. */
struct block block_decode(const struct code *c, enum ild_mode mode, uint64_t off)
{
    struct block b = {.state = BLOCK_LONG};
    uint64_t at = off;

    while (b.ninsn < BLOCK_MAX_INSN) {
        struct ild insn = ild_decode(c->bytes + at, (size_t)(c->size - at), mode);
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
            b.ptwrite = jumps_over_signature(c, &insn, at + insn.len);
            break;
        }
        at += insn.len;
    }
    b.bytes = (uint16_t)(at - off);
    return b;
}

/* The pages of blocks in a mode, NULL where nothing was decoded yet.  NULL without
 * memory or code. */
static struct block ***code_pages(struct code *c, enum ild_mode mode)
{
    struct block ****pages = &c->pages[mode != ILD_64];
    if (!*pages && c->size)
        *pages = mem_zalloc(page_count(c), sizeof(struct block **));
    return *pages;
}

/* Where the pointer to the block at off is, or NULL. */
static struct block **slot_of(struct code *c, enum ild_mode mode, uint64_t off)
{
    struct block ***pages = code_pages(c, mode);
    if (!pages)
        return NULL;
    struct block ***page = &pages[off >> BLOCK_PAGE_BITS];
    if (!*page)
        *page = mem_zalloc(BLOCK_PAGE, sizeof(struct block *));
    return *page ? *page + (off & (BLOCK_PAGE - 1)) : NULL;
}

struct block *block_make(struct code *c, enum ild_mode mode, uint64_t off)
{
    if (off >= c->size)
        return NULL;
    struct block **slot = slot_of(c, mode, off);
    if (slot && !*slot) {
        *slot = arena_alloc(&c->blocks, sizeof(**slot));
        if (*slot)
            **slot = block_decode(c, mode, off);
        if (*slot && (*slot)->bytes > c->longest)
            c->longest = (*slot)->bytes;
    }
    return slot ? *slot : NULL;
}
