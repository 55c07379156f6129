/* filter.c - which samples of a run are wanted.
 *
 * SPDX-License-Identifier: MIT
 *
 * It goes by what lies at an address, not by what is printed: names are looked up only
 * where an option asks for that.
 */
#include "synth/sample/filter.h"

#include "synth/sample/called.h"

#include <string.h>

pts_status filter_init(struct filter *f, const struct plan *plan, struct chains *chains,
                       const struct lookup *look)
{
    f->plan = plan;
    f->chains = chains;
    f->look = look;
    return plan->filtering ? places_new(look, &f->places) : PTS_OK;
}

void filter_free(struct filter *f)
{
    places_free(f->places);
}

static const char *comm_of(const struct filter *f, const struct who *w)
{
    return f->look->comm(f->look->ctx, w);
}

/* --graph-function: from the call of a listed function until its depth is left. */
static bool graph_passes(const struct filter *f, const struct sample *sample)
{
    struct chain_key key = chain_key_of(&sample->who);
    size_t depth = chain_depth(f->chains, key);
    struct chain_stack *state = chain_state(f->chains, key);
    uint64_t ip;

    if (state && state->filtering) {
        state->filtering = depth > state->filter_depth;
        return state->filtering;
    }
    const char *name = called_function(f->places, &f->plan->evl, sample, &ip);
    size_t n = name ? strlen(name) : 0;
    for (const char *list = f->plan->sel.graph; name && *list;) {
        size_t len = strcspn(list, ",");
        if (len == n && memcmp(list, name, n) == 0) {
            if (state) {
                state->filtering = true;
                state->filter_depth = depth;
            }
            return true;
        }
        list += len + (list[len] == ',');
    }
    return false;
}

bool filter_in_time(const struct plan *p, const struct sample *sample)
{
    return !time_skips(&p->sel.time, sample_when(sample)) &&
           !cpus_skip(&p->sel.cpus, sample->who.cpu);
}

uint8_t filter_says(const struct select *sel, const struct lookup *look,
                    const struct sample *sample)
{
    const struct who *w = &sample->who;
    uint8_t bits = 0;
    struct place p;

    if (select_threads(sel) &&
        !select_thread_ok(sel, w->pid, w->tid, look->comm(look->ctx, w)))
        bits |= FILTERED_THREAD;
    if (!select_places(sel))
        return bits;
    look->place(look->ctx, w, sample->cpumode, sample->ip, &p);
    if (!select_dso_ok(sel, &p))
        bits |= FILTERED_DSO;
    if (!select_symbol_ok(sel, &p))
        bits |= FILTERED_SYMBOL;
    return bits;
}

bool filter_lets(const struct filter *f, const struct who *w)
{
    const struct select *sel = &f->plan->sel;

    return !cpus_skip(&sel->cpus, w->cpu) &&
           (!select_threads(sel) ||
            select_thread_ok(sel, w->pid, w->tid, comm_of(f, w)));
}

bool filter_passes(const struct filter *f, const struct sample *sample)
{
    const struct select *sel = &f->plan->sel;
    const struct who *w = &sample->who;

    if (time_skips(&sel->time, sample_when(sample)) || !filter_lets(f, w))
        return false;
    if (select_places(sel) &&
        !select_place_ok(sel, place_at(f->places, w, sample->cpumode, sample->ip)))
        return false;
    return !sel->graph || graph_passes(f, sample);
}
