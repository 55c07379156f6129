/* run_deferred.c - samples whose call chain is not whole yet.
 *
 * SPDX-License-Identifier: MIT
 *
 * Newer kernels record the user part of a chain when the thread returns to user code,
 * once for all samples taken since it left: a sample's chain then ends with a number,
 * and a CALLCHAIN_DEFERRED record of the same thread has that number and the rest.  As
 * in newer perf (6.19) such samples wait for the next of these records of their thread,
 * and for the end of the recording if none comes.
 */
#include "synth/callchain.h"
#include "synth/run.h"

enum { MARK_WORDS = 2 }; /* CHAIN_USER_DEFERRED, number */

struct waiting {
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
    return p->type & PERF_SAMPLE_CALLCHAIN && chain->count >= MARK_WORDS &&
           pts_word(chain, chain->count - MARK_WORDS) == CHAIN_USER_DEFERRED;
}

pts_status run_defer(struct pts_stream *r, const struct perf_rec *rec,
                     const struct pts_sample *p)
{
    struct run_deferred *d = &r->deferred;
    uint64_t key = key_of(rec->id.tid);
    if (!waits(p))
        return PTS_END;
    uint32_t i = (uint32_t)d->waiting.len, last = idmap_get(&d->last, key);
    struct waiting *w = i < IDMAP_NONE ? VEC_PUSH(&d->waiting) : NULL;
    bool first = idmap_get(&d->first, key) == IDMAP_NONE || last == IDMAP_NONE ||
                 d->waiting.at[last].done;
    if (!w || (first && !idmap_set(&d->first, key, i)) || !idmap_set(&d->last, key, i))
        return PTS_E_NOMEM;
    *w = (struct waiting){.off = rec->off,
                          .number = pts_word(&p->callchain, p->callchain.count - 1),
                          .next = IDMAP_NONE};
    if (!first)
        d->waiting.at[last].next = i;
    return PTS_OK;
}

/* user: the rest of the chain of samples with that number; NULL: there is none. */
static pts_status deliver(struct pts_stream *r, struct waiting *w,
                          const struct pts_deferred *user)
{
    struct perf_rec rec;
    struct pts_sample p;
    w->done = true;
    if (perf_rec_at(r->session->file, w->off, &rec) < 0 ||
        perf_rec_sample(r->session->file, &rec, &p) < 0)
        return PTS_OK;
    r->deferred.user = user && user->cookie == w->number ? &user->ips : NULL;
    pts_status st = run_sample(r, &rec, &p, &r->text);
    r->deferred.user = NULL;
    return st;
}

pts_status run_undefer(struct pts_stream *r, const struct perf_rec *rec)
{
    struct run_deferred *d = &r->deferred;
    struct pts_deferred user;
    pts_status st = PTS_OK;
    if (perf_rec_deferred(rec, &user) < 0)
        return PTS_OK;
    uint32_t last = idmap_get(&d->last, key_of(rec->id.tid));
    if (last == IDMAP_NONE || d->waiting.at[last].done)
        return PTS_OK;
    uint32_t i = idmap_get(&d->first, key_of(rec->id.tid));
    for (; st == PTS_OK && i != IDMAP_NONE; i = d->waiting.at[i].next)
        st = deliver(r, &d->waiting.at[i], &user);
    return st;
}

pts_status run_defer_end(struct pts_stream *r)
{
    struct run_deferred *d = &r->deferred;
    while (d->next < d->waiting.len) {
        struct waiting *w = &d->waiting.at[d->next++];
        if (!w->done)
            return deliver(r, w, NULL);
    }
    return PTS_END;
}

void run_defer_free(struct pts_stream *r)
{
    VEC_FREE(&r->deferred.waiting);
    idmap_free(&r->deferred.first);
    idmap_free(&r->deferred.last);
}
