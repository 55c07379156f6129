/* relay_kind.c - whether a queue is followed ahead of its turn, and in what segments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walker/relay/relay_kind.h"

/* Instructions are counted off: when the first one of a segment is sampled cannot be guessed. */
static bool counts_off(const struct flow_config *f)
{
    return f->period_type == PERIOD_INSNS && f->period > 1;
}

/* Not where somebody else says when or for whom to go. */
static bool can_be_cut(const struct relay_conf *c, uint64_t segment_bytes)
{
    const struct flow_config *f = c->flow;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < c->queue.count; i++)
        bytes += c->queue.bufs[i].len;
    return bytes > segment_bytes && !f->timeless && !c->queue.by_piece &&
           !(counts_off(f) && f->range_count) && !f->late_tsc;
}

/* Branches that somebody looks at, or nearly each instruction. */
static bool tells_much(const struct flow_config *f)
{
    const uint64_t few = counts_off(f) ? 64 : 2;

    return (f->want & EV_BRANCH && !f->net_calls) ||
           (f->want & EV_INSN && f->period_type != PERIOD_NONE && f->period < few);
}

/* Samples so often (some 30 microseconds in TSC ticks, or 256 instructions), or so large ones, that what they
 * lead to waits long for a large segment. */
static bool samples_much(const struct flow_config *f)
{
    enum { OFTEN = 1 << 17, OFTEN_INSNS = 1 << 8 };
    const uint64_t often = f->period_type == PERIOD_TICKS ? OFTEN : OFTEN_INSNS;

    return f->want & EV_INSN && f->period_type != PERIOD_NONE &&
           (f->period < often || f->last_branches);
}

/* All branches, or each instruction: what a segment tells takes much memory. */
static bool tells_all(const struct flow_config *f)
{
    return tells_much(f) && !(f->want & EV_BRANCH && f->want_classes != UINT32_MAX);
}

enum {
    QUIET = 1 << 20,
    COUNTED_OFF = 512 << 10,
    MANY_SAMPLES = 256 << 10,
    SOME_BRANCHES = 80 << 10,
    ALL = 12 << 10,
    LEAST_BYTES = 8 << 10 /* for less it does not pay */
};

/* Of a segment: as the fewer, the more of them is followed only to guess, which is from one PSB
 * to the next (2 to 64 KB), and the more often somebody begins without a place looked up; but all
 * that is told of some must have room. */
static uint64_t bytes_for(const struct flow_config *f)
{
    if (tells_much(f))
        return tells_all(f) ? ALL : SOME_BRANCHES;
    return samples_much(f) ? MANY_SAMPLES : counts_off(f) ? COUNTED_OFF : QUIET;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* No more than what there is for each. */
static uint64_t bytes_each(const struct relay_conf *c)
{
    const struct flow_config *f = c->flow;
    const bool quiet = !tells_much(f) && !counts_off(f);

    return least(bytes_for(f), quiet ? c->team->quiet_bytes : c->team->bytes);
}

/* What segments tell is ten to fifty times as much as they have of trace where branches are told, also those that
 * a sample has, else some times.  Of several queues all may have some that wait: so long these are at most. */
static uint64_t bytes_of_many(const struct relay_conf *c)
{
    enum { ROOM_FOR_ALL = 512 << 10, ROOM_FOR_SOME = 2 << 20, ROOM = 16 << 20 };
    const struct flow_config *f = c->flow;
    const bool all = tells_all(f) || (counts_off(f) && f->last_branches);
    const uint64_t room = all                                ? ROOM_FOR_ALL
                          : tells_much(f) || samples_much(f) ? ROOM_FOR_SOME
                                                             : ROOM;

    return c->team->queues > 1 ? room / (c->team->queues * c->team->ahead) : UINT64_MAX;
}

/* Of several queues, which all come to their ends at about the same time: the shorter these are, the sooner
 * somebody else has something to do.  Nothing is followed only to guess. */
static uint64_t chained_bytes_of(const struct relay_conf *c)
{
    enum { ROOM = 4 << 20 };
    const uint64_t queues = c->team->queues;
    const uint64_t each = queues > 1 ? ROOM / (queues * c->team->ahead) : UINT64_MAX;

    return each < LEAST_BYTES ? LEAST_BYTES : each;
}

/* Two segments of each queue wait then, which of many queues are too much where branches are told. */
static bool may_chain(const struct relay_conf *c)
{
    enum { MANY = 8 };

    return !c->flow->range_count && !(c->team->queues > MANY && tells_much(c->flow));
}

/* While one of all branches is put to use, which takes as long as to follow one, the next is followed: of a few queues
 * there is one more, so that nobody waits for the other. */
static uint16_t most_of(const struct relay_conf *c)
{
    enum { FEW = 8 };
    const uint64_t queues = c->team->queues;
    const bool more = tells_all(c->flow) && queues > 1 && queues <= FEW;

    return (uint16_t)least(c->team->ahead + more, UINT16_MAX);
}

/* The only other one is busy with what branches lead to. */
static bool is_left_alone(const struct relay_conf *c)
{
    return c->team->busy && tells_much(c->flow);
}

struct relay_kind relay_kind_of(const struct relay_conf *c)
{
    struct relay_kind k = {.chained = counts_off(c->flow),
                           .chained_in_crowds = may_chain(c),
                           .large = tells_all(c->flow),
                           .most = most_of(c)};
    const bool alone = is_left_alone(c);

    if (!c->team->crew)
        return k;
    const uint64_t many = bytes_of_many(c);
    k.bytes = (uint32_t)least(bytes_each(c), many);
    k.chained_bytes = (uint32_t)least(k.bytes, chained_bytes_of(c));
    k.crowds_only =
        alone && c->team->busy_in_crowds && c->flow->want_times && k.chained_in_crowds;
    k.ahead =
        many >= LEAST_BYTES && (!alone || k.crowds_only) && can_be_cut(c, k.bytes);
    return k;
}
