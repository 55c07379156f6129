/* frames.c - the call chain of a sample, with what lies at its addresses.
 *
 * SPDX-License-Identifier: MIT
 *
 * Recorded chains begin with the function called last.  Where they are longer than is
 * wanted, what goes is their end as they are printed: the callers, or the callees.
 */
#include "synth/report/frames.h"

#include "synth/sample/callchain.h"

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

int frame_compare(const struct frame *a, const struct frame *b, enum frame_key key)
{
    if (key == FRAME_SRCLINE && a->srcline && b->srcline)
        return strcmp(a->srcline, b->srcline);
    if (key == FRAME_SRCLINE && (a->srcline || b->srcline))
        return a->srcline ? -1 : 1;
    bool names = key != FRAME_ADDRESS && a->sym && b->sym;
    if (names && (a->inlined || b->inlined))
        return strcmp(a->sym, b->sym);
    if (a->dso != b->dso)
        return compare(a->dso, b->dso);
    return names ? compare(a->start, b->start) : compare(a->ip, b->ip);
}

void frames_free(struct frames *f)
{
    mem_free(f->at);
    mem_free(f->hop);
    *f = (struct frames){0};
}

static struct frame *frame_new(struct frames *f, const struct frames_want *want,
                               const struct hop *h)
{
    if (want->hops &&
        !vec_room((void **)&f->hop, &f->hop_cap, f->len + 1, sizeof(*f->hop)))
        return NULL;
    struct frame *new = VEC_PUSH(f);
    if (new && want->hops)
        f->hop[f->len - 1] = h ? *h : (struct hop){0};
    return new;
}

/* known: where it is kept, if that is not NULL. */
static pts_status frame_put_new(struct frames *f, const struct frames_want *want,
                                const struct place_query *q, const struct hop *h,
                                struct frame_known *known)
{
    const struct place *p = place_at(want->places, q->who, q->cpumode, q->ip);
    const char *line = NULL;
    const bool keeps = !p->unread;
    pts_status st = PTS_OK;

    if (want->parents && !f->parent && p->sym && parents_have(want->parents, p->sym))
        f->parent = p->sym;
    if (want->hide_unresolved && !p->sym)
        return PTS_OK;
    const struct frame frame = {.ip = q->ip,
                                .start = p->sym_start,
                                .sym = p->sym,
                                .dso = p->dso_order,
                                .cpumode = q->cpumode};
    if (want->key != FRAME_FUNCTION)
        st = lines_frame(want->lines, q, p, want->key == FRAME_ADDRESS, &line);
    if (st < 0)
        return st;
    struct frame *new = frame_new(f, want, h);
    if (!new)
        return PTS_E_NOMEM;
    *new = frame;
    new->srcline = line;
    if (known && keeps)
        *known = (struct frame_known){places_maps(q->who, q->cpumode, q->ip),
                                      q->who->guest, true, *new};
    return PTS_OK;
}

static struct frame_known *known_at(const struct frames_want *want,
                                    const struct place_query *q, uint64_t maps)
{
    uint64_t hash = (q->ip ^ maps) * UINT64_C(0x9e3779b97f4a7c15);

    return &want->known[hash >> 32 & (FRAMES_KNOWN - 1)];
}

static bool is_known(const struct frame_known *k, const struct place_query *q,
                     uint64_t maps)
{
    return k->frame.ip == q->ip && k->maps == maps && k->guest == q->who->guest &&
           k->there && k->frame.cpumode == q->cpumode;
}

pts_status frame_put(struct frames *f, const struct frames_want *want,
                     const struct place_query *q, const struct hop *h)
{
    const bool keeps = want->known && !want->parents && !want->hide_unresolved;
    const uint64_t maps = places_maps(q->who, q->cpumode, q->ip);
    struct frame_known *known = keeps ? known_at(want, q, maps) : NULL;

    if (!known || !is_known(known, q, maps))
        return frame_put_new(f, want, q, h, known);
    struct frame *new = frame_new(f, want, h);
    if (new)
        *new = known->frame;
    return new ? PTS_OK : PTS_E_NOMEM;
}

/* Functions at an address of an unwound stack, innermost first; none: the symbol alone. */
static pts_status put_unwound(struct frames *f, const struct frames_want *want,
                              const struct who *who, uint64_t ip)
{
    const struct place_query q = {who, ip, PTS_MODE_USER};
    const struct place at = *place_at(want->places, who, PTS_MODE_USER, ip);
    const struct place_inlined *functions;
    size_t n = 0;

    pts_status st = want->inlined && at.sym && want->look->inlined
                        ? want->look->inlined(want->look->ctx, &q, &functions, &n)
                        : PTS_OK;
    if (st < 0 || !n)
        return st < 0 ? st : frame_put(f, want, &q, NULL);
    for (size_t i = 0; i < n; i++) {
        struct frame *new = frame_new(f, want, NULL);
        if (!new)
            return PTS_E_NOMEM;
        *new = (struct frame){.ip = ip,
                              .start = at.sym_start,
                              .sym = functions[i].name,
                              .srcline = functions[i].srcline,
                              .dso = at.dso_order,
                              .cpumode = PTS_MODE_USER,
                              .inlined = strcmp(functions[i].name, at.sym) != 0};
    }
    return PTS_OK;
}

static void reverse(struct frames *f, const struct frames_want *want)
{
    for (size_t i = 0, j = f->len; i + 1 < j; i++) {
        const struct frame one = f->at[i];
        f->at[i] = f->at[--j];
        f->at[j] = one;
        if (!want->hops)
            continue;
        const struct hop hop = f->hop[i];
        f->hop[i] = f->hop[j];
        f->hop[j] = hop;
    }
}

/* How many words of a chain are none that name a mode. */
static uint64_t frames_in(const struct sample_stacks *st, uint32_t words)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < words; i++)
        n += st->chain[i] < PTS_CONTEXT_MAX;
    return n;
}

/* Behind the kernel's part a chain that is from branches has where the last one went, and where
 * each came from.  perf counts all of them as where branches went, from where the last one came;
 * with the callers first it does not know yet from where, and all but the last count as where
 * they came from.  calls: words since that part. */
static struct hop hop_in(const struct frames_want *want, const struct sample_stacks *st,
                         uint32_t calls)
{
    if (calls > st->branch_count + st->below_len || !st->branch_count)
        return (struct hop){0};
    const bool of_before = calls > st->branch_count;
    const struct pts_branch *b = of_before ? &st->below[calls - st->branch_count - 1]
                                           : &st->branches[calls ? calls - 1 : 0];
    struct hop hop = {.flags = b->flags, .branch = true};

    if (!want->callers_first || !calls)
        hop.from = of_before ? b->to : st->branches->from;
    return hop;
}

static pts_status put_chain(struct frames *f, const struct frames_want *want,
                            const struct sample *s)
{
    const struct sample_stacks *st = s->stacks;
    uint64_t most = st->whole ? UINT64_MAX : want->max_stack;
    uint32_t words = callchain_sound(st->chain, st->chain_len,
                                     want->callers_first ? UINT64_MAX : most);
    uint8_t mode =
        want->callers_first ? callchain_mode_from_end(st->chain, words) : PTS_MODE_USER;
    /* The innermost go where it is to begin with the outermost. */
    uint64_t left = want->callers_first ? frames_in(st, words) : 0;
    const bool hops = want->hops && st->whole && st->branches;
    uint32_t calls = words; /* where they begin */

    for (uint32_t i = 0; i < words; i++) {
        uint64_t ip = st->chain[i];
        if (ip == PTS_CONTEXT_USER && calls == words)
            calls = i + 1;
        if (ip >= PTS_CONTEXT_MAX) {
            mode = callchain_mode(ip);
            continue;
        }
        if (left && left-- > most)
            continue;
        const struct place_query q = {&s->who, ip, mode};
        const char *inner = f->parent;
        if (want->callers_first) /* the outermost one is */
            f->parent = NULL;
        const struct hop hop =
            hops && i >= calls ? hop_in(want, st, i - calls) : (struct hop){0};
        pts_status rc = frame_put(f, want, &q, &hop);
        f->parent = f->parent ? f->parent : inner;
        if (rc < 0)
            return rc;
    }
    return PTS_OK;
}

/* Among these perf looks for no parents. */
static pts_status put_stack(struct frames *f, const struct frames_want *want,
                            const struct sample *s)
{
    const char *parent = f->parent;
    const size_t before = f->len;
    pts_status st = PTS_OK;

    for (uint32_t i = 0;
         st == PTS_OK && i < s->stacks->unwound_len && i < want->max_stack; i++)
        if (s->stacks->unwound[i])
            st = put_unwound(f, want, &s->who, s->stacks->unwound[i]);
    f->unwound = f->len - before;
    f->parent = parent;
    return st;
}

static pts_status take_history(struct frames *f, const struct frames_want *want,
                               const struct sample *s)
{
    pts_status st = PTS_OK;

    if (want->callers_first) {
        st = put_stack(f, want, s);
        reverse(f, want);
    }
    if (st == PTS_OK)
        st = frames_put_history(f, want, s);
    return st == PTS_OK && !want->callers_first ? put_stack(f, want, s) : st;
}

static pts_status take(struct frames *f, const struct frames_want *want,
                       const struct sample *s)
{
    if (want->history && s->stacks && s->stacks->branches && !s->stacks->whole)
        return take_history(f, want, s);
    if (!s->stacks || !s->stacks->chain)
        return PTS_OK;
    pts_status st = put_chain(f, want, s);
    if (st == PTS_OK)
        st = put_stack(f, want, s);
    if (want->callers_first)
        reverse(f, want);
    return st;
}

/* perf begins anew at each function that is asked for, in the order in which frames are shown,
 * but for one that is the parent; it does not look at those of stack dumps. */
static void begin_at(struct frames *f, const struct frames_want *want)
{
    size_t from = want->callers_first ? f->unwound : 0,
           to = want->callers_first ? f->len : f->len - f->unwound, first = SIZE_MAX;
    bool parent = false;

    for (size_t i = from; i < to; i++) {
        const char *sym = f->at[i].sym;
        if (!sym)
            continue;
        if (want->parents && !parent && parents_have(want->parents, sym))
            parent = true;
        else if (parents_have(want->first, sym))
            first = i;
    }
    f->begun = first != SIZE_MAX;
    if (!f->begun || !first)
        return;
    f->len -= first;
    memmove(f->at, f->at + first, f->len * sizeof(*f->at));
    if (want->hops)
        memmove(f->hop, f->hop + first, f->len * sizeof(*f->hop));
}

pts_status frames_take(struct frames *f, const struct frames_want *want,
                       const struct sample *s)
{
    f->len = f->unwound = 0;
    f->parent = NULL;
    f->begun = false;
    pts_status st = take(f, want, s);
    if (st == PTS_OK && want->first)
        begin_at(f, want);
    return st;
}
