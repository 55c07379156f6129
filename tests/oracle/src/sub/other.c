/* SPDX-License-Identifier: MIT */
#include "../twice.h"

int other(int x);

int other(int x)
{
    int r = twice(x);
    for (int i = 0; i < x; i++)
        r += i * x;

    return r + 1;
}
