/* out_kept.c - lines of which all parts are kept.
 *
 * SPDX-License-Identifier: MIT
 *
 *     thread, time, event | flags | (file) \t | blanks    name    blanks |
 *     out_start             out_line  out_calls: head, name, in a column of out_indent
 *
 *     thread, time, event | ip symbol (file) | => | ip symbol (file) | insn: 48 89 e5
 *     out_start             out_spot                out_spot
 *
 * Texts are copied in steps as wide as they mostly are, with what lies behind them: how many
 * steps that is does not hang on their exact length, which the processor cannot foresee.
 */
#include "synth/print/line/out_kept.h"

#include "decoder/base/digits.h"

#define F_WHO        (F_(COMM) | F_(PID) | F_(TID) | F_(CPU))
#define START_FIELDS (F_WHO | F_(TIME) | F_(PERIOD) | F_(EVENT))
#define PLAIN_FIELDS (START_FIELDS | F_(IP) | F_(SYM) | F_(SYMOFF) | F_(DSO) | F_(INSN))
/* Symbols are shown with an address only. */
#define CALL_FIELDS (START_FIELDS | F_(SYM) | F_(SYMOFF) | F_(DSO) | F_(CALLINDENT))

/* " => ", " insn:", and a blank or a line's end here and there. */
enum {
    KEPT_LINE = START_TEXT + 2 * SPOT_TEXT + 64 + PUT_WIDE,
    KEPT_CALL = START_TEXT + FLAG_TEXT + 2 * CALL_TEXT + 64 + PUT_WIDE
};

enum line_shape kept_shape(const struct out_perf *o, const struct evl_event *e)
{
    const uint64_t on = o->f->of[e->class].on;
    const bool target = e->is_branch && shows_target(o, e);

    if (!(on & F_(TIME)) || !(on & F_WHO) || o->opts.reltime || o->opts.deltatime ||
        (on & F_(INSN) && o->opts.xed))
        return LINE_OTHER;
    if (e->is_branch && on & F_(CALLINDENT))
        return on & ~CALL_FIELDS || target ? LINE_OTHER : LINE_CALL;
    if (on & ~(PLAIN_FIELDS | (e->is_branch ? F_(ADDR) : 0)) || !(on & F_(IP)) ||
        o->f->flags)
        return LINE_OTHER;
    return target ? LINE_IP_TARGET : LINE_IP;
}

/* --- Places --- */

/* " insn: 48 89 e5": of up to 15 bytes, and one more byte is written. */
static inline char *put_insn_bytes(char *p, const uint8_t *insn, unsigned n)
{
    p = put_mem(p, " insn:", 6);
    for (unsigned i = 0; i < n; i++)
        p = put_hex2(put_char(p, ' '), insn[i]);
    return p;
}

/* The two below: false, one of the parts is not kept; then nothing is written.  The start is. */
static inline bool put_kept(struct out_perf *o, const struct sample *s, uint8_t class,
                            bool target, struct text *t)
{
    const bool insn = o->f->of[class].on & F_(INSN);
    const struct spot_ask ask = ask_ip(s, class), ask_to = ask_target(s, class);
    const struct spot *ip, *to = NULL;

    if (s->stacks || (insn && !s->insn_len))
        return false;
    ip = spot_find(&o->spots, &ask);
    if (target) {
        to = spot_find(&o->spots, &ask_to);
        if (!to)
            return false;
    }
    char *p = ip ? text_room(t, KEPT_LINE) : NULL, *from = p;
    if (!p)
        return false;
    p = start_put(o->start, p);
    p = put_wide(put_char(p, ' '), o->spots.pool + ip->text, ip->len);
    if (to)
        p = put_wide(put_mem(p, " => ", 4), o->spots.pool + to->text, to->len);
    if (insn)
        p = put_insn_bytes(p, s->insn, s->insn_len);
    t->len += (size_t)(put_char(p, '\n') - from);
    return true;
}

/* The same where one of the places is not kept, for which it is looked up then. */
static bool put_made(struct out_perf *o, const struct sample *s, uint8_t class,
                     bool target, struct text *t)
{
    const bool insn = o->f->of[class].on & F_(INSN);
    const struct spot_ask ask = ask_ip(s, class), ask_to = ask_target(s, class);
    const size_t before = t->len;
    char *p;

    if (s->stacks || (insn && !s->insn_len) || !(p = text_room(t, KEPT_LINE)))
        return false;
    t->len += (size_t)(put_char(start_put(o->start, p), ' ') - p);
    spot_put(&o->spots, &ask, t);
    if (target) {
        text_put(t, " => ", 4);
        spot_put(&o->spots, &ask_to, t);
    }
    p = text_room(t, KEPT_LINE);
    if (!p) {
        t->len = before;
        return false;
    }
    char *end = insn ? put_insn_bytes(p, s->insn, s->insn_len) : p;
    t->len += (size_t)(put_char(end, '\n') - p);
    return true;
}

/* --- Calls --- */

static inline bool put_call(struct out_perf *o, const struct call_ends *ends,
                            uint32_t depth, struct text *t)
{
    const struct flag_text *flags = flag_text_of(o, ends->flags);
    struct call_key key;

    if ((o->f->flags && !flag_is_kept(flags, ends->flags)) || !call_key_of(ends, &key))
        return false;
    const struct call *c = call_texts_find(o->calls, &key);
    if (!c)
        return false;
    const size_t in = c->name_len ? (size_t)depth * 4 : 0, len = in + c->name_len;
    char *p = text_room(t, KEPT_CALL + len + INDENT_SLACK + o->indent.at[0]), *from = p;
    if (!p)
        return false;
    out_indent_line(&o->indent, len);
    const size_t width = o->indent.at[0] > len ? o->indent.at[0] : len;
    p = start_put(o->start, p);
    if (o->f->flags)
        p = put_mem(p, flags->text, FLAG_TEXT);
    p = put_wide(p, o->calls->pool + c->head, c->head_len);
    /* Blanks are behind the name, too. */
    put_blanks(p, width);
    put_wide(p + in, o->calls->pool + c->name, c->name_len);
    t->len += (size_t)(put_char(p + width, '\n') - from);
    return true;
}

static uint32_t put_calls(struct out_perf *o, const struct series *of, uint32_t from,
                          struct text *t)
{
    struct call_ends ends = {.who = &of->form.who,
                             .event = &o->l->ev.at[of->form.event]};
    uint32_t n = from;

    for (; n < of->count; n++) {
        const struct brief *b = &of->at[n];
        ends.from = b->ip;
        ends.to = b->addr;
        ends.flags = b->flags;
        ends.cpumode = mode_at_addr(b->ip, false);
        if (!start_at(o->start, b->time) || !put_call(o, &ends, b->depth, t))
            break;
    }
    return n - from;
}

/* --- Lines --- */

static inline bool put_shape(struct out_perf *o, const struct sample *s, struct text *t)
{
    const struct evl_event *e = &o->l->ev.at[s->event];

    switch ((enum line_shape)o->start->shape) {
    case LINE_IP:
        return put_kept(o, s, e->class, false, t);
    case LINE_IP_TARGET:
        return put_kept(o, s, e->class, true, t);
    case LINE_CALL: {
        const struct call_ends ends = call_ends_of(s, e);
        return put_call(o, &ends, s->depth, t);
    }
    case LINE_OTHER:
        break;
    }
    return false;
}

bool kept_line(struct out_perf *o, const struct sample *s, struct text *t)
{
    const uint8_t class = o->l->ev.at[s->event].class;

    o->start = &o->starts[start_slot(s)];
    if (!start_is_like(o->start, s) || !start_at(o->start, s->time))
        return false;
    return put_shape(o, s, t) ||
           (o->start->shape == LINE_IP && put_made(o, s, class, false, t)) ||
           (o->start->shape == LINE_IP_TARGET && put_made(o, s, class, true, t));
}

uint32_t kept_lines(struct out_perf *o, const struct series *of, uint32_t from,
                    struct text *t)
{
    uint32_t n = from;

    o->start = &o->starts[start_slot(&of->form)];
    if (!start_is_like(o->start, &of->form))
        return 0;
    if (o->start->shape == LINE_CALL)
        return put_calls(o, of, from, t);
    struct sample one = of->form;
    for (; n < of->count; n++) {
        series_sample(&one, &of->at[n]);
        if (!start_at(o->start, one.time) || !put_shape(o, &one, t))
            break;
    }
    return n - from;
}
