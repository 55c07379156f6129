/* out_spot.c - addresses as text, kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * A text that is too long to be kept (a very long C++ name) is made anew each time.
 */
#include "synth/print/line/out_spot.h"

#include "decoder/base/arena.h"
#include "decoder/base/digits.h"

/* False: no memory. */
static bool make_room(struct spots *all)
{
    if (!all->pool)
        all->pool = mem_resize(NULL, SPOT_POOL + PUT_WIDE, 1);
    if (!all->set && all->pool)
        all->set = mem_table(SPOT_SETS, sizeof(*all->set));
    return all->set;
}

void spots_free(struct spots *all)
{
    mem_free(all->set);
    mem_free(all->pool);
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

static void spot_keep(struct spots *all, const struct spot_ask *ask, const char *text,
                      size_t n)
{
    const struct spot_key key = spot_key_of(ask);
    const uint32_t set = spot_set(&key);

    if (!make_room(all))
        return;
    if (n > SPOT_POOL - all->used) {
        memset(all->set, 0, SPOT_SETS * sizeof(*all->set));
        all->used = 0;
    }
    all->set[set][all->turn[set]++ % SPOT_WAYS] =
        (struct spot){key, all->used, (uint32_t)n};
    memcpy(all->pool + all->used, text, n);
    all->used += (uint32_t)n;
}

void spot_print(struct spots *all, const struct spot_ask *ask, struct text *t)
{
    const struct place_query q = {ask->who, ask->ip, ask->how & (uint8_t)~SPOT_FRAME};
    struct place own;
    size_t before = t->len;
    const struct place *p = place_once(all->places, &q, &own);

    put_place(all, ask, p, t);
    size_t n = t->len - before;
    if (!t->failed && n <= SPOT_TEXT && !p->unread)
        spot_keep(all, ask, t->at + before, n);
}
