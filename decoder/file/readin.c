/* readin.c - parts of a mapped file that are about to be read, in huge pages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/file/readin.h"

#include "decoder/base/arena.h"
#include "decoder/base/huge.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

enum {
    FILE_LEAST = 16 << 20, /* what a smaller one gains is not worth the memory */
    /* That are there at once: queues are not all at the same place, and some are followed ahead. */
    PARTS_OF_ONE = 3,
    PARTS_OF_MANY = 6,
    /* Of a part some blocks are mapped to see how long that takes: 2 us each where nothing is wrong with that, 60 on
     * some virtual machines, where to read one in takes 15. */
    BLOCK_BYTES = 64 << 10,
    BLOCKS = 7,
    SLOW_NS = 12000
};

enum way { NOT_KNOWN, MAPPED, READ };

struct readin {
    pthread_mutex_t lock;
    int fd;
    const uint8_t *file; /* the mapping, */
    size_t len;
    uint8_t *ptr; /* ... and the parts of it: whole huge pages */
    size_t count; /* of them all */
    /* By their numbers from 1, 0: none; the one at `oldest` makes room for the next. */
    size_t there[PARTS_OF_MANY];
    unsigned parts, oldest;
    enum way way;
    bool was[]; /* read in once: it is not again */
};

struct readin *readin_new(int fd, const uint8_t *ptr, size_t len)
{
    const size_t front = (HUGE_BYTES - (uintptr_t)ptr % HUGE_BYTES) % HUGE_BYTES;
    const size_t count = len < FILE_LEAST ? 0 : (len - front) / HUGE_BYTES;
    struct readin *r = mem_zalloc(1, sizeof(*r) + count * sizeof(r->was[0]));

    if (!r)
        return NULL;
    r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* -1: nothing can be read in */
    r->file = ptr;
    r->len = len;
    r->ptr = (uint8_t *)(uintptr_t)ptr + front;
    r->count = count;
    r->parts = PARTS_OF_ONE;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void readin_free(struct readin *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

void readin_for_many(struct readin *r)
{
    r->parts = PARTS_OF_MANY;
}

void readin_always(struct readin *r)
{
    r->way = READ;
}

static uint8_t *part(const struct readin *r, size_t number)
{
    return r->ptr + (number - 1) * HUGE_BYTES;
}

static off_t offset(const struct readin *r, const uint8_t *at)
{
    return (off_t)(at - r->file);
}

bool readin_copy(const struct readin *r, const uint8_t *at, uint8_t *to, size_t n)
{
    const off_t from = offset(r, at);
    ssize_t got;

    for (size_t done = 0; done < n; done += (size_t)got) {
        got = pread(r->fd, to + done, n - done, from + (off_t)done);
        if (got <= 0)
            return false;
    }
    return true;
}

/* The first byte was written: then all of a huge page is there, or one small page, and to be given all
 * others would cost far more than is gained. */
static bool is_huge(uint8_t *p)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char last;

    *(volatile uint8_t *)p = 0;
    return mincore(p + HUGE_BYTES - page, page, &last) == 0 && last & 1;
}

/* In one step: who reads there meanwhile finds the file's page or this one. */
static bool take_place(const struct readin *r, uint8_t *of)
{
    uint8_t *p = huge_new();

    if (!p)
        return false;
    if (is_huge(p) && readin_copy(r, of, p, HUGE_BYTES) &&
        mremap(p, HUGE_BYTES, HUGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, of) == of)
        return true;
    huge_free(p);
    return false;
}

static bool give_place_back(const struct readin *r, uint8_t *of)
{
    return mmap(of, HUGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, r->fd,
                offset(r, of)) == of;
}

/* The oldest part makes room for it. */
static void read_in(struct readin *r, size_t number)
{
    size_t *place = &r->there[r->oldest];

    r->was[number - 1] = true;
    if (*place && !give_place_back(r, part(r, *place))) {
        r->way = MAPPED; /* it stays, and is as good */
        return;
    }
    const bool taken = take_place(r, part(r, number));
    if (!taken)
        r->way = MAPPED; /* there are no huge pages */
    *place = taken ? number : 0;
    r->oldest = (r->oldest + 1) % r->parts;
}

static uint64_t now_ns(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* UINT64_MAX: the system does not do that. */
static uint64_t ns_to_map(uint8_t *block)
{
    const uint64_t begin = now_ns();

    return madvise(block, BLOCK_BYTES, MADV_POPULATE_READ) == 0 ? now_ns() - begin
                                                                : UINT64_MAX;
}

/* Of several, as some may be mapped already, and others take long by chance. */
static bool is_slow(uint8_t *part)
{
    int slow = 0;

    for (int i = 0; i < BLOCKS; i++)
        slow += ns_to_map(part + (size_t)i * BLOCK_BYTES) > SLOW_NS;
    return slow > BLOCKS / 2;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void readin_soon(struct readin *r, const uint8_t *at, size_t n)
{
    const uint8_t *end = at + n;
    size_t i = at > r->ptr ? (size_t)(at - r->ptr) / HUGE_BYTES : 0,
           last = i + r->parts;

    if (end <= r->ptr)
        return;
    last = least(last, ((size_t)(end - r->ptr) + HUGE_BYTES - 1) / HUGE_BYTES);
    last = least(last, r->count);
    pthread_mutex_lock(&r->lock);
    if (r->way == NOT_KNOWN && i < last)
        r->way = is_slow(part(r, i + 1)) ? READ : MAPPED;
    for (; i < last && r->way == READ; i++) {
        if (!r->was[i])
            read_in(r, i + 1);
    }
    pthread_mutex_unlock(&r->lock);
}

/* The first part that is there at or behind a number; 0: none. */
static size_t next_there(const struct readin *r, size_t from)
{
    size_t next = 0;

    for (unsigned i = 0; i < PARTS_OF_MANY; i++) {
        if (r->there[i] >= from && (!next || r->there[i] < next))
            next = r->there[i];
    }
    return next;
}

static void let_go(uint8_t *from, const uint8_t *end)
{
    if (from < end)
        (void)madvise(from, (size_t)(end - from), MADV_DONTNEED);
}

void readin_let_go(struct readin *r)
{
    uint8_t *from = (uint8_t *)(uintptr_t)r->file;

    pthread_mutex_lock(&r->lock);
    for (size_t next = next_there(r, 1); next; next = next_there(r, next + 1)) {
        let_go(from, part(r, next));
        from = part(r, next) + HUGE_BYTES;
    }
    let_go(from, r->file + r->len);
    pthread_mutex_unlock(&r->lock);
}
