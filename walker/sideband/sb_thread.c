/* sb_thread.c - threads, their names and where they run, over the whole recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records are worked off once, as perf 6.1 does: a table of threads that each record
 * finds or creates, updates, replaces.  Where perf overwrites, this adds a point to a
 * timeline, so that later every moment can be asked for.  What perf 6.1 does:
 *
 *   - A thread is found by its tid alone.  A record that names another pid for a known
 *     tid does not make a new thread, but one whose pid was not known learns it.
 *   - The maps of a process belong to the thread whose tid is the pid; it is made up
 *     when another thread of the process comes first.
 *   - EXIT changes nothing.  A tid gets another thread when a FORK makes it anew, or
 *     names it as the parent in a process that it does not belong to.
 *
 *     records             FORK 7 by sh   COMM 7 "ls"   EXIT 7   FORK 7 by sh
 *     tid 7               thread 3 ........................... thread 5 ....
 *     name of thread 3    "sh"           "ls" ..............................
 *     maps of thread 3    copy of sh's, changed by MMAPs
 */
#include "walker/sideband/sideband_priv.h"

#include <stdio.h>
#include <string.h>

/* --- Threads --- */

static pts_status name_intern(struct sideband *sb, const char *s, uint32_t *out)
{
    size_t n = strlen(s);
    uint64_t key = idmap_hash(0, s, n);
    *out = idmap_get(&sb->name_of, key);
    if (*out != IDMAP_NONE && strcmp(sb->name.at[*out], s) == 0)
        return PTS_OK;
    const char *copy = arena_strndup(&sb->arena, s, n);
    const char **at = copy && sb->name.len < IDMAP_NONE ? VEC_PUSH(&sb->name) : NULL;
    if (!at)
        return PTS_E_NOMEM;
    *at = copy;
    *out = (uint32_t)sb->name.len - 1;
    return idmap_set(&sb->name_of, key, *out) ? PTS_OK : PTS_E_NOMEM;
}

/* The number of a tid or cpu, made up if it has none yet. */
static pts_status slot_of(struct idmap *m, int32_t id, uint32_t *out)
{
    *out = idmap_get(m, (uint32_t)id);
    if (*out != IDMAP_NONE)
        return PTS_OK;
    *out = m->len;
    return idmap_set(m, (uint32_t)id, *out) ? PTS_OK : PTS_E_NOMEM;
}

/* The number of a tid, which tid_thread has room for. */
static pts_status tid_slot_of(struct sideband *sb, int32_t tid, uint32_t *out)
{
    pts_status st = slot_of(&sb->tid_slot, tid, out);
    if (st != PTS_OK || *out < sb->tid_thread.len)
        return st;
    if (!VEC_ROOM(&sb->tid_thread, 1))
        return PTS_E_NOMEM;
    sb->tid_thread.at[sb->tid_thread.len++] = SB_NONE;
    return PTS_OK;
}

static uint32_t thread_now(const struct sideband *sb, int32_t tid)
{
    uint32_t slot = idmap_get(&sb->tid_slot, (uint32_t)tid);
    return slot == IDMAP_NONE ? SB_NONE : sb->tid_thread.at[slot];
}

static pts_status set_name(struct sideband *sb, uint32_t t, uint32_t name)
{
    sb->thread.at[t].comm = name;
    return timeline_add(&sb->comm_time, t, sb_now(sb), name);
}

static pts_status set_space(struct sideband *sb, uint32_t t, uint32_t space)
{
    sb->thread.at[t].space = space;
    pts_status st = sb_note_change(sb, MAPS_ANY);
    return st == PTS_OK ? timeline_add(&sb->space_time, t, sb_now(sb), space) : st;
}

/* A thread without maps, which takes its tid from whoever had it. */
static pts_status thread_push(struct sideband *sb, int32_t pid, int32_t tid,
                              uint32_t *out)
{
    uint32_t slot, name;
    char text[16];
    snprintf(text, sizeof(text), ":%d", (int)tid);
    pts_status st = tid_slot_of(sb, tid, &slot);
    if (st == PTS_OK)
        st = name_intern(sb, text, &name);
    if (st != PTS_OK)
        return st;
    struct thread *t = sb->thread.len < SB_NONE ? VEC_PUSH(&sb->thread) : NULL;
    if (!t)
        return PTS_E_NOMEM;
    *out = (uint32_t)sb->thread.len - 1;
    *t = (struct thread){
        .pid = pid, .tid = tid, .name_pid = pid, .pid_epoch = sb_now(sb)};
    sb->tid_thread.at[slot] = *out;
    st = timeline_add(&sb->tid_time, slot, sb_now(sb), *out);
    return st != PTS_OK ? st : set_name(sb, *out, name);
}

/* A thread of its own maps. */
static pts_status process_push(struct sideband *sb, int32_t pid, int32_t tid,
                               uint32_t *out)
{
    uint32_t space;
    pts_status st = thread_push(sb, pid, tid, out);
    if (st == PTS_OK)
        st = space_new(sb, &space);
    return st != PTS_OK ? st : set_space(sb, *out, space);
}

static pts_status set_pid(struct sideband *sb, uint32_t t, int32_t pid)
{
    sb->thread.at[t].pid = pid;
    sb->thread.at[t].pid_epoch = sb_now(sb);
    return sb_note_change(sb, MAPS_ELSE);
}

/* The thread whose tid is the process's pid: it holds the maps of all. */
static pts_status leader_findnew(struct sideband *sb, int32_t pid, uint32_t *out)
{
    *out = thread_now(sb, pid);
    if (*out == SB_NONE)
        return process_push(sb, pid, pid, out);
    return sb->thread.at[*out].pid == -1 ? set_pid(sb, *out, pid) : PTS_OK;
}

/* Moves t to the maps of its process. */
static pts_status join_leader(struct sideband *sb, uint32_t t)
{
    uint32_t leader;
    pts_status st = leader_findnew(sb, sb->thread.at[t].pid, &leader);
    return st != PTS_OK ? st : set_space(sb, t, sb->thread.at[leader].space);
}

/* perf may learn the pid of a thread long after its tid. */
static pts_status learn_pid(struct sideband *sb, uint32_t t, int32_t pid)
{
    if (pid == -1 || sb->thread.at[t].pid != -1)
        return PTS_OK;
    pts_status st = set_pid(sb, t, pid);
    return st != PTS_OK || pid == sb->thread.at[t].tid ? st : join_leader(sb, t);
}

pts_status thread_findnew(struct sideband *sb, int32_t pid, int32_t tid, uint32_t *out)
{
    *out = thread_now(sb, tid);
    if (*out != SB_NONE)
        return learn_pid(sb, *out, pid);
    if (pid == tid || pid == -1)
        return process_push(sb, pid, tid, out);
    pts_status st = thread_push(sb, pid, tid, out);
    return st != PTS_OK ? st : join_leader(sb, *out);
}

/* What a look-up that creates nothing may still do. */
static pts_status thread_touch(struct sideband *sb, int32_t pid, int32_t tid)
{
    uint32_t t = thread_now(sb, tid);
    return t == SB_NONE ? PTS_OK : learn_pid(sb, t, pid);
}

/* The next thread of this tid will be another one. */
static pts_status thread_forget(struct sideband *sb, int32_t tid)
{
    uint32_t slot;
    pts_status st = tid_slot_of(sb, tid, &slot);
    if (st == PTS_OK)
        sb->tid_thread.at[slot] = SB_NONE;
    return st;
}

/* --- Feeding --- */

pts_status thread_idle(struct sideband *sb)
{
    uint32_t idle, name;
    pts_status st = process_push(sb, 0, 0, &idle);
    if (st == PTS_OK)
        st = name_intern(sb, "swapper", &name);
    if (st != PTS_OK)
        return st;
    sb->thread.at[idle].comm_set = true;
    return set_name(sb, idle, name);
}

pts_status sb_comm(struct sideband *sb, int32_t pid, int32_t tid, const char *comm,
                   bool exec)
{
    uint32_t t, name;
    (void)exec; /* perf keeps the maps; those of the new program cut into them */
    pts_status st = thread_findnew(sb, pid, tid, &t);
    if (st == PTS_OK)
        st = name_intern(sb, comm, &name);
    if (st != PTS_OK)
        return st;
    sb->thread.at[t].comm_set = true;
    return set_name(sb, t, name);
}

/* In perf's steps and their order, as each look-up may make a thread or teach one
 * its pid, which the next one finds. */
pts_status sb_fork(struct sideband *sb, int32_t pid, int32_t ppid, int32_t tid,
                   int32_t ptid, bool maps_follow_exec)
{
    uint32_t parent, child;
    pts_status st = thread_touch(sb, pid, tid);
    uint32_t stale = thread_now(sb, tid);
    if (st == PTS_OK)
        st = thread_findnew(sb, ppid, ptid, &parent);
    if (st == PTS_OK && sb->thread.at[parent].pid != ppid) {
        /* Somebody else's tid: the end of that thread got lost. */
        st = thread_forget(sb, ptid);
        if (st == PTS_OK)
            st = thread_findnew(sb, ppid, ptid, &parent);
    }
    if (st == PTS_OK && stale != SB_NONE && thread_now(sb, tid) == stale)
        st = thread_forget(sb, tid);
    if (st == PTS_OK)
        st = thread_findnew(sb, pid, tid, &child);
    if (st != PTS_OK)
        return st;

    const struct thread *from = &sb->thread.at[parent];
    struct thread *to = &sb->thread.at[child];
    if (from->comm_set) {
        to->comm_set = true;
        st = set_name(sb, child, from->comm);
    }
    if (st == PTS_OK && to->pid != from->pid && !maps_follow_exec)
        st = space_clone(sb, to->space, from->space);
    return st;
}

pts_status sb_exit(struct sideband *sb, int32_t pid, int32_t tid)
{
    return thread_touch(sb, pid, tid); /* perf keeps the thread */
}

/* A thread, but an idle one, comes to a CPU or is no longer on it: noted where it is on two from now on, or no longer. */
static pts_status on_cpus(struct sideband *sb, int32_t tid, bool comes)
{
    uint32_t slot;

    if (tid <= 0)
        return PTS_OK;
    pts_status st = tid_slot_of(sb, tid, &slot);
    if (st != PTS_OK)
        return st;
    while (sb->cpus_of.len <= slot) {
        uint32_t *none = VEC_PUSH(&sb->cpus_of);
        if (!none)
            return PTS_E_NOMEM;
        *none = 0;
    }
    const uint32_t before = sb->cpus_of.at[slot], now = comes ? before + 1 : before - 1;
    sb->cpus_of.at[slot] = now;
    if ((before > 1) == (now > 1))
        return PTS_OK;
    sb->shares = true;
    return timeline_add(&sb->shared_time, slot, sb_now(sb), now > 1);
}

static pts_status note_shared(struct sideband *sb, uint32_t cpu_slot, int32_t tid)
{
    while (sb->now_on.len <= cpu_slot) {
        int32_t *nobody = VEC_PUSH(&sb->now_on);
        if (!nobody)
            return PTS_E_NOMEM;
        *nobody = -1;
    }
    const int32_t before = sb->now_on.at[cpu_slot];
    if (before == tid)
        return PTS_OK;
    sb->now_on.at[cpu_slot] = tid;
    pts_status st = on_cpus(sb, before, false);
    return st == PTS_OK ? on_cpus(sb, tid, true) : st;
}

/* Three timelines: who is on the CPU, on which CPU the thread is, and whether on another, too. */
pts_status sb_current(struct sideband *sb, int32_t cpu, int32_t pid, int32_t tid)
{
    uint32_t slot, t;
    if (cpu < SB_NO_CPU)
        return PTS_OK;
    pts_status st = slot_of(&sb->cpu_slot, cpu, &slot);
    if (st == PTS_OK)
        st = timeline_add(&sb->current_time, slot, sb_now(sb), (uint32_t)tid);
    if (st == PTS_OK)
        st = thread_findnew(sb, pid, tid, &t);
    if (st != PTS_OK || cpu == SB_NO_CPU)
        return st;
    st = note_shared(sb, slot, tid);
    return st == PTS_OK ? timeline_add(&sb->thread_cpu, t, sb_now(sb), (uint32_t)cpu)
                        : st;
}

pts_status sb_switched(struct sideband *sb, int32_t cpu, int32_t tid,
                       enum sb_switch_how how)
{
    uint32_t slot;
    struct sb_switch *s = sb->switched.len < SB_NONE ? VEC_PUSH(&sb->switched) : NULL;

    if (!s)
        return PTS_E_NOMEM;
    *s = (struct sb_switch){sb_now(sb), tid, how};
    pts_status st = slot_of(&sb->cpu_slot, cpu, &slot);
    return st == PTS_OK ? timeline_add(&sb->switch_time, slot, sb_now(sb),
                                       (uint32_t)sb->switched.len - 1)
                        : st;
}

pts_status sb_seen(struct sideband *sb, int32_t pid, int32_t tid)
{
    uint32_t t;
    return thread_findnew(sb, pid, tid, &t);
}
