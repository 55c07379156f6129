/* prop_quiet.c [SEEDS [FIRST [mtc]]] - a flow tells the same whether branches are wanted or
 * not.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two flows follow the same packets: one that is asked for branches goes branch by branch,
 * one that is not takes the quiet way.  All else that they tell must be equal, with its
 * times and counts (I7), wherever they pause.  The same for two that are asked for calls and
 * returns only, of which one has to give the bytes of instructions and therefore goes branch by
 * branch; and for two that are asked for these for the sake of call stacks, where those that
 * cancel out do not count, or of last branches, where only so many count; and where instructions are
 * counted off.  Where every instruction is sampled, a flow that may tell one only
 * before it is asked again tells the same as one that tells them by lines.
 *
 * mtc: of traces with MTCs and hardly any cycles.
 */
#include "tests/prop/random_trace.h"

/* --- Both ways --- */

enum { EVENTS = 4096 };

struct told {
    struct seen at[EVENTS];
    size_t count;
    bool cut; /* there were more */
    uint64_t ptwrites;
    uint64_t bytes; /* of instructions: a hash of them */
    uint64_t
        times; /* of the queue, from the one on that was asked for: a hash of them */
};

static uint64_t hash_of(uint64_t before, const uint8_t *bytes, uint8_t n)
{
    for (uint8_t i = 0; i < n; i++)
        before = (before ^ bytes[i]) * UINT64_C(0x100000001b3);
    return before;
}

static size_t most = SIZE_MAX; /* events of a batch */

static pts_status next(struct flow *f, struct event_batch *batch)
{
    return most == SIZE_MAX ? flow_next(f, batch) : flow_next_some(f, most, batch);
}

/* Times that are told, by events that say no more or on the way.  Last branches are told behind theirs: where
 * they are, only times that are later than all before count, which are those that end a turn. */
static void note_times(const struct flow_config *conf, const struct pt_event *ev,
                       uint64_t until, struct told *out, uint64_t *last)
{
    for (uint32_t i = 0; i <= (ev->what ? 0 : ev->later); i++) {
        const uint64_t at = ev->times[i];
        if (at >= until && (conf->last_branches ? at > *last : at != *last))
            out->times = (out->times ^ (*last = at)) * UINT64_C(0x100000001b3);
    }
}

/* All but events of some kinds. */
static void follow(const struct flow_config *conf, const struct pt_buf *buf,
                   const struct sideband *sb, uint64_t until, uint32_t but,
                   struct told *out)
{
    const struct flow_queue queue = {
        .bufs = buf, .count = 1, .cpu = 0, .tid = PID, .use_current = true};
    const struct flow_images images = {code_of, NULL};
    struct event_batch batch;
    struct flow *f;
    uint64_t last = 0;

    memset(out, 0, sizeof(*out));
    if (flow_new(conf, &queue, sb, &images, &f) < 0)
        exit(1);
    pts_status st = flow_start(f);
    if (conf->timeless)
        flow_place(f, 1);
    flow_until(f, until);
    while (st == PTS_OK && (out->count < EVENTS || conf->want_times) &&
           (st = next(f, &batch)) == PTS_OK) {
        for (uint32_t i = 0; i < batch.count && out->count < EVENTS; i++) {
            const struct pt_event *ev = &batch.at[i];
            const uint8_t *bytes = batch_insn(&batch, ev);
            struct seen one = seen_of(conf, &batch, ev);
            if (conf->want_times && !(ev->what & EV_ERROR))
                note_times(conf, ev, until, out, &last);
            one.ev.what &= ~but;
            if (but && conf->quick) /* every target is an instruction then */
                one.ev.what &= ~(uint32_t)EV_INSN;
            if (bytes)
                out->bytes = hash_of(out->bytes, bytes, ev->ilen);
            if (one.ev.what & EV_PTWRITE)
                out->ptwrites += batch_payload(&batch, ev).extra->value[EV_NR_PTWRITE];
            if (one.ev.what)
                out->at[out->count++] = one;
        }
    }
    out->cut = out->count == EVENTS;
    flow_free(f);
}

static bool event_same(const struct seen *x, const struct seen *y)
{
    const struct pt_event *a = &x->ev, *b = &y->ev;
    const bool error = a->what & EV_ERROR;

    return a->what == b->what && a->from == b->from && a->tsc == b->tsc &&
           x->ninsn == y->ninsn && (!error || a->err == b->err) &&
           a->trace_nr == b->trace_nr && (a->what != EV_INSN || x->ncyc == y->ncyc);
}

/* Branches, too: with all but bytes. */
static bool branch_same(const struct seen *x, const struct seen *y)
{
    const struct pt_event *a = &x->ev, *b = &y->ev;

    return !((a->what | b->what) & BRANCHES) ||
           (a->to == b->to && a->flags == b->flags && a->cls == b->cls &&
            a->ilen == b->ilen && x->ncyc == y->ncyc);
}

static void event_print(const char *who, const struct seen *s)
{
    const struct pt_event *ev = &s->ev;

    printf("  %s: what %#x from %#llx to %#llx tsc %llu ninsn %llu ncyc %llu "
           "flags %#x cls or err %u\n",
           who, ev->what, (unsigned long long)ev->from, (unsigned long long)ev->to,
           (unsigned long long)ev->tsc, (unsigned long long)s->ninsn,
           (unsigned long long)s->ncyc, ev->flags, ev->cls);
}

static bool told_same(const struct told *loud, const struct told *quiet, uint64_t seed)
{
    size_t i = 0;
    while (i < loud->count && i < quiet->count &&
           event_same(&loud->at[i], &quiet->at[i]) &&
           branch_same(&loud->at[i], &quiet->at[i]))
        i++;
    if (i == loud->count && i == quiet->count && loud->ptwrites == quiet->ptwrites &&
        loud->times == quiet->times)
        return true;
    if ((loud->cut && i == loud->count) || (quiet->cut && i == quiet->count))
        return true;
    printf("seed %llu: event %zu of %zu, %zu differs\n", (unsigned long long)seed, i,
           loud->count, quiet->count);
    if (i < loud->count)
        event_print("branch by branch", &loud->at[i]);
    if (i < quiet->count)
        event_print("quiet", &quiet->at[i]);
    return false;
}

/* A pause changes nothing at all. */
static bool pause_same(const struct told *a, const struct told *b, uint64_t seed)
{
    size_t i = 0;
    while (i < a->count && i < b->count && event_same(&a->at[i], &b->at[i]) &&
           a->at[i].ev.flags == b->at[i].ev.flags && a->at[i].ev.to == b->at[i].ev.to)
        i++;
    if (i == a->count && i == b->count && a->times == b->times)
        return true;
    printf("seed %llu: event %zu of %zu, %zu differs behind a pause\n",
           (unsigned long long)seed, i, a->count, b->count);
    return false;
}

/* Every instruction, one by one and by lines. */
static bool each_holds(struct flow_config conf, const struct pt_buf *buf,
                       const struct sideband *sb, uint64_t until, uint64_t seed)
{
    static struct told lines, single;

    conf.period_type = seed % 3 ? PERIOD_TICKS : PERIOD_INSNS;
    conf.period = 1;
    conf.want |= EV_INSN;
    conf.want_insn_bytes = seed % 2;
    conf.want_times = false;
    follow(&conf, buf, sb, until, 0, &lines);
    most = 1;
    follow(&conf, buf, sb, until, 0, &single);
    most = SIZE_MAX;
    if (lines.bytes == single.bytes)
        return pause_same(&lines, &single, seed);
    printf("seed %llu: bytes of instructions differ\n", (unsigned long long)seed);
    return false;
}

/* Calls and returns, or either. */
static bool calls_hold(struct flow_config conf, const struct pt_buf *buf,
                       const struct sideband *sb, uint64_t until, uint64_t seed)
{
    static struct told loud, quiet;
    static const uint32_t returns =
                              1u << INSN_RET | 1u << INSN_IRET | 1u << INSN_SYSRET,
                          calls = 1u << INSN_CALL | 1u << INSN_INT | 1u << INSN_SYSCALL;

    conf.want_classes = (seed % 4 ? calls : 0) | (seed % 4 != 1 ? returns : 0);
    if (seed % 3 == 0)
        conf.want_classes = seed % 2 ? UINT32_MAX : 1u << (seed / 6 % 11);
    conf.want_insn_bytes = true;
    follow(&conf, buf, sb, until, 0, &loud);
    conf.want_insn_bytes = false;
    follow(&conf, buf, sb, until, 0, &quiet);
    return told_same(&loud, &quiet, seed);
}

static bool is_plain_branch(const struct seen *s)
{
    const struct pt_event *ev = &s->ev;

    return ev->what == EV_BRANCH && ev->from &&
           !(ev->flags & (EVF_ASYNC | EVF_TX_ABORT));
}

/* The trace ends, and nobody knows where it leads: no call stack changes. */
static bool leads_nowhere(const struct seen *s)
{
    return s->ev.what == (EV_BRANCH | EV_TRACE_END) && !s->ev.to &&
           !(s->ev.flags & EVF_ASYNC);
}

/* The trace begins: whoever was to return there has, whenever that was. */
static bool begins(const struct seen *s)
{
    return (s->ev.what & ~(uint32_t)EV_TRACE_BEGIN) == EV_BRANCH && !s->ev.from &&
           !(s->ev.flags & (EVF_ASYNC | EVF_TX_ABORT));
}

/* Less calls that returned before anything else was told, and without what does not matter to
 * a call stack. */
static void net_of(struct told *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->count; i++) {
        struct seen one = t->at[i], *before = n ? &t->at[n - 1] : NULL;
        struct pt_event *ev = &one.ev, *last = before ? &before->ev : NULL;
        bool plain = is_plain_branch(&one);
        if (leads_nowhere(&one))
            continue;
        if (begins(&one))
            one = (struct seen){
                .ev = {.what = EV_BRANCH, .to = ev->to, .trace_nr = ev->trace_nr}
            };
        if (plain) {
            ev->tsc = one.ninsn = one.ncyc = 0;
            ev->flags = 0;
        }
        if (plain && ev->cls == INSN_CALL && (!ev->to || ev->to == ev->from + ev->ilen))
            continue;
        if (plain && ev->cls == INSN_RET && last && is_plain_branch(before) &&
            last->cls == INSN_CALL && last->from + last->ilen == ev->to)
            n--;
        else
            t->at[n++] = one;
    }
    t->count = n;
}

static const uint32_t stack_classes = 1u << INSN_CALL | 1u << INSN_INT |
                                      1u << INSN_SYSCALL | 1u << INSN_RET |
                                      1u << INSN_IRET | 1u << INSN_SYSRET;

static bool net_holds(struct flow_config conf, const struct pt_buf *buf,
                      const struct sideband *sb, uint64_t until, uint64_t seed,
                      size_t *cancelled)
{
    static struct told loud, quiet;

    conf.want_classes = stack_classes;
    conf.net_calls = true;
    conf.want_insn_bytes = true;
    follow(&conf, buf, sb, until, 0, &loud);
    conf.want_insn_bytes = false;
    follow(&conf, buf, sb, until, 0, &quiet);
    if (loud.count > quiet.count)
        *cancelled += loud.count - quiet.count;
    net_of(&loud);
    net_of(&quiet);
    return told_same(&loud, &quiet, seed);
}

/* What all else is told with: the last branches that were told by then, however many were before. */
static void last_of(struct told *t, uint32_t wanted)
{
    static uint64_t ring[EVENTS];
    size_t n = 0, branches = 0;

    for (size_t i = 0; i < t->count; i++) {
        struct seen one = t->at[i];
        const struct pt_event ev = one.ev;
        const uint64_t what[] = {ev.from,     ev.to,
                                 ev.trace_nr, ev.flags & (EVF_IN_TX | EVF_TX_ABORT),
                                 ev.cls,      ev.ilen};
        if (ev.what & BRANCHES)
            ring[branches++] = hash_of(0, (const uint8_t *)what, sizeof(what));
        if (ev.what && !(ev.what & ~(uint32_t)BRANCHES))
            continue;
        const size_t shown = branches < wanted ? branches : wanted;
        for (size_t b = branches - shown; b < branches; b++)
            one.ninsn = one.ninsn * UINT64_C(0x9e3779b97f4a7c15) + ring[b];
        t->at[n++] = one;
    }
    t->count = n;
}

/* Last branches, which are told in front of what else is. */
static bool last_holds(struct flow_config conf, const struct pt_buf *buf,
                       const struct sideband *sb, uint64_t until, uint64_t seed)
{
    static struct told loud, quiet;

    conf.want_classes = UINT32_MAX;
    conf.net_calls = true;
    conf.last_branches = 1 + (uint32_t)seed % 40;
    conf.want_insn_bytes = true;
    follow(&conf, buf, sb, until, 0, &loud);
    conf.want_insn_bytes = false;
    follow(&conf, buf, sb, until, 0, &quiet);
    last_of(&loud, conf.last_branches);
    last_of(&quiet, conf.last_branches);
    return told_same(&loud, &quiet, seed);
}

/* Instructions that are counted off, with a period that many packets have. */
static bool samples_hold(struct flow_config conf, const struct pt_buf *buf,
                         const struct sideband *sb, uint64_t until, uint64_t seed)
{
    enum { LEAST = 33, MOST = 160 };
    static struct told loud, quiet;

    conf.period_type = PERIOD_INSNS;
    conf.period = LEAST + seed % (MOST - LEAST);
    conf.range_count = 0;
    conf.want_times &= trace_mtc || seed % 4 == 0;
    conf.quick = 0;
    conf.want_insn_bytes = true;
    follow(&conf, buf, sb, until, BRANCHES, &loud);
    conf.want_insn_bytes = false;
    size_t none = 0;
    if (!net_holds(conf, buf, sb, until, seed, &none) ||
        !last_holds(conf, buf, sb, until, seed))
        return false;
    conf.want &= ~(uint32_t)BRANCHES;
    follow(&conf, buf, sb, until, BRANCHES, &quiet);
    return told_same(&loud, &quiet, seed);
}

static bool seed_holds(uint64_t seed, uint64_t *walked, size_t *cancelled)
{
    struct flow_range range[3];
    static struct trace t;
    static struct told loud, quiet, paused;

    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    code_random();
    trace_random(&t);
    struct sideband *sb = sideband_random();
    const struct pt_buf buf = {.ptr = t.at, .len = t.len, .ref = t.timed ? 1000 : 0};
    struct flow_config conf = config_random(&t);
    conf.quick = one_in(4);
    conf.want_cycles = one_in(2);
    conf.cyc_threshold = seed % 3 == 0;
    conf.period_type = (enum flow_period)below(3);
    conf.period = 1 + below(one_in(2) ? 20000 : 50);
    uint64_t until = 500 + below(3000);
    conf.ranges = range;
    conf.range_count = ranges_random(range);
    bool called = calls_hold(conf, &buf, sb, until, seed) &
                  net_holds(conf, &buf, sb, until, seed, cancelled) &
                  last_holds(conf, &buf, sb, until, seed) &
                  each_holds(conf, &buf, sb, until, seed) &
                  samples_hold(conf, &buf, sb, trace_mtc ? until : 0, seed);
    follow(&conf, &buf, sb, until, BRANCHES, &loud);
    conf.pause = 1 + below(200);
    follow(&conf, &buf, sb, until, BRANCHES, &paused);
    bool same = pause_same(&loud, &paused, seed) && called;
    conf.pause = one_in(2) ? conf.pause : 0;
    conf.want &= ~(uint32_t)BRANCHES;
    if (conf.quick)
        conf.want &= ~(uint32_t)EV_INSN;
    follow(&conf, &buf, sb, until, BRANCHES, &quiet);
    if (loud.count)
        *walked += loud.at[loud.count - 1].ninsn;
    sb_free(sb);
    for (int i = 0; i < 3; i++)
        code_free(&code[i]);
    return told_same(&loud, &quiet, seed) && same;
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t walked = 0;
    size_t cancelled = 0;
    unsigned bad = 0;

    trace_mtc = argc > 3;
    for (uint64_t s = first; s < first + seeds; s++)
        bad += !seed_holds(s, &walked, &cancelled);
    printf("%llu seeds, %llu instructions walked, %zu calls cancelled out, %u differ\n",
           (unsigned long long)seeds, (unsigned long long)walked, cancelled, bad);
    return bad || walked < seeds * 100 || cancelled < seeds;
}
