/* doctor.c - what is wrong with a recording: faults are counted as they come.
 *
 * SPDX-License-Identifier: MIT
 *
 * A fault says who, when and at which address; the image is what was mapped there then.
 */
#include "synth/run/doctor.h"

static uint32_t of_class(void *ctx, enum out_class class)
{
    (void)ctx;
    (void)class;
    return 0;
}

static pts_status begin(void *ctx, const struct scene *scene)
{
    struct doctor *d = ctx;

    d->scene = *scene;
    return as_view_new(scene->sb, &d->view);
}

/* The dso at the address of a fault, or SB_NONE. */
static uint32_t image_of(const struct doctor *d, const struct pts_auxtrace_error *e)
{
    const struct decode_plan *p = &d->scene.plan->decode;
    const struct sideband *sb = d->scene.sb;

    if (!e->ip)
        return SB_NONE;
    uint32_t epoch = e->time && !p->timeless
                         ? sb_epoch_at(sb, tsc_of_ns(e->time, &p->clock))
                         : sb_epoch_count(sb);
    uint32_t thread = sb_thread(sb, e->pid, e->tid, epoch);
    const struct as_map *m = as_find(d->view, thread, epoch, e->ip, e->ip >> 63);
    return m && m->dso ? m->dso->index : SB_NONE;
}

static struct doctor_group *group_of(struct doctor *d,
                                     const struct pts_auxtrace_error *e)
{
    uint32_t dso = image_of(d, e);
    uint64_t key = (uint64_t)e->code << 32 | dso;
    uint32_t at = idmap_get(&d->by_kind, key);

    if (at != IDMAP_NONE)
        return &d->group.at[at];
    struct doctor_group *g = VEC_PUSH(&d->group);
    if (!g || !idmap_set(&d->by_kind, key, (uint32_t)d->group.len - 1))
        return NULL;
    *g = (struct doctor_group){
        .code = e->code, .dso = dso, .first_ip = e->ip, .first_time = e->time};
    return g;
}

static pts_status take(void *ctx, const struct batch *b, size_t from, size_t *next)
{
    struct doctor *d = ctx;

    for (size_t i = from; i < b->item.len; i++) {
        const struct item *it = &b->item.at[i];
        struct doctor_group *g = it->kind == ITEM_ERROR ? group_of(d, it->error) : NULL;
        if (it->kind != ITEM_ERROR)
            continue;
        if (!g)
            return PTS_E_NOMEM;
        g->count++;
        d->faults++;
    }
    *next = b->item.len;
    return PTS_OK;
}

static pts_status end(void *ctx)
{
    struct doctor *d = ctx;

    doctor_text(d);
    return d->text->failed || as_view_failed(d->view) ? PTS_E_NOMEM : PTS_OK;
}

struct sink doctor_sink(struct doctor *d)
{
    return (struct sink){
        .wants = {.ctx = d, .of_class = of_class},
        .begin = begin,
        .take = take,
        .end = end
    };
}

void doctor_free(struct doctor *d)
{
    if (!d)
        return;
    as_view_free(d->view);
    VEC_FREE(&d->group);
    idmap_free(&d->by_kind);
    mem_free(d);
}
