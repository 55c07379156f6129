/* t.h - the smallest test harness: a test is a function, a check that fails says where.
 *
 * SPDX-License-Identifier: MIT
 *
 *     T(ret_pop_on_empty) { EQ(1 + 1, 2); }
 *     T_RUN(T_CASE(ret_pop_on_empty))
 *
 * Each program prints one line per failed check and ends with "N passed, N failed".
 */
#ifndef PTS_TESTS_T_H
#define PTS_TESTS_T_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int t_bad;

#define T(name) static void name(void)

#define CHECK(cond)                                                                    \
    do {                                                                               \
        if (!(cond)) {                                                                 \
            t_bad++;                                                                   \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #cond);                          \
        }                                                                              \
    } while (0)

#define EQ(a, b)                                                                       \
    do {                                                                               \
        long long t_a = (long long)(a), t_b = (long long)(b);                          \
        if (t_a != t_b) {                                                              \
            t_bad++;                                                                   \
            printf("%s:%d: %s is %#llx, not %#llx\n", __FILE__, __LINE__, #a, t_a,     \
                   t_b);                                                               \
        }                                                                              \
    } while (0)

#define STREQ(a, b)                                                                    \
    do {                                                                               \
        const char *t_a = (a), *t_b = (b);                                             \
        if (strcmp(t_a, t_b) != 0) {                                                   \
            t_bad++;                                                                   \
            printf("%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #a, t_a,   \
                   t_b);                                                               \
        }                                                                              \
    } while (0)

struct t_case {
    const char *name;
    void (*run)(void);
};

static inline int t_main(const struct t_case *cases, size_t n)
{
    int passed = 0, failed = 0;
    for (size_t i = 0; i < n; i++) {
        int before = t_bad;
        cases[i].run();
        if (t_bad == before) {
            passed++;
        } else {
            failed++;
            printf("FAILED %s\n", cases[i].name);
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

#define T_RUN(...)                                                                     \
    int main(void)                                                                     \
    {                                                                                  \
        static const struct t_case cases[] = {__VA_ARGS__};                            \
        return t_main(cases, sizeof(cases) / sizeof(cases[0]));                        \
    }
#define T_CASE(name)                                                                   \
    {                                                                                  \
#name, name                                                                    \
    }

#endif
