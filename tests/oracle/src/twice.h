/* SPDX-License-Identifier: MIT */
static inline int twice(int x)
{
    return x * 2;
}
