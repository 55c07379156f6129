/* timeline.c - values that change in the course of the recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Finishing is one counting sort by key, which keeps the order within a key.
 */
#include "walker/sideband/timeline.h"

#include <assert.h>

void timeline_expect(struct timeline *t, size_t points)
{
    (void)!VEC_ROOM(&t->added, points);
}

pts_status timeline_add(struct timeline *t, uint32_t key, uint32_t epoch,
                        uint32_t value)
{
    struct tl_added *a = t->added.len < UINT32_MAX ? VEC_PUSH(&t->added) : NULL;
    if (!a)
        return PTS_E_NOMEM;
    *a = (struct tl_added){
        key, {epoch, value}
    };
    return PTS_OK;
}

pts_status timeline_finish(struct timeline *t, uint32_t keys)
{
    t->start = mem_zalloc((size_t)keys + 2, sizeof(*t->start));
    t->point = mem_resize(NULL, t->added.len + 1, sizeof(*t->point));
    if (!t->start || !t->point)
        return PTS_E_NOMEM;
    t->keys = keys;
    /* start[key + 2] counts, then start[key + 1] is where its next point goes, which
     * in the end is where the next key starts. */
    for (size_t i = 0; i < t->added.len; i++)
        t->start[t->added.at[i].key + 2]++;
    for (uint32_t key = 0; key < keys; key++)
        t->start[key + 2] += t->start[key + 1];
    for (size_t i = 0; i < t->added.len; i++)
        t->point[t->start[t->added.at[i].key + 1]++] = t->added.at[i].point;
    VEC_FREE(&t->added);
    return PTS_OK;
}

void timeline_free(struct timeline *t)
{
    VEC_FREE(&t->added);
    mem_free(t->point);
    mem_free(t->start);
}

const struct tl_point *timeline_of(const struct timeline *t, uint32_t key, uint32_t *n)
{
    assert(key < t->keys);
    *n = t->start[key + 1] - t->start[key];
    return t->point + t->start[key];
}

uint32_t timeline_at(const struct timeline *t, uint32_t key, uint32_t epoch,
                     uint32_t *until)
{
    uint32_t n, lo = 0;
    const struct tl_point *p = timeline_of(t, key, &n);
    for (uint32_t hi = n; lo < hi;) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (p[mid].epoch <= epoch)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < n && p[lo].epoch < *until)
        *until = p[lo].epoch;
    return lo ? p[lo - 1].value : TIMELINE_NONE;
}
