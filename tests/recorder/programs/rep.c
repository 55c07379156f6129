/* rep.c - repeated string instructions, of all lengths, forwards and backwards.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

static char from[4096], to[4096];

static void rep_movs(void *dst, const void *src, unsigned long n)
{
    __asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
}

static void rep_stos(void *dst, int byte, unsigned long n)
{
    __asm__ volatile("rep stosb" : "+D"(dst), "+c"(n) : "a"(byte) : "memory");
}

static unsigned long scan(const char *s)
{
    unsigned long left = ~0ul;
    __asm__ volatile("repne scasb" : "+D"(s), "+c"(left) : "a"(0) : "memory", "cc");
    return ~left - 1;
}

static unsigned long compare(const void *a, const void *b, unsigned long n)
{
    __asm__ volatile("repe cmpsb" : "+S"(a), "+D"(b), "+c"(n) : : "memory", "cc");
    return n;
}

static void backwards(char *end, unsigned long n)
{
    void *dst = end;
    __asm__ volatile("std; rep stosb; cld" : "+D"(dst), "+c"(n) : "a"('b') : "memory");
}

int main(void)
{
    unsigned long sum = 0;
    for (unsigned n = 0; n < 300; n = n * 3 / 2 + 1) {
        rep_stos(from, 'a', n);
        from[n] = 0;
        rep_movs(to, from, n + 1);
        sum += scan(to);
        to[n / 2] = 'x';
        sum += compare(from, to, n);
        backwards(to + n, n / 3);
    }
    rep_movs(to, from, sizeof to);
    printf("%lu %zu\n", sum, strlen(to));
    return 0;
}
