/* made.c - the events that are made from a trace.
 *
 * SPDX-License-Identifier: MIT
 *
 * Their attrs are put together as perf does it, step by step from that of the traced
 * event: what branches turned on, the next ones turn off again.
 */
#include "synth/plan/made.h"

#include "decoder/pt/event.h"

#include <string.h>

#define HARDWARE(n) PTS_TYPE_HARDWARE, n
#define SYNTH(n)    PTS_TYPE_SYNTH, n
#define OWN         NULL
/* NOLINTBEGIN(bugprone-macro-parentheses): two columns in one */
#define MADE(name, word, attr, letter, needs, event, turn, text)                       \
    [MADE_##name] = {word, attr, ITRACE_ON(letter), MADE_NEEDS_##needs, EV_##event,    \
                     turn, text},
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct made_row rows[MADE_EVENTS] = {
#include "synth/plan/made.def"
};
#undef MADE

const struct made_row *made_row(enum made_event i)
{
    return &rows[i];
}

enum made_event made_of_config(uint64_t config)
{
    int i = 0;

    while (i < MADE_EVENTS &&
           (rows[i].type != PTS_TYPE_SYNTH || rows[i].config != config))
        i++;
    return (enum made_event)i;
}

void made_init(struct made *m)
{
    *m = (struct made){.traced = EVL_NONE};
    for (size_t i = 0; i < MADE_EVENTS; i++)
        m->event[i] = EVL_NONE;
}

/* sample_type of made event i, from that of the traced event. */
static uint64_t sample_type(uint64_t traced, const struct made *m,
                            const struct made_how *how, size_t i)
{
    static const uint64_t kept = PTS_SAMPLE_IP | PTS_SAMPLE_TID | PTS_SAMPLE_TIME |
                                 PTS_SAMPLE_ADDR | PTS_SAMPLE_ID |
                                 PTS_SAMPLE_STREAM_ID | PTS_SAMPLE_CPU |
                                 PTS_SAMPLE_PERIOD | PTS_SAMPLE_IDENTIFIER;
    uint64_t st = (traced & kept) | PTS_SAMPLE_IP | PTS_SAMPLE_TID | PTS_SAMPLE_PERIOD;

    st = how->timeless ? st & ~(uint64_t)PTS_SAMPLE_TIME : st | PTS_SAMPLE_TIME;
    if (!how->per_cpu)
        st &= ~(uint64_t)PTS_SAMPLE_CPU;
    if (i == MADE_BRANCHES)
        return st | PTS_SAMPLE_ADDR;
    if (m->listed[MADE_BRANCHES]) /* made first, it takes the bit away again */
        st &= ~(uint64_t)PTS_SAMPLE_ADDR;
    st |= how->chains ? PTS_SAMPLE_CALLCHAIN : 0;
    st |= how->branch_stacks ? PTS_SAMPLE_BRANCH_STACK : 0;
    if (i > MADE_INSTRUCTIONS)
        st &= ~(uint64_t)PTS_SAMPLE_PERIOD;
    return i > MADE_TRANSACTIONS ? st | PTS_SAMPLE_RAW : st;
}

/* As if recorded: each has an id, far above that of the traced event; 0 is none. */
pts_status made_list(struct made *m, struct evlist *l, uint32_t pt,
                     const struct made_how *how)
{
    static const uint64_t id_offset = 1000000000;
    static const uint64_t flags = PTS_ATTR_EXCLUDE_USER | PTS_ATTR_EXCLUDE_KERNEL |
                                  PTS_ATTR_EXCLUDE_HV | PTS_ATTR_EXCLUDE_HOST |
                                  PTS_ATTR_EXCLUDE_GUEST | PTS_ATTR_SAMPLE_ID_ALL;
    const struct evl_event traced = l->ev.at[pt];
    uint64_t id = traced.id + id_offset;

    m->traced = pt;
    id += id == 0;
    for (size_t i = 0; i < MADE_EVENTS; i++) {
        if (!m->listed[i])
            continue;
        struct evl_attr a = {
            .type = rows[i].type,
            .config = rows[i].config,
            .sample_type = sample_type(traced.attr.sample_type, m, how, i),
            .flags = traced.attr.flags & flags,
            .sample_period = i == MADE_INSTRUCTIONS ? how->period : 1,
            .ids = &id,
            .id_count = 1,
        };
        pts_status st = evl_add(l, &a);
        if (st < 0)
            return st;
        m->event[i] = (uint32_t)l->ev.len - 1;
        id++;
    }
    return PTS_OK;
}

/* The first two keep the names that perf gives their attrs. */
void made_name_all(const struct made *m, struct evlist *l)
{
    for (size_t i = MADE_TRANSACTIONS; i < MADE_EVENTS; i++)
        if (m->event[i] != EVL_NONE)
            l->ev.at[m->event[i]].name = rows[i].name;
}

void made_deliver(struct made *m, enum made_event i)
{
    uint32_t at = m->turns++;

    for (; at && rows[m->in_turn[at - 1]].turn > rows[i].turn; at--)
        m->in_turn[at] = m->in_turn[at - 1];
    m->in_turn[at] = (uint8_t)i;
    m->events |= rows[i].event;
}
