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

/* How many texts are kept, and how much of them; a longer one is made anew each time. */
enum { SPOT_SETS = 4096, SPOT_WAYS = 4, SPOT_TEXT = 512, SPOT_POOL = 2 << 20 };

/* Of which address the text is wanted, and for which class of events. */
struct spot_ask {
    const struct who *who;
    uint64_t ip;
    uint8_t how; /* cpumode, PLACE_* and SPOT_* */
    uint8_t class;
};

/* All that the text depends on, so that it never gets old (places.h): the address, whose
 * it is, and how it is looked up and shown. */
struct spot_key {
    uint64_t ip;
    uint64_t maps; /* who_maps() */
    uint64_t how;  /* guest, struct spot_ask's how and class */
};

struct spot {
    struct spot_key key;
    uint32_t text; /* where in the pool */
    uint32_t len;  /* 0: nothing is kept */
};

/* Zero-initialise but for the first three, which are lent; give back with spots_free.  Room is
 * taken with the first text: of several who make lines some may never keep one.
 *
 * A text has one of the slots of a set, that of who came there longest ago.  Texts lie
 * one behind the other in the pool; when it is full, all are forgotten. */
struct spots {
    struct places *places;
    const struct fields *fields;
    uint32_t pad_dso; /* width of dso names, 0 none */
    uint32_t used;    /* of the pool */
    char *pool;
    struct spot (*set)[SPOT_WAYS];
    uint8_t turn[SPOT_SETS]; /* the slot to be taken next */
};

void spots_free(struct spots *all);
/* Makes a text, and keeps it. */
void spot_print(struct spots *all, const struct spot_ask *ask, struct text *t);
/* A dso's name, cut and padded when --call-trace asks for it. */
void spot_dso(const struct spots *all, const struct place *p, struct text *t);

static inline struct spot_key spot_key_of(const struct spot_ask *ask)
{
    const struct who *w = ask->who;

    return (struct spot_key){
        .ip = ask->ip,
        .maps = places_maps(w, ask->how & (uint8_t)~SPOT_FRAME, ask->ip),
        .how = (uint64_t)w->guest << 32 | ask->how << 8 | ask->class};
}

static inline uint32_t spot_set(const struct spot_key *k)
{
    _Static_assert(SPOT_SETS == 1 << (64 - 52), "the hash has as many bits");
    return (uint32_t)((k->ip ^ k->maps) * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

/* The text of an address, if it is kept. */
static inline const struct spot *spot_find(const struct spots *all,
                                           const struct spot_ask *ask)
{
    const struct spot_key k = spot_key_of(ask);

    if (!all->set)
        return NULL;
    const struct spot *s = all->set[spot_set(&k)];

    for (unsigned i = 0; i < SPOT_WAYS; i++, s++)
        if (s->key.ip == k.ip && s->key.maps == k.maps && s->key.how == k.how && s->len)
            return s;
    return NULL;
}

/* "%16x sym+0xoff (dso)", as far as the fields of the class say. */
static inline void spot_put(struct spots *all, const struct spot_ask *ask,
                            struct text *t)
{
    const struct spot *s = spot_find(all, ask);

    if (s)
        text_put(t, all->pool + s->text, s->len);
    else
        spot_print(all, ask, t);
}

#endif
