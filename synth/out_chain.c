/* out_chain.c - a call chain: a line for each frame.
 *
 * SPDX-License-Identifier: MIT
 *
 * spec 32.6.  Context words are not printed: they choose the maps in which the
 * addresses after them are looked up.  Shown is where an address is in its file.
 */
#include "synth/out_stack.h"

#include "synth/callchain.h"
#include "synth/out_cols.h"

/* Its cpumode, or CPUMODE_UNKNOWN for one that perf does not know, either. */
static uint8_t mode_of(uint64_t context)
{
    switch (context) {
    case CHAIN_HYPER:
        return CPUMODE_HYPERVISOR;
    case CHAIN_KERNEL:
        return CPUMODE_KERNEL;
    case CHAIN_USER:
        return CPUMODE_USER;
    default:
        return CPUMODE_UNKNOWN;
    }
}

/* How many words are to be shown: with one bad word, perf drops the chain. */
static uint32_t sound_words(const uint64_t *word, uint32_t n, uint64_t frames)
{
    uint32_t i = 0;

    for (; i < n && frames && word[i] != CHAIN_USER_DEFERRED; i++) {
        if (word[i] < CHAIN_CONTEXT)
            frames--;
        else if (mode_of(word[i]) == CPUMODE_UNKNOWN)
            return 0;
    }
    return i;
}

/* False: the chain is to end here. */
static bool put_frame(const struct out_stack *o, uint8_t mode, uint64_t ip,
                      struct text *t)
{
    const struct who *w = &o->sample->who;
    const struct place_query q = {w, ip, mode};
    struct spot *s = spot_at(o->spots, w, mode | SPOT_FRAME, ip);
    const char *name = s->place.sym;

    text_char(t, '\t');
    spot_put(o->spots, s, o->class, t);
    if (o->on & F_(SRCLINE))
        out_srcline(t, o->spots->look, &q, "\n  ");
    text_char(t, '\n');
    return !(name && o->opts->stop_bt && names_have(o->opts->stop_bt, name));
}

/* A line for a function at an address that has a symbol: its own, or one inlined there.
 */
static bool put_function(const struct out_stack *o, const struct spot *s,
                         const struct place_inlined *f, struct text *t)
{
    bool inlined = strcmp(f->name, s->place.sym) != 0;

    text_char(t, '\t');
    text_hex(t, s->place.addr, 16);
    if (o->on & F_(SYM)) {
        text_char(t, ' ');
        text_str(t, f->name);
        if (o->on & F_(SYMOFF)) {
            text_put(t, "+0x", 3);
            text_hex(t, s->place.sym_off, 0);
        }
    }
    if (o->on & F_(DSO) && !inlined) {
        text_put(t, " (", 2);
        spot_dso(o->spots, &s->place, t);
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
    const struct place_query q = {&o->sample->who, ip, CPUMODE_USER};
    const struct lookup *look = o->spots->look;
    const struct spot *s = spot_at(o->spots, q.who, CPUMODE_USER | SPOT_FRAME, ip);
    const struct place_inlined *f;
    size_t n = 0;

    if (o->opts->inlined && s->place.sym && look->inlined &&
        look->inlined(look->ctx, &q, &f, &n) < 0)
        t->failed = true;
    if (!n)
        return put_frame(o, CPUMODE_USER, ip, t);
    for (size_t i = 0; i < n; i++)
        if (!put_function(o, s, &f[i], t))
            return false;
    return true;
}

void out_chain(const struct out_stack *o, struct text *t)
{
    const struct sample_stacks *st = o->sample->stacks;
    uint64_t most = st->whole ? UINT64_MAX : o->opts->max_stack;
    uint32_t words = sound_words(st->chain, st->chain_len, most);
    uint8_t mode = CPUMODE_USER;

    for (uint32_t i = 0; i < words; i++) {
        uint64_t ip = st->chain[i];
        if (ip >= CHAIN_CONTEXT) {
            mode = mode_of(ip);
            continue;
        }
        if (!put_frame(o, mode, ip, t))
            return;
    }
    for (uint32_t i = 0; i < st->unwound_len; i++)
        if (st->unwound[i] && !put_unwound(o, st->unwound[i], t))
            return;
}
