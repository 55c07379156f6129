/* SPDX-License-Identifier: MIT */
#include "twice.h"
#include <stdio.h>

int other(int x);

static int odd_one(int x)
{
    return x % 2 ? x * 5 : x;
}

int main(int argc, char **argv)
{
    (void)argv;
    int n = other(argc);
    printf("%d %d\n", twice(n), odd_one(n));
    return 0;
}
