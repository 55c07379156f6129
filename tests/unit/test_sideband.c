/* test_sideband.c - threads, names, maps and time of the side-band.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/t.h"
#include "walker/idmap.h"
#include "walker/sideband.h"
#include "walker/timeline.h"

#include <stdlib.h>

static struct sideband *sb;
static struct as_view *view;

static void start(void)
{
    EQ(sb_new(&sb), PTS_OK);
}

static void finish(void)
{
    EQ(sb_finish(sb), PTS_OK);
    EQ(as_view_new(sb, &view), PTS_OK);
}

static void stop(void)
{
    CHECK(!as_view_failed(view));
    as_view_free(view);
    view = NULL;
    sb_free(sb);
    sb = NULL;
}

static void mmap_at(int32_t pid, uint64_t start_ip, uint64_t len, uint64_t pgoff,
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

static void kmmap_at(uint64_t start_ip, uint64_t len, uint64_t pgoff, const char *name)
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

static const char *dso_name(uint32_t thread, uint32_t epoch, uint64_t ip)
{
    const struct as_map *m = as_find(view, thread, epoch, ip, false);
    return m ? m->dso->long_name : "-";
}

static uint64_t file_off(uint32_t thread, uint32_t epoch, uint64_t ip)
{
    const struct as_map *m = as_find(view, thread, epoch, ip, false);
    return m ? ip - m->start + m->pgoff : UINT64_MAX;
}

static const char *comm_of(int32_t tid, uint32_t epoch)
{
    uint32_t t = sb_thread(sb, -1, tid, epoch);
    return t == SB_NONE ? "?" : sb_comm_at(sb, t, epoch);
}

/* --- Time --- */

T(epochs_are_a_running_maximum)
{
    static const uint64_t times[] = {0, 10, 30, 20, 0, 30, 40};
    start();
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
        EQ(sb_begin(sb, times[i]), PTS_OK);
    finish();
    EQ(sb_epoch_count(sb), 7);
    EQ(sb_epoch_tsc(sb, 0), 0);
    EQ(sb_epoch_tsc(sb, 3), 30);
    EQ(sb_epoch_tsc(sb, 4), 30);
    EQ(sb_epoch_at(sb, 0), 1);
    EQ(sb_epoch_at(sb, 9), 1);
    EQ(sb_epoch_at(sb, 10), 2);
    EQ(sb_epoch_at(sb, 29), 2);
    EQ(sb_epoch_at(sb, 30), 6);
    EQ(sb_epoch_at(sb, 40), 7);
    EQ(sb_epoch_at(sb, UINT64_MAX), 7);
    for (uint32_t from = 0; from <= 7; from++)
        for (uint64_t t = 0; t < 50; t++)
            if (sb_epoch_at(sb, t) >= from)
                EQ(sb_epoch_from(sb, from, t), sb_epoch_at(sb, t));
    stop();
}

T(no_records_at_all)
{
    start();
    finish();
    EQ(sb_epoch_count(sb), 0);
    EQ(sb_epoch_at(sb, 5), 0);
    EQ(sb_epoch_from(sb, 0, 5), 0);
    STREQ(comm_of(0, 0), "swapper");
    EQ(sb_thread(sb, 1, 1, 0), SB_NONE);
    CHECK(!as_find(view, SB_NONE, 0, 1, false));
    CHECK(!as_find(view, SB_NONE, 0, 1, true));
    CHECK(!as_find(view, 12345, 0, 1, false));
    stop();
}

/* --- Threads and names --- */

T(names_change_over_time)
{
    start();
    sb_begin(sb, 1);
    sb_seen(sb, 7, 7);
    sb_begin(sb, 2);
    sb_comm(sb, 7, 7, "sh", false);
    sb_begin(sb, 3);
    sb_comm(sb, 7, 7, "ls", true);
    finish();
    STREQ(comm_of(7, 0), "?");
    STREQ(comm_of(7, 1), ":7");
    STREQ(comm_of(7, 2), "sh");
    STREQ(comm_of(7, 3), "ls");
    STREQ(comm_of(7, 99), "ls");
    stop();
}

T(two_names_in_one_record_the_last_counts)
{
    start();
    sb_comm(sb, 7, 7, "a", false);
    sb_comm(sb, 7, 7, "b", false);
    finish();
    STREQ(comm_of(7, 0), "b");
    stop();
}

T(fork_gives_the_name_but_not_a_made_up_one)
{
    start();
    sb_begin(sb, 1);
    sb_comm(sb, 7, 7, "sh", false);
    sb_begin(sb, 2);
    sb_fork(sb, 8, 7, 8, 7, false);
    sb_begin(sb, 3);
    sb_comm(sb, 7, 7, "later", false);
    sb_begin(sb, 4);
    sb_fork(sb, 21, 20, 21, 20, false);
    finish();
    STREQ(comm_of(8, 4), "sh");
    STREQ(comm_of(20, 4), ":20");
    STREQ(comm_of(21, 4), ":21");
    stop();
}

T(fork_replaces_a_stale_thread)
{
    start();
    sb_begin(sb, 1);
    sb_comm(sb, 9, 9, "old", false);
    mmap_at(9, 0x1000, 0x1000, 0, "/old");
    sb_begin(sb, 2);
    sb_comm(sb, 7, 7, "new", false);
    sb_begin(sb, 3);
    sb_fork(sb, 9, 7, 9, 7, false);
    finish();
    uint32_t before = sb_thread(sb, 9, 9, 2), after = sb_thread(sb, 9, 9, 3);
    CHECK(before != after);
    STREQ(sb_comm_at(sb, before, 3), "old");
    STREQ(sb_comm_at(sb, after, 3), "new");
    STREQ(dso_name(before, 3, 0x1000), "/old");
    STREQ(dso_name(after, 3, 0x1000), "-");
    stop();
}

T(fork_with_a_parent_of_another_process)
{
    start();
    sb_begin(sb, 1);
    sb_comm(sb, 7, 7, "wrong", false);
    sb_begin(sb, 2);
    sb_fork(sb, 9, 6, 9, 7, false); /* thread 7 is of process 6 now */
    finish();
    STREQ(comm_of(7, 1), "wrong");
    STREQ(comm_of(7, 2), ":7");
    STREQ(comm_of(9, 2), ":9");
    EQ(sb_thread_pid(sb, sb_thread(sb, -1, 7, 2)), 6);
    stop();
}

T(fork_of_oneself)
{
    start();
    sb_begin(sb, 1);
    sb_comm(sb, 7, 7, "me", false);
    mmap_at(7, 0x1000, 0x1000, 0, "/me");
    sb_begin(sb, 2);
    sb_fork(sb, 7, 7, 7, 7, false);
    finish();
    STREQ(comm_of(7, 2), "me");
    STREQ(dso_name(sb_thread(sb, 7, 7, 2), 2, 0x1000), "-");
    stop();
}

T(pid_learned_late)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/prog");
    sb_begin(sb, 1);
    sb_current(sb, 0, -1, 8);
    sb_begin(sb, 2);
    sb_seen(sb, 7, 8);
    finish();
    uint32_t t = sb_thread(sb, -1, 8, 1);
    EQ(t, sb_thread(sb, 7, 8, 2));
    EQ(sb_who(sb, 0, -1, true, 1).pid, -1);
    EQ(sb_who(sb, 0, -1, true, 1).until, 2);
    EQ(sb_who(sb, 0, -1, true, 2).pid, 7);
    STREQ(dso_name(t, 1, 0x1000), "-");
    STREQ(dso_name(t, 2, 0x1000), "/prog");
    stop();
}

T(pid_learned_is_the_tid_itself)
{
    start();
    sb_begin(sb, 1);
    sb_seen(sb, -1, 8);
    struct sb_mmap m = {
        .pid = -1, .tid = 8, .start = 0x1000, .len = 0x1000, .name = "/x"};
    sb_mmap(sb, &m);
    sb_begin(sb, 2);
    sb_comm(sb, 8, 8, "x", false);
    finish();
    STREQ(dso_name(sb_thread(sb, 8, 8, 2), 2, 0x1000), "/x");
    stop();
}

T(exit_keeps_the_thread)
{
    start();
    sb_begin(sb, 1);
    sb_comm(sb, 7, 7, "x", false);
    sb_begin(sb, 2);
    sb_exit(sb, 7, 7);
    sb_exit(sb, 1, 2);
    finish();
    STREQ(comm_of(7, 2), "x");
    EQ(sb_thread(sb, 1, 2, 2), SB_NONE);
    stop();
}

/* --- Who runs --- */

T(current_thread_of_a_cpu)
{
    start();
    sb_begin(sb, 1);
    sb_current(sb, 3, 7, 7);
    sb_begin(sb, 2);
    sb_begin(sb, 3);
    sb_current(sb, 3, 0, 0);
    sb_begin(sb, 4);
    sb_current(sb, 3, 7, 8);
    finish();
    struct sb_who w = sb_who(sb, 3, -1, true, 0);
    EQ(w.tid, -1);
    EQ(w.pid, -1);
    EQ(w.cpu, 3);
    EQ(w.thread, SB_NONE);
    EQ(w.until, 1);
    w = sb_who(sb, 3, -1, true, 1);
    EQ(w.tid, 7);
    EQ(w.pid, 7);
    EQ(w.until, 3);
    w = sb_who(sb, 3, 99, true, 3); /* the queue's own tid does not matter */
    EQ(w.tid, 0);
    EQ(w.pid, 0);
    STREQ(sb_comm_at(sb, w.thread, 3), "swapper");
    w = sb_who(sb, 3, -1, false, 4);
    EQ(w.tid, 8);
    EQ(w.pid, 7);
    EQ(w.until, UINT32_MAX);
    w = sb_who(sb, 4, -1, true, 4);
    EQ(w.tid, -1);
    stop();
}

T(queue_of_a_thread)
{
    start();
    sb_begin(sb, 1);
    sb_comm(sb, 7, 8, "t", false);
    sb_begin(sb, 2);
    sb_current(sb, 5, 7, 8);
    finish();
    struct sb_who w = sb_who(sb, -1, 8, false, 0);
    EQ(w.thread, SB_NONE);
    EQ(w.tid, 8);
    EQ(w.pid, -1);
    EQ(w.cpu, -1);
    EQ(w.until, 1);
    w = sb_who(sb, -1, 8, false, 1);
    EQ(w.pid, 7);
    EQ(w.cpu, -1);
    EQ(w.until, 2);
    w = sb_who(sb, -1, 8, false, 2);
    EQ(w.cpu, 5);
    w = sb_who(sb, 2, 8, false, 2);
    EQ(w.cpu, 2);
    w = sb_who(sb, -1, 8, true, 2); /* no cpu, so nobody is current */
    EQ(w.tid, -1);
    stop();
}

/* --- Maps --- */

T(a_new_map_cuts_the_old_one_in_two)
{
    start();
    sb_begin(sb, 1);
    mmap_at(7, 0x1000, 0x9000, 0x500, "/a");
    sb_begin(sb, 2);
    mmap_at(7, 0x4000, 0x1000, 0, "/b");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 2);
    EQ(file_off(t, 1, 0x4800), 0x3d00);
    STREQ(dso_name(t, 1, 0x4800), "/a");
    STREQ(dso_name(t, 2, 0x3fff), "/a");
    EQ(file_off(t, 2, 0x3fff), 0x34ff);
    STREQ(dso_name(t, 2, 0x4000), "/b");
    EQ(file_off(t, 2, 0x4000), 0);
    STREQ(dso_name(t, 2, 0x4fff), "/b");
    STREQ(dso_name(t, 2, 0x5000), "/a");
    EQ(file_off(t, 2, 0x5000), 0x4500);
    STREQ(dso_name(t, 2, 0x9fff), "/a");
    STREQ(dso_name(t, 2, 0xa000), "-");
    STREQ(dso_name(t, 2, 0xfff), "-");
    stop();
}

T(equal_covering_touching_and_partial_maps)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    mmap_at(7, 0x2000, 0x1000, 0, "/b");
    mmap_at(7, 0x3000, 0x1000, 0, "/c");
    mmap_at(7, 0x5000, 0x1000, 0, "/d");
    sb_begin(sb, 1);
    mmap_at(7, 0x2000, 0x1000, 0x10, "/b2"); /* equal */
    sb_begin(sb, 2);
    mmap_at(7, 0x1800, 0x2000, 0, "/w"); /* half of a, all of b, half of c */
    sb_begin(sb, 3);
    mmap_at(7, 0x4000, 0x1000, 0, "/gap"); /* just between */
    sb_begin(sb, 4);
    mmap_at(7, 0x0, 0x10000, 0, "/all");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 4);
    STREQ(dso_name(t, 0, 0x2000), "/b");
    STREQ(dso_name(t, 0, 0x4000), "-");
    STREQ(dso_name(t, 1, 0x2000), "/b2");
    STREQ(dso_name(t, 1, 0x1fff), "/a");
    STREQ(dso_name(t, 1, 0x3000), "/c");
    STREQ(dso_name(t, 2, 0x17ff), "/a");
    STREQ(dso_name(t, 2, 0x1800), "/w");
    STREQ(dso_name(t, 2, 0x37ff), "/w");
    STREQ(dso_name(t, 2, 0x3800), "/c");
    EQ(file_off(t, 2, 0x3800), 0x800);
    STREQ(dso_name(t, 2, 0x4000), "-");
    STREQ(dso_name(t, 3, 0x3fff), "/c");
    STREQ(dso_name(t, 3, 0x4000), "/gap");
    STREQ(dso_name(t, 3, 0x5000), "/d");
    STREQ(dso_name(t, 4, 0x5000), "/all");
    STREQ(dso_name(t, 4, 0x1000), "/all");
    STREQ(dso_name(t, 0, 0x2000), "/b"); /* backwards works too */
    stop();
}

T(maps_of_no_length_and_around_the_end)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    mmap_at(7, 0x1800, 0, 0, "/none");
    mmap_at(7, UINT64_MAX - 0xfff, 0x2000, 0, "/wrap");
    mmap_at(7, UINT64_MAX - 0xfff, 0xfff, 0, "/top");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 0);
    STREQ(dso_name(t, 0, 0x1800), "/a");
    STREQ(dso_name(t, 0, UINT64_MAX - 1), "/top");
    STREQ(dso_name(t, 0, UINT64_MAX), "-");
    stop();
}

T(threads_share_maps_and_processes_copy_them)
{
    start();
    sb_begin(sb, 1);
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    sb_fork(sb, 7, 7, 8, 7, false); /* a thread */
    sb_begin(sb, 2);
    sb_fork(sb, 9, 7, 9, 7, false); /* a process */
    sb_begin(sb, 3);
    sb_fork(sb, 10, 7, 10, 7, true); /* made up by perf */
    sb_begin(sb, 4);
    mmap_at(7, 0x1000, 0x1000, 0, "/b");
    mmap_at(9, 0x1800, 0x100, 0, "/c");
    finish();
    uint32_t t7 = sb_thread(sb, -1, 7, 4), t8 = sb_thread(sb, -1, 8, 4);
    uint32_t t9 = sb_thread(sb, -1, 9, 4), t10 = sb_thread(sb, -1, 10, 4);
    STREQ(dso_name(t8, 3, 0x1000), "/a");
    STREQ(dso_name(t9, 3, 0x1000), "/a");
    STREQ(dso_name(t9, 3, 0x1800), "/a");
    STREQ(dso_name(t10, 3, 0x1000), "-");
    STREQ(dso_name(t7, 4, 0x1000), "/b");
    STREQ(dso_name(t8, 4, 0x1000), "/b");
    STREQ(dso_name(t9, 4, 0x1000), "/a");
    STREQ(dso_name(t9, 4, 0x1800), "/c");
    STREQ(dso_name(t9, 4, 0x1900), "/a");
    stop();
}

T(chain_of_forks_and_execs)
{
    start();
    mmap_at(1, 0x1000, 0x1000, 0, "/init");
    for (int32_t pid = 2; pid < 40; pid++) {
        sb_begin(sb, (uint64_t)pid);
        sb_fork(sb, pid, pid - 1, pid, pid - 1, false);
        if (pid % 3 == 0) {
            char name[16];
            snprintf(name, sizeof(name), "/p%d", pid);
            sb_comm(sb, pid, pid, name + 1, true);
            mmap_at(pid, 0x2000 * (uint64_t)pid, 0x1000, 0, name);
        }
    }
    finish();
    for (int32_t pid = 39; pid > 1; pid--) {
        uint32_t t = sb_thread(sb, -1, pid, 38);
        STREQ(dso_name(t, 38, 0x1000), "/init");
        for (int32_t p = 3; p < 40; p += 3) {
            char name[16];
            snprintf(name, sizeof(name), "/p%d", p);
            STREQ(dso_name(t, 38, 0x2000 * (uint64_t)p), p <= pid ? name : "-");
        }
    }
    stop();
}

T(fork_into_a_process_that_has_maps)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/a");
    mmap_at(7, 0x2000, 0x1000, 0, "/b");
    mmap_at(9, 0x5000, 0x1000, 0, "/c");
    sb_begin(sb, 1);
    sb_fork(sb, 9, 7, 12, 7, false); /* a thread of 9 whose parent is 7 */
    finish();
    uint32_t t = sb_thread(sb, -1, 9, 1);
    STREQ(dso_name(t, 0, 0x1000), "-");
    STREQ(dso_name(t, 1, 0x1000), "/a");
    STREQ(dso_name(t, 1, 0x2000), "/b");
    STREQ(dso_name(t, 1, 0x5000), "/c");
    stop();
}

/* --- Dsos --- */

T(memory_that_is_no_file)
{
    static const char *const names[] = {
        "//anon",  "/dev/zero (deleted)", "/anon_hugepage (deleted)",
        "[stack]", "[stack:12]",          "/SYSV0000",
        "[heap]"};
    start();
    for (uint32_t i = 0; i < 7; i++)
        mmap_at(7, 0x1000 * (i + 1), 0x1000, 0, names[i]);
    struct sb_mmap data = {.pid = 7,
                           .tid = 7,
                           .start = 0x9000,
                           .len = 0x1000,
                           .prot = 3,
                           .name = "//anon"};
    sb_mmap(sb, &data);
    struct sb_mmap huge = {.pid = 7,
                           .tid = 7,
                           .start = 0xa000,
                           .len = 0x1000,
                           .prot = 7,
                           .flags = 0x40002,
                           .name = "/lib/x"};
    sb_mmap(sb, &huge);
    mmap_at(7, 0xb000, 0x1000, 0, "anon_inode:x");
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 0);
    for (uint32_t i = 0; i < 7; i++) {
        const struct as_map *m = as_find(view, t, 0, 0x1000 * (i + 1), false);
        STREQ(m->dso->long_name, "/tmp/perf-7.map");
        STREQ(m->dso->short_name, "[JIT] tid 7");
        EQ(m->dso->kind, DSO_ANON);
        CHECK(m->identity);
    }
    const struct as_map *m = as_find(view, t, 0, 0x9000, false);
    STREQ(m->dso->long_name, "//anon");
    STREQ(m->dso->short_name, "anon");
    EQ(m->dso->kind, DSO_NONE);
    CHECK(m->identity);
    STREQ(dso_name(t, 0, 0xa000), "/tmp/perf-7.map");
    m = as_find(view, t, 0, 0xb000, false);
    STREQ(m->dso->long_name, "anon_inode:x");
    EQ(m->dso->kind, DSO_FILE);
    CHECK(!m->identity);
    stop();
}

T(vdso_has_no_offset)
{
    start();
    mmap_at(7, 0x7000, 0x2000, 0x7000, "[vdso]");
    mmap_at(8, 0x9000, 0x2000, 0x9000, "[vdso]");
    finish();
    uint32_t t7 = sb_thread(sb, 7, 7, 0), t8 = sb_thread(sb, 8, 8, 0);
    EQ(file_off(t7, 0, 0x7123), 0x123);
    EQ(file_off(t8, 0, 0x9123), 0x123);
    EQ(as_find(view, t7, 0, 0x7000, false)->dso->kind, DSO_VDSO);
    EQ(sb_dso_count(sb), 1);
    STREQ(sb_dso_at(sb, 0)->long_name, "[vdso]");
    stop();
}

static void mmap_ino(int32_t pid, uint64_t at, const char *name, uint64_t ino,
                     uint64_t gen)
{
    struct sb_mmap m = {.pid = pid,
                        .tid = pid,
                        .start = at,
                        .len = 0x1000,
                        .maj = 8,
                        .min = 1,
                        .ino = ino,
                        .ino_gen = gen,
                        .prot = 5,
                        .name = name};
    EQ(sb_mmap(sb, &m), PTS_OK);
}

T(files_are_told_apart_by_inode)
{
    start();
    mmap_at(7, 0x1000, 0x1000, 0, "/lib"); /* nothing known: takes the next one's */
    mmap_ino(7, 0x2000, "/lib", 5, 1);
    mmap_ino(7, 0x3000, "/lib", 5, 0); /* no generation: may be any */
    mmap_ino(7, 0x4000, "/lib", 5, 2);
    mmap_ino(7, 0x5000, "/lib", 6, 1);
    mmap_at(7, 0x6000, 0x1000, 0, "/lib");
    mmap_ino(7, 0x7000, "/lib", 6, 1);
    mmap_ino(7, 0x8000, "/other", 6, 1);
    finish();
    uint32_t t = sb_thread(sb, 7, 7, 0), want[] = {0, 0, 0, 1, 2, 0, 2, 3};
    for (uint32_t i = 0; i < 8; i++)
        EQ(as_find(view, t, 0, 0x1000 * (i + 1), false)->dso->index, want[i]);
    EQ(sb_dso_count(sb), 4);
    stop();
}

static void mmap_build(uint64_t at, const char *name, const char *id)
{
    struct sb_mmap m = {.pid = 7,
                        .tid = 7,
                        .start = at,
                        .len = 0x1000,
                        .prot = 5,
                        .name = name,
                        .build_id = (const uint8_t *)id,
                        .build_id_len = (uint8_t)strlen(id)};
    EQ(sb_mmap(sb, &m), PTS_OK);
}

static const char *id_at(uint64_t ip)
{
    static char text[33];
    const struct sb_dso *d = as_find(view, sb_thread(sb, 7, 7, 0), 0, ip, false)->dso;
    memcpy(text, d->build_id, 32);
    text[d->build_id_len] = 0;
    return text;
}

T(build_ids_of_header_and_maps)
{
    start();
    sb_build_id(sb, "/lib", (const uint8_t *)"header", 6, false);
    mmap_ino(7, 0x1000, "/lib", 5, 1);
    mmap_ino(7, 0x2000, "/lib", 6, 1);
    mmap_build(0x3000, "/prog", "one");
    mmap_build(0x4000, "/prog", "two");
    mmap_build(0x5000, "/prog", "one");
    mmap_build(0x6000, "/prog", "two");
    sb_build_id(sb, "/late", (const uint8_t *)"late", 4, false);
    mmap_build(0x7000, "/late", "newer");
    finish();
    STREQ(id_at(0x1000), "header");
    STREQ(id_at(0x2000), "header");
    STREQ(id_at(0x3000), "one");
    STREQ(id_at(0x4000), "two");
    STREQ(id_at(0x5000), "one");
    STREQ(id_at(0x6000), "two");
    STREQ(id_at(0x7000), "newer");
    EQ(sb_dso_count(sb), 5);
    stop();
}

/* --- Kernel --- */

static const struct as_map *kernel_at(uint32_t epoch, uint64_t ip)
{
    return as_find(view, SB_NONE, epoch, ip, true);
}

T(kernel_and_modules)
{
    const char *name;
    uint64_t addr;
    start();
    sb_build_id(sb, "[kernel.kallsyms]", (const uint8_t *)"kid", 3, true);
    sb_begin(sb, 0);
    kmmap_at(0xffffffff81000000, 0x1000000, 0xffffffff81000000,
             "[kernel.kallsyms]_text");
    sb_begin(sb, 0);
    kmmap_at(0xffffffffc0000000, 0x4000, 0,
             "/lib/modules/6.1/kernel/drivers/my-mod.ko.xz");
    kmmap_at(0xffffffffc0004000, 0x4000, 0, "[other]");
    kmmap_at(0xfffffe0000001000, 0x1000, 0xffffffff81000100,
             "__entry_SYSCALL_64_trampoline");
    sb_begin(sb, 5);
    kmmap_at(0xffffffff82000000, 0x1000000, 0, "[kernel.kallsyms]_text");
    finish();
    const struct as_map *m = kernel_at(2, 0xffffffff81000123);
    STREQ(m->dso->long_name, "[kernel.kallsyms]");
    EQ(m->dso->kind, DSO_KERNEL);
    EQ(m->dso->build_id_len, 3);
    CHECK(m->identity);
    m = kernel_at(2, 0xffffffffc0000010);
    STREQ(m->dso->long_name, "[my_mod]");
    STREQ(m->dso->short_name, "[my_mod]");
    STREQ(m->dso->path, "/lib/modules/6.1/kernel/drivers/my-mod.ko.xz");
    EQ(m->dso->kind, DSO_MODULE);
    EQ(m->pgoff, 0);
    CHECK(!m->identity);
    STREQ(kernel_at(2, 0xffffffffc0004010)->dso->long_name, "[other]");
    m = kernel_at(2, 0xfffffe0000001004);
    STREQ(m->dso->long_name, "[kernel.kallsyms]");
    EQ(0xfffffe0000001004 - m->start + m->pgoff, 0xffffffff81000104);
    CHECK(!kernel_at(2, 0xffffffff82000123));
    CHECK(!kernel_at(3, 0xffffffff81000123));
    CHECK(kernel_at(3, 0xffffffff82000123));
    CHECK(sb_kernel_ref(sb, &name, &addr));
    STREQ(name, "_text");
    EQ(addr, 0xffffffff81000000);
    CHECK(!as_find(view, sb_thread(sb, 0, 0, 3), 3, 0xffffffff82000123, false));
    stop();
}

T(kernel_with_hidden_addresses)
{
    start();
    kmmap_at(0, 0, 0, "[kernel.kallsyms]_text");
    finish();
    CHECK(kernel_at(0, 0xffffffff82000123));
    stop();
}

T(ksymbols_come_and_go)
{
    start();
    kmmap_at(0xffffffff81000000, 0x1000000, 0, "[kernel.kallsyms]_text");
    sb_begin(sb, 1);
    sb_ksymbol(sb, 0xffffffffc0001000, 0x100, "bpf_prog_1_x", false);
    sb_ksymbol(sb, 0xffffffff81000000, 0x100, "within", false);
    sb_begin(sb, 2);
    sb_ksymbol(sb, 0xffffffffc0001000, 0x100, "bpf_prog_1_x", true);
    sb_ksymbol(sb, 0xffffffff81000000, 0x100, "within", true);
    sb_ksymbol(sb, 0x1234, 0x100, "never", true);
    finish();
    STREQ(kernel_at(1, 0xffffffffc00010ff)->dso->long_name, "bpf_prog_1_x");
    EQ(kernel_at(1, 0xffffffffc00010ff)->dso->kind, DSO_KSYMBOL);
    CHECK(!kernel_at(1, 0xffffffffc0001100));
    CHECK(!kernel_at(2, 0xffffffffc0001000));
    STREQ(kernel_at(2, 0xffffffff81000000)->dso->long_name, "[kernel.kallsyms]");
    stop();
}

/* --- Against a slow but obvious model --- */

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

/* --- The parts --- */

T(idmap_keeps_what_it_was_given)
{
    struct idmap m = {0};
    EQ(idmap_get(&m, 1), IDMAP_NONE);
    for (uint32_t i = 0; i < 1000; i++)
        CHECK(idmap_set(&m, (uint64_t)i << 32, i));
    CHECK(idmap_set(&m, 0, 77));
    EQ(m.len, 1000);
    EQ(idmap_get(&m, 0), 77);
    for (uint32_t i = 1; i < 1000; i++)
        EQ(idmap_get(&m, (uint64_t)i << 32), i);
    EQ(idmap_get(&m, 5), IDMAP_NONE);
    idmap_free(&m);
}

T(timeline_of_mixed_keys)
{
    struct timeline t = {0};
    uint32_t n, until = UINT32_MAX;
    timeline_add(&t, 2, 0, 20);
    timeline_add(&t, 0, 3, 1);
    timeline_add(&t, 2, 5, 21);
    timeline_add(&t, 2, 5, 22);
    EQ(timeline_finish(&t, 4), PTS_OK);
    EQ(timeline_at(&t, 0, 2, &until), TIMELINE_NONE);
    EQ(until, 3);
    until = UINT32_MAX;
    EQ(timeline_at(&t, 0, 3, &until), 1);
    EQ(until, UINT32_MAX);
    EQ(timeline_at(&t, 1, 3, &until), TIMELINE_NONE);
    EQ(timeline_at(&t, 2, 4, &until), 20);
    EQ(until, 5);
    EQ(timeline_at(&t, 2, 5, &until), 22);
    timeline_of(&t, 2, &n);
    EQ(n, 3);
    timeline_of(&t, 3, &n);
    EQ(n, 0);
    timeline_free(&t);
}

T_RUN(T_CASE(epochs_are_a_running_maximum), T_CASE(no_records_at_all),
      T_CASE(names_change_over_time), T_CASE(two_names_in_one_record_the_last_counts),
      T_CASE(fork_gives_the_name_but_not_a_made_up_one),
      T_CASE(fork_replaces_a_stale_thread),
      T_CASE(fork_with_a_parent_of_another_process), T_CASE(fork_of_oneself),
      T_CASE(pid_learned_late), T_CASE(pid_learned_is_the_tid_itself),
      T_CASE(exit_keeps_the_thread), T_CASE(current_thread_of_a_cpu),
      T_CASE(queue_of_a_thread), T_CASE(a_new_map_cuts_the_old_one_in_two),
      T_CASE(equal_covering_touching_and_partial_maps),
      T_CASE(maps_of_no_length_and_around_the_end),
      T_CASE(threads_share_maps_and_processes_copy_them),
      T_CASE(chain_of_forks_and_execs), T_CASE(fork_into_a_process_that_has_maps),
      T_CASE(memory_that_is_no_file), T_CASE(vdso_has_no_offset),
      T_CASE(files_are_told_apart_by_inode), T_CASE(build_ids_of_header_and_maps),
      T_CASE(kernel_and_modules), T_CASE(kernel_with_hidden_addresses),
      T_CASE(ksymbols_come_and_go), T_CASE(random_maps_and_forks_match_a_model),
      T_CASE(many_processes), T_CASE(idmap_keeps_what_it_was_given),
      T_CASE(timeline_of_mixed_keys))
