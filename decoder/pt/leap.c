/* leap.c - a reader somewhere else in its trace: forward in time, or at a known place.
 *
 * SPDX-License-Identifier: MIT
 *
 * Only at a PSB can reading begin without knowing what was before; and the TSC that stands
 * in its PSB+ tells when that is.  So times are looked for from PSB to PSB:
 *
 *     buffer 4 ..PSB+(t=20)..PSB+(t=31)..|  buffer 5 ..PSB+(t=43)..PSB+(t=55)..|
 *                                                                ^ time 50
 */
#include "decoder/pt/reader.h"

#include "decoder/pt/psb.h"

#include <string.h>

/* The last buffer after the current one whose first PSB is before tsc, or -1. */
static int64_t last_buffer_before(const struct pt_stream *st, uint64_t tsc)
{
    int64_t found = -1;

    for (uint32_t i = st->next; i < st->count; i++) {
        const struct pt_buf *b = &st->bufs[i];
        uint64_t t;
        const uint8_t *psb = b->len ? psb_find(b->ptr, b->ptr + b->len) : NULL;
        /* A buffer without a time is passed over; one behind it may have one. */
        if (!psb || !psb_tsc(psb, b->ptr + b->len, &t))
            continue;
        if (tsc_near(t, b->ref) >= tsc)
            break;
        found = i;
    }
    return found;
}

static bool leap_buffer(struct pt_reader *r, uint64_t tsc)
{
    struct pt_stream *st = &r->st;
    int64_t i = last_buffer_before(st, tsc);
    if (i < 0 || !st->bufs[i].ref)
        return false;
    /* buffers read at the same time count as one: begin with the first of them */
    uint32_t first = st->next;
    while (st->bufs[first].ref != st->bufs[i].ref)
        first++;
    stream_move(st, first, 0);
    r->bufs_seen = st->next;
    r->s.clk.buf_ref = stream_buf(st)->ref;
    pt_restart(r);
    return true;
}

/* Times of PSBs ascend, so the search ends at the first that is too late.  One
 * without a TSC ends it as well: what is behind it cannot be placed. */
static bool leap_psb(struct pt_reader *r, uint64_t tsc)
{
    const struct pt_buf *b = stream_buf(&r->st);
    const uint8_t *end = b->ptr + b->len, *psb = psb_find(r->st.at, end);
    bool any = false;

    while (psb) {
        uint64_t t;
        if (!psb_tsc(psb, end, &t) || tsc_near(t, b->ref) >= tsc)
            break;
        stream_move(&r->st, r->st.next - 1, (size_t)(psb - b->ptr));
        r->s.clk.now = 0;
        r->s.clk.have_tma = false;
        any = true;
        psb = psb_find(psb + 1, end);
    }
    return any;
}

enum pt_leap pt_leap(struct pt_reader *r, uint64_t tsc)
{
    bool buffer = leap_buffer(r, tsc);
    bool psb = r->st.next && leap_psb(r, tsc);

    return buffer ? LEAP_BUFFER : psb ? LEAP_PSB : LEAP_NONE;
}

/* --- Places ------------------------------------------------------------------------ */

struct pt_where pt_where(const struct pt_reader *r)
{
    const struct pt_stream *st = &r->st;
    struct pt_where w = {.ctx = st->ctx, .before = st->pkt.kind};

    if (!st->next)
        return w;
    w.buf = st->next - 1;
    w.off = (uint64_t)(st->at - st->bufs[w.buf].ptr) + st->step;
    w.pos = st->pos + st->step;
    return w;
}

/* Payloads that outlive their packets are not part of the state: they are put back. */
void pt_resume(struct pt_reader *r, const struct pt_where *at, const struct pt_state *s)
{
    const struct pt_buf *b = &r->st.bufs[at->buf];

    r->s = *s;
    r->s.clk.buf_ref = b->ref; /* nothing of this buffer may have been read before */
    r->extra.value[EV_NR_PSB] = s->psb_pos;
    r->extra.value[EV_NR_CBR] = s->clk.cbr_payload;
    r->st.next = r->bufs_seen = at->buf + 1;
    r->st.at = b->ptr + at->off;
    r->st.end = b->ptr + b->len;
    r->st.pos = at->pos;
    r->st.step = 0;
    r->st.ctx = (enum pkt_ctx)at->ctx;
    r->st.pkt.kind = at->before;
}

/* p, in the buffer at hand, is at or behind byte off of buffer buf. */
static bool is_behind(const struct pt_stream *st, const uint8_t *p, uint32_t buf,
                      uint64_t off)
{
    if (st->next != buf + 1)
        return st->next > buf;
    return p >= stream_buf(st)->ptr + off;
}

static void move_to(struct pt_stream *st, const uint8_t *p)
{
    st->pos += (uint64_t)(p - st->at);
    st->at = p;
    st->step = 0;
}

bool pt_at_psb(struct pt_reader *r, uint32_t buf, uint64_t off)
{
    struct pt_stream *st = &r->st;
    const uint8_t *next = st->at + st->step;

    while (next < st->end && !*next) /* PADs are read together with what follows them */
        next++;
    if (st->end - next < PSB_BYTES || !is_behind(st, next, buf, off) ||
        memcmp(next, psb_pattern, PSB_BYTES) != 0)
        return false;
    move_to(st, next);
    return true;
}

bool pt_to_psb(struct pt_reader *r, uint32_t buf, uint64_t off)
{
    const uint8_t *psb = psb_find(r->st.at + r->st.step, r->st.end);

    if (!psb || !is_behind(&r->st, psb, buf, off))
        return false;
    move_to(&r->st, psb);
    return true;
}
