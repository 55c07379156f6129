/* ram.c - memory of a stopped program, held here while it is worked on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/ram.h"

#include "testdata/ptrecord/buf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { PAGE = 4096, PAGES = 64, RUNS = 512 };

struct page {
    uint64_t addr;
    uint64_t round; /* held if it is that of struct ram */
    bool writable, dirty;
    uint64_t stored[PAGE / 64]; /* a bit for each byte */
    uint8_t bytes[PAGE];
};

struct ram {
    pid_t tid;
    uint64_t round;
    bool keep;
    bool any_dirty;
    struct page page[PAGES];
};

struct ram *ram_new(void)
{
    struct ram *m = mem_get(NULL, sizeof(*m));
    memset(m, 0, sizeof(*m));
    return m;
}

void ram_free(struct ram *m)
{
    free(m);
}

void ram_begin(struct ram *m, pid_t tid)
{
    m->tid = tid;
    if (!m->round)
        m->round = 1;
}

/* Stores on their way to the program: runs of bytes. */
struct runs {
    struct iovec here[RUNS], there[RUNS];
    size_t n;
};

static void runs_write(struct ram *m, struct runs *r)
{
    /* Each page was writable when it was first stored to. */
    if (r->n)
        process_vm_writev(m->tid, r->here, r->n, r->there, r->n, 0);
    r->n = 0;
}

static bool is_stored(const struct page *p, unsigned at)
{
    return p->stored[at / 64] >> (at % 64) & 1;
}

static void page_write(struct ram *m, struct page *p, struct runs *r)
{
    for (unsigned at = 0; at < PAGE; at++) {
        if (!p->stored[at / 64]) {
            at |= 63;
            continue;
        }
        if (!is_stored(p, at))
            continue;
        unsigned from = at;
        while (at < PAGE && is_stored(p, at))
            at++;
        if (r->n == RUNS)
            runs_write(m, r);
        r->here[r->n] = (struct iovec){p->bytes + from, at - from};
        r->there[r->n++] =
            (struct iovec){(void *)(uintptr_t)(p->addr + from), at - from};
    }
}

static void stores_clear(struct ram *m,
                         void (*with)(struct ram *, struct page *, struct runs *))
{
    struct runs runs;
    runs.n = 0;
    for (struct page *p = m->page; m->any_dirty && p < m->page + PAGES; p++) {
        if (p->round != m->round || !p->dirty)
            continue;
        if (with)
            with(m, p, &runs);
        memset(p->stored, 0, sizeof p->stored);
        p->dirty = false;
    }
    runs_write(m, &runs);
    m->any_dirty = false;
}

void ram_end(struct ram *m)
{
    stores_clear(m, page_write);
    m->round++;
}

void ram_forget(struct ram *m)
{
    stores_clear(m, NULL);
    m->round++;
}

void ram_keep(struct ram *m, bool all)
{
    m->keep = all;
}

/* The page that holds ADDR, or NULL. */
static struct page *page_hold(struct ram *m, uint64_t addr)
{
    uint64_t at = addr & ~(uint64_t)(PAGE - 1);
    struct page *p = &m->page[(at / PAGE ^ at / PAGE / PAGES) % PAGES];
    if (p->round == m->round && p->addr == at)
        return p;
    if (p->round == m->round && p->dirty) {
        if (m->keep)
            return NULL;
        stores_clear(m, page_write);
    }
    struct iovec here = {p->bytes, PAGE}, there = {(void *)(uintptr_t)at, PAGE};
    p->round = 0;
    if (process_vm_readv(m->tid, &here, 1, &there, 1, 0) != PAGE)
        return NULL;
    p->addr = at;
    p->round = m->round;
    p->writable = false;
    return p;
}

/* Is it allowed?  Writing what is there already tells. */
static bool page_open(struct ram *m, struct page *p)
{
    struct iovec here = {p->bytes, 1}, there = {(void *)(uintptr_t)p->addr, 1};
    if (!p->writable)
        p->writable = process_vm_writev(m->tid, &here, 1, &there, 1, 0) == 1;
    return p->writable;
}

/* How many of N bytes at ADDR are in its page. */
static size_t part_in_page(uint64_t addr, size_t n)
{
    size_t room = PAGE - (addr & (PAGE - 1));
    return n < room ? n : room;
}

bool ram_load(struct ram *m, uint64_t addr, void *bytes, size_t n)
{
    for (uint8_t *to = bytes; n;) {
        size_t part = part_in_page(addr, n);
        const struct page *p = page_hold(m, addr);
        if (!p)
            return false;
        memcpy(to, p->bytes + (addr & (PAGE - 1)), part);
        to += part;
        addr += part;
        n -= part;
    }
    return true;
}

static void bytes_store(struct ram *m, struct page *p, uint64_t addr, const void *bytes,
                        size_t n)
{
    unsigned at = addr & (PAGE - 1);
    memcpy(p->bytes + at, bytes, n);
    for (size_t i = 0; i < n; i++, at++)
        p->stored[at / 64] |= UINT64_C(1) << (at % 64);
    p->dirty = m->any_dirty = true;
}

bool ram_store(struct ram *m, uint64_t addr, const void *bytes, size_t n)
{
    size_t part = part_in_page(addr, n);
    struct page *p = page_hold(m, addr);
    if (!p || !page_open(m, p))
        return false;
    if (part == n) {
        bytes_store(m, p, addr, bytes, n);
        return true;
    }
    /* Into two pages: neither changes unless both can.  Holding the second must not
     * have thrown out the first. */
    struct page *q = page_hold(m, addr + part);
    if (!q || !page_open(m, q) || page_hold(m, addr) != p || !page_open(m, p))
        return false;
    bytes_store(m, p, addr, bytes, part);
    bytes_store(m, q, addr + part, (const uint8_t *)bytes + part, n - part);
    return true;
}
