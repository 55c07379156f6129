/* switch.c - jump tables, calls through tables, computed gotos.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

typedef int operation(int, int);

static int add(int a, int b)
{
    return a + b;
}
static int sub(int a, int b)
{
    return a - b;
}
static int mix(int a, int b)
{
    return a ^ (b << 3);
}

static operation *const table[] = {add, sub, mix};

__attribute__((noinline)) static int choose(int n)
{
    switch (n) {
    case 0:
        return 17;
    case 1:
        return n * 3;
    case 2:
        return -n;
    case 3:
        return 99;
    case 4:
        return n << 4;
    case 5:
        return n ^ 0x55;
    case 6:
        return puts("six");
    case 7:
        return 1000 / n;
    default:
        return 0;
    }
}

/* A small interpreter, each step ending in a jump of its own. */
__attribute__((noinline)) static int interpret(const unsigned char *code)
{
    static const void *const labels[] = {&&stop, &&inc, &&dbl, &&back};
    int acc = 1, rounds = 0;
    const unsigned char *at = code;
    goto *labels[*at];
inc:
    acc++;
    goto *labels[*++at];
dbl:
    acc = acc * 2 % 1009;
    goto *labels[*++at];
back:
    if (++rounds < 50)
        at = code - 1;
    goto *labels[*++at];
stop:
    return acc;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 400; i++) {
        sum += choose(i * 7 % 10);
        sum = table[i % 3](sum, i);
    }
    static const unsigned char code[] = {1, 2, 1, 1, 2, 3, 0};
    printf("%d %d\n", sum, interpret(code));
    return 0;
}
