/* extra.c - PTWRITE and transactions, written as bytes: few processors have both.
 *
 * SPDX-License-Identifier: MIT
 *
 * Runs only where somebody carries these instructions out.
 */
#include <stdint.h>
#include <stdio.h>

static long shared[8];

static void ptwrite32(uint32_t v)
{
    __asm__ volatile(".byte 0xf3, 0x0f, 0xae, 0xe0" : : "a"(v)); /* ptwrite eax */
}

static void ptwrite64(const uint64_t *v)
{
    __asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0x20"
                     :
                     : "a"(v)
                     : "memory"); /* [rax] */
}

/* -1: begun; else why it was aborted. */
static inline __attribute__((always_inline)) unsigned begin(void)
{
    unsigned status = ~0u;
    __asm__ volatile(".byte 0xc7, 0xf8, 0, 0, 0, 0" : "+a"(status) : : "memory");
    return status;
}

static inline __attribute__((always_inline)) void commit(void)
{
    __asm__ volatile(".byte 0x0f, 0x01, 0xd5" : : : "memory");
}

static inline __attribute__((always_inline)) int inside(void)
{
    unsigned char zero;
    __asm__ volatile(".byte 0x0f, 0x01, 0xd6; setz %0" : "=r"(zero) : : "memory", "cc");
    return !zero;
}

static int counted(int n)
{
    int aborts = 0;
    for (int i = 0; i < n; i++) {
        while (begin() != ~0u)
            aborts++;
        shared[i % 8] += inside();
        commit();
    }
    return aborts;
}

/* Stores, then gives up: they must be gone. */
static unsigned given_up(void)
{
    long before = shared[3];
    unsigned status = begin();
    if (status == ~0u) {
        shared[3] = 999;
        __asm__ volatile(".byte 0xc6, 0xf8, 0x42" : : : "memory"); /* xabort 0x42 */
    }
    return shared[3] == before ? status : 1;
}

int main(void)
{
    uint64_t wide = 0x123456789abcdef0;
    for (uint32_t i = 0; i < 5; i++) {
        ptwrite32(i * 0x01010101);
        ptwrite64(&wide);
        wide ^= i;
    }
    int aborts = counted(100);
    long sum = 0;
    unsigned status = given_up();
    for (int i = 0; i < 8; i++)
        sum += shared[i];
    printf("%ld %#x %d %s\n", sum, status, inside(), aborts ? "aborted" : "never");
    return 0;
}
