/* flow_time.c - only the selected times of a queue.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec S09.  Ranges are entered by jumping to the last PSB before them and decoding on
 * from there; what is found before the range itself is not delivered.
 */
#include "walker/flow_priv.h"

#include "decoder/psb.h"

void select_init(struct flow *f)
{
    if (!f->conf.range_count)
        return;
    f->sel_tsc = f->conf.ranges[0].start;
    f->sel_start = f->sel_tsc != 0;
    if (!f->sel_start)
        f->sel_tsc = f->conf.ranges[0].end;
}

static bool select_next(struct flow *f)
{
    if (f->sel_start) {
        f->sel_start = false;
        f->sel_tsc = f->conf.ranges[f->sel_index].end;
        return true;
    }
    if (f->sel_index + 1 >= f->conf.range_count)
        return false;
    f->sel_start = true;
    f->sel_tsc = f->conf.ranges[++f->sel_index].start;
    return true;
}

bool select_time(struct flow *f)
{
    for (;;) {
        if (f->sel_start) {
            if (f->tsc < f->sel_tsc) {
                f->drop_event = true;
                if (f->sel_tsc > f->ff_tsc) {
                    f->ff_tsc = f->sel_tsc;
                    fast_forward(f, f->sel_tsc);
                }
                return true;
            }
            select_next(f);
            if (!f->sel_tsc)
                return true; /* open end */
        } else if (f->tsc > f->sel_tsc) {
            if (!select_next(f)) {
                f->drop_event = true;
                return false;
            }
        } else {
            return true;
        }
    }
}

/* The last buffer after the current one whose first PSB is before tsc, or -1. */
static int64_t last_buffer_before(const struct flow *f, uint64_t tsc)
{
    int64_t found = -1;

    for (uint32_t i = f->st.next; i < f->st.count; i++) {
        const struct pt_buf *b = &f->st.bufs[i];
        uint64_t t;
        const uint8_t *psb = b->len ? psb_find(b->ptr, b->ptr + b->len) : NULL;
        if (!psb || !psb_tsc(psb, b->ptr + b->len, &t))
            continue;
        if (tsc_near(t, b->ref) >= tsc)
            break;
        found = i;
    }
    return found;
}

void fast_forward(struct flow *f, uint64_t tsc)
{
    int64_t i = last_buffer_before(f, tsc);
    if (i >= 0 && f->st.bufs[i].ref) {
        /* buffers read at the same time count as one: begin with the first of them */
        uint32_t first = f->st.next;
        while (f->st.bufs[first].ref != f->st.bufs[i].ref)
            first++;
        stream_move(&f->st, first, 0);
        f->bufs_seen = f->st.next;
        f->clk.buf_ref = stream_buf(&f->st)->ref;
        flow_restart(f);
    }
    if (!f->st.next)
        return;

    const struct pt_buf *b = stream_buf(&f->st);
    const uint8_t *end = b->ptr + b->len, *psb = psb_find(f->st.at, end);
    while (psb) {
        uint64_t t;
        if (!psb_tsc(psb, end, &t) || tsc_near(t, b->ref) >= tsc)
            return;
        stream_move(&f->st, f->st.next - 1, (size_t)(psb - b->ptr));
        f->ip = 0;
        f->phase = SEEK_PSB;
        f->clk.now = 0;
        f->clk.have_tma = false;
        psb = psb_find(psb + 1, end);
    }
}
