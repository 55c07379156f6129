/* sideband.c - threads, their names and where they run, over the whole recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Records are worked off once, as perf 6.1 does: a table of threads that each record
 * finds or creates, updates, replaces.  Where perf overwrites, this adds a point to a
 * timeline, so that later every moment can be asked for.
 *
 *     record      0    1    2    3
 *     time       10   30   20    -        as recorded
 *     effective  10   30   30   30        running maximum
 *     epoch at 10: 1, at 29: 1, at 30: 4
 */
#include "walker/sideband_priv.h"

#include <assert.h>
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
    return timeline_add(&sb->space_time, t, sb_now(sb), space);
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

static void set_pid(struct sideband *sb, uint32_t t, int32_t pid)
{
    sb->thread.at[t].pid = pid;
    sb->thread.at[t].pid_epoch = sb_now(sb);
}

/* The thread whose tid is the process's pid: it holds the maps of all. */
static pts_status leader_findnew(struct sideband *sb, int32_t pid, uint32_t *out)
{
    *out = thread_now(sb, pid);
    if (*out == SB_NONE)
        return process_push(sb, pid, pid, out);
    if (sb->thread.at[*out].pid == -1)
        set_pid(sb, *out, pid);
    return PTS_OK;
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
    set_pid(sb, t, pid);
    return pid == sb->thread.at[t].tid ? PTS_OK : join_leader(sb, t);
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

/* The idle task is there from the start. */
static pts_status add_idle(struct sideband *sb)
{
    uint32_t kernel, idle, name;
    pts_status st = space_new(sb, &kernel);
    if (st == PTS_OK)
        st = process_push(sb, 0, 0, &idle);
    if (st == PTS_OK)
        st = name_intern(sb, "swapper", &name);
    if (st != PTS_OK)
        return st;
    assert(kernel == SPACE_KERNEL);
    sb->thread.at[idle].comm_set = true;
    return set_name(sb, idle, name);
}

pts_status sb_new(struct sideband **out)
{
    struct sideband *sb = mem_zalloc(1, sizeof(*sb));
    if (!sb)
        return PTS_E_NOMEM;
    sb->dsos.arena = &sb->arena;
    sb->kernel_map = SB_NONE;
    pts_status st = add_idle(sb);
    if (st != PTS_OK)
        sb_free(sb);
    else
        *out = sb;
    return st;
}

void sb_look_into(struct sideband *sb, struct image_store *images)
{
    sb->dsos.images = images;
}

void sb_free(struct sideband *sb)
{
    if (!sb)
        return;
    for (size_t i = 0; i < sb->space.len; i++)
        space_free(&sb->space.at[i]);
    VEC_FREE(&sb->tsc);
    VEC_FREE(&sb->thread);
    idmap_free(&sb->tid_slot);
    VEC_FREE(&sb->tid_thread);
    timeline_free(&sb->tid_time);
    VEC_FREE(&sb->name);
    idmap_free(&sb->name_of);
    timeline_free(&sb->comm_time);
    timeline_free(&sb->space_time);
    timeline_free(&sb->thread_cpu);
    idmap_free(&sb->cpu_slot);
    timeline_free(&sb->current_time);
    VEC_FREE(&sb->space);
    VEC_FREE(&sb->map);
    VEC_FREE(&sb->op);
    timeline_free(&sb->op_time);
    VEC_FREE(&sb->snap);
    VEC_FREE(&sb->snap_map);
    VEC_FREE(&sb->probe);
    VEC_FREE(&sb->probe_dso);
    dso_set_free(&sb->dsos);
    arena_free(&sb->arena);
    mem_free(sb);
}

pts_status sb_begin(struct sideband *sb, uint64_t tsc)
{
    uint64_t last = sb->tsc.len ? sb->tsc.at[sb->tsc.len - 1] : 0;
    uint64_t *at = sb->tsc.len < SB_NONE - 1 ? VEC_PUSH(&sb->tsc) : NULL;
    if (!at)
        return PTS_E_NOMEM;
    *at = tsc > last ? tsc : last;
    return PTS_OK;
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

pts_status sb_current(struct sideband *sb, int32_t cpu, int32_t pid, int32_t tid)
{
    uint32_t slot, t;
    if (cpu < 0)
        return PTS_OK;
    pts_status st = slot_of(&sb->cpu_slot, cpu, &slot);
    if (st == PTS_OK)
        st = timeline_add(&sb->current_time, slot, sb_now(sb), (uint32_t)tid);
    if (st == PTS_OK)
        st = thread_findnew(sb, pid, tid, &t);
    return st != PTS_OK ? st
                        : timeline_add(&sb->thread_cpu, t, sb_now(sb), (uint32_t)cpu);
}

pts_status sb_seen(struct sideband *sb, int32_t pid, int32_t tid)
{
    uint32_t t;
    return thread_findnew(sb, pid, tid, &t);
}

pts_status sb_build_id(struct sideband *sb, const char *path, const uint8_t *id,
                       uint8_t len, bool kernel)
{
    return dso_header_id(&sb->dsos, path, id, len, kernel);
}

pts_status sb_finish(struct sideband *sb)
{
    uint32_t threads = (uint32_t)sb->thread.len;
    pts_status st = timeline_finish(&sb->tid_time, sb->tid_slot.len);
    if (st == PTS_OK)
        st = timeline_finish(&sb->comm_time, threads);
    if (st == PTS_OK)
        st = timeline_finish(&sb->space_time, threads);
    if (st == PTS_OK)
        st = timeline_finish(&sb->thread_cpu, threads);
    if (st == PTS_OK)
        st = timeline_finish(&sb->current_time, sb->cpu_slot.len);
    if (st == PTS_OK)
        st = timeline_finish(&sb->op_time, (uint32_t)sb->space.len);
    for (size_t i = 0; i < sb->space.len; i++)
        space_free(&sb->space.at[i]);
    return st;
}
