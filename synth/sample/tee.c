/* tee.c - one decode for several sinks.
 *
 * SPDX-License-Identifier: MIT
 *
 * Wants are or-ed: the plan is made for whoever wants more.  A batch is kept until the
 * slowest has taken all of it.
 */
#include "synth/sample/tee.h"

#include <string.h>

/* --- What they want --------------------------------------------------------------- */

static uint32_t of_class(void *ctx, enum out_class class)
{
    const struct tee *t = ctx;
    uint32_t all = 0;

    for (size_t i = 0; i < t->count; i++)
        all |= t->sink[i].wants.of_class(t->sink[i].wants.ctx, class);
    return all;
}

static pts_status check_event(void *ctx, const struct evlist *l, uint32_t event,
                              bool chains, struct pts_diag *why)
{
    const struct tee *t = ctx;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < t->count; i++) {
        const struct wants *w = &t->sink[i].wants;
        if (w->check_event)
            st = w->check_event(w->ctx, l, event, chains, why);
    }
    return st;
}

static pts_status check_file(void *ctx, const struct evlist *l, struct pts_diag *why)
{
    const struct tee *t = ctx;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < t->count; i++) {
        const struct wants *w = &t->sink[i].wants;
        if (w->check_file)
            st = w->check_file(w->ctx, l, why);
    }
    return st;
}

static pts_status check_recorded(void *ctx, const struct evlist *l,
                                 struct pts_diag *why)
{
    const struct tee *t = ctx;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < t->count; i++) {
        const struct wants *w = &t->sink[i].wants;
        if (w->check_recorded)
            st = w->check_recorded(w->ctx, l, why);
    }
    return st;
}

static pts_status check_all(void *ctx, const struct evlist *l, struct pts_diag *why)
{
    const struct tee *t = ctx;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < t->count; i++) {
        const struct wants *w = &t->sink[i].wants;
        if (w->check_all)
            st = w->check_all(w->ctx, l, why);
    }
    return st;
}

static bool wants_record(void *ctx, uint32_t type)
{
    const struct tee *t = ctx;

    for (size_t i = 0; i < t->count; i++) {
        const struct sink *k = &t->sink[i];
        if (k->wants_record && k->wants_record(k->wants.ctx, type))
            return true;
    }
    return false;
}

/* --- What they get ---------------------------------------------------------------- */

static pts_status begin(void *ctx, const struct scene *scene)
{
    const struct tee *t = ctx;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < t->count; i++)
        if (t->sink[i].begin)
            st = t->sink[i].begin(t->sink[i].wants.ctx, scene);
    return st;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct tee *t = ctx;
    size_t all = b->item.len, least = all;

    (void)from; /* each has its own */
    for (size_t i = 0; i < t->count; i++) {
        const struct sink *k = &t->sink[i];
        /* A sink that is ahead is not called again for what it has. */
        if (t->taken[i] < all) {
            pts_status st = k->take(k->wants.ctx, b, t->taken[i], &t->taken[i]);
            if (st < 0)
                return st;
        }
        if (t->taken[i] < least)
            least = t->taken[i];
    }
    *next = least;
    if (least == all) /* what comes next is another batch */
        memset(t->taken, 0, sizeof(t->taken));
    return PTS_OK;
}

static pts_status end(void *ctx)
{
    const struct tee *t = ctx;
    pts_status st = PTS_OK;

    for (size_t i = 0; st == PTS_OK && i < t->count; i++)
        if (t->sink[i].end)
            st = t->sink[i].end(t->sink[i].wants.ctx);
    return st;
}

static uint64_t left(void *ctx)
{
    const struct tee *t = ctx;

    return t->pace ? t->pace->left(t->pace->wants.ctx) : UINT64_MAX;
}

struct sink tee_sink(struct tee *t)
{
    return (struct sink){
        .wants = {.ctx = t,
                  .of_class = of_class,
                  .check_event = check_event,
                  .check_file = check_file,
                  .check_recorded = check_recorded,
                  .check_all = check_all},
        .wants_record = wants_record,
        .begin = begin,
        .take = take,
        .left = left,
        .end = end
    };
}
