/* unwind.c - the callers of a sample, from a copy of its stack.
 *
 * SPDX-License-Identifier: MIT
 *
 * Behind this file is libunwind, as in perf: where unwind information is missing it
 * guesses, and no other library guesses the same.  It sees memory only through
 * read_word, which bounds what it may read and how often, so that no file makes it run
 * for long.
 */
#include "walker/unwind/unwind.h"

#include "decoder/base/arena.h"
#include "decoder/base/bytes.h"
#include "decoder/base/refused.h"
#include "walker/unwind/unwind_check.h"
#include "walker/unwind/unwind_table.h"

#include <libunwind-x86_64.h>

/* Exported for debuggers, but in no header. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip,
                                       unw_dyn_info_t *di, unw_proc_info_t *pi,
                                       int need_unwind_info, void *arg);

enum { READS = 300000, CHECKS = 4000000, REG_SP = 7, REG_IP = 8 };

struct unwinder {
    unw_addr_space_t space;
    /* of the sample at hand */
    const struct unwind_memory *memory;
    const struct pts_regs *regs;
    struct pts_bytes stack;
    uint64_t sp;
    unsigned reads, checks; /* left: words for libunwind, bytes for us */
    struct unwind_map last;
    /* of the file that was last asked for */
    const uint8_t *table_of;
    struct unwind_table table;
    bool has_table;
};

/* --- What libunwind asks for --- */

/* Numbers of perf_regs.h; those of the processor's name order differ. */
static bool reg_value(const struct pts_regs *regs, unsigned reg, uint64_t *out)
{
    uint64_t bit = reg < 64 ? 1ull << reg : 0;
    uint64_t i = (uint64_t)__builtin_popcountll(regs->mask & (bit - 1));

    if (!(regs->mask & bit) || i >= regs->val.count)
        return false;
    *out = pts_word(&regs->val, i);
    return true;
}

static const struct unwind_map *map_at(struct unwinder *u, uint64_t addr)
{
    if (addr >= u->last.start && addr < u->last.end)
        return &u->last;
    struct unwind_map found;
    if (!u->memory->map(u->memory->ctx, addr, &found))
        return NULL;
    u->last = found;
    return &u->last;
}

/* What is mapped but cannot be read is zero: perf returns 1 then, and libunwind takes
 * only what is negative for a failure.  So a walk ends in a frame at address -1 where
 * it comes to the end of the copied stack. */
static int read_file(struct unwinder *u, uint64_t addr, unw_word_t *out)
{
    const struct unwind_map *m = map_at(u, addr);
    uint64_t off = m ? addr - m->start + m->pgoff : 0;

    *out = 0;
    if (!m)
        return -UNW_EINVAL;
    if (off > m->file.len || m->file.len - off < sizeof(*out))
        return 1;
    memcpy(out, m->file.ptr + off, sizeof(*out));
    return 0;
}

/* perf takes the last word of the stack for one outside of it. */
static int read_word(unw_addr_space_t as, unw_word_t addr, unw_word_t *out, int write,
                     void *arg)
{
    struct unwinder *u = arg;

    (void)as;
    if (write || !u->reads || addr + sizeof(*out) < addr) {
        *out = 0;
        return write && u->reads ? 0 : -UNW_EINVAL;
    }
    u->reads--;
    uint64_t off = addr - u->sp;
    if (addr < u->sp || off >= u->stack.len || u->stack.len - off <= sizeof(*out))
        return read_file(u, addr, out);
    memcpy(out, u->stack.ptr + off, sizeof(*out));
    return 0;
}

static int read_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *out, int write,
                    void *arg)
{
    /* From DWARF's numbers (rax rdx rcx rbx ...) to those of perf's mask (ax bx cx dx
     * ...). */
    static const uint8_t number[] = {0,  3,  2,  1,  4,  5,  6,  7, 16,
                                     17, 18, 19, 20, 21, 22, 23, 8};
    struct unwinder *u = arg;

    (void)as;
    if (write || reg < 0 || (size_t)reg >= sizeof(number))
        return -UNW_EINVAL;
    return reg_value(u->regs, number[reg], out) ? 0 : -UNW_EINVAL;
}

/* --- What it is given --- */

/* What is read to check an entry does not use up what libunwind may read: a walk
 * ends where it would have ended without the check. */
static bool byte_at(void *ctx, uint64_t addr, uint8_t *out)
{
    struct unwinder *u = ctx;
    unsigned reads = u->reads;
    unw_word_t word;

    if (!u->checks)
        return false;
    u->checks--;
    bool there = read_word(u->space, addr & ~(uint64_t)7, &word, 0, u) >= 0;
    u->reads = reads;
    *out = (uint8_t)(word >> 8 * (addr & 7));
    return there;
}

static bool number_at(struct unwinder *u, uint64_t addr, int32_t *out)
{
    uint32_t v = 0;
    uint8_t byte;

    for (unsigned i = 0; i < sizeof(v); i++) {
        if (!byte_at(u, addr + i, &byte))
            return false;
        v |= (uint32_t)byte << 8 * i;
    }
    *out = (int32_t)v;
    return true;
}

/* The address of the entry for ip in the table: two numbers, both from `header` on,
 * where the code begins and where its FDE is.  Where the table has none for ip
 * (-UNW_ENOINFO), libunwind goes by the frame pointer; at an entry that cannot be read,
 * or may do harm (-UNW_EINVAL), the walk ends. */
static int find_entry(struct unwinder *u, uint64_t header, uint64_t ip, uint64_t *entry)
{
    enum { ENTRY = 8 };
    const struct unwind_bytes from = {u, byte_at};
    uint64_t table = header + u->table.skip, lo = 0, hi = u->table.count;
    int32_t begin, fde;

    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;
        if (!number_at(u, table + mid * ENTRY, &begin))
            return -UNW_EINVAL;
        if ((int32_t)(ip - header) < begin)
            hi = mid;
        else
            lo = mid + 1;
    }
    if (hi == 0)
        return -UNW_ENOINFO;
    *entry = table + (hi - 1) * ENTRY;
    return number_at(u, *entry + 4, &fde) &&
                   unwind_is_harmless(&from, header + (uint64_t)(int64_t)fde)
               ? 0
               : -UNW_EINVAL;
}

/* libunwind would search the table itself.  It is given a table of one entry: the
 * one that was found, and found harmless, here. */
static int find_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi,
                     int need_unwind_info, void *arg)
{
    struct unwinder *u = arg;
    const struct unwind_map *m = map_at(u, ip);

    if (!m || !m->file.len)
        return -UNW_EINVAL;
    if (u->table_of != m->file.ptr) {
        u->has_table = unwind_table_find(m->file, &u->table);
        u->table_of = m->file.ptr;
    }
    if (!u->has_table)
        return -UNW_EINVAL;
    /* Where the section lies in this process: as far from the first segment as in the
     * file. */
    uint64_t header = m->base - u->table.first + u->table.header, entry;
    unw_dyn_info_t di = {
        .format = UNW_INFO_FORMAT_REMOTE_TABLE, .start_ip = m->start, .end_ip = m->end};
    di.u.rti.segbase = header;
    di.u.rti.table_len = 1; /* word: an entry */
    int failed = find_entry(u, header, ip, &entry);
    if (failed)
        return failed;
    di.u.rti.table_data = entry;
    return UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need_unwind_info, arg);
}

/* The rest is not needed for walking up. */

static void put_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
    (void)as, (void)pi, (void)arg;
}

static int no_list(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
    (void)as, (void)addr, (void)arg;
    return -UNW_ENOINFO;
}

static int no_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *out, int write,
                    void *arg)
{
    (void)as, (void)reg, (void)out, (void)write, (void)arg;
    return -UNW_EINVAL;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *c, void *arg)
{
    (void)as, (void)c, (void)arg;
    return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t as, unw_word_t addr, char *name, size_t len,
                   unw_word_t *off, void *arg)
{
    (void)as, (void)addr, (void)name, (void)len, (void)off, (void)arg;
    return -UNW_EINVAL;
}

/* --- Walking up --- */

/* Nothing is kept from one sample to the next: the memory is another one each time. */
pts_status unwinder_new(struct unwinder **out)
{
    enum { LITTLE_ENDIAN_TARGET = 1234 };
    unw_accessors_t ask = {.find_proc_info = find_info,
                           .put_unwind_info = put_info,
                           .get_dyn_info_list_addr = no_list,
                           .access_mem = read_word,
                           .access_reg = read_reg,
                           .access_fpreg = no_fpreg,
                           .resume = no_resume,
                           .get_proc_name = no_name};
    struct unwinder *u = mem_zalloc(1, sizeof(*u));

    if (!u)
        return PTS_E_NOMEM;
    u->space = unw_create_addr_space(&ask, LITTLE_ENDIAN_TARGET);
    if (!u->space) {
        mem_free(u);
        return PTS_E_NOMEM;
    }
    unw_set_caching_policy(u->space, UNW_CACHE_NONE);
    *out = u;
    return PTS_OK;
}

void unwinder_free(struct unwinder *u)
{
    if (!u)
        return;
    unw_destroy_addr_space(u->space);
    mem_free(u);
}

/* A return address is behind its call, so a frame is at the byte before; after a
 * signal it is the instruction itself. */
static size_t walk(struct unwinder *u, uint64_t *ip, size_t most)
{
    unw_cursor_t c;
    size_t n = 1;
    int step = 1;

    if (unw_init_remote(&c, u->space, u) != 0)
        return 0;
    while (n < most && (step = unw_step(&c)) > 0) {
        unw_word_t at = 0;
        unw_get_reg(&c, UNW_REG_IP, &at);
        ip[n++] = unw_is_signal_frame(&c) > 0 ? at : at - 1;
    }
    if (step == -UNW_ENOMEM)
        refused_memory();
    return n;
}

pts_status unwind_stack(struct unwinder *u, const struct unwind_memory *memory,
                        const struct pts_regs *regs, struct pts_bytes stack,
                        uint64_t *ip, size_t most, size_t *n)
{
    u->memory = memory;
    u->regs = regs;
    u->stack = stack;
    u->reads = READS;
    u->checks = CHECKS;
    u->last = (struct unwind_map){0};
    *n = 0;
    if (!reg_value(regs, REG_IP, &ip[0]))
        return PTS_END;
    if (!reg_value(regs, REG_SP, &u->sp)) /* reading memory fails then, files and all */
        u->reads = 0;
    refused_watch();
    *n = most > 1 ? walk(u, ip, most) : 1;
    refused_watched(NULL);
    return *n ? PTS_OK : PTS_END;
}
