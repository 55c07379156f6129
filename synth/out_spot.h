/* out_spot.h - addresses as text, kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * A line is mostly text that was printed before, so what lies at an address is looked
 * up once and kept with its finished text, keyed by who->space.
 */
#ifndef PTS_SYNTH_OUT_SPOT_H
#define PTS_SYNTH_OUT_SPOT_H

#include "synth/fields.h"
#include "synth/fmt.h"
#include "synth/place.h"

/* With a cpumode: how an address is looked up and shown. */
enum {
    SPOT_TARGET = 0x80, /* maps of the other mode are tried, too */
    SPOT_FRAME = 0x40,  /* shown as the address in its file */
    SPOT_MODE = 0x3f
};

enum { SPOTS = 4096, SPOT_TEXT = 180 };

/* An address, its place, and that as text: "%16x sym+0xoff (dso)".  Most lines read the
 * key and the text only: these share cache lines. */
struct spot {
    uint64_t ip;
    uint32_t space, thread;
    uint16_t len;  /* of text; 0: not made, or too long */
    uint8_t how;   /* cpumode and SPOT_* */
    uint8_t class; /* whose fields text shows */
    bool known;
    char text[SPOT_TEXT];
    struct place place;
};

/* Zero-initialise but for the first three, which are lent. */
struct spots {
    const struct lookup *look;
    const struct fields *fields;
    uint32_t pad_dso; /* width of dso names, 0 none */
    struct spot at[SPOTS];
};

/* Fills s, which is for another address yet. */
void spot_make(const struct spots *all, struct spot *s, const struct who *w,
               uint8_t how, uint64_t ip);
/* Text of a spot that is not kept for this class. */
void spot_print(const struct spots *all, struct spot *s, uint8_t class, struct text *t);
/* A dso's name, cut and padded when --call-trace asks for it. */
void spot_dso(const struct spots *all, const struct place *p, struct text *t);

/* Valid until the next call. */
static inline struct spot *spot_at(struct spots *all, const struct who *w, uint8_t how,
                                   uint64_t ip)
{
    uint64_t h = (ip ^ w->space) * 0x9e3779b97f4a7c15u;
    struct spot *s = &all->at[h >> 52];

    _Static_assert(SPOTS == 1 << (64 - 52),
                   "the hash has as many bits as there are spots");
    if (!s->known || s->ip != ip || s->space != w->space || s->thread != w->thread ||
        s->how != how)
        spot_make(all, s, w, how, ip);
    return s;
}

static inline void spot_put(const struct spots *all, struct spot *s, uint8_t class,
                            struct text *t)
{
    if (s->len && s->class == class)
        text_put(t, s->text, s->len);
    else
        spot_print(all, s, class, t);
}

#endif
