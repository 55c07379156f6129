/* test_sideband.c - threads, names, time and running threads of the side-band.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/sb_make.h"

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
    stop();
}

T(no_records_at_all)
{
    start();
    finish();
    EQ(sb_epoch_count(sb), 0);
    EQ(sb_epoch_at(sb, 5), 0);
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

T(thread_that_only_samples_tell_of)
{
    start();
    sb_begin(sb, 1);
    sb_comm(sb, 7, 7, "a", false);
    sb_begin(sb, 2);
    sb_comm(sb, 8, 8, "b", false);
    finish();
    EQ(sb_thread_met(sb, 8, 1, 3), sb_thread(sb, -1, 8, 2));
    EQ(sb_thread_met(sb, 9, 1, 3),
       sb_thread_met(sb, 9, 1, 0) + 3); /* nobody's number */
    CHECK(sb_thread_met(sb, 9, 1, 0) > sb_thread(sb, -1, 8, 2));
    stop();
}

T_RUN(T_CASE(epochs_are_a_running_maximum), T_CASE(no_records_at_all),
      T_CASE(names_change_over_time), T_CASE(two_names_in_one_record_the_last_counts),
      T_CASE(fork_gives_the_name_but_not_a_made_up_one),
      T_CASE(fork_replaces_a_stale_thread),
      T_CASE(fork_with_a_parent_of_another_process), T_CASE(fork_of_oneself),
      T_CASE(pid_learned_late), T_CASE(pid_learned_is_the_tid_itself),
      T_CASE(exit_keeps_the_thread), T_CASE(current_thread_of_a_cpu),
      T_CASE(queue_of_a_thread), T_CASE(thread_that_only_samples_tell_of))
