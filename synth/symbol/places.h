/* places.h - what lies at addresses, kept.
 *
 * SPDX-License-Identifier: MIT
 *
 * A program runs the same few thousand instructions over and over, and looking one up
 * (the map, the file, the symbol) takes much longer than comparing a key.  So answers
 * are kept, for all who go by them sample after sample: the filter, callindent.  Who
 * keeps what it makes of an answer, as the printer does with texts, takes it from here
 * if it is here (place_once), and does not fill the table for nothing.
 *
 *     (ip ^ maps) * K >> 52
 *           |
 *           v
 *     slot  | 0 | 1 | ...      | 4095 |     one answer each: who comes later with the
 *               '- key, place               same hash takes the slot
 *
 * The key is all that the answer depends on: address, way of looking, machine, and maps: the
 * thread and who->space, which changes whenever any address could mean something else, or for
 * the kernel's code that of the kernel alone.  So an answer never gets old, and nothing is ever
 * thrown away on purpose.
 */
#ifndef PTS_SYNTH_SYMBOL_PLACES_H
#define PTS_SYNTH_SYMBOL_PLACES_H

#include "synth/symbol/place.h"

/* How an address is looked up: its cpumode, and with PLACE_TARGET also in the maps of
 * the other mode when it is in none of that one.  A branch from user space into the
 * kernel has one cpumode, that of where it came from. */
enum { PLACE_TARGET = 0x80 };

enum { PLACES = 4096 };

struct places_slot {
    uint64_t ip, maps; /* maps: who_maps() */
    uint32_t guest;
    uint8_t how;
    bool known;
    struct place place;
};

struct places {
    const struct lookup *look;
    bool used;
    struct places_slot at[PLACES];
};

/* Nothing is known yet; look is lent for the life of the result. */
pts_status places_new(const struct lookup *look, struct places **out);
void places_free(struct places *all); /* NULL is fine */

/* Fills s, which is for another address yet. */
void places_fill(struct places *all, struct places_slot *s, const struct who *w,
                 uint8_t how, uint64_t ip);
/* What lies at ip, but it is not kept. */
void places_look(const struct places *all, const struct who *w, uint8_t how,
                 uint64_t ip, struct place *out);

static inline uint64_t places_maps(const struct who *w, uint8_t how, uint64_t ip)
{
    return who_maps(w, how & (uint8_t)~PLACE_TARGET, ip);
}

/* Where an answer for ip is kept. */
static inline uint32_t places_hash(uint64_t maps, uint64_t ip)
{
    _Static_assert(PLACES == 1 << (64 - 52),
                   "the hash has as many bits as there are slots");
    return (uint32_t)((ip ^ maps) * UINT64_C(0x9e3779b97f4a7c15) >> 52);
}

static inline bool places_have(const struct places_slot *s, const struct who *w,
                               uint8_t how, uint64_t ip, uint64_t maps)
{
    return s->ip == ip && s->maps == maps && s->guest == w->guest && s->how == how &&
           s->known;
}

/* What lies at ip; lent until the next call. */
static inline const struct place *place_at(struct places *all, const struct who *w,
                                           uint8_t how, uint64_t ip)
{
    uint64_t maps = places_maps(w, how, ip);
    struct places_slot *s = &all->at[places_hash(maps, ip)];

    if (!places_have(s, w, how, ip, maps))
        places_fill(all, s, w, how, ip);
    return &s->place;
}

/* The same for one who will not ask again soon: what is not here is put into *own. */
static inline const struct place *
place_once(const struct places *all, const struct place_query *q, struct place *own)
{
    uint64_t maps = places_maps(q->who, q->cpumode, q->ip);
    const struct places_slot *s = &all->at[places_hash(maps, q->ip)];

    if (places_have(s, q->who, q->cpumode, q->ip, maps))
        return &s->place;
    places_look(all, q->who, q->cpumode, q->ip, own);
    return own;
}

#endif
