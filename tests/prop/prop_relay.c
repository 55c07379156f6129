/* prop_relay.c [SEEDS [FIRST [mtc]]] - queues that are followed by several threads tell the same.
 *
 * SPDX-License-Identifier: MIT
 *
 * Up to three queues are followed and merged, as a run does it, up to random times as those
 * of records are.  Once each by itself; then in small segments that others follow ahead, also
 * with each guess taken for wrong.  All that the merge delivers must be equal.  So must be what comes
 * by time alone, up to a tie.
 *
 * mtc: of traces with MTCs and hardly any cycles.
 */
#include "tests/prop/random_trace.h"

#include "synth/sample/scout.h"
#include "walker/relay/relay.h"

enum { QUEUES = 3, HANDS = 2, EVENTS = 60000, RECORDS = 30 };

struct told {
    struct seen at[EVENTS];
    uint32_t queue[EVENTS]; /* QUEUES: a record took effect */
    uint64_t payload[EVENTS];
    size_t count;
};

struct setting {
    struct flow_config conf;
    struct flow_queue queue[QUEUES];
    struct pt_buf buf[QUEUES][3];
    uint32_t queues;
    const struct sideband *sb;
    uint64_t until[RECORDS];
    bool by_time;
};

/* --- Code, for each thread its own, with legs of its own or in common --------------- */

static struct code copies[HANDS + 1][3];
static struct code_pool *pools[3];

static struct code *code_of_hand(void *ctx, const struct sb_dso *dso)
{
    struct code *own = ctx;
    return &own[code_of(NULL, dso) - code];
}

static void copies_make(bool common)
{
    for (int i = 0; common && i < 3; i++)
        pools[i] = code_pool_new(&code[i]);
    for (int hand = 0; hand <= HANDS; hand++)
        for (int i = 0; i < 3; i++) {
            code_init(&copies[hand][i], text[i], CODE, true);
            copies[hand][i].manual = code[i].manual;
            copies[hand][i].given = true;
            copies[hand][i].pool = pools[i];
        }
}

static void copies_free(void)
{
    for (int hand = 0; hand <= HANDS; hand++)
        for (int i = 0; i < 3; i++)
            code_free(&copies[hand][i]);
    for (int i = 0; i < 3; i++) {
        code_pool_free(pools[i]);
        pools[i] = NULL;
        code_free(&code[i]);
    }
}

/* --- Running ----------------------------------------------------------------------- */

static pts_status next(void *ctx, uint32_t queue, const struct relay_turn *turn,
                       struct event_batch *out)
{
    struct relay **relay = ctx;
    return relay_next(relay[queue], turn, out);
}

static uint64_t reached(void *ctx, uint32_t queue)
{
    struct relay **relay = ctx;
    return flow_event_time(relay_flow(relay[queue]));
}

static void take(const struct flow_config *conf, struct told *out, uint32_t queue,
                 const struct merge_event *m)
{
    if (!m->ev) /* a pause */
        return;
    const struct pt_extra *x = batch_payload(m->batch, m->ev).extra;
    uint64_t sum = 0;

    if (out->count == EVENTS) /* no more are compared */
        return;
    for (unsigned k = 0; x && k < EV_COUNT; k++)
        sum += m->ev->what >> k & 1 ? x->value[k] * (k + 1) : 0;
    const uint8_t *bytes = batch_insn(m->batch, m->ev);
    for (unsigned k = 0; bytes && k < m->ev->ilen; k++)
        sum += (uint64_t)bytes[k] << k % 8 * 8;
    out->payload[out->count] = sum;
    out->queue[out->count] = queue;
    out->at[out->count++] = seen_of(conf, m->batch, m->ev);
}

/* One of both; by_time to a tie that is not known. */
struct order {
    struct merge *merge;
    struct by_time *by_time;
    struct scout scout;
    const struct setting *setting;
};

static pts_status order_next(const struct order *o, uint64_t until,
                             struct merge_event *out)
{
    return o->by_time ? by_time_next(o->by_time, until, out)
                      : merge_next(o->merge, until, out);
}

/* Some of those that follow an event in its batch. */
static void take_line(const struct order *o, const struct merge_event *told,
                      struct told *out)
{
    if (!told->ev || told->ev->what & EV_THREAD)
        return;
    const struct merge_line line =
        o->by_time ? by_time_line(o->by_time) : merge_line(o->merge);
    const uint32_t most = (uint32_t)(told->ev->from % 7);
    uint32_t n = 0;

    for (; n < line.count && n < most; n++) {
        const struct merge_event next = {told->queue, &line.at[n], told->batch};
        const struct pt_event *ev = next.ev;
        if (ev->what & (EV_ERROR | EV_THREAD) || ev->tsc >= line.until ||
            (!ev->what && ev->times[ev->later] >= line.until))
            break;
        if (ev->what)
            take(&o->setting->conf, out, told->queue, &next);
    }
    if (o->by_time)
        by_time_took(o->by_time, n);
    else
        merge_took(o->merge, n);
}

static void merge_all(const struct order *m, const struct setting *s, struct told *out)
{
    static const struct pt_event nothing;
    static const struct event_batch no_batch;
    const struct merge_event record = {.ev = &nothing, .batch = &no_batch};
    struct merge_event ev;

    for (int i = 0; i <= RECORDS; i++) {
        uint64_t until = i < RECORDS ? s->until[i] : UINT64_MAX;
        pts_status st;
        while ((st = order_next(m, until, &ev)) == PTS_OK) {
            take(&s->conf, out, ev.queue, &ev);
            take_line(m, &ev, out);
        }
        if (st < 0)
            return;
        take(&s->conf, out, QUEUES, &record);
    }
}

static bool prints(void *ctx, const struct pt_event *ev)
{
    (void)ctx;
    return !(ev->what & EV_THREAD);
}

static bool matters(void *ctx, const struct merge_event *silent,
                    const struct merge_event *other)
{
    (void)ctx;
    (void)silent;
    (void)other;
    return false;
}

static const struct relay *relay_of(void *ctx, uint32_t queue)
{
    return ((struct relay **)ctx)[queue];
}

static uint64_t ties, broken; /* of these the order was found */

static struct order *order_of_all; /* the one on its way */

static pts_status find_order(void *ctx, const struct by_time_tie *tie)
{
    struct order *o = order_of_all;
    const struct scout_queues of = {relay_of, ctx, o->setting->queues,
                                    &o->setting->conf, UINT64_MAX / 2};
    pts_status st = scout_order(&o->scout, &of, tie);

    ties++;
    broken += st == PTS_OK;
    return st;
}

static void order_make(const struct setting *s, struct relay **relay, struct order *o)
{
    const struct merge_source source = {next, relay};
    const struct by_time_source rare = {source, reached, prints, matters, find_order};

    order_of_all = o;
    o->setting = s;

    if (s->by_time ? by_time_new(s->queues, &rare, &o->by_time) < 0
                   : merge_new(s->queues, &source, &o->merge) < 0)
        exit(1);
}

static void order_add(const struct order *o, uint32_t queue, uint64_t tsc)
{
    if (o->by_time)
        by_time_add(o->by_time, queue, tsc);
    else
        merge_add(o->merge, queue, tsc);
}

static void run(const struct setting *s, const struct relay_team *team,
                struct told *out)
{
    struct relay *relay[QUEUES] = {0};
    struct order order = {0};

    out->count = 0;
    order_make(s, relay, &order);
    for (uint32_t i = 0; i < s->queues; i++) {
        const struct relay_conf conf = {
            .flow = &s->conf,
            .queue = s->queue[i],
            .sb = s->sb,
            .images = {code_of_hand, copies[0]},
            .team = team
        };
        if (relay_new(&conf, &relay[i]) < 0)
            exit(1);
        if (relay_start(relay[i]) == PTS_OK)
            order_add(&order, i, flow_time(relay_flow(relay[i])));
    }
    merge_all(&order, s, out);
    merge_free(order.merge);
    by_time_free(order.by_time);
    scout_free(&order.scout);
    for (uint32_t i = 0; i < s->queues; i++)
        relay_free(relay[i]);
}

/* --- Last branches ----------------------------------------------------------------- */

/* Branches that were told late, as of their queue: they become a part of what comes behind them there. */
static void fold(struct told *t, uint32_t wanted)
{
    static uint64_t ring[QUEUES][EVENTS];
    size_t branches[QUEUES] = {0}, n = 0;

    for (size_t i = 0; i < t->count; i++) {
        struct seen one = t->at[i];
        const struct pt_event ev = one.ev;
        const uint32_t q = t->queue[i];
        const bool is_record = q == QUEUES;
        if (!is_record && ev.what & BRANCHES)
            ring[q][branches[q]++] = ev.from * UINT64_C(0x9e3779b97f4a7c15) + ev.to;
        if (!is_record && ev.what && !(ev.what & ~(uint32_t)BRANCHES))
            continue;
        const size_t all = is_record ? 0 : branches[q];
        for (size_t b = all - (all < wanted ? all : wanted); b < all; b++)
            one.ninsn = one.ninsn * UINT64_C(0x100000001b3) + ring[q][b];
        t->queue[n] = q;
        t->payload[n] = t->payload[i];
        t->at[n++] = one;
    }
    t->count = n;
}

/* --- Comparing --------------------------------------------------------------------- */

/* As prop_quiet.c: of samples only whether their cycles are exact is looked at. */
static bool flags_same(const struct pt_event *a, const struct pt_event *b)
{
    unsigned differ = (unsigned)(a->flags ^ b->flags);

    if (a->what & EV_BRANCH)
        return !differ;
    return !(a->what & EV_INSN) || !(differ & EVF_IPC);
}

static bool event_same(const struct seen *x, const struct seen *y)
{
    const struct pt_event *a = &x->ev, *b = &y->ev;

    return a->what == b->what && a->from == b->from && a->to == b->to &&
           a->tsc == b->tsc && x->ninsn == y->ninsn && x->ncyc == y->ncyc &&
           flags_same(a, b) && a->cls == b->cls && a->ilen == b->ilen &&
           a->trace_nr == b->trace_nr;
}

/* tie: the other may have come to one, and told no more. */
static bool told_same(const struct told *a, const struct told *b, bool tie,
                      uint64_t seed)
{
    size_t i = 0;

    while (i < a->count && i < b->count && a->queue[i] == b->queue[i] &&
           event_same(&a->at[i], &b->at[i]) && a->payload[i] == b->payload[i])
        i++;
    if (i == b->count && (i == a->count || tie))
        return true;
    printf("seed %llu: event %zu of %zu alone, %zu with others differs\n",
           (unsigned long long)seed, i, a->count, b->count);
    return false;
}

static uint64_t events, timed; /* compared */

/* --- Settings ---------------------------------------------------------------------- */

/* The trace in up to three buffers, which go on one another or not. */
static uint32_t cut(const struct trace *t, struct pt_buf *buf, uint32_t nr)
{
    uint32_t n = 1 + below(3);
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        size_t end = i + 1 < n ? at + below((uint32_t)(t->len - at)) : t->len;
        buf[i] = (struct pt_buf){.ptr = t->at + at,
                                 .len = end - at,
                                 .ref = t->timed ? 1000 : 0,
                                 .nr = nr * 3 + i,
                                 .consecutive = i && !one_in(4)};
        at = end;
    }
    return n;
}

static void vary(struct flow_config *conf, struct flow_range range[3])
{
    conf->timeless = false;
    conf->max_loops = 1 + (int32_t)below(500); /* endless loops are not all there is */
    conf->late_tsc = 0;
    if (one_in(2))
        conf->want &= ~(uint32_t)(EV_BRANCH | EV_INSN | EV_TRACE_BEGIN | EV_TRACE_END);
    if (one_in(3)) /* a program is mostly decoded without errata */
        conf->errata = conf->strict = 0;
    conf->quick = one_in(8) ? 1 + below(2) : 0;
    conf->approx_ipc = one_in(2);
    conf->want_insn_bytes = one_in(2);
    conf->want_cycles = one_in(2);
    conf->period_type = (enum flow_period)below(3);
    conf->period = one_in(2) ? 1 : 1 + below(2000);
    conf->cyc_threshold = one_in(3);
    conf->pause = one_in(2) ? 1 + below(300) : 0;
    conf->ranges = range;
    conf->range_count = one_in(2) ? ranges_random(range) : 0;
}

/* Where only the last branches are asked for. */
static bool last_holds(const struct setting *of, const struct relay_team *team,
                       uint64_t seed)
{
    static struct told alone, shared;
    const struct relay_team nobody = {0};
    struct setting s = *of;

    s.conf.want |= EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END;
    s.conf.want_classes = UINT32_MAX;
    s.conf.net_calls = true;
    s.conf.last_branches = 1 + (uint32_t)seed % 40;
    s.conf.want_insn_bytes = false;
    run(&s, &nobody, &alone);
    run(&s, team, &shared);
    const bool cut = alone.count == EVENTS || shared.count == EVENTS;
    fold(&alone, s.conf.last_branches);
    fold(&shared, s.conf.last_branches);
    if (cut &&
        alone.count > shared.count) /* the end of one may have been told elsewhere */
        alone.count = shared.count;
    else if (cut)
        shared.count = alone.count;
    return told_same(&alone, &shared, false, seed);
}

static bool seed_holds(uint64_t seed, struct relay_team *team)
{
    static struct trace t[QUEUES];
    static struct told alone, shared;
    static struct setting s;
    const struct relay_team nobody = {0};
    struct flow_range range[3];

    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    code_random();
    copies_make(seed & 1);
    s = (struct setting){.queues = 1 + below(QUEUES)};
    for (uint32_t i = 0; i < s.queues; i++) {
        trace_random(&t[i]);
        s.queue[i] = (struct flow_queue){.bufs = s.buf[i],
                                         .count = cut(&t[i], s.buf[i], i),
                                         .cpu = 0,
                                         .tid = PID,
                                         .use_current = true};
    }
    uint64_t until = 1000;
    for (int i = 0; i < RECORDS; i++)
        s.until[i] = until += below(6000);
    struct sideband *sb = sideband_random();
    s.sb = sb;
    s.conf = config_random(&t[0]);
    vary(&s.conf, range);
    s.conf.want_times = s.queues > 1;
    team->bytes = 64 << below(4);
    team->quiet_bytes = team->bytes;
    team->distrust = one_in(10);
    team->crowd = one_in(2);
    team->crowded = one_in(3);
    team->busy = seed % 3 == 0; /* by the seed, so that what else it means stays */
    team->busy_in_crowds = seed % 9 != 0;
    team->queues = 1 + seed / 2 % 2;
    team->marks = 0;
    team->far = one_in(3) ? UINT64_MAX : below(20000);
    run(&s, &nobody, &alone);
    run(&s, team, &shared);
    bool same = told_same(&alone, &shared, false, seed);
    same &= last_holds(&s, team, seed);
    s.by_time = true;
    s.conf.want_times = false;
    team->marks = s.conf.range_count ? 0 : 1 + below(8);
    team->mark_bytes = below(2000);
    struct relay_team single = {.marks = team->marks, .mark_bytes = team->mark_bytes};
    run(&s, one_in(2) ? &single : team, &shared);
    same &= told_same(&alone, &shared, true, seed);
    sb_free(sb);
    copies_free();
    events += alone.count;
    timed += shared.count;
    return same;
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct flow_images images[HANDS + 1];
    struct relay_team team = {.images = images, .ahead = 3, .queues = 1};
    unsigned bad = 0;

    for (int i = 0; i <= HANDS; i++)
        images[i] = (struct flow_images){code_of_hand, copies[i]};
    trace_long = true;
    trace_mtc = argc > 3;
    if (crew_new(HANDS, &team.crew) < 0 || rooms_new(&team.rooms) < 0)
        return 1;
    for (uint64_t s = first; s < first + seeds; s++)
        bad += !seed_holds(s, &team);
    crew_free(team.crew);
    rooms_free(team.rooms);
    printf("%llu seeds, %llu events, %llu of them by time, %llu of %llu ties broken, "
           "%u differ\n",
           (unsigned long long)seeds, (unsigned long long)events,
           (unsigned long long)timed, (unsigned long long)broken,
           (unsigned long long)ties, bad);
    return bad || events < seeds * 50 || timed < seeds * 10 || broken < seeds / 10;
}
