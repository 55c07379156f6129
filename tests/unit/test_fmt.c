/* test_fmt.c - numbers as printf writes them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/text.h"
#include "tests/lib/t.h"

static struct text t;

static const char *taken(void)
{
    text_char(&t, '\0');
    t.len = 0;
    return t.at;
}

/* Every function against the printf conversion that it stands for. */
T(numbers_are_those_of_printf)
{
    static const uint64_t values[] = {0,    1,     9,          10,         99,
                                      100,  12345, 0x7fffffff, 0xffffffff, UINT64_MAX,
                                      1000, 65536, 999999999,  641257928,  1ull << 63};
    char want[256];
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        unsigned long long v = values[i];
        long long d = (long long)v;
        for (int width = 0; width <= 24; width += 4) {
            size_t w = (size_t)width;
            text_dec(&t, v, w);
            text_int(&t, d, w);
            text_intl(&t, d, w);
            text_int0(&t, d, w);
            text_hex(&t, v, w);
            text_hex_alt(&t, v);
            text_hex16(&t, v);
            snprintf(want, sizeof(want), "%*llu%*lld%-*lld%0*lld%*llx%#llx%016llx",
                     width, v, width, d, width, d, width, d, width, v, v, v);
            STREQ(taken(), want);
        }
    }
}

T(times_are_cut_not_rounded)
{
    text_usec(&t, 641257928999);
    text_str(&t, "|");
    text_nsec(&t, 641257928999);
    STREQ(taken(), "  641.257928|  641.257928999");
    text_usec(&t, 123456789000000001);
    text_nsec(&t, 5);
    STREQ(taken(), "123456789.000000    0.000000005");
}

T(strings_are_padded_but_never_cut)
{
    text_strw(&t, "t", 4);
    text_strl(&t, "long", 2);
    text_strl(&t, "x", 3);
    text_byte(&t, 0x0f);
    text_bytes(&t, (const uint8_t[]){0x00, 0xf3, 0x9c}, 3);
    text_bytes(&t, NULL, 0);
    text_fmt(&t, "%s-%d", "a", 7);
    STREQ(taken(), "   tlongx  0f 00 f3 9ca-7");
}

/* One conversion by text_fmt and by printf. */
#define LIKE_PRINTF(...)                                                               \
    do {                                                                               \
        char want[512];                                                                \
        snprintf(want, sizeof(want), __VA_ARGS__);                                     \
        text_fmt(&t, __VA_ARGS__);                                                     \
        STREQ(taken(), want);                                                          \
    } while (0)

T(formats_like_printf)
{
    static const unsigned long long values[] = {
        0, 1, 9, 10, 99, 100, 255, 65535, 4294967295u, 1ull << 63, ~0ull};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        unsigned long long v = values[i];
        LIKE_PRINTF("%u|%2u|%02x|%06u|%x|%#x|%d|%2d|%5d|%-5d|", (unsigned)v,
                    (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v, (unsigned)v,
                    (int)v, (int)v, (int)v, (int)v);
        LIKE_PRINTF("%+d|%+ld|%+5d", (int)v, (long)v, (int)v);
        LIKE_PRINTF("%llu|%2llu|%09llu|%llx|%016llx|%#llx|%lld|", v, v, v, v, v, v,
                    (long long)v);
        LIKE_PRINTF("%zu|%04zx|%09lu|%lx", (size_t)v, (size_t)v, (unsigned long)v,
                    (unsigned long)v);
        LIKE_PRINTF("%f|%10.3f|%.2f|%3.1f", (double)v, (double)v / 3, -(double)v / 7,
                    0.05);
    }
    LIKE_PRINTF("%s|%5s|%-5s|%8.8s|%.2s|%20.*s|100%%", "abc", "abc", "abc",
                "abcdefghijk", "abc", 4, "abcdefgh");
    LIKE_PRINTF("%*d|%-*d|%f", 7, 5, 7, 5, 1e300);
    LIKE_PRINTF("%s", "");
}

/* Ties (0.125, 2.675 that is none), what rounds up to one more digit, and what is out of the
 * range of the short way. */
T(hundredths_like_printf)
{
    static const double values[] = {0,      0.004,  0.005, 0.015, 0.125, 0.375, 2.675,
                                    99.995, 99.994, 1e12,  1e300, -0.0,  -1,    -0.004};
    char want[400];
    uint64_t seed = 1;
    for (size_t i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t whole = seed >> 33, part = whole % (seed >> 50 | 1);
        double v = i < sizeof(values) / sizeof(values[0]) ? values[i]
                   : i % 2 ? 100.0 * (double)part / (double)whole
                           : (double)(whole % 100000) / 1000;
        snprintf(want, sizeof(want), "%*.2f", (int)(i % 9), v);
        text_fixed2(&t, v, i % 9);
        STREQ(taken(), want);
    }
}

T(buffer_grows)
{
    for (int i = 0; i < 100000; i++)
        text_dec(&t, (uint64_t)i, 10);
    EQ(t.len, 1000000);
    CHECK(!t.failed);
    CHECK(memcmp(t.at + t.len - 10, "     99999", 10) == 0);
    text_free(&t);
    EQ(t.cap, 0);
}

T_RUN(T_CASE(numbers_are_those_of_printf), T_CASE(times_are_cut_not_rounded),
      T_CASE(strings_are_padded_but_never_cut), T_CASE(formats_like_printf),
      T_CASE(hundredths_like_printf), T_CASE(buffer_grows))
