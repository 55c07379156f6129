/* prop_carry.c [SEEDS [FIRST]] - a trace that is followed in segments tells the same.
 *
 * SPDX-License-Identifier: MIT
 *
 * One flow follows a trace from end to end.  Others follow it from PSB to PSB, each from
 * the carry of the one before, with its return addresses or without.  All that they tell
 * must be equal, unless one says that it missed an address; and where a segment ends, a flow
 * that came there in one go must carry the same (I8).
 */
#include "tests/prop/random_trace.h"

enum { EVENTS = 8192, SEGMENTS = TRACE };

struct told {
    struct seen at[EVENTS];
    uint64_t payloads[EVENTS];
    size_t count;
};

static bool ends_at(const struct told *out, uint64_t tsc)
{
    return out->count && out->at[out->count - 1].ev.tsc == tsc;
}

static void add(struct told *out, const struct seen *one, uint64_t payload)
{
    if (out->count == EVENTS) /* no more are compared */
        return;
    out->payloads[out->count] = payload;
    out->at[out->count++] = *one;
}

/* Times by themselves may be told in other pieces, and once more than needed: one that an event
 * tells as well is not compared. */
static void take_times(struct told *out, const struct pt_event *ev)
{
    for (uint32_t i = 0; i <= ev->later; i++)
        if (!ends_at(out, ev->times[i]))
            add(out, &(struct seen){.ev.tsc = ev->times[i]}, 0);
}

static void take(const struct flow_config *conf, struct told *out,
                 const struct event_batch *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        const struct pt_event *ev = &b->at[i];
        uint64_t sum = 0;
        if (!ev->what) {
            take_times(out, ev);
            continue;
        }
        if (ends_at(out, ev->tsc) && !out->at[out->count - 1].ev.what)
            out->count--;
        const struct pt_extra *x = batch_payload(b, ev).extra;
        for (unsigned k = 0; x && k < EV_COUNT; k++)
            sum += ev->what >> k & 1 ? x->value[k] * (k + 1) : 0;
        const struct seen one = seen_of(conf, b, ev);
        add(out, &one, sum);
    }
}

static bool run(const struct flow_config *conf, struct flow *f, struct told *out)
{
    struct event_batch batch;
    pts_status st;

    while ((st = flow_next(f, &batch)) == PTS_OK)
        take(conf, out, &batch);
    return st == PTS_END;
}

struct setting {
    struct flow_config conf;
    struct flow_queue queue;
    const struct sideband *sb;
};

static struct flow *begin(const struct setting *s, bool *any)
{
    const struct flow_images images = {code_of, NULL};
    struct flow *f;

    if (flow_new(&s->conf, &s->queue, s->sb, &images, &f) < 0)
        exit(1);
    if (!any)
        return f;
    *any = flow_start(f) == PTS_OK;
    if (s->conf.timeless)
        flow_place(f, 1);
    return f;
}

static void whole(const struct setting *s, struct told *out)
{
    bool any;
    struct flow *f = begin(s, &any);

    out->count = 0;
    if (any)
        run(&s->conf, f, out);
    flow_free(f);
}

/* Whether a flow in one go comes to c with the same knowledge. */
static bool comes_to(const struct setting *s, const struct carry *c)
{
    static struct told ignored;
    const struct carry_use but_cycles = {true, true, false, true};
    struct carry other;
    struct setting own = *s;
    bool any;

    own.queue.missing = NULL;
    struct flow *f = begin(&own, &any);
    ignored.count = 0;
    flow_stop_at(f, c->at.buf, c->at.off);
    bool same = any && run(&s->conf, f, &ignored) && flow_carry(f, &other) &&
                (s->conf.want_cycles ? carry_same(c, &other)
                                     : carry_fits(c, &other, &but_cycles));
    flow_free(f);
    return same;
}

/* How many segments there were; 0 when one does not carry what it should.  rets: return
 * addresses are handed on. */
static unsigned segments(const struct setting *s, struct told *out, bool rets,
                         bool *missed)
{
    unsigned n = 1;
    bool any;
    struct carry c;
    struct flow *f = begin(s, &any);

    out->count = 0;
    flow_stop_at(f, 0, 0);
    while (any && run(&s->conf, f, out) && flow_carry(f, &c)) {
        struct flow *next = begin(s, NULL);
        flow_resume(next, &c, rets ? f : NULL);
        flow_stop_at(next, c.at.buf, c.at.off + 1);
        *missed |= flow_missed(f);
        flow_free(f);
        f = next;
        if (n++ < 3 && !*missed && !comes_to(s, &c)) {
            flow_free(f);
            return 0;
        }
    }
    *missed |= flow_missed(f);
    flow_free(f);
    return n;
}

static bool event_same(const struct seen *x, const struct seen *y)
{
    const struct pt_event *a = &x->ev, *b = &y->ev;

    return a->what == b->what && a->from == b->from && a->to == b->to &&
           a->tsc == b->tsc && x->ninsn == y->ninsn && x->ncyc == y->ncyc &&
           a->flags == b->flags && a->cls == b->cls && a->ilen == b->ilen &&
           a->trace_nr == b->trace_nr;
}

static bool told_same(const struct told *a, const struct told *b, uint64_t seed)
{
    size_t i = 0;

    while (i < a->count && i < b->count && event_same(&a->at[i], &b->at[i]) &&
           a->payloads[i] == b->payloads[i])
        i++;
    if (i == a->count && i == b->count)
        return true;
    printf("seed %llu: event %zu of %zu in one go, %zu in segments differs\n",
           (unsigned long long)seed, i, a->count, b->count);
    return false;
}

/* The trace in up to three buffers, which go on one another or not. */
static uint32_t cut(const struct trace *t, struct pt_buf *buf)
{
    uint32_t n = 1 + below(3);
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        size_t end = i + 1 < n ? at + below((uint32_t)(t->len - at)) : t->len;
        buf[i] = (struct pt_buf){.ptr = t->at + at,
                                 .len = end - at,
                                 .ref = t->timed ? 1000 : 0,
                                 .nr = i,
                                 .consecutive = i && !one_in(3)};
        at = end;
    }
    return n;
}

static void vary(struct flow_config *conf, struct flow_range range[3])
{
    if (one_in(4))
        conf->want &= ~(uint32_t)(EV_BRANCH | EV_INSN | EV_TRACE_BEGIN | EV_TRACE_END);
    conf->quick = one_in(6) ? 1 + below(2) : 0;
    conf->approx_ipc = one_in(2);
    conf->want_cycles = one_in(2);
    conf->want_insn_bytes = one_in(2);
    conf->period_type = (enum flow_period)below(3);
    conf->period = 1 + below(100);
    conf->cyc_threshold = one_in(3);
    conf->ranges = range;
    conf->range_count = one_in(3) ? ranges_random(range) : 0;
}

static bool seed_holds(uint64_t seed, uint64_t *parts, uint64_t *misses)
{
    static struct trace t;
    static struct told one, many;
    static uint8_t missing[16];
    struct pt_buf buf[3];
    struct flow_range range[3];

    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    code_random();
    trace_random(&t);
    struct sideband *sb = sideband_random();
    struct setting s = {
        config_random(&t),
        {.bufs = buf, .cpu = 0, .tid = PID, .use_current = true},
        sb
    };
    vary(&s.conf, range);
    s.queue.count = cut(&t, buf);
    whole(&s, &one);
    s.queue.missing = missing;
    bool holds = true;
    for (int rets = 1; rets >= 0; rets--) {
        bool missed = false;
        memset(missing, 0, sizeof(missing));
        unsigned n = segments(&s, &many, rets, &missed);
        *parts += n;
        *misses += missed;
        if (!n)
            printf("seed %llu: a segment carries something else\n",
                   (unsigned long long)seed);
        holds &= n && !(rets && missed) && (missed || told_same(&one, &many, seed));
    }
    sb_free(sb);
    for (int i = 0; i < 3; i++)
        code_free(&code[i]);
    return holds;
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t parts = 0, misses = 0;
    unsigned bad = 0;

    for (uint64_t s = first; s < first + seeds; s++)
        bad += !seed_holds(s, &parts, &misses);
    printf("%llu seeds, %llu segments, %llu times an address was missed, %u differ\n",
           (unsigned long long)seeds, (unsigned long long)parts,
           (unsigned long long)misses, bad);
    return bad || parts < seeds * 3 || misses > seeds / 10;
}
