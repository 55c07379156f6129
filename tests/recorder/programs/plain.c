/* plain.c - calls, loops, text: the least a program does.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned collatz(unsigned long n)
{
    unsigned steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

int main(void)
{
    unsigned steps[64];
    char line[80];
    for (unsigned i = 0; i < 64; i++)
        steps[i] = collatz(i + 1);
    qsort(steps, 64, sizeof *steps, by_value);
    for (unsigned i = 0; i < 64; i += 8) {
        snprintf(line, sizeof line, "%u: %u (%.2f)", i, steps[i], steps[i] / 3.0);
        puts(line);
    }
    return (int)strlen(line) == 0;
}
