/* sb_query.c - what the side-band says about a point of the recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Everything here only reads, and may be called by any thread at any time after
 * sb_finish (I2).  An answer comes with the epoch up to which it holds, so that a queue
 * need not ask again for every event.
 */
#include "walker/sideband/sideband_priv.h"

#include <stdio.h>
#include <string.h>

uint32_t sb_epoch_count(const struct sideband *sb)
{
    return sb_now(sb);
}

uint64_t sb_epoch_tsc(const struct sideband *sb, uint32_t i)
{
    return sb->tsc.at[i];
}

uint32_t sb_epoch_at(const struct sideband *sb, uint64_t tsc)
{
    uint32_t lo = 0, hi = sb_now(sb);
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (sb->tsc.at[mid] <= tsc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static uint32_t thread_at(const struct sideband *sb, int32_t tid, uint32_t epoch,
                          uint32_t *until)
{
    uint32_t slot = idmap_get(&sb->tid_slot, (uint32_t)tid);
    return slot == IDMAP_NONE ? SB_NONE
                              : timeline_at(&sb->tid_time, slot, epoch, until);
}

static int32_t current_at(const struct sideband *sb, int32_t cpu, uint32_t epoch,
                          uint32_t *until)
{
    uint32_t slot = idmap_get(&sb->cpu_slot, (uint32_t)cpu);
    if (slot == IDMAP_NONE)
        return -1;
    return (int32_t)timeline_at(&sb->current_time, slot, epoch, until);
}

/* A queue by thread whose switches name no CPU: perf gives such a recording up; the
 * trace can only be the thread's. */
static bool is_threads_own(const struct sideband *sb, int32_t cpu, int32_t tid)
{
    return tid != -1 && cpu == SB_NO_CPU &&
           idmap_get(&sb->cpu_slot, (uint32_t)SB_NO_CPU) != IDMAP_NONE;
}

static void name_thread(const struct sideband *sb, uint32_t epoch, struct sb_who *w)
{
    if (w->tid != -1)
        w->thread = thread_at(sb, w->tid, epoch, &w->until);
    if (w->thread == SB_NONE)
        return;
    const struct thread *t = &sb->thread.at[w->thread];
    if (epoch >= t->pid_epoch)
        w->pid = t->pid;
    else if (t->pid_epoch < w->until)
        w->until = t->pid_epoch;
}

struct sb_who sb_who(const struct sideband *sb, int32_t queue_cpu, int32_t queue_tid,
                     bool use_current, uint32_t epoch)
{
    struct sb_who w = {-1, queue_tid, queue_cpu, SB_NONE, UINT32_MAX};
    if (queue_tid == -1 || (use_current && !is_threads_own(sb, queue_cpu, queue_tid)))
        w.tid = current_at(sb, queue_cpu, epoch, &w.until);
    name_thread(sb, epoch, &w);
    if (w.thread != SB_NONE && queue_cpu == -1)
        w.cpu = (int32_t)timeline_at(&sb->thread_cpu, w.thread, epoch, &w.until);
    return w;
}

struct sb_who sb_who_is(const struct sideband *sb, int32_t cpu, int32_t tid,
                        uint32_t epoch)
{
    struct sb_who w = {-1, tid, cpu, SB_NONE, UINT32_MAX};

    name_thread(sb, epoch, &w);
    return w;
}

bool sb_switch_at(const struct sideband *sb, int32_t cpu, uint32_t i,
                  struct sb_switch *out)
{
    uint32_t slot = idmap_get(&sb->cpu_slot, (uint32_t)cpu), n;

    if (slot == IDMAP_NONE)
        return false;
    const struct tl_point *p = timeline_of(&sb->switch_time, slot, &n);
    if (i >= n)
        return false;
    *out = sb->switched.at[p[i].value];
    return true;
}

/* At the record of this epoch, or so many ticks before it. */
static bool was_on(const struct sideband *sb, int32_t cpu, int32_t tid,
                   struct tl_point since, uint32_t epoch, uint64_t within)
{
    uint64_t tsc = epoch ? sb->tsc.at[epoch - 1] : 0;
    uint32_t then = sb_epoch_at(sb, tsc > within ? tsc - within : 0);
    uint32_t until = UINT32_MAX;

    return then < since.epoch || current_at(sb, cpu, then, &until) == tid;
}

bool sb_on_two_cpus(const struct sideband *sb, uint64_t within)
{
    for (uint32_t t = 0; t < sb->thread.len; t++) {
        int32_t tid = sb->thread.at[t].tid;
        uint32_t n;
        const struct tl_point *p = timeline_of(&sb->thread_cpu, t, &n);

        for (uint32_t i = 1; tid > 0 && i < n; i++)
            if (p[i].value != p[i - 1].value &&
                was_on(sb, (int32_t)p[i - 1].value, tid, p[i - 1], p[i].epoch, within))
                return true;
    }
    return false;
}

bool sb_shares(const struct sideband *sb)
{
    return sb->shares;
}

bool sb_is_shared(const struct sideband *sb, int32_t tid, uint32_t epoch,
                  uint32_t *until)
{
    const uint32_t slot = idmap_get(&sb->tid_slot, (uint32_t)tid);

    return sb->shares && slot != IDMAP_NONE &&
           timeline_at(&sb->shared_time, slot, epoch, until) == 1;
}

uint32_t sb_thread(const struct sideband *sb, int32_t pid, int32_t tid, uint32_t epoch)
{
    uint32_t until = UINT32_MAX;
    (void)pid; /* perf finds threads by tid alone */
    return thread_at(sb, tid, epoch, &until);
}

uint32_t sb_thread_met(const struct sideband *sb, int32_t tid, uint32_t epoch,
                       uint32_t spare)
{
    uint32_t next = UINT32_MAX, until = UINT32_MAX;

    (void)thread_at(sb, tid, epoch, &next);
    const uint32_t t = next == UINT32_MAX ? SB_NONE : thread_at(sb, tid, next, &until);
    return t == SB_NONE ? (uint32_t)sb->thread.len + spare : t;
}

int32_t sb_thread_pid(const struct sideband *sb, uint32_t thread)
{
    return sb->thread.at[thread].pid;
}

int32_t sb_thread_tid(const struct sideband *sb, uint32_t thread)
{
    return sb->thread.at[thread].tid;
}

int32_t sb_thread_pid_at(const struct sideband *sb, uint32_t thread, uint32_t epoch)
{
    const struct thread *t = &sb->thread.at[thread];

    return epoch >= t->pid_epoch ? t->pid : -1;
}

bool sb_name_at(const struct sideband *sb, uint32_t thread, uint32_t i,
                struct sb_name *out)
{
    uint32_t n;
    const struct tl_point *p = timeline_of(&sb->comm_time, thread, &n);

    if (i >= n)
        return false;
    *out = (struct sb_name){p[i].epoch, sb->name.at[p[i].value]};
    return true;
}

const char *sb_comm_at(const struct sideband *sb, uint32_t thread, uint32_t epoch)
{
    uint32_t until = UINT32_MAX, n;
    uint32_t name = timeline_at(&sb->comm_time, thread, epoch, &until);
    if (name == TIMELINE_NONE) /* asked for before it was there */
        name = timeline_of(&sb->comm_time, thread, &n)->value;
    return sb->name.at[name];
}

uint32_t sb_named_at(const struct sideband *sb, uint32_t thread)
{
    uint32_t n;
    const struct tl_point *all = timeline_of(&sb->comm_time, thread, &n);

    return n > 1 ? all[1].epoch
                 : 0; /* the first one is made up, as is that of all threads */
}

const char *sb_comm_known(const struct sideband *sb, uint32_t thread, uint32_t epoch)
{
    uint32_t named = sb_named_at(sb, thread);

    return sb_comm_at(sb, thread, epoch < named ? named : epoch);
}

uint32_t sb_probe_count(const struct sideband *sb)
{
    return (uint32_t)sb->probe.len;
}

struct sb_probe sb_probe_at(const struct sideband *sb, uint32_t i)
{
    const struct probe *p = &sb->probe.at[i];
    return (struct sb_probe){p->epoch, p->count, sb->probe_dso.at + p->first};
}

uint32_t sb_dso_count(const struct sideband *sb)
{
    return (uint32_t)sb->dsos.at.len;
}

const struct sb_dso *sb_dso_at(const struct sideband *sb, uint32_t i)
{
    return &sb->dsos.at.at[i].dso->pub;
}
