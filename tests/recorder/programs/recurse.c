/* recurse.c - recursion, shallow and deeper than the 64 returns a processor compresses.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__attribute__((noinline)) static unsigned is_odd(unsigned n);

__attribute__((noinline)) static unsigned is_even(unsigned n)
{
    volatile unsigned keep = n; /* a frame of its own */
    return keep == 0 ? 1 : !is_odd(keep - 1) ? 0 : 1;
}

__attribute__((noinline)) static unsigned is_odd(unsigned n)
{
    volatile unsigned keep = n;
    return keep == 0 ? 0 : !is_even(keep - 1) ? 0 : 1;
}

int main(void)
{
    printf("%u %u %u\n", ackermann(2, 9), is_even(500), is_even(61));
    return 0;
}
