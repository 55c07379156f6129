/* around.c - what of a machine keys ask for: its sockets, cgroups, namespaces.
 *
 * SPDX-License-Identifier: MIT
 *
 * A thread has the namespaces that were told of it last, a cgroup its first name.
 */
#include "synth/report/key/around.h"

#include "decoder/file/perf_feat.h"

#include <string.h>

enum { CGROUP_SPACE = 6 }; /* among the namespaces of a thread */

pts_status around_begin(struct around *a, const struct perf_file *f)
{
    struct pts_feature_iter it;
    struct pts_feature_item item;
    uint32_t available, online;

    if (!perf_feat_has(f, PTS_FEAT_CPU_TOPOLOGY))
        return PTS_OK;
    perf_feat_nrcpus(f, &available, &online);
    it = perf_feature_begin(f, PTS_FEAT_CPU_TOPOLOGY);
    pts_feature_set_cpus(&it, available);
    while (pts_feature_next(&it, &item) == PTS_OK) {
        if (item.kind != PTS_ITEM_CPU)
            continue;
        int32_t *new = VEC_PUSH(&a->socket);
        if (!new)
            return PTS_E_NOMEM;
        *new = item.u.cpu.socket;
    }
    return PTS_OK;
}

bool around_wants(uint32_t type)
{
    return type == PTS_RECORD_CGROUP || type == PTS_RECORD_NAMESPACES ||
           type == PTS_RECORD_EXIT;
}

static pts_status take_cgroup(struct around *a, struct strings *strings,
                              const struct pts_cgroup *c)
{
    if (idmap_get(&a->by_id, c->id) != IDMAP_NONE)
        return PTS_OK;
    const struct string *path =
        strings_at(strings, strings_of(strings, c->path, strlen(c->path)));
    struct around_cgroup *new = path ? VEC_PUSH(&a->cgroup) : NULL;
    if (!new || !idmap_set(&a->by_id, c->id, (uint32_t)a->cgroup.len - 1))
        return PTS_E_NOMEM;
    *new = (struct around_cgroup){c->id, path->at};
    return PTS_OK;
}

static pts_status take_spaces(struct around *a, int32_t tid,
                              const struct pts_namespaces *n)
{
    struct pts_namespace *new = VEC_PUSH(&a->space);

    if (!new || !idmap_set(&a->by_tid, (uint32_t)tid, (uint32_t)a->space.len - 1))
        return PTS_E_NOMEM;
    *new = (struct pts_namespace){0};
    if (n && n->count > CGROUP_SPACE)
        *new = pts_namespace_at(n, CGROUP_SPACE);
    return PTS_OK;
}

pts_status around_take(struct around *a, struct strings *strings,
                       const struct record *r)
{
    if (record_is(r, PTS_RECORD_CGROUP))
        return take_cgroup(a, strings, &r->u.cgroup);
    if (record_is(r, PTS_RECORD_NAMESPACES))
        return take_spaces(a, r->u.namespaces.tid, &r->u.namespaces);
    if (record_is(r, PTS_RECORD_EXIT) &&
        idmap_get(&a->by_tid, (uint32_t)r->u.task.tid) != IDMAP_NONE)
        return take_spaces(a, r->u.task.tid, NULL);
    return PTS_OK;
}

int32_t around_socket(const struct around *a, int32_t cpu)
{
    return cpu >= 0 && (size_t)cpu < a->socket.len ? a->socket.at[cpu] : -1;
}

struct pts_namespace around_space(const struct around *a, int32_t tid)
{
    uint32_t i = idmap_get(&a->by_tid, (uint32_t)tid);

    return i == IDMAP_NONE ? (struct pts_namespace){0} : a->space.at[i];
}

const char *around_cgroup(const struct around *a, uint64_t id)
{
    uint32_t i = idmap_get(&a->by_id, id);

    return i == IDMAP_NONE ? NULL : a->cgroup.at[i].path;
}

void around_free(struct around *a)
{
    VEC_FREE(&a->socket);
    VEC_FREE(&a->cgroup);
    VEC_FREE(&a->space);
    idmap_free(&a->by_id);
    idmap_free(&a->by_tid);
}
