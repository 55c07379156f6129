/* rising_heap.c - memory whose addresses only rise: in perf what was made first lies first.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf 6.1 puts what weighs the same in call graphs in the order of the addresses of their
 * binaries' data, which is by chance.  With this in LD_PRELOAD it is the order in which they
 * were made.  Nothing is ever taken back: for small recordings only. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNED = 16 };
static const size_t ROOM = (size_t)64 << 30; /* bytes of addresses, not of memory */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t next, end;

static size_t *size_of(void *p)
{
    return (size_t *)p - 1;
}

static void *take(size_t size, size_t align)
{
    uintptr_t p = 0;

    pthread_mutex_lock(&lock);
    if (!end) {
        void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room != MAP_FAILED) {
            next = (uintptr_t)room;
            end = next + ROOM;
        }
    }
    if (size < ROOM && align < ROOM) {
        p = (next + ALIGNED + align - 1) & ~(uintptr_t)(align - 1);
        if (p < end && size <= end - p)
            next = p + size;
        else
            p = 0;
    }
    pthread_mutex_unlock(&lock);
    if (!p) {
        errno = ENOMEM;
        return NULL;
    }
    *size_of((void *)p) = size;
    return (void *)p;
}

void *malloc(size_t size)
{
    return take(size, ALIGNED);
}

void free(void *p)
{
    (void)p;
}

void *calloc(size_t count, size_t size)
{
    size_t all;

    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return take(all, ALIGNED);
}

void *realloc(void *old, size_t size)
{
    void *p = take(size, ALIGNED);

    if (p && old)
        memcpy(p, old, *size_of(old) < size ? *size_of(old) : size);
    return p;
}

void *memalign(size_t align, size_t size)
{
    return take(size, align < ALIGNED ? ALIGNED : align);
}

void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
    *p = memalign(align, size);
    return *p ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *p)
{
    return p ? *size_of(p) : 0;
}
