/* heap.c - memory from the system in few and large pieces.
 *
 * SPDX-License-Identifier: MIT
 *
 * A page that comes fresh costs far more than what is written into it, on virtual machines above all, and
 * what is given back is soon asked for again.  So the heap of the C library keeps what is freed, and for
 * what needs much it is made wide at once, of huge pages where there are any.  Room that nobody touches
 * costs nothing.
 */
#include "heap.h"

#include <stdlib.h>

#ifdef __GLIBC__

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    HEAP_WIDE = 128 << 20,
    HEAP_STEP = 1 << 20,
    /* Larger blocks are mapped, and given back.  With other sizes less is kept, or more in vain. */
    KEPT_BLOCK = 1 << 20,
    WIDE_BLOCK = 32 << 20, /* the most that mallopt(3) takes */
    HUGE_PAGE = 2 << 20,
    /* On so few nobody waits long for another: they share the heap, as one of a thread alone is of small pages. */
    FEW_CPUS = 4
};

static bool is_wide;

static bool is_bounded(int resource)
{
    struct rlimit r;

    return getrlimit(resource, &r) != 0 || r.rlim_cur != RLIM_INFINITY;
}

/* What the heap grew by.  Another allocator may be there in place of the C library's: then by nothing. */
static void ask_for_huge_pages(uintptr_t from, uintptr_t end)
{
    from = (from + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    end &= ~(uintptr_t)(HUGE_PAGE - 1);
    if (from < end)
        (void)madvise((void *)from, end - from, MADV_HUGEPAGE);
}

/* Blocks of up to so many bytes. */
static void keep(int block)
{
    mallopt(M_MMAP_THRESHOLD, block);
    mallopt(M_TRIM_THRESHOLD, HEAP_WIDE);
}

/* A first block was there, and behind it the heap has noted its end: so this part does not become a huge
 * page any more.  It is given to nobody, up to the next, and never touched. */
static void skip_touched(uintptr_t first)
{
    static void *volatile skipped; /* else it is left out */
    const uintptr_t noted = first + HEAP_STEP + HUGE_PAGE;

    skipped = malloc((noted & ~(uintptr_t)(HUGE_PAGE - 1)) - first);
    (void)skipped;
}

void heap_keep(void)
{
    if (!is_wide)
        keep(KEPT_BLOCK);
}

void heap_widen(void)
{
    if (is_wide || is_bounded(RLIMIT_AS) || is_bounded(RLIMIT_DATA))
        return;
    is_wide = true;
    keep(WIDE_BLOCK);
    mallopt(M_TOP_PAD, HEAP_WIDE);
    const uintptr_t from = (uintptr_t)sbrk(0);
    void *volatile first = malloc(HEAP_STEP); /* volatile: else the pair is left out */
    free(first);
    ask_for_huge_pages(from, (uintptr_t)sbrk(0));
    skip_touched((uintptr_t)first);
    mallopt(M_TOP_PAD, HEAP_STEP);
    if (sysconf(_SC_NPROCESSORS_ONLN) <= FEW_CPUS)
        mallopt(M_ARENA_MAX, 1);
}

#else

void heap_keep(void)
{
}

void heap_widen(void)
{
}

#endif
