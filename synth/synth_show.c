/* synth_show.c - which samples of a run are shown, and with which stacks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/ipflags.h"
#include "synth/synth_state.h"

/* --graph-function: from the call of a listed function until its depth is left. */
static bool graph_shows(struct synth *s, const struct sample *sample)
{
    struct chain_key key = synth_chain_key(&sample->who);
    size_t depth = chain_depth(&s->chains, key);
    struct chain_stack *state = chain_state(&s->chains, key);
    uint64_t ip;

    if (state && state->filtering) {
        state->filtering = depth > state->filter_depth;
        return state->filtering;
    }
    const char *name = out_perf_function(s->out, sample, &ip);
    size_t n = name ? strlen(name) : 0;
    for (const char *list = s->opt.graph_function; name && *list;) {
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

bool synth_sample_in_time(const struct synth *s, const struct sample *sample)
{
    return !time_skips(&s->sel.time, sample->time) &&
           !cpus_skip(&s->sel.cpus, sample->who.cpu);
}

static bool is_shown(struct synth *s, const struct sample *sample)
{
    const struct who *w = &sample->who;

    if (!synth_sample_in_time(s, sample))
        return false;
    if (select_threads(&s->sel) &&
        !select_thread_ok(&s->sel, w->pid, w->tid, s->look.comm(s->look.ctx, w)))
        return false;
    if (select_places(&s->sel) &&
        !select_place_ok(&s->sel,
                         out_perf_place(s->out, w, sample->cpumode, sample->ip)))
        return false;
    return !s->opt.graph_function || graph_shows(s, sample);
}

pts_status synth_deliver(struct synth *s, struct sample *sample, enum sample_kind kind,
                         struct text *t)
{
    size_t depth = 0;

    /* Guests are only shown with options that are not there yet; perf drops them so. */
    if (sample->cpumode == CPUMODE_GUEST_KERNEL ||
        sample->cpumode == CPUMODE_GUEST_USER)
        return PTS_OK;
    if (s->filtering && !is_shown(s, sample))
        return PTS_OK;
    if (s->use_stacks) {
        struct chain_key key = synth_chain_key(&sample->who);
        depth = chain_depth(&s->chains, key);
        depth += sample->flags & IPF_RETURN && chain_is_live(&s->chains, key);
    }
    if (kind == SAMPLE_MADE && s->use_stacks)
        stacks_of_made(s, sample);
    else if (kind == SAMPLE_RECORDED && s->use_stacks)
        stacks_of_recorded(s, sample);
    out_perf_sample(s->out, sample, depth, t);
    return t->failed ? PTS_E_NOMEM : PTS_OK;
}

pts_status synth_sample(struct synth *s, const struct sample *sample, struct text *t)
{
    struct sample own = *sample; /* gets stacks */

    return synth_deliver(s, &own, SAMPLE_RECORDED, t);
}

bool synth_record_start(struct synth *s, const struct sample *sample,
                        uint32_t record_type, struct text *t)
{
    if (cpus_skip(&s->sel.cpus, sample->who.cpu))
        return false;
    if (sample->event < s->evl.ev.len)
        out_perf_start(s->out, sample, record_type, t);
    return true;
}
