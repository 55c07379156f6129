/* recorded_unwind.c - call chains from the stack dumps of recorded samples.
 *
 * SPDX-License-Identifier: MIT
 *
 * The recorded chain has the kernel's part only; what unwinding finds follows it.
 */
#include "synth/run/run.h"
#include "walker/unwind/unwind.h"

struct unwinding {
    struct unwinder *unwinder;
    struct as_view *view;
    struct code_store *codes;
    const struct who *who; /* of the sample at hand */
    VEC(uint64_t) ip;
};

void unwinding_free(struct unwinding *u)
{
    if (!u)
        return;
    unwinder_free(u->unwinder);
    as_view_free(u->view);
    VEC_FREE(&u->ip);
    mem_free(u);
}

static pts_status unwinding_new(struct run *r)
{
    struct unwinding *u = mem_zalloc(1, sizeof(*u));

    if (!u)
        return PTS_E_NOMEM;
    r->recorded.unwinding = u;
    u->codes = r->codes;
    pts_status st = unwinder_new(&u->unwinder);
    return st < 0 ? st : as_view_new(r->view.sb, &u->view);
}

static uint64_t base_of(struct unwinding *u, const struct sb_dso *dso)
{
    uint64_t base = UINT64_MAX;
    const struct as_map *m;

    for (uint32_t i = 0; (m = as_at(u->view, u->who->thread, u->who->epoch, i)); i++)
        /* A file is mapped in several pieces; where its first byte would lie is the
         * base of all. */
        if (m->dso == dso && m->start - m->pgoff < base)
            base = m->start - m->pgoff;
    return base;
}

static bool map_at(void *ctx, uint64_t addr, struct unwind_map *out)
{
    struct unwinding *u = ctx;
    const struct as_map *m =
        as_find(u->view, u->who->thread, u->who->epoch, addr, false);

    if (!m || !m->dso)
        return false;
    const struct code *c = code_store_get(u->codes, m->dso);
    *out = (struct unwind_map){
        m->start,
        m->end,
        m->pgoff,
        base_of(u, m->dso),
        {c->bytes, c->bytes ? (size_t)c->size : 0}
    };
    return true;
}

/* perf 6.1 unwinds 64-bit processes only, and goes by the first file that it finds; but
 * when it does not know where the recording was made, it takes all for 64-bit ones. */
static bool is_64bit(const struct run *r)
{
    struct unwinding *u = r->recorded.unwinding;
    const struct as_map *m;

    if (!perf_feat_string(r->session->file, PTS_FEAT_ARCH))
        return true;
    for (uint32_t i = 0; (m = as_at(u->view, u->who->thread, u->who->epoch, i)); i++) {
        const struct code *c = m->dso ? code_store_get(u->codes, m->dso) : NULL;
        if (c && c->bytes)
            return c->is_64bit;
    }
    return false;
}

pts_status recorded_unwind(struct run *r, const struct pts_attr *a,
                           const struct pts_sample *p, const struct who *who,
                           struct sample_stacks *out)
{
    static const uint64_t dump = PTS_SAMPLE_REGS_USER | PTS_SAMPLE_STACK_USER;
    uint64_t most = plan_max_stack(r->plan);

    if ((a->sample_type & dump) != dump || !out->chain || !p->user.abi || !p->stack.len)
        return PTS_OK;
    /* Made for the first sample that needs it: most recordings have no stack dumps. */
    pts_status st = r->recorded.unwinding ? PTS_OK : unwinding_new(r);
    if (st < 0)
        return st;
    struct unwinding *u = r->recorded.unwinding;
    u->who = who;
    if (!is_64bit(r))
        return PTS_OK;
    if (most == 0) { /* then perf fails to unwind */
        out->chain = NULL;
        return PTS_OK;
    }
    enum { DEEPEST = 1 << 16 }; /* what --max-stack may ask for */
    most = most < DEEPEST ? most : DEEPEST;
    u->ip.len = 0;
    if (!VEC_ROOM(&u->ip, most))
        return PTS_E_NOMEM;
    const struct unwind_memory memory = {u, map_at};
    size_t n = 0;
    st = unwind_stack(u->unwinder, &memory, &p->user, p->stack, u->ip.at, (size_t)most,
                      &n);
    if (st == PTS_END) /* and shows none of the recorded chain */
        out->chain = NULL;
    out->unwound = u->ip.at;
    out->unwound_len = (uint32_t)n;
    return as_view_failed(u->view) ? PTS_E_NOMEM : PTS_OK;
}
