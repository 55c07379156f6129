/* blocks.c - code between branches, by the cycles that it took (--total-cycles).
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/report/blocks.h"

#include <stdlib.h>

static struct block_function *function_of(struct blocks *b, const struct who *who,
                                          const struct place *at)
{
    uint64_t key = (uintptr_t)at->of_sym;
    uint32_t i = idmap_get(&b->by_symbol, key);

    if (i != IDMAP_NONE)
        return &b->function.at[i];
    i = (uint32_t)b->function.len;
    if (!VEC_ROOM(&b->function, 1) || !idmap_set(&b->by_symbol, key, i))
        return NULL;
    b->function.at[b->function.len++] = (struct block_function){.at = *at, .who = *who};
    return &b->function.at[i];
}

static struct timed_block *block_at(struct blocks *b, uint32_t function, uint64_t end)
{
    uint64_t key = (uint64_t)function << 32 | (uint32_t)end;
    uint32_t i = idmap_get(&b->by_end, key);

    if (i != IDMAP_NONE)
        return &b->block.at[i];
    i = (uint32_t)b->block.len;
    if (!VEC_ROOM(&b->block, 1) || !idmap_set(&b->by_end, key, i))
        return NULL;
    b->block.at[b->block.len++] =
        (struct timed_block){.function = function, .end = end};
    return &b->block.at[i];
}

static void add(struct timed_block *k, bool begun, uint64_t start, uint32_t cycles)
{
    k->count_all++;
    k->cycles_all += cycles;
    if (!begun && k->begun)
        return;
    if (k->count && begun && (!k->begun || k->start > start))
        k->count = k->cycles = 0;
    else if (k->count && begun && k->start < start)
        return;
    k->begun = begun;
    k->start = start;
    k->cycles += cycles;
    k->count++;
}

static bool is_in(const struct place *function, uint64_t addr)
{
    return addr >= function->sym_start && addr < function->sym_end;
}

/* Where the block of a branch begins; 0: not known.  perf also takes the branch before it
 * when that came to the function's beginning, which it looks for by another address. */
static uint64_t start_of(const struct place *from, const struct place *before)
{
    if (!before)
        return 0;
    return before->of_sym == from->of_sym ||
                   before->ip == from->sym_start + from->map_start
               ? before->addr
               : 0;
}

bool blocks_count(struct blocks *b, const struct who *who, const struct place *from,
                  const struct place *before, uint32_t cycles)
{
    uint64_t start = start_of(from, before);

    b->total += cycles;
    if (!cycles || !from->of_sym || !is_in(from, from->addr) ||
        (start && !is_in(from, start)))
        return true;
    if (start >= from->addr)
        start = 0;
    struct block_function *f = function_of(b, who, from);
    struct timed_block *k =
        f ? block_at(b, (uint32_t)(f - b->function.at), from->addr - from->sym_start)
          : NULL;
    if (!k)
        return false;
    add(k, start != 0, start ? start - from->sym_start : 0, cycles);
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct timed_block *a = left, *b = right;

    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

void blocks_end(struct blocks *b)
{
    if (b->block.len)
        qsort(b->block.at, b->block.len, sizeof(*b->block.at), by_place);
    for (size_t i = 0; i < b->block.len; i++) {
        const struct timed_block *k = &b->block.at[i];
        struct block_function *f = &b->function.at[k->function];
        if (!f->count++)
            f->first = (uint32_t)i;
        f->average += k->cycles_all / k->count_all;
    }
    idmap_free(&b->by_end); /* they have moved */
}

static uint64_t row_key(uint32_t event, uint32_t row)
{
    return (uint64_t)event << 32 | row;
}

bool blocks_row(struct blocks *b, uint32_t event, uint32_t row, const struct place *to)
{
    const struct block_target new = {to->of_sym, to->of_dso, to->map_start};
    uint64_t key = row_key(event, row);
    uint32_t i = idmap_get(&b->by_row, key);

    if (i == IDMAP_NONE) {
        i = (uint32_t)b->target.len;
        if (!VEC_ROOM(&b->target, 1) || !idmap_set(&b->by_row, key, i))
            return false;
        b->target.at[b->target.len++] = new;
    }
    struct block_target *t = &b->target.at[i];
    if (b->moves && (t->dso != new.dso || t->map != new.map))
        *t = new;
    return true;
}

bool blocks_of(struct blocks *b, uint32_t event, uint32_t row,
               struct block_function **out)
{
    uint32_t i = idmap_get(&b->by_row, row_key(event, row));
    bool known = i != IDMAP_NONE;
    const struct sym *s = known ? b->target.at[i].sym : NULL;

    i = s ? idmap_get(&b->by_symbol, (uintptr_t)s) : IDMAP_NONE;
    *out = i == IDMAP_NONE ? NULL : &b->function.at[i];
    return known;
}

void blocks_free(struct blocks *b)
{
    VEC_FREE(&b->block);
    VEC_FREE(&b->function);
    idmap_free(&b->by_symbol);
    VEC_FREE(&b->target);
    idmap_free(&b->by_end);
    idmap_free(&b->by_row);
}
