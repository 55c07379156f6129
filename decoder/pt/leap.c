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

/* A PSB of a buffer, and its time. */
struct psb_found {
    uint64_t off;
    bool timed;
    uint64_t tsc; /* of 56 bits */
};

static bool is_listed(const struct pt_stream *st, const struct pt_buf *b)
{
    return b->psbs && !st->lists_lie;
}

static bool psb_listed(const struct pt_psbs *l, uint64_t off, struct psb_found *out)
{
    uint64_t i = psb_list_from(l, off);

    if (i == l->count)
        return false;
    *out = (struct psb_found){l->at[i].off, l->at[i].tsc != PSB_UNTIMED, l->at[i].tsc};
    return true;
}

/* The first at or behind byte off: from the list, if there is one, else looked for. */
static bool psb_next(const struct pt_stream *st, const struct pt_buf *b, uint64_t off,
                     struct psb_found *out)
{
    const uint8_t *end = b->ptr + b->len;

    if (is_listed(st, b))
        return psb_listed(b->psbs, off, out);
    const uint8_t *psb = b->len ? psb_find(b->ptr + off, end) : NULL;
    if (!psb)
        return false;
    out->off = (uint64_t)(psb - b->ptr);
    out->timed = psb_tsc(psb, end, &out->tsc);
    return true;
}

/* The last buffer after the current one whose first PSB is before tsc, or -1. */
static int64_t last_buffer_before(const struct pt_stream *st, uint64_t tsc)
{
    int64_t found = -1;

    for (uint32_t i = st->next; i < st->count; i++) {
        const struct pt_buf *b = &st->bufs[i];
        struct psb_found psb;
        /* A buffer without a time is passed over; one behind it may have one. */
        if (!psb_next(st, b, 0, &psb) || !psb.timed)
            continue;
        if (tsc_near(psb.tsc, b->ref) >= tsc)
            break;
        found = i;
    }
    return found;
}

/* Before anybody goes there: the PSB at or behind off is where its list says.  A list that is
 * wrong is believed no more, nor are the others. */
static bool psb_holds(struct pt_stream *st, const struct pt_buf *b, uint64_t off)
{
    if (!is_listed(st, b))
        return true;
    const struct pt_psb *psb = &b->psbs->at[psb_list_from(b->psbs, off)];
    st->lists_lie = !psb_is_there(psb, b->ptr, b->len);
    return !st->lists_lie;
}

static bool leap_buffer(struct pt_reader *r, uint64_t tsc)
{
    struct pt_stream *st = &r->st;

    if (r->seen.tsc != tsc)
        r->seen = (struct leap_seen){tsc, last_buffer_before(st, tsc), 0, NULL};
    int64_t i = r->seen.last;
    if (i >= (int64_t)st->next && !psb_holds(st, &st->bufs[i], 0))
        i = r->seen.last = last_buffer_before(st, tsc);
    if (i < (int64_t)st->next || !st->bufs[i].ref)
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
static bool last_psb_before(const struct pt_stream *st, uint64_t tsc, uint64_t *off,
                            uint64_t *stop)
{
    const struct pt_buf *b = stream_buf(st);
    struct psb_found psb;
    uint64_t from = (uint64_t)(st->at - b->ptr);
    bool any = false, more;

    while ((more = psb_next(st, b, from, &psb)) && psb.timed &&
           tsc_near(psb.tsc, b->ref) < tsc) {
        *off = psb.off;
        from = psb.off + 1;
        any = true;
    }
    *stop = more ? psb.off : b->len;
    return any;
}

static bool leap_psb(struct pt_reader *r, uint64_t tsc)
{
    struct pt_stream *st = &r->st;
    const struct pt_buf *b = stream_buf(st);
    uint64_t off, stop;

    if (r->seen.next == st->next && st->at <= r->seen.stop)
        return false;
    bool any = last_psb_before(st, tsc, &off, &stop);
    if (any && !psb_holds(st, b, off))
        any = last_psb_before(st, tsc, &off, &stop);
    r->seen.next = st->next;
    r->seen.stop = b->ptr + stop;
    if (!any)
        return false;
    stream_move(st, st->next - 1, off);
    r->s.clk.now = 0;
    r->s.clk.have_tma = false;
    return true;
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

/* A payload that outlives its packet is not part of the state: it is put back. */
void pt_resume(struct pt_reader *r, const struct pt_where *at, const struct pt_state *s)
{
    const struct pt_buf *b = &r->st.bufs[at->buf];

    r->s = *s;
    r->s.clk.buf_ref = b->ref; /* nothing of this buffer may have been read before */
    r->extra.value[EV_NR_PSB] = s->psb_pos;
    r->st.next = r->bufs_seen = at->buf + 1;
    r->st.at = b->ptr + at->off;
    r->st.end = b->ptr + b->len;
    r->st.pos = at->pos;
    r->st.step = 0;
    r->st.ctx = (enum pkt_ctx)at->ctx;
    r->st.pkt.kind = at->before;
}

/* Which trace it is says the buffer that began it. */
static uint32_t trace_nr_at(const struct pt_stream *st, uint32_t buf)
{
    while (buf && st->bufs[buf].consecutive)
        buf--;
    return st->bufs[buf].consecutive ? 0 : st->bufs[buf].nr + 1;
}

void pt_enter(struct pt_reader *r, uint32_t buf, uint64_t off)
{
    struct pt_stream *st = &r->st;

    stream_move(st, buf, off);
    r->bufs_seen = st->next;
    r->s.clk.buf_ref = stream_buf(st)->ref;
    pt_restart(r);
    r->trace_nr = trace_nr_at(st, buf);
    r->s.psb_pos = r->extra.value[EV_NR_PSB] = st->pos; /* as if it was not sought */
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
