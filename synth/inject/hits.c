/* hits.c - which files samples or maps hit, and their build ids.
 *
 * SPDX-License-Identifier: MIT
 *
 * There may be a sample for each instruction, so the answer for the last one is kept:
 * mostly the next is in the same map.
 */
#include "synth/inject/hits.h"

#include "walker/cache/told.h"

#include <ptscript/buildid.h>

#include <string.h>

pts_status hits_init(struct hits *h, const struct sideband *sb)
{
    size_t n = (size_t)sb_dso_count(sb) + 1;

    h->hit = mem_zalloc(2 * n, sizeof(*h->hit));
    h->left = h->hit ? h->hit + n : NULL;
    h->sb = sb;
    return h->hit ? as_view_new(sb, &h->view) : PTS_E_NOMEM;
}

void hits_free(struct hits *h)
{
    as_view_free(h->view);
    mem_free(h->hit);
    VEC_FREE(&h->known);
    h->view = NULL;
    h->hit = NULL;
}

static const struct sb_dso *hit(struct hits *h, const struct sb_dso *d)
{
    bool first = d && !h->hit[d->index];

    if (first)
        h->hit[d->index] = true;
    return first ? d : NULL;
}

static bool is_called(const struct sb_dso *d, const char *name)
{
    return strcmp(d->path, name) == 0 || strcmp(d->long_name, name) == 0;
}

static const struct sb_dso *mapped(struct hits *h, const struct hits_at *at)
{
    const struct as_map *m =
        as_find(h->view, at->thread, at->epoch, at->addr, at->kernel);

    return m && m->dso && is_called(m->dso, at->name) ? m->dso : NULL;
}

pts_status hits_map(struct hits *h, const struct hits_at *at, const struct sb_dso **now)
{
    *now = hit(h, mapped(h, at));
    return as_view_failed(h->view) ? PTS_E_NOMEM : PTS_OK;
}

uint32_t hits_index(struct hits *h, const struct hits_at *at)
{
    const struct sb_dso *d = mapped(h, at);

    return d ? d->index : sb_dso_count(h->sb) - 1;
}

pts_status hits_leave_out(struct hits *h, const struct hits_at *at)
{
    const struct sb_dso *d = mapped(h, at);

    if (d)
        h->left[d->index] = true;
    return as_view_failed(h->view) ? PTS_E_NOMEM : PTS_OK;
}

pts_status hits_sample(struct hits *h, const struct sample *s,
                       const struct sb_dso **now)
{
    const struct who *w = &s->who;
    const struct as_map *m = h->map;
    bool kernel = s->cpumode == PTS_MODE_KERNEL;
    bool same = m && h->thread == w->thread && h->epoch == w->epoch &&
                h->kernel == kernel && s->ip >= m->start && s->ip < m->end;

    *now = NULL;
    if (same || w->guest ||
        (!kernel && (s->cpumode != PTS_MODE_USER || w->thread >= WHO_NOBODY)))
        return PTS_OK;
    m = as_find(h->view, w->thread, w->epoch, s->ip, kernel);
    h->map = m;
    h->thread = w->thread;
    h->epoch = w->epoch;
    h->kernel = kernel;
    *now = m ? hit(h, m->dso) : NULL;
    return as_view_failed(h->view) ? PTS_E_NOMEM : PTS_OK;
}

/* perf reads it from the file of that path, whatever that is by now. */
static uint8_t id_of_file(const char *path, uint8_t keep[20])
{
    struct pts_image_id id;
    struct pts_diag why;

    if (path[0] != '/' || pts_file_build_id(path, &id, &why) != PTS_OK)
        return 0;
    memcpy(keep, id.bytes, id.len);
    return id.len;
}

bool hits_know(struct hits *h, const struct sb_dso *d, const uint8_t *id, uint8_t len)
{
    struct hits_known *new = VEC_PUSH(&h->known);

    if (new)
        *new = (struct hits_known){d->index, id, len};
    return new;
}

const struct hits_known *hits_knows(const struct hits *h, const struct sb_dso *d)
{
    for (size_t i = 0; i < h->known.len; i++)
        if (h->known.at[i].dso == d->index)
            return &h->known.at[i];
    return NULL;
}

bool hits_id(const struct hits *h, const struct sb_dso *d, uint32_t type,
             struct put_id *out, uint8_t keep[20])
{
    const struct hits_known *known = hits_knows(h, d);
    bool kernel = d->kind == DSO_KERNEL || d->kind == DSO_MODULE;
    uint8_t len = d->build_id_len < 20 ? d->build_id_len : 20;

    memcpy(keep, d->build_id, len);
    if (known) {
        len = known->len;
        memcpy(keep, known->id, len);
    }
    if (!len)
        len = id_of_file(d->path, keep);
    *out = (struct put_id){.type = type,
                           .misc = kernel ? PTS_MODE_KERNEL : PTS_MODE_USER,
                           .pid = -1,
                           .id = keep,
                           .len = len,
                           .name = *d->path ? d->path : d->long_name};
    return len > 0;
}
