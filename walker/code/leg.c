/* leg.c - code from one branch that only a packet decides to the next.
 *
 * SPDX-License-Identifier: MIT
 *
 * Legs are found by where they begin, in a table that is made four times as large when it is three quarters
 * full: to move them looks at each.  All of it is in the arena of the code, outgrown tables too: together
 * these take no more than a third of the last one.
 */
#include "walker/code/leg.h"

#include <string.h>

enum {
    MAPS_MAX = 16,    /* of one file; a file that is its own heap has very many */
    FIRST_SHIFT = 26, /* 64 slots */
    LAST_SHIFT = 2,
    INSNS_MAX = (1 << 23) - 1 /* LEG_DIRECT_MAX blocks have fewer */
};

static struct leg_slots *slots_new(struct code *c, uint32_t shift)
{
    struct leg_slots *s = arena_alloc(
        &c->blocks, sizeof(*s) + ((size_t)1 << (32 - shift)) * sizeof(struct leg *));

    if (s)
        s->shift = shift;
    return s;
}

static struct leg_map *map_new(struct code *c, pthread_mutex_t *lock,
                               enum ild_mode mode, uint64_t off, uint32_t len)
{
    struct leg_map *m = arena_alloc(&c->blocks, sizeof(*m));
    struct leg_slots *slots = m ? slots_new(c, FIRST_SHIFT) : NULL;
    if (!slots)
        return NULL;
    *m = (struct leg_map){
        .code = c, .mode = mode, .off = off, .len = len, .slots = slots, .lock = lock};
    return m;
}

static struct leg_map *map_of(struct code *c, pthread_mutex_t *lock, enum ild_mode mode,
                              uint64_t off, uint32_t len)
{
    struct leg_map **m = &c->legs;
    for (int n = 0; *m; n++, m = &(*m)->next) {
        if ((*m)->off == off && (*m)->len == len && (*m)->mode == mode)
            return *m;
        if (n == MAPS_MAX)
            return NULL;
    }
    *m = map_new(c, lock, mode, off, len);
    return *m;
}

struct leg_map *leg_map_of(struct code *c, enum ild_mode mode, uint64_t off,
                           uint32_t len)
{
    struct code_pool *p = c->pool;
    struct leg_map *m = c->pooled;

    if (!p)
        return map_of(c, NULL, mode, off, len);
    if (m && m->off == off && m->len == len && m->mode == mode)
        return m;
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < 2; i++)
        if (c->stop[i]) /* the same for all */
            __atomic_store_n(&p->code.stop[i], c->stop[i], __ATOMIC_RELAXED);
    m = map_of(&p->code, &p->lock, mode, off, len);
    pthread_mutex_unlock(&p->lock);
    c->pooled = m;
    return m;
}

static bool is_stop(const struct leg_map *m, uint64_t at)
{
    const uint64_t off = m->off + at, *stop = m->code->stop;
    return off && (off == __atomic_load_n(&stop[0], __ATOMIC_RELAXED) ||
                   off == __atomic_load_n(&stop[1], __ATOMIC_RELAXED));
}

/* Follows direct branches from leg->at to one of another kind; pass has room for
 * LEG_PASS_MAX.  False: there is none nearby, or the way to it leaves the map or is
 * not plain. */
static bool leg_follow(const struct leg_map *m, struct leg *leg, struct leg_pass *pass,
                       struct when *w)
{
    uint64_t at = leg->at;

    for (int n = 0; n < LEG_DIRECT_MAX && at < m->len; n++) {
        struct block b = block_decode(m->code, m->mode, m->off + at, w);
        if (b.state != BLOCK_BRANCH || b.ptwrite || at + b.bytes >= m->len)
            return false;
        at += b.bytes;
        leg->special |= b.special;
        leg->length += b.ninsn;
        if (b.branch != BRANCH_DIRECT) {
            leg->end = (uint32_t)at;
            leg->rel = b.rel;
            leg->cls = b.cls;
            leg->branch = b.branch;
            leg->len = b.len;
            return true;
        }
        at += b.len;
        if (leg->direct == LEG_PASS_MAX)
            return false;
        bool call = b.cls == INSN_CALL;
        leg->calls += call;
        pass[leg->direct++] = (struct leg_pass){
            NULL, (uint32_t)at, b.rel, leg->length & INSNS_MAX, call, b.len};
        at += (uint64_t)(int64_t)b.rel;
        if (is_stop(m, at))
            return false;
    }
    return false;
}

static void slot_fill(struct leg_slots *s, struct leg *leg)
{
    uint32_t i = leg_hash(leg->at, s->shift);
    while (s->at[i])
        i = (i + 1) & (UINT32_MAX >> s->shift);
    leg_link(&s->at[i], leg);
}

/* Keeps a quarter of the slots free: every search ends, most at once. */
static bool room_for_one(struct leg_map *m)
{
    const struct leg_slots *s = m->slots;
    uint64_t slots = UINT64_C(1) << (32 - s->shift);
    if (m->count + 1 <= slots / 4 * 3)
        return true;
    if (s->shift == LAST_SHIFT)
        return false;
    struct leg_slots *wider = slots_new(m->code, s->shift - 2);
    if (!wider)
        return false;
    for (uint64_t i = 0; i < slots; i++) {
        if (s->at[i])
            slot_fill(wider, s->at[i]);
    }
    __atomic_store_n(&m->slots, wider, __ATOMIC_RELEASE);
    return true;
}

/* Whether the only call that a leg passes is one from which somebody returns. */
static bool one_returns(const struct leg *leg, const struct leg_pass *pass)
{
    for (unsigned i = 0; leg->calls == 1 && i < leg->direct; i++)
        if (pass[i].call)
            return pass[i].rel != 0;
    return false;
}

static void leg_sort(struct leg *leg, const struct leg_pass *pass)
{
    const bool plain = !leg->timed && !leg->calls;
    const bool ret = leg->branch == BRANCH_INDIRECT && leg->cls == INSN_RET;
    const bool cond = leg->branch == BRANCH_COND;

    leg->push = plain && ret ? -1 : !leg->timed && cond && one_returns(leg, pass);
    leg->length |= plain && cond ? 0 : LEG_ODD;
}

void leg_returns(struct leg *leg, struct leg_pass *call, struct leg *back)
{
    leg_link(&call->back, back);
    if (leg->push > 0)
        leg_link(&leg->back, back);
}

/* The leg at `at`; where there is none, one of BRANCH_NONE, so that nobody tries again. */
static struct leg leg_read(const struct leg_map *m, uint32_t at, struct leg_pass *pass,
                           struct when *w)
{
    struct leg made = {.at = at};
    if (!leg_follow(m, &made, pass, w))
        made = (struct leg){.at = at};
    made.timed = w->timed;
    leg_sort(&made, pass);
    return made;
}

/* The epochs from which and until which a timed leg holds. */
static uint32_t *leg_span(struct leg *leg)
{
    return (uint32_t *)&leg->pass[LEG_PASS_MAX];
}

static void leg_fill(struct leg *leg, const struct leg *made,
                     const struct leg_pass *pass, const struct when *w)
{
    *leg = *made;
    memcpy(leg->pass, pass, made->direct * sizeof(pass[0]));
    if (!made->timed)
        return;
    leg_span(leg)[0] = w->from;
    leg_span(leg)[1] = w->until;
}

/* That a leg is timed depends on what it reads before the code that changes: it stays so. */
struct leg *leg_then(const struct leg_map *m, struct leg *leg, uint32_t epoch)
{
    struct leg_pass pass[LEG_PASS_MAX];
    if (epoch >= leg_span(leg)[0] && epoch < leg_span(leg)[1])
        return leg;
    struct when w = when_at(epoch);
    struct leg made = leg_read(m, leg->at, pass, &w);
    leg_fill(leg, &made, pass, &w);
    return leg;
}

static size_t leg_size(const struct leg *made)
{
    size_t passed = made->timed ? LEG_PASS_MAX : made->direct;
    return sizeof(*made) + passed * sizeof(made->pass[0]) +
           (made->timed ? 2 * sizeof(uint32_t) : 0);
}

static struct leg *leg_add(struct leg_map *m, const struct leg *made,
                           const struct leg_pass *pass, const struct when *w)
{
    struct leg *leg =
        room_for_one(m) ? arena_alloc(&m->code->blocks, leg_size(made)) : NULL;
    if (!leg)
        return NULL;
    leg_fill(leg, made, pass, w);
    slot_fill(m->slots, leg);
    m->count++;
    return leg;
}

/* What the code says is the same for all, so that they look at it side by side. */
struct leg *leg_make(struct leg_map *m, uint32_t at, uint32_t epoch)
{
    struct leg_pass pass[LEG_PASS_MAX];
    struct when w = when_at(epoch);
    struct leg made = leg_read(m, at, pass, &w);
    if (!m->lock)
        return leg_add(m, &made, pass, &w);
    pthread_mutex_lock(m->lock);
    struct leg *leg = leg_made(m, at); /* by somebody else meanwhile */
    if (!leg)
        leg = leg_add(m, &made, pass, &w);
    pthread_mutex_unlock(m->lock);
    return leg;
}

/* From `at`, which is no branch, nor are those before the n-th. */
static bool insn_behind(const struct leg_map *m, uint64_t at, uint32_t n,
                        struct leg_insn *out)
{
    for (uint64_t end = m->len; at < end;) {
        const uint8_t *code = m->code->bytes + m->off + at;
        uint32_t plain = n - 1;
        if (ild_is_64(m->mode) && plain) {
            struct ild branch; /* none comes before the n-th */
            const size_t bytes = ild_run(code, end - at, m->mode, &plain, &branch);
            code += bytes;
            at += bytes;
            n -= plain;
        }
        struct ild insn = ild_decode(code, end - at, m->mode);
        if (!insn.len)
            return false;
        if (--n == 0) {
            *out = (struct leg_insn){.at = at, .len = insn.len, .cls = insn.cls};
            return true;
        }
        at += insn.len;
    }
    return false;
}

bool leg_insn(const struct leg_map *m, const struct leg *leg, uint32_t n,
              struct leg_insn *out)
{
    const struct leg_pass *p = leg->pass, *end = p + leg->direct;
    uint64_t at = leg->at;
    uint32_t before = 0;

    for (; p < end && p->ninsn < n; p++) {
        before = p->ninsn;
        at = p->ret + (uint64_t)(int64_t)p->rel;
    }
    if (p == end || p->ninsn > n) {
        bool read = insn_behind(m, at, n - before, out);
        out->behind = before > 0;
        return read;
    }
    *out = (struct leg_insn){
        .at = p->ret - p->len,
        .to = p->ret + (uint64_t)(int64_t)p->rel,
        .len = (uint8_t)p->len,
        .cls = p->call ? INSN_CALL : INSN_JMP,
        .direct = true,
        .behind = before > 0,
    };
    return true;
}
