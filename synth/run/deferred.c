/* deferred.c - samples whose call chain is not whole yet.
 *
 * SPDX-License-Identifier: MIT
 *
 * Newer kernels record the user part of a chain when the thread returns to user code,
 * once for all samples taken since it left: a sample's chain then ends with a number,
 * and a CALLCHAIN_DEFERRED record of the same thread has that number and the rest.  As
 * in newer perf (6.19) such samples wait for the next of these records of their thread,
 * and for the end of the recording if none comes.
 */
#include "synth/run/run.h"
#include "synth/sample/callchain.h"

enum { MARK_WORDS = 2 }; /* PTS_CONTEXT_DEFERRED, number */

struct deferred_sample {
    uint64_t off; /* of the sample's record */
    uint64_t number;
    uint32_t next; /* of the same thread; IDMAP_NONE: none */
    bool done;
};

static uint64_t key_of(int32_t tid)
{
    return (uint32_t)tid;
}

static bool waits(const struct pts_sample *p)
{
    const struct pts_words *chain = &p->callchain;
    return p->type & PTS_SAMPLE_CALLCHAIN && chain->count >= MARK_WORDS &&
           pts_word(chain, chain->count - MARK_WORDS) == PTS_CONTEXT_DEFERRED;
}

pts_status run_defer(struct run *r, const struct record *rec)
{
    const struct pts_sample *p = &rec->u.sample;
    struct deferred *d = &r->deferred;
    uint64_t key = key_of(rec->head.id.tid);
    if (!waits(p))
        return PTS_END;
    uint32_t i = (uint32_t)d->sample.len, last = idmap_get(&d->last, key);
    struct deferred_sample *w = i < IDMAP_NONE ? VEC_PUSH(&d->sample) : NULL;
    bool first = idmap_get(&d->first, key) == IDMAP_NONE || last == IDMAP_NONE ||
                 d->sample.at[last].done;
    if (!w || (first && !idmap_set(&d->first, key, i)) || !idmap_set(&d->last, key, i))
        return PTS_E_NOMEM;
    *w = (struct deferred_sample){.off = rec->head.off,
                                  .number =
                                      pts_word(&p->callchain, p->callchain.count - 1),
                                  .next = IDMAP_NONE};
    if (!first)
        d->sample.at[last].next = i;
    return PTS_OK;
}

/* user: the rest of the chain of samples with that number; NULL: there is none. */
static pts_status catch_up(struct run *r, struct deferred_sample *w,
                           const struct pts_deferred *user)
{
    struct record rec;
    w->done = true;
    if (record_read(r->session->file, w->off, &rec) < 0 || rec.how != PTS_RECORD_WHOLE)
        return PTS_OK;
    r->deferred.user = user && user->cookie == w->number ? &user->ips : NULL;
    pts_status st = run_sample(r, &rec);
    r->deferred.user = NULL;
    return st;
}

pts_status run_undefer(struct run *r, const struct record *rec)
{
    struct deferred *d = &r->deferred;
    uint64_t key = key_of(rec->head.id.tid);
    pts_status st = PTS_OK;
    if (rec->how != PTS_RECORD_WHOLE)
        return PTS_OK;
    uint32_t last = idmap_get(&d->last, key);
    if (last == IDMAP_NONE || d->sample.at[last].done)
        return PTS_OK;
    uint32_t i = idmap_get(&d->first, key);
    for (; st == PTS_OK && i != IDMAP_NONE; i = d->sample.at[i].next)
        st = catch_up(r, &d->sample.at[i], &rec->u.deferred);
    return st;
}

pts_status run_defer_end(struct run *r)
{
    struct deferred *d = &r->deferred;
    while (d->next < d->sample.len) {
        struct deferred_sample *w = &d->sample.at[d->next++];
        if (!w->done)
            return catch_up(r, w, NULL);
    }
    return PTS_END;
}

void deferred_free(struct deferred *d)
{
    VEC_FREE(&d->sample);
    idmap_free(&d->first);
    idmap_free(&d->last);
}
