/* out_spot.c - addresses as text, kept.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/out_spot.h"

static void spot_look(const struct spots *all, const struct who *w, uint8_t how,
                      uint64_t ip, struct place *p)
{
    const struct lookup *look = all->look;
    uint8_t mode = how & SPOT_MODE;

    *p = (struct place){0};
    look->place(look->ctx, w, mode, ip, p);
    if (!p->dso && how & SPOT_TARGET) {
        uint8_t other = ip >= KERNEL_START ? CPUMODE_KERNEL : CPUMODE_USER;
        if (other != mode)
            look->place(look->ctx, w, other, ip, p);
    }
    p->ip = ip;
}

void spot_make(const struct spots *all, struct spot *s, const struct who *w,
               uint8_t how, uint64_t ip)
{
    spot_look(all, w, how, ip, &s->place);
    s->known = true;
    s->ip = ip;
    s->space = w->space;
    s->thread = w->thread;
    s->how = how;
    s->len = 0;
}

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

static void put_place(const struct spots *all, const struct spot *s, uint64_t on,
                      struct text *t)
{
    const struct place *p = &s->place;

    text_hex(t, s->how & SPOT_FRAME ? p->addr : p->ip, 16);
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

void spot_print(const struct spots *all, struct spot *s, uint8_t class, struct text *t)
{
    size_t before = t->len;

    put_place(all, s, all->fields->of[class].on, t);
    size_t n = t->len - before;
    if (t->failed || n > sizeof(s->text))
        return;
    memcpy(s->text, t->at + before, n);
    s->len = (uint16_t)n;
    s->class = class;
}
