/* test_places.c - what lies at addresses is looked up once, and by all of its key.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/sample/called.h"
#include "tests/lib/t.h"

#include <ptscript/sample.h>

#define IN_KERNEL (KERNEL_START + 0x1000)

static unsigned asked;

/* "k" and "u" are one page each; all else is nothing. */
static void place(void *ctx, const struct who *w, uint8_t cpumode, uint64_t ip,
                  struct place *out)
{
    (void)ctx;
    (void)w;
    asked++;
    if (cpumode == PTS_MODE_KERNEL && ip >> 12 == IN_KERNEL >> 12)
        *out = (struct place){.sym = "k", .dso = "kernel"};
    if (cpumode == PTS_MODE_USER && ip >> 12 == 1)
        *out = (struct place){.sym = ip & 1 ? NULL : "u", .dso = "user"};
}

static const struct lookup look = {.place = place};

static struct places *fresh(void)
{
    struct places *all = NULL;
    EQ(places_new(&look, &all), PTS_OK);
    asked = 0;
    return all;
}

T(a_place_is_looked_up_once)
{
    struct places *all = fresh();
    struct who w = {.thread = 1};
    for (int i = 0; i < 3; i++) {
        STREQ(place_at(all, &w, PTS_MODE_USER, 0x1234)->dso, "user");
        EQ(place_at(all, &w, PTS_MODE_USER, 0x9999)->ip, 0x9999);
    }
    EQ(asked, 2);
    places_free(all);
}

T(each_part_of_the_key_counts)
{
    struct places *all = fresh();
    struct who w = {.thread = 1}, thread = {.thread = 2},
               space = {.thread = 1, .space = 1};
    place_at(all, &w, PTS_MODE_USER, 0x1234);
    place_at(all, &thread, PTS_MODE_USER, 0x1234);
    EQ(asked, 2);
    place_at(all, &space, PTS_MODE_USER, 0x1234);
    EQ(asked, 3);
    place_at(all, &w, PTS_MODE_KERNEL, 0x1234);
    EQ(asked, 4);
    places_free(all);
}

T(a_target_may_be_on_the_other_side)
{
    struct places *all = fresh();
    const struct who w = {.thread = 1};
    CHECK(!place_at(all, &w, PTS_MODE_USER, IN_KERNEL)->dso);
    STREQ(place_at(all, &w, PTS_MODE_USER | PLACE_TARGET, IN_KERNEL)->dso, "kernel");
    STREQ(place_at(all, &w, PTS_MODE_KERNEL | PLACE_TARGET, 0x1000)->dso, "user");
    asked = 0;
    CHECK(!place_at(all, &w, PTS_MODE_USER | PLACE_TARGET, 0x9999)->dso);
    EQ(asked, 1); /* the other mode is that one */
    places_free(all);
}

T(once_is_taken_from_what_is_kept_and_fills_nothing)
{
    struct places *all = fresh();
    const struct who w = {.thread = 1};
    const struct place_query q = {&w, 0x1234, PTS_MODE_USER};
    struct place own;
    CHECK(place_once(all, &q, &own) == &own);
    STREQ(own.dso, "user");
    CHECK(place_once(all, &q, &own) == &own);
    EQ(asked, 2);
    const struct place *kept = place_at(all, &w, PTS_MODE_USER, 0x1234);
    CHECK(place_once(all, &q, &own) == kept);
    EQ(asked, 3);
    places_free(all);
}

/* More addresses than slots: late comers take the slots of others. */
T(answers_stay_right_when_slots_are_short)
{
    struct places *all = fresh();
    const struct who w = {.thread = 1};
    for (int round = 0; round < 2; round++)
        for (uint64_t ip = 0; ip < 3 * PLACES; ip++) {
            const struct place *p = place_at(all, &w, PTS_MODE_USER, ip);
            CHECK(p->ip == ip && (p->dso != NULL) == (ip >> 12 == 1));
        }
    places_free(all);
}

static const char *called(struct places *all, const struct evlist *l, uint32_t flags,
                          uint64_t *ip)
{
    const struct sample s = {.who = {.thread = 1},
                             .ip = 0x1001, /* has no symbol */
                             .addr = IN_KERNEL,
                             .flags = PTS_FLAG_BRANCH | flags,
                             .cpumode = PTS_MODE_USER};
    return called_function(all, l, &s, ip);
}

T(a_call_is_named_by_its_target)
{
    const struct evl_attr a = {
        .type = PTS_TYPE_HARDWARE, .config = 4, .sample_period = 1};
    struct places *all = fresh();
    struct evlist l = {0};
    uint64_t ip;
    EQ(evl_add(&l, &a), PTS_OK);
    STREQ(called(all, &l, PTS_FLAG_CALL, &ip), "k");
    EQ(ip, 0);
    STREQ(called(all, &l, PTS_FLAG_TRACE_BEGIN, &ip), "k");
    CHECK(!called(all, &l, PTS_FLAG_RETURN, &ip));
    EQ(ip, 0x1001);
    CHECK(!called(all, &l, PTS_FLAG_TRACE_END, &ip));
    EQ(ip, 0x1001);
    CHECK(!called(all, &l, PTS_FLAG_COND, &ip));
    EQ(ip, 0);
    l.ev.at[0].addr_is_code = false;
    CHECK(!called(all, &l, PTS_FLAG_CALL, &ip));
    EQ(ip, IN_KERNEL);
    evl_free(&l);
    places_free(all);
}

T_RUN(T_CASE(a_place_is_looked_up_once), T_CASE(each_part_of_the_key_counts),
      T_CASE(a_target_may_be_on_the_other_side),
      T_CASE(once_is_taken_from_what_is_kept_and_fills_nothing),
      T_CASE(answers_stay_right_when_slots_are_short),
      T_CASE(a_call_is_named_by_its_target))
