/* survey.c - when a queue was traced, by its packets alone.
 *
 * SPDX-License-Identifier: MIT
 *
 * Nearly all packets only show that execution goes on: where that is known they are passed by their sizes.
 */
#include "decoder/pt/survey.h"

#include "decoder/pt/psb.h"

static bool shows_execution(enum pts_pkt_kind kind)
{
    switch (kind) {
    case PTS_PKT_TNT:
    case PTS_PKT_TIP:
    case PTS_PKT_TIP_PGE:
    case PTS_PKT_FUP:
    case PTS_PKT_PTWRITE:
    case PTS_PKT_PTWRITE_IP:
        return true;
    default:
        return false;
    }
}

/* Rare packets are left out, and those of which two bytes do not tell the size. */
static bool nothing_new(uint8_t first, enum pts_pkt_kind kind)
{
    (void)first;
    switch (kind) {
    case PTS_PKT_PAD:
    case PTS_PKT_CYC:
    case PTS_PKT_PSBEND:
    case PTS_PKT_CBR:
    case PTS_PKT_PIP:
    case PTS_PKT_VMCS:
    case PTS_PKT_MODE_EXEC:
        return true;
    default:
        return shows_execution(kind);
    }
}

void survey_sizes_make(struct pkt_sizes *out)
{
    pkt_sizes_make(out, nothing_new);
}

void survey_init(struct survey *s, const struct pkt_sizes *sizes,
                 const struct clock_config *clock, uint64_t gap)
{
    *s = (struct survey){.sizes = sizes, .gap = gap};
    clock_init(&s->clk, clock);
    if (clock->ctc_d)
        s->period =
            ((uint64_t)clock->ctc_n << clock->mtc_shift % 32) / clock->ctc_d + 1;
}

void survey_free(struct survey *s)
{
    VEC_FREE(&s->window);
}

/* --- Windows ---------------------------------------------------------------------- */

/* No more than the bytes could be for: a file has the memory that it takes (I12). */
static bool may_split(const struct survey *s, uint64_t bytes)
{
    return s->window.len < 16 + bytes / 64;
}

static bool window_close(struct survey *s)
{
    struct survey_window *w = VEC_PUSH(&s->window);

    if (!w)
        return false;
    s->now.to = s->off_until ? s->off_until : s->off_since;
    s->now.seen = s->off_since;
    s->now.bytes = s->off_at - s->began;
    *w = s->now;
    s->open = false;
    return true;
}

static void window_open(struct survey *s, uint64_t at)
{
    s->now = (struct survey_window){.from = s->clk.now};
    s->began = at;
    s->open = true;
}

/* Execution is seen.  While no time is known nothing can be said. */
static bool resume(struct survey *s, uint64_t at)
{
    uint64_t now = s->clk.now;
    bool again = s->open && s->now.end == SURVEY_MISSING && now < s->off_since;

    if (!now)
        return true;
    s->on = true;
    if (s->open && may_split(s, at) &&
        (again || (now > s->off_since && now - s->off_since >= s->gap)) &&
        !window_close(s))
        return false;
    if (!s->open)
        window_open(s, at);
    return true;
}

static void pause(struct survey *s, enum survey_end why, uint64_t at)
{
    if (!s->on) {
        if (s->open && s->now.end == SURVEY_OFF)
            s->now.end = why; /* what matters more */
        return;
    }
    s->on = false;
    s->off_since = s->clk.now;
    s->off_until = 0;
    s->off_at = at;
    s->now.end = why;
}

static void time_passed(struct survey *s)
{
    uint64_t now = s->clk.now;

    if (!now)
        return;
    if (!s->sum.first)
        s->sum.first = now;
    if (now > s->sum.last)
        s->sum.last = now;
    if (s->on || !s->open || s->off_until || now <= s->off_since)
        return;
    bool near = !s->step || now - s->off_since < s->step;
    s->off_until = near ? now : s->off_since + s->step;
}

/* --- Packets ---------------------------------------------------------------------- */

static void overflow(struct survey *s, uint64_t at)
{
    s->sum.overflows++;
    if (s->open)
        s->now.overflows++;
    pause(s, SURVEY_OVERFLOW, at);
}

static void tick(struct survey *s, uint8_t ctc)
{
    s->step = s->period;
    (void)clock_tick(&s->clk, ctc, false, false);
    time_passed(s);
}

/* at: bytes of the queue in front of it. */
static bool packet(struct survey *s, const struct pts_pkt *p, uint64_t at)
{
    switch (p->kind) {
    case PTS_PKT_TSC:
        clock_tsc(&s->clk, p->value, false);
        time_passed(s);
        return true;
    case PTS_PKT_TMA:
        clock_tma(&s->clk, (uint32_t)p->value, p->count, false, true);
        return true;
    case PTS_PKT_MTC:
        tick(s, (uint8_t)p->value);
        return true;
    case PTS_PKT_TIP_PGD:
        pause(s, SURVEY_OFF, at + p->size);
        return true;
    case PTS_PKT_TRACESTOP:
        pause(s, SURVEY_STOPPED, at + p->size);
        return true;
    case PTS_PKT_OVF:
        overflow(s, at + p->size);
        return true;
    default:
        return s->on || !shows_execution(p->kind) || resume(s, at);
    }
}

/* Something that is no packet; what follows can be trusted from the next PSB on. */
static void bad_place(struct survey *s, struct pkt_cursor *c)
{
    const uint8_t *psb = psb_find(c->at + 1, c->end);

    s->sum.bad++;
    c->at = psb ? psb : c->end;
    c->ctx = PKT_CTX_NONE;
}

/* The trace ends here: it may have gone on until the piece was read out, or the next MTC. */
static void ends_here(struct survey *s, enum survey_end why)
{
    pause(s, why, s->sum.bytes);
    if (!s->open || s->off_until)
        return;
    s->off_until = s->clk.buf_ref;
    if (s->step && s->off_until > s->off_since + s->step)
        s->off_until = s->off_since + s->step;
    if (s->off_until < s->off_since)
        s->off_until = s->off_since;
    if (s->off_until > s->sum.last)
        s->sum.last = s->off_until;
}

static void buffer_begins(struct survey *s, const struct pt_buf *buf)
{
    if (!buf->consecutive) {
        ends_here(s, SURVEY_MISSING);
        clock_restart(&s->clk, buf->ref);
    }
    s->clk.buf_ref = buf->ref;
}

/* Passes packets in which nothing is new, and MTCs, which are many. */
static void pass_plain(struct survey *s, struct pkt_cursor *c)
{
    const uint8_t *const sizes = s->sizes->of;
    const uint8_t *at = c->at;

    while (c->end - at >= PKT_SIZES_LONGEST) {
        const uint8_t size = sizes[rd_u16(at)];
        if (!size && *at != PKT_MTC_LEAD)
            break;
        if (!size)
            tick(s, at[1]);
        at += size ? size : PKT_MTC_SIZE;
    }
    c->at = at;
}

bool survey_buffer(struct survey *s, const struct pt_buf *buf)
{
    struct pkt_cursor c = {buf->ptr, buf->ptr + buf->len, PKT_CTX_NONE};
    struct pts_pkt p;
    bool ok = true;

    if (!buf->len)
        return true;
    buffer_begins(s, buf);
    while (ok) {
        if (s->on && c.ctx == PKT_CTX_NONE)
            pass_plain(s, &c);
        if (c.at == c.end)
            break;
        const uint8_t *at = c.at;
        if (pkt_cursor_next(&c, &p) <= 0)
            bad_place(s, &c);
        else
            ok = packet(s, &p, s->sum.bytes + (uint64_t)(at - buf->ptr));
    }
    s->sum.bytes += buf->len;
    s->sum.pieces++;
    return ok;
}

bool survey_end(struct survey *s)
{
    ends_here(s, SURVEY_END);
    return !s->open || window_close(s);
}
