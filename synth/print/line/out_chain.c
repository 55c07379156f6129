/* out_chain.c - a call chain: a line for each frame.
 *
 * SPDX-License-Identifier: MIT
 *
 * Words of a chain that name a context (PTS_CONTEXT_*) are not printed: they choose
 * the maps in which the addresses after them are looked up.  Shown is where an address
 * is in its file.
 */
#include "synth/print/line/out_stack.h"

#include "synth/plan/select.h"
#include "synth/print/line/out_cols.h"
#include "synth/sample/callchain.h"

/* False: the chain is to end here. */
static bool put_frame(const struct out_stack *o, uint8_t mode, uint64_t ip,
                      struct text *t)
{
    const struct who *w = &o->sample->who;
    const struct place_query q = {w, ip, mode};
    const struct spot_ask ask = {w, ip, mode | SPOT_FRAME, o->class};

    text_char(t, '\t');
    spot_put(o->spots, &ask, t);
    if (o->on & F_(SRCLINE))
        out_srcline(t, o->look, &q, "\n  ");
    text_char(t, '\n');
    return !(
        o->opts->stop_bt &&
        names_have(o->opts->stop_bt, place_at(o->spots->places, w, mode, ip)->sym));
}

/* A line for a function at an address that has a symbol: its own, or one inlined there.
 */
static bool put_function(const struct out_stack *o, const struct place *p,
                         const struct place_inlined *f, struct text *t)
{
    bool inlined = strcmp(f->name, p->sym) != 0;

    text_char(t, '\t');
    text_hex(t, place_frame_addr(p), 16);
    if (o->on & F_(SYM)) {
        text_char(t, ' ');
        text_str(t, f->name);
        if (o->on & F_(SYMOFF)) {
            text_put(t, "+0x", 3);
            text_hex(t, p->sym_off, 0);
        }
    }
    if (o->on & F_(DSO) && !inlined) {
        text_put(t, " (", 2);
        spot_dso(o->spots, p, t);
        text_char(t, ')');
    }
    if (o->on & F_(SRCLINE)) {
        text_str(t, "\n  ");
        text_str(t, f->srcline);
    }
    text_str(t, inlined ? " (inlined)\n" : "\n");
    return !(o->opts->stop_bt && names_have(o->opts->stop_bt, f->name));
}

/* Only what was unwound is shown with inlined functions. */
static bool put_unwound(const struct out_stack *o, uint64_t ip, struct text *t)
{
    const struct place_query q = {&o->sample->who, ip, PTS_MODE_USER};
    const struct lookup *look = o->look;
    const struct place *p = place_at(o->spots->places, q.who, PTS_MODE_USER, ip);
    const struct place_inlined *f;
    size_t n = 0;

    if (o->opts->inlined && p->sym && look->inlined &&
        look->inlined(look->ctx, &q, &f, &n) < 0)
        t->failed = true;
    if (!n)
        return put_frame(o, PTS_MODE_USER, ip, t);
    for (size_t i = 0; i < n; i++)
        if (!put_function(o, p, &f[o->opts->callers_first ? n - 1 - i : i], t))
            return false;
    return true;
}

static void callers_first(const struct out_stack *o, uint64_t most, struct text *t)
{
    const struct sample_stacks *st = o->sample->stacks;
    struct callchain_back b = callchain_back(
        st->chain, callchain_sound(st->chain, st->chain_len, UINT64_MAX), most);
    uint64_t ip;
    uint8_t mode;

    for (uint32_t i = st->unwound_len; i-- > 0;)
        if (st->unwound[i] && !put_unwound(o, st->unwound[i], t))
            return;
    while (callchain_back_next(&b, &ip, &mode))
        if (!put_frame(o, mode, ip, t))
            return;
}

void out_chain(const struct out_stack *o, struct text *t)
{
    const struct sample_stacks *st = o->sample->stacks;
    /* A chain that was made of branches has been cut already. */
    uint64_t most = st->whole ? UINT64_MAX : o->opts->max_stack;
    if (o->opts->callers_first) {
        callers_first(o, most, t);
        return;
    }
    uint32_t words = callchain_sound(st->chain, st->chain_len, most);
    /* Until a word names another one. */
    uint8_t mode = PTS_MODE_USER;

    for (uint32_t i = 0; i < words; i++) {
        uint64_t ip = st->chain[i];
        if (ip >= PTS_CONTEXT_MAX) {
            mode = callchain_mode(ip);
            continue;
        }
        if (!put_frame(o, mode, ip, t))
            return;
    }
    for (uint32_t i = 0; i < st->unwound_len; i++)
        if (st->unwound[i] && !put_unwound(o, st->unwound[i], t))
            return;
}
