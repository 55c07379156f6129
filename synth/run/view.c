/* view.c - what of its recording a run sees.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/run/view.h"

static pts_status in_file_order(struct view *v, struct pts_session *s,
                                struct pts_diag *why)
{
    pts_status st = perf_order_make(s->file, true, &v->own_order, why);

    if (st >= 0)
        st = session_sideband(s, &v->own_order, &v->own_sb, why);
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
    return o->dump_unsorted || (o->text.show_round && !decode)
               ? in_file_order(v, s, why)
               : PTS_OK;
}

void view_close(struct view *v)
{
    sb_free(v->own_sb);
    perf_order_free(&v->own_order);
}
