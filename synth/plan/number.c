/* number.c - numbers in option strings.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf reads most numbers with strtoul and its kin, so their ways are part of the
 * options: blanks and a sign in front, 0x and 0 for other bases, and the largest number
 * where there is no room for more.
 */
#include "synth/plan/number.h"

#include "decoder/base/digits.h"

#include <ctype.h>
#include <stdbool.h>

uint64_t read_number(const char *s, const char **end, int base)
{
    const char *p = s;
    uint64_t v = 0;

    while (isspace((unsigned char)*p))
        p++;
    bool minus = *p == '-';
    p += minus || *p == '+';
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] | 0x20) == 'x' &&
        digit_value(p[2]) < 16) {
        p += 2;
        base = 16;
    } else if (base == 0) {
        base = *p == '0' ? 8 : 10;
    }
    const char *first = p;
    for (; (int)digit_value(*p) < base; p++) {
        uint64_t d = digit_value(*p), b = (uint64_t)base;
        v = v > (UINT64_MAX - d) / b ? UINT64_MAX : v * b + d;
    }
    *end = p == first ? s : p;
    return minus ? 0 - v : v;
}
