/* huge.c - memory in huge pages.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoder/base/huge.h"

#include <stdint.h>
#include <sys/mman.h>

/* Twice as much surely has an aligned part. */
void *huge_new(void)
{
    uint8_t *p = mmap(NULL, 2 * (size_t)HUGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return NULL;
    const size_t before = (HUGE_BYTES - (uintptr_t)p % HUGE_BYTES) % HUGE_BYTES;
    if (before)
        munmap(p, before);
    munmap(p + before + HUGE_BYTES, HUGE_BYTES - before);
    (void)madvise(p + before, HUGE_BYTES, MADV_HUGEPAGE);
    return p + before;
}

void huge_free(void *p)
{
    munmap(p, HUGE_BYTES);
}
