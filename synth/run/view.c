/* view.c - what of its recording a run sees.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/view.h"

/* Where time is not used, the trace is followed behind all records. */
static pts_status walked_from(const struct pts_session *s, const struct options *o,
                              uint64_t *from)
{
    if (!itrace_on(&o->itrace, ITRACE_ON(TIMELESS)))
        return session_walked_from(s, from);
    *from = SESSION_AT_END;
    return PTS_OK;
}

static pts_status without_time(struct view *v, struct pts_session *s,
                               struct pts_diag *why)
{
    const struct session_feed how = {SESSION_AT_END, false};
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
    bool decode = s->has_pt && !o->dump && !o->itrace.dont_decode;

    v->order = &s->order;
    v->sb = s->sb;
    if (o->dump_unsorted || (o->text.show_round && !decode))
        return in_own_order(v, s, o, PERF_ORDER_FILE, why);
    if (o->order != PERF_ORDER_ROUNDS)
        return in_own_order(v, s, o, o->order, why);
    return decode && itrace_on(&o->itrace, ITRACE_ON(TIMELESS))
               ? without_time(v, s, why)
               : PTS_OK;
}

void view_close(struct view *v)
{
    sb_free(v->own_sb);
    perf_order_free(&v->own_order);
}
