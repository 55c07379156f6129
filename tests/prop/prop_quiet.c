/* prop_quiet.c [SEEDS [FIRST]] - a flow tells the same whether branches are wanted or
 * not.
 *
 * SPDX-License-Identifier: MIT
 *
 * Two flows follow the same packets: one that is asked for branches goes branch by branch,
 * one that is not takes the quiet way.  All else that they tell must be equal, with its
 * times and counts (I7).
 */
#include "tests/prop/random_trace.h"

/* --- Both ways --- */

enum { EVENTS = 4096 };

struct told {
    struct pt_event at[EVENTS];
    size_t count;
    uint64_t ptwrites;
    uint64_t
        times; /* of the queue, from the one on that was asked for: a hash of them */
};

enum { BRANCHES = EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END };

/* All that is no branch. */
static void follow(const struct flow_config *conf, const struct pt_buf *buf,
                   const struct sideband *sb, uint64_t until, struct told *out)
{
    const struct flow_queue queue = {.bufs = buf, .count = 1, .cpu = 0, .tid = PID};
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
    while (st == PTS_OK && (st = flow_next(f, &batch)) == PTS_OK) {
        for (uint32_t i = 0; i < batch.count && out->count < EVENTS; i++) {
            struct pt_event ev = batch.at[i];
            if (conf->want_times && !(ev.what & EV_ERROR) && ev.tsc >= until &&
                ev.tsc != last)
                out->times = (out->times ^ (last = ev.tsc)) * UINT64_C(0x100000001b3);
            ev.what &= ~(uint32_t)BRANCHES;
            if (conf->quick) /* every target is an instruction then */
                ev.what &= ~(uint32_t)EV_INSN;
            if (ev.what & EV_PTWRITE)
                out->ptwrites += batch.extra[ev.extra - 1].value[EV_NR_PTWRITE];
            if (ev.what)
                out->at[out->count++] = ev;
        }
    }
    flow_free(f);
}

static bool event_same(const struct pt_event *a, const struct pt_event *b)
{
    return a->what == b->what && a->from == b->from && a->tsc == b->tsc &&
           a->ninsn == b->ninsn && a->err == b->err && a->trace_nr == b->trace_nr &&
           (a->what != EV_INSN || a->ncyc == b->ncyc);
}

static void event_print(const char *who, const struct pt_event *ev)
{
    printf("  %s: what %#x from %#llx tsc %llu ninsn %llu err %u\n", who, ev->what,
           (unsigned long long)ev->from, (unsigned long long)ev->tsc,
           (unsigned long long)ev->ninsn, ev->err);
}

static bool told_same(const struct told *loud, const struct told *quiet, uint64_t seed)
{
    size_t i = 0;
    while (i < loud->count && i < quiet->count &&
           event_same(&loud->at[i], &quiet->at[i]))
        i++;
    if (i == loud->count && i == quiet->count && loud->ptwrites == quiet->ptwrites &&
        loud->times == quiet->times)
        return true;
    printf("seed %llu: event %zu of %zu, %zu differs\n", (unsigned long long)seed, i,
           loud->count, quiet->count);
    if (i < loud->count)
        event_print("branch by branch", &loud->at[i]);
    if (i < quiet->count)
        event_print("quiet", &quiet->at[i]);
    return false;
}

static bool seed_holds(uint64_t seed, uint64_t *walked)
{
    static struct trace t;
    static struct told loud, quiet;

    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    code_random();
    trace_random(&t);
    struct sideband *sb = sideband_random();
    const struct pt_buf buf = {.ptr = t.at, .len = t.len, .ref = t.timed ? 1000 : 0};
    struct flow_config conf = config_random(&t);
    conf.quick = one_in(4);
    conf.period_type = (enum flow_period)below(3);
    conf.period = 1 + below(one_in(2) ? 20000 : 50);
    uint64_t until = 500 + below(3000);
    follow(&conf, &buf, sb, until, &loud);
    conf.want &= ~(uint32_t)BRANCHES;
    if (conf.quick)
        conf.want &= ~(uint32_t)EV_INSN;
    follow(&conf, &buf, sb, until, &quiet);
    if (loud.count)
        *walked += loud.at[loud.count - 1].ninsn;
    sb_free(sb);
    for (int i = 0; i < 3; i++)
        code_free(&code[i]);
    return told_same(&loud, &quiet, seed);
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t walked = 0;
    unsigned bad = 0;

    for (uint64_t s = first; s < first + seeds; s++)
        bad += !seed_holds(s, &walked);
    printf("%llu seeds, %llu instructions walked, %u differ\n",
           (unsigned long long)seeds, (unsigned long long)walked, bad);
    return bad || walked < seeds * 100;
}
