/* out_spot.c - addresses as text, kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * A text that does not fit (a long C++ name) is made anew each time.  An entry is
 * thrown out by whoever has the same hash, as in places.h, whose key it shares; how it
 * was looked up and the class are part of the key here, since columns differ by class.
 */
#include "synth/print/line/out_spot.h"

void spot_dso(const struct spots *all, const struct place *p, struct text *t)
{
    const char *name = p->dso ? p->dso : "[unknown]";
    size_t n = strlen(name), width = all->pad_dso;

    if (!width) {
        text_put(t, name, n);
        return;
    }
    n = n < width ? n : width - 1; /* perf leaves room for a NUL, then pads over it */
    text_put(t, name, n);
    text_spaces(t, width - n);
}

static void put_place(const struct spots *all, const struct spot_ask *ask,
                      const struct place *p, struct text *t)
{
    uint64_t on = all->fields->of[ask->class].on;

    text_hex(t, ask->how & SPOT_FRAME ? place_frame_addr(p) : p->ip, 16);
    if (on & F_(SYM)) {
        text_char(t, ' ');
        text_str(t, p->sym ? p->sym : "[unknown]");
        if (p->sym && on & F_(SYMOFF)) {
            text_put(t, "+0x", 3);
            text_hex(t, p->sym_off, 0);
        }
    }
    if (on & F_(DSO)) {
        text_put(t, " (", 2);
        spot_dso(all, p, t);
        text_char(t, ')');
    }
}

void spot_print(struct spots *all, struct spot *s, const struct spot_ask *ask,
                struct text *t)
{
    const struct place_query q = {ask->who, ask->ip, ask->how & (uint8_t)~SPOT_FRAME};
    struct place own;
    size_t before = t->len;

    put_place(all, ask, place_once(all->places, &q, &own), t);
    size_t n = t->len - before;
    if (t->failed || n > sizeof(s->text))
        return;
    s->ip = ask->ip;
    s->space = ask->who->space;
    s->thread = ask->who->thread;
    s->guest = ask->who->guest;
    s->how = ask->how;
    s->class = ask->class;
    memcpy(s->text, t->at + before, n);
    s->len = (uint16_t)n;
}
