/* view.c - what of its recording a run sees.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/view.h"

static bool decodes(const struct pts_session *s, const struct options *o)
{
    return s->has_pt && !o->dump && !o->itrace.dont_decode;
}

/* Where time is not used, the trace is followed behind all records. */
static pts_status walked_from(const struct pts_session *s, const struct options *o,
                              uint64_t *from)
{
    bool timeless = itrace_on(&o->itrace, ITRACE_ON(TIMELESS));

    if (decodes(s, o) && !timeless)
        return session_walked_from(s, from);
    *from = decodes(s, o) ? SB_AT_END : SB_NEVER;
    return PTS_OK;
}

/* In the session's order, but as if the trace were followed at another time. */
static pts_status walked_at(struct view *v, struct pts_session *s, uint64_t when,
                            struct pts_diag *why)
{
    const struct session_feed how = {when, false};
    pts_status st = session_sideband(s, &s->order, how, &v->own_sb, why);

    v->sb = v->own_sb;
    return st;
}

static pts_status in_own_order(struct view *v, struct pts_session *s,
                               const struct options *o, enum perf_order_how order,
                               struct pts_diag *why)
{
    struct session_feed how = {0, o->code_stays};
    pts_status st = perf_order_make(s->file, order, &v->own_order, why);

    if (st >= 0)
        st = walked_from(s, o, &how.walked_from);
    if (st >= 0)
        st = session_sideband(s, &v->own_order, how, &v->own_sb, why);
    v->order = &v->own_order;
    v->sb = v->own_sb;
    return st;
}

/* perf takes records as they stand in the file for --dump-unsorted-raw-trace, and for
 * --show-round-events where it does not have to wait for the trace. */
pts_status view_open(struct view *v, struct pts_session *s, const struct options *o,
                     struct pts_diag *why)
{
    bool decode = decodes(s, o);

    v->order = &s->order;
    v->sb = s->sb;
    if (o->dump_unsorted || (o->text.show_round && !decode))
        return in_own_order(v, s, o, PERF_ORDER_FILE, why);
    if (o->order != PERF_ORDER_ROUNDS)
        return in_own_order(v, s, o, o->order, why);
    if (s->has_pt && !decode && sb_kernel(s->sb)->hides)
        return walked_at(v, s, SB_NEVER, why);
    return decode && itrace_on(&o->itrace, ITRACE_ON(TIMELESS))
               ? walked_at(v, s, SB_AT_END, why)
               : PTS_OK;
}

void view_close(struct view *v)
{
    sb_free(v->own_sb);
    perf_order_free(&v->own_order);
}
