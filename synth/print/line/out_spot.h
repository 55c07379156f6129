/* out_spot.h - addresses as text, kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line is mostly text that was printed before: "%16x sym+0xoff (dso)" of the same
 * addresses again.  It is made once, from what lies there (synth/symbol/places.h), and
 * copied from then on: a line whose texts are all kept looks nothing up.
 */
#ifndef PTS_SYNTH_PRINT_LINE_OUT_SPOT_H
#define PTS_SYNTH_PRINT_LINE_OUT_SPOT_H

#include "synth/plan/fields.h"
#include "synth/print/text.h"
#include "synth/symbol/places.h"

/* Besides what places.h says of how an address is looked up: it is shown as the address
 * in its file. */
enum { SPOT_FRAME = 0x40 };

enum { SPOT_TEXT = 180 };

/* Of which address the text is wanted, and for which class of events. */
struct spot_ask {
    const struct who *who;
    uint64_t ip;
    uint8_t how; /* cpumode, PLACE_* and SPOT_* */
    uint8_t class;
};

struct spot {
    uint64_t ip;
    uint32_t space, thread, guest;
    uint16_t len; /* of text; 0: nothing is kept */
    uint8_t how, class;
    char text[SPOT_TEXT];
};

/* Zero-initialise but for the first three, which are lent. */
struct spots {
    struct places *places;
    const struct fields *fields;
    uint32_t pad_dso; /* width of dso names, 0 none */
    struct spot at[PLACES];
};

/* Makes a text, and keeps it in s if it fits. */
void spot_print(struct spots *all, struct spot *s, const struct spot_ask *ask,
                struct text *t);
/* A dso's name, cut and padded when --call-trace asks for it. */
void spot_dso(const struct spots *all, const struct place *p, struct text *t);

/* "%16x sym+0xoff (dso)", as far as the fields of the class say. */
static inline void spot_put(struct spots *all, const struct spot_ask *ask,
                            struct text *t)
{
    const struct who *w = ask->who;
    struct spot *s = &all->at[places_hash(w, ask->ip)];

    if (s->len && s->ip == ask->ip && s->space == w->space && s->thread == w->thread &&
        s->guest == w->guest && s->how == ask->how && s->class == ask->class)
        text_put(t, s->text, s->len);
    else
        spot_print(all, s, ask, t);
}

#endif
