/* sb_state.c - a side-band from its making to its end: epochs, and what is kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each record opens an epoch, also one that changes nothing here, so that whoever walks
 * over the records can name a point of the recording by counting them.  Times must not
 * go back, or "all records up to this time" would have no end: what counts is the
 * running maximum.
 *
 *     record      0    1    2    3
 *     time       10   30   20    -        as recorded
 *     effective  10   30   30   30
 *     epoch at 10: 1, at 29: 1, at 30: 4
 */
#include "walker/sideband/sideband_priv.h"

#include <assert.h>

/* The kernel's maps and the idle task are there from the start. */
static pts_status begin_empty(struct sideband *sb)
{
    uint32_t kernel;
    pts_status st = space_new(sb, &kernel);
    assert(st != PTS_OK || kernel == SPACE_KERNEL);
    return st == PTS_OK ? thread_idle(sb) : st;
}

pts_status sb_new(struct sideband **out)
{
    struct sideband *sb = mem_zalloc(1, sizeof(*sb));
    if (!sb)
        return PTS_E_NOMEM;
    sb->dsos.arena = &sb->arena;
    sb->dsos.kernel_name = "[kernel.kallsyms]";
    sb->kernel_map = SB_NONE;
    sb->guests.since = SB_NONE;
    pts_status st = begin_empty(sb);
    if (st != PTS_OK)
        sb_free(sb);
    else
        *out = sb;
    return st;
}

void sb_set_walked(struct sideband *sb, uint64_t from_tsc)
{
    sb->walked_from = from_tsc;
}

uint64_t sb_walked_from(const struct sideband *sb)
{
    return sb->walked_from;
}

void sb_look_into(struct sideband *sb, struct image_store *images)
{
    sb->dsos.images = images;
}

void sb_code_stays(struct sideband *sb)
{
    sb->code_stays = true;
}

static void free_one(struct sideband *sb)
{
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
    VEC_FREE(&sb->now_on);
    VEC_FREE(&sb->cpus_of);
    timeline_free(&sb->shared_time);
    VEC_FREE(&sb->switched);
    timeline_free(&sb->switch_time);
    VEC_FREE(&sb->space);
    VEC_FREE(&sb->map);
    VEC_FREE(&sb->op);
    timeline_free(&sb->op_time);
    timeline_free(&sb->changed);
    VEC_FREE(&sb->snap);
    VEC_FREE(&sb->snap_map);
    VEC_FREE(&sb->probe);
    VEC_FREE(&sb->probe_dso);
    dso_set_free(&sb->dsos);
    arena_free(&sb->arena);
    VEC_FREE(&sb->guests.at);
    VEC_FREE(&sb->guests.unmounted);
    idmap_free(&sb->guests.by_pid);
    idmap_free(&sb->guests.vcpu);
    mem_free(sb);
}

void sb_free(struct sideband *sb)
{
    if (!sb)
        return;
    for (size_t i = 0; i < sb->guests.at.len; i++)
        free_one(sb->guests.at.at[i].sb);
    free_one(sb);
}

void sb_expect(struct sideband *sb, size_t records, size_t switches)
{
    (void)!VEC_ROOM(&sb->tsc, records);
    (void)!VEC_ROOM(&sb->switched, switches);
    timeline_expect(&sb->switch_time, switches);
    timeline_expect(&sb->current_time, switches);
    timeline_expect(&sb->thread_cpu, switches);
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

pts_status sb_build_id(struct sideband *sb, const char *path, const uint8_t *id,
                       uint8_t len, bool kernel)
{
    return dso_header_id(&sb->dsos, path, id, len, kernel);
}

static pts_status finish_one(struct sideband *sb)
{
    uint32_t threads = (uint32_t)sb->thread.len;
    pts_status st = sb_find_kernel(sb);
    if (st == PTS_OK)
        st = timeline_finish(&sb->tid_time, sb->tid_slot.len);
    if (st == PTS_OK)
        st = timeline_finish(&sb->comm_time, threads);
    if (st == PTS_OK)
        st = timeline_finish(&sb->space_time, threads);
    if (st == PTS_OK)
        st = timeline_finish(&sb->thread_cpu, threads);
    if (st == PTS_OK)
        st = timeline_finish(&sb->current_time, sb->cpu_slot.len);
    if (st == PTS_OK)
        st = timeline_finish(&sb->shared_time, sb->tid_slot.len);
    if (st == PTS_OK)
        st = timeline_finish(&sb->switch_time, sb->cpu_slot.len);
    if (st == PTS_OK)
        st = timeline_finish(&sb->op_time, (uint32_t)sb->space.len);
    if (st == PTS_OK)
        st = timeline_finish(&sb->changed, MAPS_OF);
    for (size_t i = 0; i < sb->dsos.at.len; i++)
        patches_finish(&sb->dsos.at.at[i].dso->changes);
    for (size_t i = 0; i < sb->space.len; i++)
        space_free(&sb->space.at[i]);
    return st;
}

pts_status sb_finish(struct sideband *sb)
{
    struct guests *g = &sb->guests;
    pts_status st = finish_one(sb);

    g->dso_total = sb_dso_count(sb);
    for (size_t i = 0; st == PTS_OK && i < g->at.len; i++) {
        st = finish_one(g->at.at[i].sb);
        g->at.at[i].sb->first_dso = g->dso_total;
        g->dso_total += sb_dso_count(g->at.at[i].sb);
    }
    return st;
}
