/* sb_make.h - a side-band built record by record, and what it says.
 *
 * SPDX-License-Identifier: MIT
 *
 * start, records, finish; then questions; stop.
 */
#ifndef PTS_TESTS_SB_MAKE_H
#define PTS_TESTS_SB_MAKE_H

#include "tests/lib/t.h"
#include "walker/sideband/sideband.h"

static struct sideband *sb;
static struct as_view *view;

static inline void start(void)
{
    EQ(sb_new(&sb), PTS_OK);
}

static inline void finish(void)
{
    EQ(sb_finish(sb), PTS_OK);
    EQ(as_view_new(sb, &view), PTS_OK);
}

static inline void stop(void)
{
    CHECK(!as_view_failed(view));
    as_view_free(view);
    view = NULL;
    sb_free(sb);
    sb = NULL;
}

static inline void mmap_at(int32_t pid, uint64_t start_ip, uint64_t len, uint64_t pgoff,
                           const char *name)
{
    struct sb_mmap m = {.pid = pid,
                        .tid = pid,
                        .start = start_ip,
                        .len = len,
                        .pgoff = pgoff,
                        .prot = 5,
                        .name = name};
    EQ(sb_mmap(sb, &m), PTS_OK);
}

static inline void kmmap_at(uint64_t start_ip, uint64_t len, uint64_t pgoff,
                            const char *name)
{
    struct sb_mmap m = {.pid = -1,
                        .start = start_ip,
                        .len = len,
                        .pgoff = pgoff,
                        .prot = 4,
                        .name = name,
                        .kernel = true};
    EQ(sb_mmap(sb, &m), PTS_OK);
}

static inline const char *dso_name(uint32_t thread, uint32_t epoch, uint64_t ip)
{
    const struct as_map *m = as_find(view, thread, epoch, ip, false);
    return m ? m->dso->long_name : "-";
}

static inline uint64_t file_off(uint32_t thread, uint32_t epoch, uint64_t ip)
{
    const struct as_map *m = as_find(view, thread, epoch, ip, false);
    return m ? ip - m->start + m->pgoff : UINT64_MAX;
}

static inline const char *comm_of(int32_t tid, uint32_t epoch)
{
    uint32_t t = sb_thread(sb, -1, tid, epoch);
    return t == SB_NONE ? "?" : sb_comm_at(sb, t, epoch);
}

#endif
