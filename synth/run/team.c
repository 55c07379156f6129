/* team.c - who follows the queues of a run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/team.h"

#include <ptscript/sample.h>

enum {
    AHEAD = 2,            /* segments of each of several queues */
    FAR = 1 << 20,        /* ticks, half a millisecond or less */
    JOB_BYTES = 96 << 10, /* of trace: for less a thread does not pay */
    /* For each thread, at least, so that all end at about the same time. */
    SEGMENTS = 8,
    /* Where little is told, many times as much as is followed only to guess, mostly 16 KB: else a short
     * recording is followed nearly twice.  Where much is told, to follow it is the least of the work. */
    QUIET_LEAST = JOB_BYTES,
    /* Where the only other thread follows ahead, too, though it prints: of so much trace, as the events of
     * segments take some megabytes, in small ones where it is not much more, and one more, as it takes turns with
     * who tells them; of many queues they would be too small. */
    BUSY_FROM = 4 << 20,
    BUSY_QUEUES = 8,
    BUSY_SEGMENTS = 64, /* for each thread */
    BUSY_AHEAD = 3
};

static uint64_t bytes_of(const struct aux_queues *aux)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < aux->at.len; i++)
        for (size_t k = 0; k < aux->at.at[i].buf.len; k++)
            bytes += aux->at.at[i].buf.at[k].len;
    return bytes;
}

static pts_status codes_make(const struct queues_from *from, struct team *t, uint32_t n)
{
    struct flow_images *images = mem_zalloc(n, sizeof(*images));
    pts_status st = PTS_OK;

    t->relay.images = images;
    t->codes = mem_zalloc(n, sizeof(struct code_store *));
    if (!images || !t->codes)
        return PTS_E_NOMEM;
    images[0] = (struct flow_images){code_store_peek, from->codes};
    for (uint32_t i = 1; st >= 0 && i < n; i++) {
        st = code_store_helper(from->codes, &t->codes[i]);
        images[i] = (struct flow_images){code_store_peek, t->codes[i]};
    }
    return st;
}

/* Who helps is alone and has something to do besides, which leaves it time where of all branches calls or returns are
 * printed, and where to put all in order is so much work for the other. */
static void help_busy(const struct plan *p, uint64_t bytes, struct relay_team *out)
{
    const bool some = p->branch_filter & (PTS_FLAG_CALL | PTS_FLAG_RETURN);

    out->busy_in_crowds = some && bytes >= BUSY_FROM;
    out->busy = !out->busy_in_crowds || out->queues > BUSY_QUEUES;
    if (out->busy)
        return;
    out->ahead = BUSY_AHEAD;
    out->bytes = bytes / (crew_size(out->crew) * BUSY_SEGMENTS);
}

pts_status team_make(const struct queues_from *from, const struct aux_queues *aux,
                     struct team *out)
{
    uint64_t bytes = bytes_of(aux);
    uint32_t jobs = from->plan->opt.jobs;

    if (jobs > bytes / JOB_BYTES)
        jobs = (uint32_t)(bytes / JOB_BYTES);
    /* A run that ends at the first file with another build id must know which is the first; and packets are
     * logged when they are read, in their order. */
    if (itrace_on(&from->plan->opt.itrace, ITRACE_ON(LOG)))
        return PTS_OK;
    if (jobs <= 1 || from->session->opts.require_buildid == PTS_BUILDID_ERROR)
        return PTS_OK;
    pts_status st = crew_new(jobs - 1, &out->relay.crew);
    if (st < 0)
        return st;
    uint32_t n = crew_size(out->relay.crew);
    /* Of several queues mostly one runs at a time, but all may have some that wait. */
    out->relay.ahead = aux->at.len > 1 && n + 1 > AHEAD ? AHEAD : n + 1;
    out->relay.queues = aux->at.len;
    out->relay.bytes = bytes / (n * SEGMENTS);
    out->relay.quiet_bytes =
        out->relay.bytes > QUIET_LEAST ? out->relay.bytes : QUIET_LEAST;
    out->relay.far = FAR;
    if (from->busy && n == 2)
        help_busy(from->plan, bytes, &out->relay);
    st = rooms_new(&out->relay.rooms);
    return st < 0 ? st : codes_make(from, out, n);
}

void team_free(struct team *t)
{
    uint32_t n = t->relay.crew ? crew_size(t->relay.crew) : 0;

    crew_free(t->relay.crew);
    rooms_free(t->relay.rooms);
    for (uint32_t i = 1; t->codes && i < n; i++)
        code_store_free(t->codes[i]);
    mem_free(t->codes);
    mem_free(t->relay.images);
}
