/* count_paths.c - a sample with callers that have been counted before, perhaps.
 *
 * SPDX-License-Identifier: MIT
 *
 *     words of the chain -> frames      by the memo
 *                        -> chain       by these
 */
#include "synth/report/count.h"
#include "synth/sample/callchain.h"

/* One sample on its way. */
struct walk {
    struct report *r;
    const struct sample *s;
    struct hists *h;
    uint32_t owner;
    bool known; /* the next two are */
    struct subject i;
    uint8_t filtered;
};

/* Those of a stack that was unwound come one by one, into trees that begin with the first. */
bool count_by_paths(const struct report *r, const struct sample *s)
{
    const struct report_opts *o = &r->opts;

    return r->memo && (o->chains || o->children) && o->chain.key == FRAME_FUNCTION &&
           !o->branches && !o->hops && !o->history && !o->hide_unresolved &&
           !o->chain.branches && !o->dumps && !r->parents && !r->first && s->stacks &&
           s->stacks->chain;
}

static pts_status walk_know(struct walk *w)
{
    pts_status st = w->known ? PTS_OK : count_item(w->r, w->s, &w->i);

    if (st < 0 || w->known)
        return st;
    w->filtered = count_filters(w->r, w->s, &w->i);
    w->known = true;
    return PTS_OK;
}

/* --- The sample -------------------------------------------------------------------- */

static pts_status own_row(struct walk *w, uint32_t *row)
{
    struct report *r = w->r;
    const struct memo_key key = {w->s->ip, 0, MEMO_SAMPLE, w->owner};
    struct memo_slot *slot = memo_at(r->memo, &key);

    if (slot->to) {
        *row = slot->to - 1;
        return PTS_OK;
    }
    pts_status st = walk_know(w);
    if (st == PTS_OK)
        st = count_lines(r, w->s, &w->i);
    if (st == PTS_OK)
        st = hists_row(w->h, report_opts_of(r, w->s->event), &r->keys, &w->i,
                       w->filtered, row);
    if (st == PTS_OK)
        slot->to = *row + 1;
    return st;
}

/* --- Its frames -------------------------------------------------------------------- */

/* What lies at a word of the chain, and its row, if callers are counted. */
static pts_status frame_new(struct walk *w, const struct path_word *word, uint8_t as,
                            uint32_t *out)
{
    struct report *r = w->r;
    struct path_frame f = {.frame =
                               frame_at(r->places, &w->s->who, word->mode, word->ip),
                           .event = w->s->event,
                           .row = HISTS_NONE};
    pts_status st = r->opts.children ? walk_know(w) : PTS_OK;

    if (st == PTS_OK && r->opts.children) {
        st = count_frame_item(r, &f.frame, &w->i, &as);
        f.mode = w->i.spot.at.dso ? count_frame_mode(&r->framed, word->mode) : 0;
        if (st == PTS_OK)
            st = hists_row(w->h, report_opts_of(r, w->s->event), &r->keys, &w->i,
                           w->filtered, &f.row);
    }
    if (st < 0)
        return st;
    *out = path_frame(&r->paths, &f, r->opts.chain.key);
    return *out == PATHS_NONE ? PTS_E_NOMEM : PTS_OK;
}

/* In the order in which perf looks at them: those called last come first. */
static void look_ahead(struct report *r, const struct who *who)
{
    const struct paths *p = &r->paths;
    size_t n = p->word.len;

    for (size_t i = 0; i < n; i++) {
        size_t k = r->opts.chain.callers_first ? n - 1 - i : i;
        (void)place_at(r->places, who, p->word.at[k].mode, p->word.at[k].ip);
    }
}

/* The frame of each word, and as what it is counted. */
static pts_status find_frames(struct walk *w)
{
    struct paths *p = &w->r->paths;
    uint8_t as = w->s->cpumode;
    bool looked = false;

    for (size_t k = 0; k < p->word.len; k++) {
        struct path_word *word = &p->word.at[k];
        const struct memo_key key = {word->ip, word->mode, MEMO_FRAME, w->owner};
        struct memo_slot *slot = memo_at(w->r->memo, &key);
        uint32_t frame = slot->to - 1;
        if (!slot->to && !looked) {
            look_ahead(w->r, &w->s->who);
            looked = true;
        }
        pts_status st = slot->to ? PTS_OK : frame_new(w, word, as, &frame);
        if (st < 0)
            return st;
        slot->to = frame + 1;
        if (p->frame.at[frame].mode)
            as = p->frame.at[frame].mode;
        word->frame = frame;
    }
    return PTS_OK;
}

/* The addresses in the order in which they are counted.  Recorded chains begin with the
 * function called last. */
static bool list_words(struct paths *p, const struct report_opts *o,
                       const struct sample_stacks *st)
{
    const bool callers_first = o->chain.callers_first;
    const uint64_t most = st->whole ? UINT64_MAX : o->max_stack;
    const uint32_t words =
        callchain_sound(st->chain, st->chain_len, callers_first ? UINT64_MAX : most);
    struct callchain_back back = callchain_back(st->chain, words, most);
    struct path_word word = {.mode = PTS_MODE_USER};

    p->word.len = 0;
    if (!VEC_ROOM(&p->word, words))
        return false;
    while (callers_first && callchain_back_next(&back, &word.ip, &word.mode))
        p->word.at[p->word.len++] = word;
    for (uint32_t i = 0; !callers_first && i < words; i++) {
        word.ip = st->chain[i];
        if (word.ip >= PTS_CONTEXT_MAX)
            word.mode = callchain_mode(word.ip);
        else
            p->word.at[p->word.len++] = word;
    }
    return true;
}

/* --- Counting ---------------------------------------------------------------------- */

static void count_whole(struct walk *w, uint32_t row, uint32_t chain)
{
    const struct amount a = {w->s->period, 1, w->s->cpumode, true};

    count_in_row(w->r, w->s->event, row, &a);
    if (chain == PATHS_NONE)
        return;
    w->r->paths.chain.at[chain].count++;
    w->r->paths.chain.at[chain].weight += a.period;
}

/* For a sample without a chain. */
static bool keep_chain(struct last_chain *c, const struct sample *s)
{
    size_t n = s->stacks->chain_len;

    c->word.len = 0;
    if (!VEC_ROOM(&c->word, n))
        return false;
    if (n)
        memcpy(c->word.at, s->stacks->chain, n * sizeof(*c->word.at));
    c->word.len = n;
    c->who = s->who;
    c->whole = s->stacks->whole;
    c->known = true;
    return true;
}

/* Its row, and the number of its chain, or none. */
static pts_status find_chain(struct walk *w, uint32_t *row, uint32_t *chain)
{
    struct paths *p = &w->r->paths;
    pts_status st = own_row(w, row);

    *chain = PATHS_NONE;
    if (st == PTS_OK && !list_words(p, &w->r->opts, w->s->stacks))
        st = PTS_E_NOMEM;
    if (st == PTS_OK)
        st = find_frames(w);
    if (st < 0 || !p->word.len)
        return st;
    *chain = path_chain(p, *row);
    return *chain == PATHS_NONE ? PTS_E_NOMEM : PTS_OK;
}

pts_status count_paths(struct report *r, const struct sample *s)
{
    struct walk w; /* the subject is large, and seldom wanted */
    uint32_t row = HISTS_NONE, chain = PATHS_NONE;

    w.r = r;
    w.s = s;
    w.h = &r->hists[s->event];
    w.owner = count_owner(r, s);
    w.known = false;
    r->framed = s->who;
    if (w.owner == IDMAP_NONE || !keep_chain(&r->chain, s))
        return PTS_E_NOMEM;
    pts_status st = find_chain(&w, &row, &chain);
    if (st < 0)
        return st;
    count_whole(&w, row, chain);
    return PTS_OK;
}
