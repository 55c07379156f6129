/* plugin.c - a library for dl.c; PLUGIN 1 and 2 differ only inside.
 *
 * SPDX-License-Identifier: MIT
 */
int plugin(int n);

__attribute__((noinline)) static int twist(int n)
{
#if PLUGIN == 1
    return n % 3 == 0 ? n * 2 : n + 5;
#else
    return n & 1 ? n - 7 : n > 4 ? n * n : 3;
#endif
}

int plugin(int n)
{
    int sum = 0;
    for (int i = 0; i <= n; i++)
        sum += twist(i);
    return sum;
}
