/* frames.c - spends its time below frames of all kinds: recorded by unwind.py.
 *
 * SPDX-License-Identifier: MIT
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned sink;

static int compare(const void *a, const void *b)
{
    for (int i = 0; i < 10; i++)
        sink += (unsigned)i;
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static unsigned leaf(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink += i * sink;
    return sink;
}

static inline __attribute__((always_inline)) unsigned twice(unsigned n)
{
    return leaf(n) + leaf(n / 2);
}

__attribute__((noinline)) static unsigned deep(unsigned depth)
{
    return depth ? deep(depth - 1) + 1 : twice(5000) + 1;
}

/* A frame whose size only the stack pointer knows. */
__attribute__((noinline)) static unsigned variable(unsigned n)
{
    char *room = __builtin_alloca(n);
    memset(room, 1, n);
    return leaf(3000) + (unsigned)room[n / 2];
}

static void on_signal(int number)
{
    sink += deep((unsigned)number % 5);
}

int main(void)
{
    static int numbers[2000];

    signal(SIGUSR1, on_signal);
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 2000; i++)
            numbers[i] = (i * 7919 + round) % 2003;
        qsort(numbers, 2000, sizeof(numbers[0]), compare);
        for (int i = 0; i < 20; i++)
            raise(SIGUSR1);
        deep(200);
        variable(100u + (unsigned)round * 16);
    }
    return 0;
}
