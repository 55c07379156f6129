/* test_sb_model.c - many processes, and a slow but obvious model of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/sb_make.h"

#include <stdlib.h>

enum { PAGES = 64, STEPS = 1500, PROCS = 12 };

struct page {
    const char *name;
    uint64_t off;
};
static struct page model[STEPS + 1][PROCS][PAGES];

T(random_maps_and_forks_match_a_model)
{
    static const char *const names[] = {"/a", "/b", "/c", "/d", "/e"};
    static uint32_t thread[STEPS + 1][PROCS];
    srand(1);
    start();
    memset(model, 0, sizeof(model));
    for (uint32_t p = 0; p < PROCS; p++)
        sb_seen(sb, 100 + (int32_t)p, 100 + (int32_t)p);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t p = (uint32_t)rand() % PROCS, q = (uint32_t)rand() % PROCS;
        sb_begin(sb, i);
        memcpy(model[i + 1], model[i], sizeof(model[i]));
        if (rand() % 8 == 0 && p != q) {
            sb_fork(sb, 100 + (int32_t)p, 100 + (int32_t)q, 100 + (int32_t)p,
                    100 + (int32_t)q, false);
            memcpy(model[i + 1][p], model[i + 1][q], sizeof(model[i][q]));
            continue;
        }
        uint32_t from = (uint32_t)rand() % PAGES, n = 1 + (uint32_t)rand() % 9;
        const char *name = names[rand() % 5];
        uint64_t off = (uint64_t)(rand() % 16);
        if (from + n > PAGES)
            n = PAGES - from;
        mmap_at(100 + (int32_t)p, 16 * from, 16 * n, 16 * off, name);
        for (uint32_t k = 0; k < n; k++)
            model[i + 1][p][from + k] = (struct page){name, 16 * (off + k)};
    }
    finish();
    for (uint32_t i = 0; i <= STEPS; i++)
        for (uint32_t p = 0; p < PROCS; p++)
            thread[i][p] = sb_thread(sb, -1, 100 + (int32_t)p, i);
    int before = t_bad;
    for (uint32_t i = 0; i <= STEPS && t_bad == before; i += 1 + (uint32_t)rand() % 40)
        for (uint32_t p = 0; p < PROCS; p++)
            for (uint32_t k = 0; k < PAGES; k++) {
                const struct page *want = &model[i][p][k];
                uint32_t in = (uint32_t)rand() % 16;
                STREQ(dso_name(thread[i][p], i, 16 * k + in),
                      want->name ? want->name : "-");
                if (want->name)
                    EQ(file_off(thread[i][p], i, 16 * k + in), want->off + in);
            }
    for (uint32_t n = 0; n < 2000 && t_bad == before; n++) { /* any order */
        uint32_t i = (uint32_t)rand() % (STEPS + 1), p = (uint32_t)rand() % PROCS;
        uint32_t k = (uint32_t)rand() % PAGES;
        const struct page *want = &model[i][p][k];
        STREQ(dso_name(thread[i][p], i, 16 * k), want->name ? want->name : "-");
    }
    stop();
}

T(many_processes)
{
    enum { MANY = 20000 };
    start();
    for (int32_t i = 1; i <= MANY; i++) {
        sb_begin(sb, (uint64_t)i);
        sb_fork(sb, i + 1000, 1, i + 1000, 1, false);
        sb_current(sb, i % 64, i + 1000, i + 1000);
        mmap_at(i + 1000, 0x1000, 0x1000, (uint64_t)i, "/prog");
        if (i % 100 == 0)
            mmap_at(1, 0x10000, 0x1000, (uint64_t)i, "/init");
    }
    finish();
    for (uint32_t i = 1; i <= MANY; i += 7) {
        struct sb_who w = sb_who(sb, (int32_t)(i % 64), -1, true, i);
        EQ(w.tid, i + 1000);
        EQ(file_off(w.thread, i, 0x1000), i);
        EQ(file_off(w.thread, i, 0x10000), i > 100 ? (i - 1) / 100 * 100 : UINT64_MAX);
    }
    stop();
}

T_RUN(T_CASE(random_maps_and_forks_match_a_model), T_CASE(many_processes))
