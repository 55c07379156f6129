/* test_timeline.c - what the side-band is kept in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tests/lib/t.h"
#include "decoder/base/idmap.h"
#include "walker/sideband/timeline.h"

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

T_RUN(T_CASE(idmap_keeps_what_it_was_given), T_CASE(timeline_of_mixed_keys))
