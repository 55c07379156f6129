/* mm.c - an address space: its code, cut into chains, and the traps planted in it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/mm.h"

#include "testdata/ptrecord/buf.h"
#include "testdata/ptrecord/chain.h"
#include "testdata/ptrecord/msg.h"
#include "testdata/ptrecord/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INT3 = 0xcc };

struct mm *mm_open(pid_t tid)
{
    struct mm *mm = mem_get(NULL, sizeof(*mm));
    /* Of a thread that is gone nothing can be read. */
    *mm = (struct mm){.refs = 1, .fd = proc_open(tid, "mem", O_RDWR)};
    maps_read(&mm->maps, tid);
    return mm;
}

struct mm *mm_fork(const struct mm *old, pid_t tid)
{
    struct mm *mm = mem_get(NULL, sizeof(*mm));
    *mm = (struct mm){.refs = 1, .fd = proc_open(tid, "mem", O_RDWR)};
    maps_copy(&mm->maps, &old->maps);
    hmap_copy(&mm->traps, &old->traps);
    return mm;
}

struct mm *mm_ref(struct mm *mm)
{
    mm->refs++;
    return mm;
}

struct range {
    uint64_t addr, len;
};

static bool range_has(const struct range *r, uint64_t addr)
{
    return addr - r->addr < r->len;
}

static bool chain_drop(struct hmap_entry *e, void *ctx)
{
    const struct range *r = ctx;
    struct chain *c = (struct chain *)(uintptr_t)e->val;
    if (c->ip >= r->addr + r->len || c->ip + c->size <= r->addr)
        return false;
    chain_free(c);
    return true;
}

static bool page_drop(struct hmap_entry *e, void *ctx)
{
    const struct range *r = ctx;
    if (!range_has(r, e->key))
        return false;
    free((void *)(uintptr_t)e->val);
    return true;
}

static bool trap_drop(struct hmap_entry *e, void *ctx)
{
    return range_has(ctx, e->key);
}

void mm_drop(struct mm *mm)
{
    if (!mm || --mm->refs)
        return;
    struct range all = {0, UINT64_MAX};
    hmap_sweep(&mm->chains, chain_drop, &all);
    hmap_sweep(&mm->pages, page_drop, &all);
    hmap_free(&mm->chains);
    hmap_free(&mm->pages);
    hmap_free(&mm->traps);
    maps_free(&mm->maps);
    close(mm->fd);
    free(mm);
}

/* Whether a call that failed is to be made again.  The kernel says EIO of what is not
 * mapped there, and that is an answer. */
static bool is_again(void)
{
    if (errno == ENOMEM)
        msg_die("memory of the program: %s", strerror(errno));
    return errno == EINTR;
}

/* Reads may not cross into a page that is not there: page by page. */
static size_t memory_read(int fd, uint64_t addr, uint8_t *bytes, size_t n)
{
    size_t done = 0;
    while (done < n) {
        size_t part = 4096 - ((addr + done) & 4095);
        if (part > n - done)
            part = n - done;
        ssize_t got = pread(fd, bytes + done, part, (off_t)(addr + done));
        if (got == 0 || (got < 0 && !is_again()))
            break;
        done += got < 0 ? 0 : (size_t)got;
    }
    return done;
}

size_t mm_read(const struct mm *mm, uint64_t addr, void *bytes, size_t n)
{
    uint8_t *at = bytes;
    n = memory_read(mm->fd, addr, at, n);
    for (size_t i = 0; i < n; i++) {
        const struct hmap_entry *e;
        if (at[i] == INT3 && (e = hmap_find(&mm->traps, addr + i)))
            at[i] = (uint8_t)e->val;
    }
    return n;
}

static bool byte_write(const struct mm *mm, uint64_t addr, uint8_t byte)
{
    ssize_t done;
    do
        done = pwrite(mm->fd, &byte, 1, (off_t)addr);
    while (done < 0 && is_again());
    return done == 1;
}

bool mm_trap(struct mm *mm, uint64_t addr, uint8_t original)
{
    if (hmap_find(&mm->traps, addr))
        return true;
    if (!byte_write(mm, addr, INT3))
        return false;
    hmap_put(&mm->traps, addr, original);
    return true;
}

void mm_lift(const struct mm *mm, uint64_t addr, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct hmap_entry *e = hmap_find(&mm->traps, addr + i);
        if (e)
            byte_write(mm, addr + i, (uint8_t)e->val);
    }
}

void mm_replant(const struct mm *mm, uint64_t addr, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (hmap_find(&mm->traps, addr + i))
            byte_write(mm, addr + i, INT3);
}

static void traps_lift(const struct mm *mm, const struct range *r)
{
    for (size_t i = 0; i < mm->traps.cap; i++) {
        const struct hmap_entry *e = &mm->traps.at[i];
        if (e->key && range_has(r, e->key))
            byte_write(mm, e->key, (uint8_t)e->val);
    }
}

void mm_forget(struct mm *mm, uint64_t addr, uint64_t len)
{
    uint64_t start = addr & ~UINT64_C(4095),
             end = (addr + len + 4095) & ~UINT64_C(4095);
    struct range r = {start, end - start};
    if (!mm->chains.len && !mm->traps.len)
        return;
    traps_lift(mm, &r);
    hmap_sweep(&mm->chains, chain_drop, &r);
    hmap_sweep(&mm->traps, trap_drop, &r);
    hmap_sweep(&mm->pages, page_drop, &r);
}
